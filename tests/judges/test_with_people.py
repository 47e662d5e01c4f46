"""The model with people beside people with each other: the published collection, and other roads to the same
figures.
"""

import alt_test_data as collection
import numpy as np
import pytest

import raters
from raters.judges.cross_replication import crossed
from raters.judges.kappas import checked, with_people
from raters.judges.people_and_judges import sides

TASKS = ("framing", "cebab_aspects", "lesion")


@pytest.mark.shared
@pytest.mark.parametrize("task", TASKS)
def test_the_published_collection(task, data_dir, oracles_dir):
    want = collection.oracle(oracles_dir)["agreement_alt_test"][task]
    s = sides(*collection.pair(data_dir, task))
    found = with_people(s, None, checked({"interval": None, "resamples": 2}), 0)
    for j, (judge, e) in enumerate(zip(s.judges, found, strict=True)):
        model, people = want["models"][judge], want["people_pair_kappa"]
        one = s.only(j)
        e = e | crossed(one, {"interval": None})
        figures = {
            "kappa": model["pair_kappa_weighted_by_items"],
            "kappa_people": people["weighted_by_items"],
            "kappa_gap": model["gap_weighted"],
            "raw_agreement": model["raw_agreement_weighted"],
            "raw_agreement_people": people["raw_agreement_weighted"],
            "leave_one_out": model["leave_one_out"]["model_mean"],
            "leave_one_out_people": model["leave_one_out"]["person_mean"],
            "kappa_x": model["kappa_x"],
            "alpha_people": want["alpha_people"],
            "kappa_x_ratio": model["kappa_x_over_alpha_people"],
        }
        assert {name: e[name].value for name in figures} == pytest.approx(figures, abs=6e-7)


def made(n=200, seed=0, scale="nominal"):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 4, n)
    say = lambda wrong: np.where(rng.random(n) < wrong, rng.integers(1, 4, n), truth)  # noqa: E731
    people = [(i, f"p{j}", int(x)) for j in range(3) for i, x in enumerate(say(0.2)) if rng.random() < 0.9]
    return raters.read(people, scale=scale), raters.read(
        [(i, "m", int(x)) for i, x in enumerate(say(0.3))], scale=scale
    )


@pytest.mark.parametrize("weights", [None, "quadratic", "linear"])
def test_pairs_are_those_of_per_pair(weights):
    people, model = made(scale="ordinal")
    (e,) = with_people(sides(people, model), weights, checked({"interval": None, "resamples": 2}), 0)
    pairs = raters.per_pair(people, "cohen", weights=weights, interval=None)
    mean = np.average([p.value for p in pairs], weights=[p.n_items for p in pairs])
    assert e["kappa_people"].value == pytest.approx(mean, abs=1e-12)


def test_both_sides_see_the_same_items_so_the_gap_of_a_copy_is_nothing():
    people, _ = made()
    rows = people.engine.query("SELECT item, rater, label FROM annotations")
    copy = [
        (i, "copy", y)
        for i, r, y in zip(*(rows[c].tolist() for c in ("item", "rater", "label")), strict=True)
        if r == "p0"
    ]
    found = raters.read([(i, r, int(y)) for i, r, y in copy], scale="nominal")
    (e,) = with_people(sides(people, found), None, checked({"resamples": 300}), 300)
    x = crossed(sides(people, found), {"interval": None})
    # the model is p0 itself: it agrees with p0 fully, and with the others as p0 does
    assert e["kappa"].value > e["kappa_people"].value and x["kappa_x"].value > x["alpha_people"].value
    assert e["kappa_gap"].low > 0


@pytest.mark.long("coverage")
def test_intervals_of_the_gap_hold():
    hits = 0
    truth = 0.8 * 0.7 - 0.8 * 0.8  # labels are the truth with probability 1 - wrong, else drawn evenly
    for seed in range(30):
        people, model = made(n=150, seed=seed)
        (e,) = with_people(sides(people, model), None, checked({"resamples": 300}), 300)
        hits += e["kappa_gap"].low <= truth <= e["kappa_gap"].high
    assert hits >= 26


def test_one_person_only_is_said():
    _, model = made()
    first = raters.read([(i, "p", 1 + i % 3) for i in range(100)], scale="nominal")
    (e,) = with_people(sides(first, model), None, checked({"resamples": 100}), 100)
    assert np.isfinite(e["kappa"].value) and np.isnan(e["kappa_people"].value)
    assert "only one person" in e["kappa_gap"].warnings[0]


def test_very_many_items_are_drawn_in_batches(monkeypatch):
    from raters.inference import joint

    people, model = made(n=6000)
    s = sides(people, model)
    (exact,) = with_people(s, None, checked({"resamples": 400}), 400)
    monkeypatch.setattr(joint, "MOST_DRAWS", 1000)
    (batched,) = with_people(s, None, checked({"resamples": 400}), 400)
    assert batched["kappa_gap"].value == exact["kappa_gap"].value
    assert batched["kappa_gap"].se == pytest.approx(exact["kappa_gap"].se, rel=0.2)


def test_the_methods_of_intervals_agree():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 400)
    say = lambda wrong: np.where(rng.random(400) < wrong, rng.integers(0, 3, 400), truth)  # noqa: E731
    people = [(i, f"p{j}", "abc"[x]) for j in range(4) for i, x in enumerate(say(0.2))]
    model = [(i, m, "abc"[x]) for m in ("m", "n") for i, x in enumerate(say(0.3))]
    found = {how: raters.judge(people, model, interval=how) for how in ("bootstrap", "bca", "delta", "jackknife")}
    for how, reports in found.items():
        for judge in ("m", "n"):
            for e in (reports[judge][name] for name in ("kappa", "kappa_gap", "leave_one_out_gap", "raw_agreement")):
                want = found["bootstrap"][judge][e.name]
                assert (e.value, e.interval) == (want.value, how)
                assert [e.low, e.high, e.se] == pytest.approx(
                    [want.low, want.high, want.se], abs=0.15 * (want.high - want.low)
                )
            jumps = "bca" if how == "bca" else "bootstrap"  # a share of people moves in steps
            assert reports[judge]["winning_rate"].interval == jumps
        excess, want = reports.several.excess, found["bootstrap"].several.excess
        assert excess.interval == how and excess.se == pytest.approx(want.se, rel=0.15)
    with pytest.raises(raters.UsageError, match="figures of judges take 'auto', 'bootstrap'"):
        raters.judge(people, model, interval="stabilised")
