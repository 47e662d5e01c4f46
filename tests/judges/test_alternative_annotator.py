"""The alternative-annotator test: the published collection, plain loops, and tables that are odd."""

import alt_test_data as collection
import numpy as np
import pytest
from scipy import stats

import raters
from raters.judges.alt_test import p_values, rejected

TABLE = {
    "framing": {"gemini_flash": (1.0, 0.8336), "gemini_pro": (1.0, 0.9062), "gpt-4o": (1.0, 0.9179),
                "llama-31": (0.5, 0.8015), "gpt-4o-mini": (1.0, 0.8724), "mistral-v03": (0.25, 0.7991)},
    "cebab_aspects": {"gemini_flash": (0.7, 0.9135), "gemini_pro": (0.9, 0.9356), "gpt-4o": (0.9, 0.9277),
                      "llama-31": (0.6, 0.8911), "gpt-4o-mini": (0.5, 0.8962), "mistral-v03": (0.1, 0.8110)},
    "summeval": {"gemini_flash": (0, 0.4612), "gemini_pro": (0, 0.4420), "gpt-4o": (0, 0.4757),
                 "llama-31": (0, 0.5811), "gpt-4o-mini": (0, 0.5446), "mistral-v03": (0, 0.6230)},
    "lesion": {"gemini_flash": (0.1667, 0.7108), "gemini_pro": (1.0, 0.8098), "gpt-4o": (0.0, 0.6170),
               "gpt-4o-mini": (0.6667, 0.7349)},
}  # fmt: skip


@pytest.mark.shared
@pytest.mark.parametrize("task", TABLE)
def test_the_published_table(task, data_dir):
    people, models = collection.pair(data_dir, task)
    found = raters.alt_test_table(people, models, epsilon=collection.TASKS[task][1], interval=None)
    assert {t.judge for t in found} == set(TABLE[task])
    for t in found:
        rate, advantage = TABLE[task][t.judge]
        assert float(t.winning_rate) == pytest.approx(rate, abs=5.1e-5)
        assert float(t.advantage) == pytest.approx(advantage, abs=5.1e-5)
        assert t.passed == (rate >= 0.5)


@pytest.mark.shared
def test_the_interval_of_the_advantage_and_the_gap_of_each_person(data_dir, oracles_dir):
    people, models = collection.pair(data_dir, "framing")
    found = raters.alt_test_table(people, models, epsilon=0.15, resamples=1000)
    for name, want in collection.oracle(oracles_dir)["alternative_annotator_test"]["full"].items():
        if name.startswith("framing/"):
            t = found[name.split("/")[1]]
            assert t.advantage.se == pytest.approx(want["advantage_se_delta"], rel=0.08)
            assert [t.advantage.low, t.advantage.high] == pytest.approx(want["advantage_ci_bootstrap"], abs=0.003)
            rate = t.winning_rate  # no interval where every sample has the same rate
            assert (np.isnan(rate.low) and rate.undefined) or rate.low <= rate.value <= rate.high
            for p in t.people:
                assert [p.gap, p.n_items] == pytest.approx(want["d_by_person"][p.name], abs=6e-6)


def made(n=80, seed=1, numbers=False, persons=4):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    say = lambda wrong: np.where(rng.random(n) < wrong, rng.integers(0, 4, n), truth)  # noqa: E731
    people = {f"p{j}": say(0.2 + 0.05 * j) for j in range(persons)}
    there = {p: rng.random(n) < 0.8 for p in people}
    model = say(0.25)
    scale = "interval" if numbers else "nominal"
    step = 0.1 if numbers else 1
    rows = [
        (i, p, float(x[i]) * step if numbers else f"L{x[i]}")
        for p, x in people.items()
        for i in range(n)
        if there[p][i]
    ]
    said = [(i, "m", float(model[i]) * step if numbers else f"L{model[i]}") for i in range(n) if rng.random() < 0.9]
    return rows, said, scale


def by_loops(rows, said, epsilon, numbers, least):
    """The definition, item by item."""
    labels = {}
    for i, p, y in rows:
        labels.setdefault(i, {})[p] = y
    model = {i: y for i, _, y in said}

    def alike(x, others):
        if numbers:
            return -round(np.sqrt(np.mean([(x - y) ** 2 for y in others])), 9)
        return np.mean([x == y for y in others])

    p, wins, names = [], [], []
    for name in sorted({r[1] for r in rows}):
        gaps, w = [], []
        for i, given in labels.items():
            others = [y for q, y in given.items() if q != name]
            if name in given and others and i in model:
                f, h = alike(model[i], others), alike(given[name], others)
                gaps.append(float(h >= f) - float(f >= h))
                w.append(f >= h)
        if len(gaps) >= least:
            p.append(stats.ttest_1samp(gaps, epsilon, alternative="less").pvalue)
            wins.append(np.mean(w))
            names.append(name)
    fall = stats.false_discovery_control(p, method="by") <= 0.05
    return np.array(p), np.mean(fall), np.mean(wins), names


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_against_plain_loops(numbers, seed):
    rows, said, scale = made(seed=seed, numbers=numbers)
    found = raters.alt_test(raters.read(rows, scale=scale), raters.read(said, scale=scale), epsilon=0.2, interval=None)
    p, rate, advantage, names = by_loops(rows, said, 0.2, numbers, 30)
    assert [x.name for x in found.people] == names
    assert np.array([x.p for x in found.people]) == pytest.approx(p, abs=1e-12)
    assert float(found.winning_rate) == pytest.approx(rate) and float(found.advantage) == pytest.approx(advantage)


def test_the_procedure_is_that_of_scipy():
    rng = np.random.default_rng(0)
    for _ in range(50):
        p = rng.random(7) ** 4
        assert rejected(p, 0.05).tolist() == (stats.false_discovery_control(p, method="by") <= 0.05).tolist()


def test_no_variance_passes_or_fails_by_the_mean():
    sums = np.array([[40, 0, 0, 40], [40, 40, 40, 0]], float)
    assert p_values(sums, 0.1).tolist() == [0.0, 1.0]


def test_people_with_few_items_are_left_out_by_name_and_nobody_left_is_an_error():
    rows, said, _ = made()
    rows += [(i, "late", "L0") for i in range(5)]
    found = raters.alt_test(rows, said, interval=None)
    assert found.left_out[0].startswith("late (")
    with pytest.raises(raters.DataError, match="nobody can be compared with m: a person needs 30 items"):
        raters.alt_test([r for r in rows if r[0] < 20], said)
    few = raters.alt_test([r for r in rows if r[0] < 20], said, least=8, test="wilcoxon")
    assert 0 <= float(few.winning_rate) <= 1 and few.test == "wilcoxon"


def test_one_file_with_names_or_a_column():
    rows, said, _ = made()
    both = [*rows, *said]
    two = raters.alt_test(rows, said, interval=None)
    assert raters.alt_test(both, judges=["m"], interval=None).to_dict() == two.to_dict()
    kinds = {
        "item": [r[0] for r in both],
        "rater": [r[1] for r in both],
        "label": [r[2] for r in both],
        "kind": ["model" if r[1] == "m" else "human" for r in both],
    }
    assert raters.alt_test(raters.read(kinds), judges_from="kind", interval=None).to_dict() == two.to_dict()


def test_what_cannot_be_asked():
    rows, said, _ = made()
    with pytest.raises(raters.UsageError, match="no rater is called 'gpt'; the raters are 'm', 'p0'"):
        raters.alt_test([*rows, *said], judges=["gpt"])
    with pytest.raises(raters.UsageError, match="say which raters are models"):
        raters.alt_test(rows)
    with pytest.raises(raters.UsageError, match="epsilon=2 is not a share"):
        raters.alt_test(rows, said, epsilon=2)
    with pytest.raises(raters.UsageError, match="similarity='cosine' is not known"):
        raters.alt_test(rows, said, similarity="cosine")
    with pytest.raises(raters.DataError, match="share no item"):
        raters.alt_test(rows, [(f"x{i}", j, y) for i, j, y in said])


def test_sets_of_labels_and_a_similarity_of_ones_own():
    rng = np.random.default_rng(3)
    truth = [["a"], ["a", "b"], ["c"]]
    pick = lambda i: truth[(i + (rng.random() < 0.2)) % 3]  # noqa: E731
    people = raters.read([(i, f"p{j}", pick(i)) for i in range(60) for j in range(3)], scale="sets")
    model = raters.read([(i, "m", pick(i)) for i in range(60)], scale="sets")
    assert raters.alt_test(people, model, epsilon=0.2, interval=None).similarity == "jaccard"
    own = raters.alt_test(people, model, epsilon=0.2, interval=None, similarity=lambda a, b: float(set(a) == set(b)))
    match = raters.alt_test(people, model, epsilon=0.2, interval=None, similarity="match")
    assert float(own.advantage) == float(match.advantage)


def test_results_are_frozen_and_say_themselves():
    rows, said, _ = made()
    found = raters.alt_test(rows, said, resamples=200)
    assert (
        found.to_dict()["people"][0]["name"] == "p0" and "alternative-annotator test at epsilon 0.1" in found.sentence
    )
    assert len(found.to_frame()) == len(found.people) and found.plot().description and "<p>" in found._repr_html_()
    with pytest.raises(AttributeError):
        found.epsilon = 1


def test_the_type_of_the_result_does_not_depend_on_the_number_of_models():
    rows, said, _ = made()
    two = [*said, *((i, "n", y) for i, _, y in said)]
    with pytest.raises(raters.UsageError, match=r"there are 2: 'm', 'n'. Use alt_test_table\(\).*judges=\['m'\]"):
        raters.alt_test(rows, two)
    one, table = (
        raters.alt_test(rows, two, judges=["m"], interval=None),
        raters.alt_test_table(rows, two, interval=None),
    )
    assert isinstance(one, raters.results.AltTest) and isinstance(table, raters.results.AltTests) and table["m"] == one
    assert isinstance(raters.alt_test_table(rows, said, interval=None), raters.results.AltTests)
    assert isinstance(table[:1], raters.results.AltTests) and "n" in table and "o" not in table
    with pytest.raises(KeyError, match="did you mean 'm'"):
        table["mm"]
