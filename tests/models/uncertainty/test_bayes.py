"""Full Bayes by NumPyro: the densities by loops, the draws against the truth and against Gibbs sampling."""

import math
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import raters
from raters.cli import cli
from raters.errors import UsageError
from raters.models import consensus, full_bayes
from raters.models.base.votes import Votes
from raters.models.result import Consensus
from raters.models.uncertainty.bayes import MODELS

K, RATERS, ITEMS = 3, 8, 60
PREVALENCE = np.array([0.5, 0.3, 0.2])


@cache
def crowd() -> tuple[Votes, np.ndarray, np.ndarray]:
    """Votes with missing labels, an item with one label, one with none, and repeats; the truth and the matrices."""
    rng = np.random.default_rng(4)
    theta = np.stack([[rng.dirichlet(1 + 14 * np.eye(K)[k]) for k in range(K)] for _ in range(RATERS)])
    truth = rng.choice(K, ITEMS, p=PREVALENCE)
    there = rng.random((ITEMS, RATERS)) < 0.7
    there[0], there[1] = np.arange(RATERS) == 0, False
    item, rater = np.nonzero(there)
    item, rater = np.append(item, item[5::9]), np.append(rater, rater[5::9])  # some raters label an item twice
    label = (np.cumsum(theta[rater, truth[item]], 1) < rng.random((len(item), 1))).sum(1)
    votes = Votes.of_codes(item, rater, label, labels="abc", items=range(ITEMS), raters=range(RATERS))
    assert votes.per_item[0] == 1 and votes.per_item[1] == 0 and votes.table.data.max() >= 2
    return votes, truth, theta


@cache
def drawn(model: str) -> Consensus:
    """Each model once, since compiling it takes most of the time; Dawid-Skene by the public road."""
    votes, gold = crowd()[0], {5: "abc"[crowd()[1][5]]}
    if model == "dawid_skene":
        return consensus(votes, model, start="votes", gold=gold, uncertainty="bayes", draws=400)
    return full_bayes(votes, model, start="votes", gold=gold, draws=400, warmup=200)


def loops(votes: Votes, gold: dict[int, int], prevalence: Any, cell: Any) -> float:
    """The log-likelihood, one item and one label at a time; ``cell(item, rater, true, given)`` is a probability."""
    total = 0.0
    for i in range(votes.n_items):
        here = 0.0
        for k in range(votes.n_labels):
            p = float(prevalence[k]) if gold.get(i, k) == k else 0.0
            for at, r, g, n in zip(votes.item_of, votes.rater_of, votes.label_of, votes.table.data, strict=True):
                if at == i:
                    p *= float(cell(i, int(r), k, int(g))) ** n
            here += p
        total += math.log(here)
    return total


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x)
    return e / e.sum()


@pytest.mark.parametrize("model", MODELS)
def test_the_density_is_the_one_that_loops_find(model: str) -> None:
    from numpyro.infer.util import log_density

    rng = np.random.default_rng(1)
    votes = crowd()[0].rows(np.arange(12))
    point: dict[str, Any] = {"prevalence": rng.dirichlet(np.ones(K))}
    prior = stats.dirichlet(np.full(K, 1.2)).logpdf(point["prevalence"])
    if model == "dawid_skene":
        before = rng.random((RATERS, K, K))
        point["confusion"] = rng.dirichlet(np.ones(K), (RATERS, K))
        for j in range(RATERS):
            for k in range(K):
                prior += stats.dirichlet(1.2 + before[j, k]).logpdf(point["confusion"][j, k])
        more = {"prior": before}

        def cell(i: int, r: int, k: int, g: int) -> float:
            return float(point["confusion"][r, k, g])

    else:
        more = {}
        point |= {
            "crowd": rng.normal(size=(K, K)),
            "spread": rng.random((K, K)),
            "raw": rng.normal(size=(RATERS, K, K)),
        }
        prior += stats.norm(2 * np.eye(K), 1).logpdf(point["crowd"]).sum()
        prior += stats.halfnorm.logpdf(point["spread"]).sum() + stats.norm.logpdf(point["raw"]).sum()
        hard = np.zeros(12)
        if model == "item_difficulty":
            point |= {"difficulty_spread": 0.7, "difficulty_raw": rng.normal(size=12)}
            prior += stats.halfnorm.logpdf(0.7) + stats.norm.logpdf(point["difficulty_raw"]).sum()
            hard = 0.7 * point["difficulty_raw"]

        def cell(i: int, r: int, k: int, g: int) -> float:
            row = point["crowd"][k] + point["spread"][k] * point["raw"][r, k]
            return float(softmax(row - hard[i] * np.eye(K)[k])[g])

    gold = np.full(12, -1)
    gold[[1, 4]] = 0, 2  # one of an item without labels
    known = {1: 0, 4: 2}
    found, _ = log_density(MODELS[model], (votes,), {"gold": gold, "smoothing": 0.2, **more}, point)
    assert float(found) == pytest.approx(prior + loops(votes, known, point["prevalence"], cell), rel=2e-5)


@pytest.mark.parametrize("model", MODELS)
def test_draws_are_near_the_truth_and_the_chains_agree(model: str) -> None:
    c, (votes, truth, theta) = drawn(model), crowd()
    d = c.uncertainty
    assert d is not None and d.method == "bayes" and c.model == "dawid_skene" and model in c.reason
    assert d.values["confusion"].shape == (400, RATERS, K, K) and np.allclose(d.values["confusion"].sum(-1), 1)
    assert d.warnings == () and d.matched == 0
    assert {"prevalence", "accuracy"} <= set(d.rhat) == set(d.ess)
    assert max(float(r.max()) for r in d.rhat.values()) < 1.05
    assert min(float(e.min()) for e in d.ess.values()) > 50
    labelled = votes.per_item > 1
    assert np.mean(c.codes[labelled] == truth[labelled]) > 0.9
    assert np.allclose(c.posterior.sum(1), 1, atol=1e-5)
    assert c.posterior[5, truth[5]] == 1  # gold
    assert c.labels[1] is None and np.allclose(c.posterior[1], c.prevalence, atol=1e-5)  # no label
    assert 0.5 < c.certainty[0] < 0.999  # one label
    low, high = d.interval("prevalence")
    shares = np.bincount(truth, minlength=K) / ITEMS
    assert ((low <= shares) & (shares <= high)).all()
    low, high = c.confusion_interval()
    covered = ((low <= theta) & (theta <= high)).mean()
    assert covered >= 0.88  # 72 entries at .95: fewer once in a hundred, were they independent


def test_dawid_skene_draws_from_the_posterior_that_gibbs_sampling_does() -> None:
    c, (votes, truth, _) = drawn("dawid_skene"), crowd()
    known = {5: "abc"[truth[5]]}
    g = consensus(votes, "dawid_skene", start="votes", gold=known, uncertainty="posterior", draws=4000).uncertainty
    d = c.uncertainty
    assert g is not None and g.posterior is not None and d is not None
    for name in ("prevalence", "confusion"):
        spread = g.values[name].std(0)
        # 400 draws of NUTS: a mean has an error of about .05 deviations, the largest of 57 about .13
        assert np.abs(d.values[name].mean(0) - g.values[name].mean(0)).max() < 0.25 * spread.max()
        assert (np.abs(d.values[name].mean(0) - g.values[name].mean(0)) / spread).mean() < 0.1
        assert np.abs(d.values[name].std(0) / spread - 1).mean() < 0.1
    assert np.abs(c.posterior - g.posterior).mean() < 0.01


def test_difficulty_is_found_where_it_is() -> None:
    """Its intervals and its spread are there; items that raters disagree on are the harder ones."""
    d, votes = drawn("item_difficulty").uncertainty, crowd()[0]
    assert d is not None and d.values["difficulty"].shape == (400, ITEMS)
    assert (d.values["difficulty_spread"] > 0).all() and "difficulty_spread" in d.rhat
    split = (votes.counts.max(1) <= 0.5 * votes.per_item) & (votes.per_item > 2)
    agreed = (votes.counts.max(1) == votes.per_item) & (votes.per_item > 2)
    hard = d.values["difficulty"].mean(0)
    assert hard[split].mean() > hard[agreed].mean()


def test_what_follows_a_fit_works_on_the_result(tmp_path: Path) -> None:
    c = drawn("hierarchical")
    assert "hierarchical by NUTS: 2 chains of 200 draws" in str(c).splitlines() and "nan" not in str(c)
    assert c.why(2).label == c.labels[2]
    assert all(np.isfinite(e.low) and e.low <= e.high for e in raters.information(c))
    c.save(tmp_path / "fit.npz")
    again = raters.models.load(tmp_path / "fit.npz")
    assert again.uncertainty is not None and np.array_equal(again.posterior, c.posterior)
    assert np.array_equal(again.uncertainty.values["confusion"], c.uncertainty.values["confusion"])


def test_the_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "numpyro", None)
    for model in MODELS:
        with pytest.raises(ImportError, match=r"pip install 'raters\[bayes\]'"):
            consensus(raters.examples.demo(), model, uncertainty="bayes")
    file = tmp_path / "labels.csv"
    file.write_text("item,rater,label\na,1,x\na,2,x\nb,1,y\nb,2,x\n")
    done = CliRunner().invoke(cli, ["consensus", str(file), "--model", "item_difficulty", "--uncertainty", "bayes"])
    assert done.exit_code == 2 and "raters: full Bayes needs NumPyro: pip install 'raters[bayes]'." in done.stderr


def test_what_full_bayes_does_not_do_is_refused() -> None:
    ann = raters.examples.demo()
    with pytest.raises(UsageError, match="Use one of 'dawid_skene', 'hierarchical', 'item_difficulty'"):
        full_bayes(ann, "mace")
    with pytest.raises(UsageError, match="Use one of 'dawid_skene', 'hierarchical', 'item_difficulty'"):
        consensus(ann, "mace", uncertainty="bayes")
    with pytest.raises(UsageError, match="pass uncertainty='bayes'"):
        consensus(ann, "item_difficulty")
    with pytest.raises(UsageError, match="prevalence='uniform' does not apply to full Bayes"):
        consensus(ann, uncertainty="bayes", prevalence="uniform")
    with pytest.raises(UsageError, match="takes no priors here"):
        consensus(ann, "hierarchical", uncertainty="bayes", priors=consensus(ann))
    with pytest.raises(UsageError, match="there is only one label"):
        consensus(Votes.of_codes([0, 0], [0, 1], [0, 0], labels="a"), uncertainty="bayes")
