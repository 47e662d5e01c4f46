"""Every annotation model: laws, published figures, and simulate then recover."""

import csv
from pathlib import Path
from typing import Any

import crowds
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import right, snow

import raters
from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.families.registry import model_named, names
from raters.models.families.spec import Problem, Settings, Task
from raters.models.fitting import em
from raters.models.fitting.em import begin

LABELLED = list(names(likelihood=True))


def drawn(seed: int, n_items: int = 30, n_raters: int = 6, k: int = 3, n: int = 120) -> Votes:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n_items)
    item, rater = rng.integers(0, n_items, n), rng.integers(0, n_raters, n)
    label = np.where(rng.random(n) < 0.7, truth[item], rng.integers(0, k, n))
    return Votes.of_codes(item, rater, label, labels=range(k), items=range(n_items), raters=range(n_raters))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    k=st.integers(1, 5),
    smoothing=st.sampled_from([0.0, 0.01, 1.0]),
    start=st.sampled_from(["votes", "majority", "diagonal", "random"]),
    weighted=st.booleans(),
    gold=st.booleans(),
    name=st.sampled_from(LABELLED),
)
def test_the_objective_never_falls(
    seed: int, k: int, smoothing: float, start: str, weighted: bool, gold: bool, name: str
) -> None:
    rng = np.random.default_rng(seed)
    votes = drawn(seed, k=k)
    if weighted:
        votes = Votes(
            votes.items, votes.raters, votes.labels, votes.table, rng.integers(0, 3, votes.n_items).astype(float)
        )
    known = np.where(rng.random(votes.n_items) < 0.2, rng.integers(0, k, votes.n_items), -1) if gold else None
    for prior in (None, {1: rng.random((k, k))}):
        settings = Settings(smoothing, seed % 2 == 0, priors=prior or {})
        made = Problem(model_named(name), Task.of(votes, known, settings))
        fit = em.run(made, begin(start, votes, known, rng), rule=em.Rule(1e-10, 60))
        steps = np.diff(fit.objectives)
        assert np.isfinite(fit.objectives[-1])
        assert steps.min(initial=0) >= -1e-9 * abs(fit.objectives[-1])
        assert np.allclose(fit.expected.sum(1), 1)


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), name=st.sampled_from([*LABELLED, "majority"]))
def test_names_and_order_do_not_matter(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    votes = drawn(seed)
    rows = [
        (f"i{i}", f"r{j}", "abc"[k])
        for i, j, k, n in zip(votes.item_of, votes.rater_of, votes.label_of, votes.table.data, strict=True)
        for _ in range(int(n))
    ]
    a = raters.consensus(
        raters.read(rows, scale="nominal", labels=["a", "b", "c"]), name, start="votes", ties="abstain", tolerance=1e-10
    )
    item, rater = rng.permutation(30), rng.permutation(6)
    renamed = [
        (f"x{item[int(i[1:])]:02}", f"y{rater[int(j[1:])]}", {"a": "z", "b": "q", "c": "m"}[k]) for i, j, k in rows
    ]
    shuffled = [renamed[i] for i in rng.permutation(len(renamed))]
    # a model of ordered labels takes them in the same order, any other in any
    order = ["z", "q", "m"] if model_named(name).ordered else ["q", "z", "m"]
    b = raters.consensus(
        raters.read(shuffled, scale="nominal", labels=order),
        name,
        start="votes",
        ties="abstain",
        tolerance=1e-10,
    )
    for i in a.items:
        p = a.posterior[a.items.index(i)]
        other = b.posterior[b.items.index(f"x{item[int(i[1:])]:02}")]
        assert np.allclose(p, other[[order.index(new) for new in "zqm"]], atol=1e-5)


def test_majority_confidence_is_the_share_of_the_votes() -> None:
    c = raters.consensus(raters.read([("a", 1, "x"), ("a", 2, "x"), ("a", 3, "y"), ("b", 1, "y")]), model="majority")
    assert c.certainty.tolist() == [pytest.approx(2 / 3), 1.0]
    assert c.posterior.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.shared
def test_mace_example(data_dir: Path) -> None:
    folder = data_dir / "mace_example"
    key = [int(x) for x in (folder / "example.key").read_text().split()]
    with (folder / "example.csv").open() as file:
        rows = [(i, j, int(x)) for i, row in enumerate(csv.reader(file)) for j, x in enumerate(row) if x.strip()]
    ann = raters.read(rows, scale="nominal")
    c = raters.consensus(ann, model="mace")
    hit = np.array([c.labels[i] == key[i] for i in c.items])
    assert hit.mean() == 0.80
    surest = np.argsort(c.entropy, kind="stable")[:90]
    assert hit[surest].mean() == pytest.approx(0.84, abs=0.02)
    # as MACE itself: 50 iterations, .01 / K on every count, and entropies up to the 91st in order
    c = raters.consensus(ann, model="mace", smoothing=0.01 / 4, max_iter=50)
    hit = np.array([c.labels[i] == key[i] for i in c.items])
    kept = c.entropy <= np.sort(c.entropy)[90]
    assert hit.mean() == 0.80 and (hit[kept].sum(), kept.sum()) == (77, 91)  # .846, printed as .84


@pytest.mark.shared
def test_glad_and_the_others_on_rte(data_dir: Path) -> None:
    ann, truth = snow(data_dir, "rte")
    assert right(raters.consensus(ann, model="glad", start="votes"), truth) == pytest.approx(0.9262, abs=0.005)
    for name in ("one_coin", "mace", "hierarchical"):
        assert right(raters.consensus(ann, model=name, start="votes"), truth) >= 0.92


def covered(low: Any, high: Any, truth: Any) -> np.ndarray:
    return ((low <= truth) & (truth <= high)).ravel()


@pytest.mark.parametrize("model", crowds.MODELS)
@pytest.mark.long("chains")
def test_simulate_then_recover(model: str) -> None:
    """95 % intervals hold the parameters at about that rate; the chains agree; the labels come back."""
    hits: dict[str, list[np.ndarray]] = {}
    for seed in range(3):
        votes, true = crowds.crowd(model, np.random.default_rng([seed, 7]), n_items=150, n_raters=14)
        c = consensus(votes, model, start="votes", tolerance=1e-8, uncertainty="posterior", draws=500, seed=seed)
        d = c.uncertainty
        assert d is not None and d.posterior is not None and d.matched == 0
        assert d.rhat and max(float(r.max()) for r in d.rhat.values()) < 1.1
        assert min(float(e.min()) for e in d.ess.values()) > 40
        truth = true.pop("truth")
        for name, value in true.items():
            hits.setdefault(name, []).append(covered(*d.interval(name), value))
        if model == "gaussian":
            hits.setdefault("items", []).append(np.abs(d.posterior[:, 0] - truth) < 1.96 * d.posterior[:, 1])
        else:
            sure = d.posterior.max(1)
            right = d.posterior.argmax(1) == truth
            assert right.mean() == pytest.approx(sure.mean(), abs=0.07)  # as certain as they are right
    for name, found in hits.items():
        each = np.concatenate(found)
        # three deviations of the binomial, and a little for intervals of one crowd, which hang together
        assert abs(each.mean() - 0.95) < 3 * np.sqrt(0.95 * 0.05 / len(each)) + 0.01, (name, each.mean(), len(each))


@pytest.mark.parametrize("model", crowds.MODELS)
def test_bootstrap_intervals_are_around_the_fit(model: str) -> None:
    votes, true = crowds.crowd(model, np.random.default_rng(5), n_items=150)
    c = consensus(votes, model, start="votes", tolerance=1e-8, uncertainty="bootstrap", draws=25)
    assert c.uncertainty is not None and c.uncertainty.method == "bootstrap"
    for name in set(true) - {"truth", "ease"}:
        fit = c.confusion if name == "confusion" else c.params[name]
        low, high = c.uncertainty.interval(name, 0.99)
        assert covered(low - 1e-9, high + 1e-9, fit).mean() > 0.8
        assert covered(low, high, true[name]).mean() > 0.6
    narrow = any("uncertainty='posterior'" in w for w in c.warnings)
    assert narrow == (model in ("dawid_skene", "hierarchical", "glad"))


def test_glad_abilities_and_ease_come_back_in_order() -> None:
    votes, true = crowds.crowd("glad", np.random.default_rng(8), 400, 15, 2, 0.8)
    c = consensus(votes, "glad", start="votes", tolerance=1e-8)
    assert np.corrcoef(c.params["ability"], true["ability"])[0, 1] > 0.9
    assert np.corrcoef(c.params["ease"], true["ease"])[0, 1] > 0.3  # a random effect: shrunk, so compared by its order
    assert np.mean(c.codes == true["truth"]) > 0.9
