"""A system against the crowd: figures, floors, intervals, and one clear line for what is wrong."""

import json

import numpy as np
import pandas as pd
import pytest
from soft_cases import FOUR, UNEQUAL

import raters
from raters.reliability.soft.floors import crowd
from raters.reliability.soft.scores import SCORES, expected


def rows(counts):
    return [
        (f"i{i}", f"r{i}-{k}-{m}", k + 1) for i, n in enumerate(counts) for k, many in enumerate(n) for m in range(many)
    ]


@pytest.mark.parametrize(("case", "excess", "se"), [(FOUR, -0.03125, 0.0540206364889), (UNEQUAL, -0.06619047619, 0.04401710654886)])  # fmt: skip
def test_figures(case, excess, se):
    counts, q, figures, correlated, f1 = case
    ann = raters.read(rows(counts), scale="ordinal", labels=[*range(1, len(counts[0]) + 1)])
    found = raters.evaluate({f"i{i}": p for i, p in enumerate(q)}, ann)
    for name, value in figures.items():
        assert found[name].value == pytest.approx(value, abs=1e-9)
    assert found["brier_excess"].value == pytest.approx(excess, abs=1e-9)
    assert found["brier_excess"].se == pytest.approx(se, abs=1e-9)
    assert found["entropy_correlation"].value == pytest.approx(correlated, abs=1e-9)
    assert found["soft_f1"].value == pytest.approx(f1, abs=1e-9)
    assert found["manhattan"].details["soft_accuracy"] == pytest.approx(1 - figures["manhattan"] / 2)
    assert found["brier"].details["floor"] == pytest.approx(found["brier"].value - excess)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    p = rng.dirichlet([1, 1, 1], 120)
    made = [(f"i{i}", f"r{j}", "abc"[rng.choice(3, p=p[i])]) for i in range(120) for j in range(6)]
    return p, raters.read(made, scale="nominal")


def test_every_form_of_probabilities_gives_the_same(people, tmp_path):
    p, ann = people
    q = {f"i{i}": dict(zip("abc", x, strict=True)) for i, x in enumerate(p.tolist())}
    first = raters.evaluate(q, ann, interval=None)
    assert first["brier"].details["floor"] == pytest.approx(first["brier"].value, rel=0.1)
    frame = pd.DataFrame({"item": list(q), **{f"p({c})": [x[c] for x in q.values()] for c in "abc"}})
    frame.to_csv(tmp_path / "q.csv", index=False)
    frame.to_parquet(tmp_path / "q.parquet")
    plain = frame.rename(columns={f"p({c})": c for c in "abc"})
    long = frame.melt("item", var_name="label", value_name="probability")
    long["label"] = long["label"].str[2]
    (tmp_path / "q.json").write_text(json.dumps(q))
    (tmp_path / "records.json").write_text(json.dumps({i: {"text": "x", "soft_label": x} for i, x in q.items()}))
    (tmp_path / "q.jsonl").write_text("\n".join(json.dumps({"id": i, "probs": x}) for i, x in q.items()))
    (tmp_path / "q.tsv").write_text("\n".join(f"{i}\t{json.dumps([*x.values()])}" for i, x in q.items()))
    files = [tmp_path / name for name in ("q.csv", "q.parquet", "q.json", "records.json", "q.jsonl", "q.tsv")]
    for other in (frame, plain, long, {i: [*x.values()] for i, x in q.items()}, *files):
        found = raters.evaluate(other, ann, interval=None)
        assert [e.value for e in found] == pytest.approx([e.value for e in first], nan_ok=True), other


def test_keys_of_json_are_labels_however_they_are_written():
    ann = raters.read([("1", "a", 0), ("1", "b", 1), (2, "a", 1), (2, "b", 1)], scale="nominal")
    values = [
        raters.evaluate({1: {key[0]: 0.25, key[1]: 0.75}, "2": {key[1]: 1.0}}, ann, interval=None)["brier"].value
        for key in (("0", "1"), ("0.0", "1.0"), (0, 1), (0.0, 1.0))
    ]
    assert values == [pytest.approx(0.0625)] * 4


def test_soft_labels_are_written_and_read_back(people, tmp_path):
    _, ann = people
    soft = raters.soft_labels(ann)
    assert soft.k.tolist() == [6.0] * 120 and soft.shares.sum(1) == pytest.approx(np.ones(120))
    assert list(soft.to_frame())[:3] == ["item", "k", "n(a)"]
    for name in ("s.csv", "s.parquet"):
        back = raters.soft_labels(soft.save(tmp_path / name))
        assert back.items == soft.items and back.labels == soft.labels and (back.counts == soft.counts).all()
        assert raters.evaluate(back, tmp_path / name, interval=None)["kl"].value == pytest.approx(0, abs=1e-12)
    with pytest.raises(raters.UsageError, match=r"\.csv or \.parquet"):
        soft.save(tmp_path / "s.txt")


def test_sets_are_scored_label_by_label():
    given = [("1", "a", "x"), ("1", "b", "x;y"), ("2", "a", "y"), ("2", "b", "y"), ("3", "a", "x"), ("3", "b", "y")]
    ann = raters.read(given, scale="sets", sep=";")
    forms = (
        {"1": {"x": 1, "y": 0}, "2": {"x": 0, "y": 1}, "3": {"x": 0.5, "y": 0.5}},
        {"1": {"x": {"0": 0, "1": 1}, "y": {"0": 1.0, "1": 0.0}}, "2": {"y": 1, "x": 0}, "3": {"x": 0.5, "y": 0.5}},
        {"1": [[0, 1], [1, 0]], "2": [[1, 0], [0, 1]], "3": [[0.5, 0.5], [0.5, 0.5]]},
    )
    for system in forms:
        assert raters.evaluate(system, ann, interval=None)["manhattan"].value == pytest.approx((0.5 + 0 + 0) / 3)


def test_two_systems_are_compared_on_the_same_items(people):
    p, ann = people
    good = {f"i{i}": x for i, x in enumerate(p.tolist())}
    worse = {f"i{i}": (0.5 * x + 0.5 / 3).tolist() for i, x in enumerate(p) if i}
    found = raters.evaluate(good, ann, against=worse)
    d = found.differences["brier"]
    alone = [raters.evaluate({k: s[k] for k in worse}, ann, interval=None)["brier"].value for s in (good, worse)]
    assert d.value == pytest.approx(alone[0] - alone[1]) and d.high < 0 and "first system" in found.sentence
    assert d.se < found["brier"].se


def test_labels_give_an_infinite_cross_entropy_with_its_number_of_items(people):
    _, ann = people
    found = raters.evaluate({f"i{i}": "a" for i in range(120)}, ann, interval=None)
    note = next(n for n in found.notes if n.code == "soft_infinite")
    assert np.isinf(found["cross_entropy"].value) and 100 < note.facts["n"] <= 120
    assert np.isfinite(raters.evaluate({"i1": "a"}, ann, clip=1e-12, interval=None)["cross_entropy"].value)


def test_one_label_an_item_has_no_floor():
    ann = raters.read([(f"i{i}", "r", "ab"[i % 2]) for i in range(9)], scale="nominal")
    found = raters.evaluate({f"i{i}": {"a": 0.4, "b": 0.6} for i in range(9)}, ann)
    assert "floor" not in found["manhattan"].details and np.isnan(found["brier_excess"].value)
    assert {n.code for n in found.notes} == {"soft_one_label"} and "one label" in found.sentence


def test_a_crowd_that_hardly_ever_differs_has_rough_floors():
    table = [(f"i{i}", f"r{j}", "ab"[i % 10 == 0 and j == 0]) for i in range(60) for j in range(6)]
    found = raters.evaluate({f"i{i}": {"a": 0.9, "b": 0.1} for i in range(60)}, raters.read(table, scale="nominal"))
    assert [n.facts for n in found.notes if n.code == "soft_unanimous"] == [{"share": pytest.approx(0.9)}]


def test_few_labels_name_the_scores_that_reward_overconfidence():
    ann = raters.read([(f"i{i}", f"r{j}", "ab"[(i + j) % 2]) for i in range(9) for j in range(3)], scale="nominal")
    note = next(n for n in raters.evaluate({f"i{i}": "a" for i in range(9)}, ann).notes if n.code == "soft_few_labels")
    assert "Manhattan" in str(note) and "Jensen-Shannon" in str(note)


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ({"i0": {"a": 0.5, "b": 0.4}}, r"item 'i0' do not sum to 1: \[0.5, 0.4, 0.0\] \(1 of 1 items\)"),
        ({"i0": {"a": 1.5, "b": -0.5}}, "below 0"),
        ({"i0": {"a": 0.5, "z": 0.5}}, "gives 'z', which nobody gave"),
        ({"i0": "z"}, "gives 'z', which nobody gave"),
        ({"i0": [0.5, 0.5]}, "lists have 2 probabilities .* but there are 3 labels"),
        ({"i0": {"a": "x", "b": 0.4}}, "probability 'x' of item 'i0' is not a number"),
        ({"q": "a"}, "share no item: the system's are like 'q'"),
        ({"i0": "a", "i1": {"a": 1.0}}, "use one form"),
        ([{"text": 1, "id": "i0"}], r"columns p\(LABEL\)"),
        ({}, "share no item"),
        (
            [{"item": "i0", "p(a)": 0.5, "p(b)": 0.5}, {"item": "i0", "p(a)": 0.4, "p(b)": 0.6}],
            "item 'i0' has two answers",
        ),
        (
            [{"item": "i0", "label": "a", "probability": 1.0}, {"item": "i0", "label": "a", "probability": 0.5}],
            "two answers, 1.0 and 0.5",
        ),
        ({"i0": {"a": {"x": 1}}}, "is not a number"),
        ({"i0": [[0.5, 0.5], [0.5, 0.5], [0.2, 0.8]]}, r"probability \[0.5, 0.5\] of item 'i0' is not a number"),
        ({"i0": "a", " i0": "b"}, "two items are called 'i0'"),
    ],
)
def test_one_clear_line_for_a_system_that_cannot_be_read(people, system, said):
    with pytest.raises(raters.RatersError, match=said):
        raters.evaluate(system, people[1])


def test_items_of_one_side_are_left_out_and_counted(people):
    found = raters.evaluate({"i0": "a", "i1": "b", "q": "a"}, people[1])
    (note,) = (n for n in found.notes if n.code == "soft_items_apart")
    assert (note.facts["n"], note.facts["labels"], note.facts["system"]) == (2, 118, 1)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("q.json", "[1, 2]", r"q.json: a list of \[1, 2\], not of objects"),
        ("q.jsonl", '{"item": "i0", "a": 1}\n\nno\n', r"q.jsonl: not JSON \(line 3"),
        ("q.tsv", "i0\t[0.5, 0.5]\ni0\t[0.5, 0.4]\n", "q.tsv: item 'i0' has two answers"),
    ],
)
def test_one_clear_line_for_a_file(people, tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(raters.RatersError, match=said):
        raters.evaluate(tmp_path / name, people[1])


def test_probabilities_off_1_are_no_labels_of_raters():
    """Three raters and three labels: lists that do not sum to 1 were taken for the raters' labels, all of them wrong."""
    ann = raters.read([(f"i{i}", f"r{j}", "abc"[(i + j) % 3]) for i in range(9) for j in range(3)], scale="nominal")
    with pytest.raises(raters.RatersError, match="do not sum to 1"):
        raters.evaluate({f"i{i}": [0.3, 0.3, 0.3] for i in range(9)}, ann)
    with pytest.raises(raters.RatersError, match="labels that nobody gave: 'z'"):
        raters.evaluate({f"i{i}": {"r0": "z", "r1": "a"} for i in range(9)}, ann)
    blank = raters.evaluate({f"i{i}": {"r0": "a", "r1": np.nan} for i in range(9)}, ann, each="rater")
    assert blank["error_of_labels"].n_annotations == 9


def in_a_table(rows, how):
    """A row of labels for each item, of the raters r0, r1 and so on."""
    return raters.read([(f"i{i}", f"r{j}", x) for i, row in enumerate(rows) for j, x in enumerate(row)], **how)


BINARY = ([[1, 0, 1], [0, 0], [1, 1, 1, 0]], [[1, 1, 1], [0, 1], [0, 1, 1, 0]])
SIX = ([[2, 5, 3], [1, 1, 2, 6], [4, 4]], [[2, 4, 3], [1, 2, 2, 3], [6, 4]])


@pytest.mark.parametrize(
    ("case", "how", "figures"),
    [
        (BINARY, {"scale": "nominal"}, {"error_by_item": 0.361111111, "error_of_labels": 1 / 3}),
        (SIX, {"scale": "ordinal", "labels": [1, 2, 3, 4, 5, 6]},
         {"distance_lewidi": 0.12962962963, "distance_by_item": 0.15555555556, "error_by_item": 0.444444444}),
    ],
)  # fmt: skip
def test_predictions_for_each_rater_have_lewidi_s_figures(case, how, figures):
    given, said = case
    ann, table = in_a_table(given, how), in_a_table(said, how)
    by_name = {f"i{i}": {f"r{j}": x for j, x in enumerate(row)} for i, row in enumerate(said)}
    for system in ({f"i{i}": row for i, row in enumerate(said)}, by_name, table):
        found = raters.evaluate(system, ann)
        for name, value in figures.items():
            assert found[name].value == pytest.approx(value, abs=1e-8)
    wrong = [[x != y for i, row in enumerate(given) for k, x in enumerate(row) if k == j for y in [said[i][j]]] for j in range(4)]  # fmt: skip
    assert found["error_by_rater"].value == pytest.approx(np.mean([np.mean(w) for w in wrong]))
    pairs = [(x, row[k]) for row in given for j, x in enumerate(row) if j == 0 for k in range(len(row)) if k]
    assert found.raters["r0"].details["reference"] == pytest.approx(np.mean([x != y for x, y in pairs]))


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_lewidi_s_files_of_2025_are_read_as_they_are(data_dir, tmp_path):
    """Submissions drawn at random, scored by loops over the soft labels and labels that stand in the files."""
    rng = np.random.default_rng(0)

    def written(task, rows):
        path = tmp_path / f"{task}.tsv"
        path.write_text("".join(f"{item}\t{row}\n" for item, row in rows.items()))
        return path

    files = {t: data_dir / "exports" / "hf-layouts" / f"Le-Wi-Di__le-wi-di.github.io__{t}_dev.json" for t in ("Paraphrase", "VariErrNLI")}  # fmt: skip
    every = {t: json.loads(path.read_text()) for t, path in files.items()}
    points = every["Paraphrase"]
    q = {item: rng.dirichlet(np.ones(11)).tolist() for item in points}
    far = [np.abs(np.cumsum(list(x["soft_label"].values())) - np.cumsum(q[i])).sum() for i, x in points.items()]
    found = raters.evaluate(written("soft", q), files["Paraphrase"], interval=None)
    assert found["wasserstein"].value == pytest.approx(np.mean(far), abs=1e-9)
    said = {item: rng.integers(-5, 6, 4).tolist() for item in points}
    off = [np.mean([abs(int(y) - z) for y, z in zip(x["annotations"].values(), said[i], strict=True)]) for i, x in points.items()]  # fmt: skip
    found = raters.evaluate(written("each", said), files["Paraphrase"])
    assert found["distance_lewidi"].value == pytest.approx(np.mean(off) / 11)
    assert found["distance_by_item"].value == pytest.approx(np.mean(off) / 10)
    sets = every["VariErrNLI"]
    yes = {item: rng.random(3).tolist() for item in sets}
    names = ("contradiction", "entailment", "neutral")
    far = [np.mean([2 * abs(x["soft_label"][n]["1"] - p) for n, p in zip(names, yes[i], strict=True)]) for i, x in sets.items()]  # fmt: skip
    ann = raters.read(files["VariErrNLI"], scale="sets", sep=",")
    found = raters.evaluate(written("sets", {i: [[1 - x, x] for x in row] for i, row in yes.items()}), ann, interval=None)  # fmt: skip
    assert found["manhattan"].value == pytest.approx(np.mean(far), abs=1e-4)  # the file rounds thirds to .333


@pytest.mark.parametrize("k", [5, 10])
def test_floors_are_near_those_of_the_truth(k):
    rng = np.random.default_rng(k)
    ratio = []
    for _ in range(20):
        p = np.column_stack([x := rng.beta(0.5, 0.5, 400), 1 - x])
        found = crowd(rng.multinomial(k, p)[:, None], np.full(400, k))
        ratio.append(
            [found.expected(SCORES[n], 1.0) / expected(SCORES[n], k, p).mean() for n in ("manhattan", "brier")]
        )
    assert np.abs(np.mean(ratio, 0) - 1).max() < 0.03


def test_the_crowd_s_own_shares_are_not_shown_to_be_beyond_it():
    """A system that is the truth: the excess is 0 within its interval about as often as stated."""
    rng = np.random.default_rng(1)
    inside = 0
    for seed in range(30):
        p = rng.dirichlet([0.5, 0.5], 80)
        made = [(i, j, int(rng.random() > p[i, 0])) for i in range(80) for j in range(3)]
        ann = raters.read(made, scale="nominal")
        e = raters.evaluate({i: {0: x[0], 1: x[1]} for i, x in enumerate(p)}, ann, resamples=2, seed=seed)[
            "brier_excess"
        ]
        inside += e.low <= 0 <= e.high
    assert inside >= 25


def test_the_noise_that_is_said_is_that_of_the_items_it_was_estimated_on():
    """The score of all items less the excess of those with two labels was called noise: -0.048 in one table."""
    ann = raters.read(
        [("a", "r", "x"), ("a", "s", "x"), ("a", "t", "y"), ("b", "r", "y"), ("c", "r", "y")], scale="nominal"
    )
    found = raters.evaluate({i: [0.9, 0.1] for i in "abc"}, ann)
    of, noise = 2 * (0.9 - 2 / 3) ** 2, (1 - 5 / 9) / 2
    assert found["brier_excess"].details["noise"] == pytest.approx(noise)
    assert f"on the 1 item with two or more labels, {noise:.3f} of {of:.3f} is noise" in found.sentence
