"""``calibrate`` from tables: what is asked for, what is refused, and intervals that hold."""

import numpy as np
import pytest

import raters
from raters.judges.means import powered_mean
from raters.judges.shares import corrected, jeffreys, likeliest, poststratified, projected


def tables(n=60, many=500, seed=0, labels=("yes", "no")):
    rng = np.random.default_rng(seed)
    truth = rng.random(n + many) < 0.3
    said = truth ^ (rng.random(n + many) < 0.1)
    people = [(i, "ann", labels[int(not truth[i])]) for i in range(n)]
    return people, [(i, "gpt", labels[int(not said[i])]) for i in range(n + many)]


def test_how_the_items_were_chosen_is_asked_for():
    people, model = tables()
    with pytest.raises(raters.UsageError, match="say how the items with human labels were chosen"):
        raters.calibrate(people, model)


def test_both_roads_from_tables():
    people, model = tables()
    random, other = (raters.calibrate(people, model, sample=s) for s in ("random", "other"))
    assert (
        (random.method, other.method) == ("poststratified", "rogan_gladen")
        and random.n == 60
        and random.n_judged == 500
    )
    human, judge = {i: y for i, _, y in people}, {i: y for i, _, y in model}
    t = np.array(
        [[sum(human[i] == k and judge[i] == j for i in human) for k in ("no", "yes")] for j in ("no", "yes")], float
    )
    q = np.array([sum(judge[i] == j for i in judge if i not in human) for j in ("no", "yes")], float)
    assert random["yes"].value == pytest.approx(poststratified(t, q).value[1]) and other["yes"].value == pytest.approx(
        corrected(t, q).value[1]
    )
    assert random["no"].value + random["yes"].value == pytest.approx(1)
    assert {e.name for e in random.people_alone} == {"no, people alone", "yes, people alone"} and not other.people_alone
    assert (
        "People's labels of these 60 items alone give" in random.sentence
        and random.to_frame() is not None
        and random.plot().description
    )
    assert random.effective_n > 60


def test_labels_that_only_the_judge_uses_stay():
    people, model = tables()
    model = [(i, j, "refused" if i % 50 == 7 else y) for i, j, y in model]
    for sample in ("random", "other"):
        found = raters.calibrate(people, model, sample=sample)
        assert list(found.confusion) == ["no", "yes", "refused"] and [e.name for e in found.combined] == ["no", "yes"]
        assert sum(e.value for e in found.combined) == pytest.approx(1, abs=1e-6) and "refused" in " ".join(
            found.warnings
        )


def test_a_class_that_people_never_gave_is_undefined_with_an_interval():
    people, model = tables()
    found = raters.calibrate([(i, p, "no") for i, p, _ in people], model, sample="other")
    assert np.isnan(found["yes"].value) and 0 <= found["yes"].low < found["yes"].high <= 1
    assert "absent" in found["yes"].warnings[0]


def test_a_class_that_the_judge_never_uses_is_said():
    people, model = tables()
    model = [(i, j, "no") for i, j, _ in model]
    found = raters.calibrate(people, model, sample="other")
    assert np.isnan(found["yes"].value) and "cannot distinguish these classes" in found["yes"].warnings[0]
    random = raters.calibrate(
        people, model, sample="random"
    )  # a judge that says nothing adds nothing, and harms nothing
    assert random["yes"].value == pytest.approx(np.mean([y == "yes" for _, _, y in people]))


def test_means_lambda_and_people_alone():
    rng = np.random.default_rng(1)
    y = rng.integers(1, 6, 400).astype(float)
    f = np.clip(y + rng.integers(-1, 2, 400), 1, 5)
    found = raters.calibrate(
        raters.read([(i, "ann", y[i]) for i in range(80)], scale="interval"),
        raters.read([(i, "m", f[i]) for i in range(400)], scale="interval"),
        sample="random",
    )
    want = powered_mean(y[:80], f[:80], f[80:])
    e, alone = found["mean"], found.people_alone[0]
    assert [e.value, e.low, e.high, found.lam["mean"]] == pytest.approx([want.value, want.low, want.high, want.lam])
    assert [alone.low, alone.high] == pytest.approx([want.human_low, want.human_high])
    needed = found.labels_for(0.1)
    assert needed.with_judge_low < needed.with_judge < needed.human_only and needed.with_judge < needed.with_judge_high
    assert "people's labels on 744 items without the judge" in needed.sentence
    assert needed.sentence.endswith("There are 400 items, so this is impossible.")


def test_no_number_of_labels_is_enough_and_it_says_so():
    people, model = tables(n=100)
    found = raters.calibrate(people, model, sample="other")
    assert (
        "no number of items labelled by people reaches this half-width; have the judge label more items"
        in found.labels_for(0.005).sentence
    )


def systems(seed=0, n=40, many=300):
    rng = np.random.default_rng(seed)
    rows, said = [], []
    for s, shift in (("A", 0.5), ("B", 0.0), ("C", -0.4)):
        y = 3 + shift + rng.normal(0, 1, n + many)
        f = y + rng.normal(0, 0.5, n + many)
        rows += [{"item": i, "rater": "ann", "label": round(y[i], 3), "system": s} for i in range(n)]
        said += [{"item": i, "rater": "m", "label": round(f[i], 3), "system": s} for i in range(n + many)]
    return raters.read(rows, scale="interval"), raters.read(said, scale="interval")


def test_differences_and_ranks_of_systems():
    people, model = systems()
    found = raters.calibrate(people, model, sample="random", system="system")
    assert [e.name for e in found.combined] == ["A - B", "A - C", "B - C", "A", "B", "C"]
    assert found["A - C"].low > 0 and found["A - C"].interval == "t, paired"
    assert all(sum(p) == pytest.approx(1) for p in found.ranks.values()) and found.ranks["A"][0] > 0.9
    alone = {e.name: e for e in found.people_alone}
    assert (
        found["A - C"].high - found["A - C"].low < alone["A - C, people alone"].high - alone["A - C, people alone"].low
    )


def test_win_rates_by_scores():
    people, model = tables(labels=("win", "loss"))
    found = raters.calibrate(people, model, sample="random", score={"win": 1, "loss": 0})
    assert found.estimate == "mean" and 0.1 < found["mean"].value < 0.5


def test_strata_and_clusters():
    people, model = systems()
    rng = np.random.default_rng(2)
    rows = [
        {"item": i, "rater": "a", "label": float(rng.integers(1, 6)), "topic": "xy"[i % 2], "doc": i // 4}
        for i in range(300)
    ]
    judge = raters.read([{**r, "rater": "m"} for r in rows], scale="interval")
    found = raters.calibrate(raters.read(rows[:60], scale="interval"), judge, sample="random", strata="topic")
    assert set(found.lam) == {"x", "y"}
    clustered = raters.calibrate(raters.read(rows[:60], scale="interval"), judge, sample="random", cluster="doc")
    assert clustered["mean"].value == pytest.approx(
        raters.calibrate(raters.read(rows[:60], scale="interval"), judge, sample="random")["mean"].value
    )
    lone = raters.calibrate(
        raters.read([r for r in rows[:60] if r["topic"] == "x"], scale="interval"),
        judge,
        sample="random",
        strata="topic",
    )
    assert np.isnan(lone["mean"].value) and "stratum 'y'" in lone["mean"].warnings[0]
    with pytest.raises(raters.UsageError, match="need a random subset"):
        raters.calibrate(people, model, sample="other", system="system")


def test_what_is_refused():
    people, model = tables()
    with pytest.raises(raters.UsageError, match=r"has 2 judges \('gpt', 'other'\); choose one"):
        raters.calibrate(people, [*model, (1, "other", "yes")], sample="random")
    with pytest.raises(raters.DataError, match="no item has both"):
        raters.calibrate([(f"z{i}", p, y) for i, p, y in people], model, sample="random")
    with pytest.raises(raters.UsageError, match="name their column"):
        raters.calibrate(people, model, sample="random", estimate="difference")


def test_inside_the_simplex_all_three_are_equal():
    rng = np.random.default_rng(0)
    for _ in range(20):
        c = rng.dirichlet(np.ones(4), 4).T * 0.3 + np.eye(4) * 0.7
        p = rng.dirichlet(np.ones(4))
        q = c @ p
        raw = np.linalg.solve(c, q)
        assert projected(raw) == pytest.approx(raw, abs=1e-12) and likeliest(c, q) == pytest.approx(raw, abs=1e-6)


GRID = [(n, a, p) for n in (20, 200) for a in (0.7, 0.9) for p in (0.1, 0.5)]


@pytest.mark.parametrize("n,a,p", GRID)
@pytest.mark.long("coverage")
def test_intervals_hold(n, a, p):
    """400 studies a cell: .93 less two and a half Monte Carlo errors; benchmarks/judges.py has the grid at full
    size.
    """
    rng = np.random.default_rng(int(n * 100 + a * 10 + p * 1000))
    studies, many = 400, 1000
    hits, width, human = np.zeros(2), 0.0, 0.0
    for s in range(studies):
        t = rng.multinomial(n, [p * a, (1 - p) * (1 - a), p * (1 - a), (1 - p) * a]).reshape(2, 2)
        positive = rng.binomial(many, p * a + (1 - p) * (1 - a))
        judged = np.array([positive, many - positive])
        post, fix = poststratified(t, judged, draws=600, seed=s), corrected(t, judged, draws=600, seed=s)
        hits += [post.low[0] <= p <= post.high[0], fix.low[0] <= p <= fix.high[0]]
        low, high = jeffreys(t[:, 0].sum(), n)
        width, human = width + post.high[0] - post.low[0], human + float(high - low)
    assert (hits / studies >= 0.93 - 2.5 * np.sqrt(0.93 * 0.07 / studies)).all(), hits / studies
    assert width <= human * 1.02


@pytest.mark.parametrize(("options", "says"), [
    ({"sample": "random", "interval": "bootsrap"}, "interval='bootsrap': calibrate takes interval='auto', or None"),
    ({"sample": "random", "cluster": "doc"}, "cluster= applies to means"),
    ({"sample": "random", "shares": {"a": 1.0}}, "also name their column: strata='topic'"),
    ({"sample": "other", "strata": "topic"}, "strata= needs a random subset in each stratum"),
    ({"sample": "random", "method": "ml"}, "method= chooses how class shares from another set"),
    ({"sample": "other", "method": "em"}, "method='em' is not known"),
    ({"sample": "random", "level": 95}, "level=95 is not between 0 and 1"),
])  # fmt: skip
def test_an_option_that_would_not_count_is_refused(options, says):
    people = [(i, "ann", "yes" if i % 3 == 0 else "no") for i in range(60)]
    model = [(i, "m", "yes" if i % 3 == 0 else "no") for i in range(200)]
    with pytest.raises(raters.UsageError, match=says):
        raters.calibrate(people, model, **options)
