"""Hard items are allowed for, so that what is stated holds for votes that were held out; labels that do not count are
still accounted for.
"""

from dataclasses import replace

import numpy as np
import pytest

import raters
from raters.models.base.fit import HardItems
from raters.models.base.probabilities import log, normalised
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit
from raters.models.held_out.hard_items import TRIED, evidence, kinds, with_hard_items
from raters.models.held_out.tempering import calibrated


def crowd(seed: int, hard: float, n: int = 300, j: int = 20, each: int = 8) -> tuple[Votes, np.ndarray]:
    """Raters who are right 85 times in 100, and label a share of the items by a coin."""
    rng = np.random.default_rng(seed)
    truth, blank = rng.integers(0, 2, n), rng.random(n) < hard
    item = np.repeat(np.arange(n), each)
    rater = np.concatenate([rng.choice(j, each, replace=False) for _ in range(n)])
    knows = rng.random(len(item)) < np.where(blank[item], 0.5, 0.85)
    label = np.where(knows, truth[item], 1 - truth[item])
    return Votes.of_codes(item, rater, label, labels="ny", items=range(n), raters=range(j)), truth


def halves(votes: Votes, seed: int) -> tuple[Votes, Votes]:
    """Half of the labels of every item, and the other half."""
    order = np.lexsort((np.random.default_rng(seed).random(len(votes.item_of)), votes.item_of))
    hidden = np.zeros(len(order))
    hidden[order[::2]] = 1
    return votes.kept(votes.table.data - hidden), votes.kept(hidden)


def test_the_evidence_is_that_of_the_model() -> None:
    votes, _ = crowd(0, 0.2)
    for name in ("hierarchical", "one_coin", "glad", "mace"):
        c = fit(votes, name, start="votes")
        assert normalised(evidence(c) + log(c.prevalence))[0] == pytest.approx(c.posterior, abs=1e-9)


def test_the_mixture_in_plain_loops() -> None:
    votes, _ = crowd(1, 0.2, n=12)
    c = fit(votes, "one_coin", start="votes")
    hard = HardItems(0.2, 0.1, 2.0)
    q = with_hard_items(c, hard)
    margin = (votes.counts.sum(0) + 0.5) / (votes.counts.sum() + 1)
    alpha = 2.0 * margin
    crowd_margin = (votes.per_rater.sum(0) + 0.5) / (votes.per_rater.sum() + 1)
    at = 5
    easy, habit, own, seen = np.array(c.prevalence), 1.0, 1.0, np.zeros(2)
    for cell in np.flatnonzero(votes.item_of == at):
        r, y = votes.rater_of[cell], votes.label_of[cell]
        easy = easy * c.confusion[r, :, y]
        habit *= (votes.per_rater[r, y] + crowd_margin[y]) / (votes.per_rater[r].sum() + 1)
        own *= (seen[y] + alpha[y]) / (seen.sum() + alpha.sum())
        seen[y] += 1
    w = np.array([0.7 * easy.sum(), 0.2 * habit, 0.1 * own])
    w /= w.sum()
    shares = np.random.default_rng(0).dirichlet(alpha + seen, 200_000)
    wins = np.array([(shares[:, 0] > 0.5).mean(), (shares[:, 1] > 0.5).mean()])
    assert q[at] == pytest.approx(w[0] * c.posterior[at] + w[1] / 2 + w[2] * wins, abs=0.002)
    assert q.sum(1) == pytest.approx(1)


def test_no_hard_items_no_change() -> None:
    logs = np.array([[-5.0, -3.0, -2.0]])
    assert kinds(HardItems(0.0, 0.0), logs) == pytest.approx(np.array([[1.0, 0.0, 0.0]]))
    assert all(0 < h.habit + h.own <= 1 for h in TRIED)


def test_stated_between_six_and_nine_tenths_holds_for_held_out_votes() -> None:
    """A third of the items labelled by a coin: the answer from half of the labels, against the vote of the other
    half.
    """
    stated, held, plain, plain_held = [], [], [], []
    for seed in range(2):
        votes, _ = crowd(seed, 0.35)
        seen, hidden = halves(votes, seed)
        c = raters.consensus(seen, "hierarchical", tempering="held_out", seed=seed)
        assert c.hard is not None
        for fit_, said, won in ((c, stated, held), (fit(seen, c.model, start="votes"), plain, plain_held)):
            at = np.flatnonzero((fit_.certainty > 0.6) & (fit_.certainty < 0.97))
            counts = hidden.counts[at]
            own = counts[np.arange(len(at)), fit_.codes[at]]
            said.append(fit_.certainty[at])
            won.append(np.where(own * 2 == counts.sum(1), 0.5, own * 2 > counts.sum(1)))
    short = np.concatenate(stated).mean() - np.concatenate(held).mean()
    assert short < 0.13  # a vote of four turns by itself, however sure the label is
    assert np.concatenate(plain).mean() - np.concatenate(plain_held).mean() > short + 0.02


def test_an_even_crowd_needs_no_hard_items() -> None:
    found = [raters.consensus(crowd(seed, 0.0, each=10)[0], seed=seed) for seed in range(3)]
    assert sum(c.hard is None for c in found) >= 2
    assert np.mean([np.mean(c.certainty >= 0.99) for c in found]) > 0.75


def test_new_data_count_as_the_old_with_hard_items() -> None:
    votes, _ = crowd(0, 0.35)
    c = calibrated(fit(votes, "hierarchical", start="votes"), hard=HardItems(0.2, 0.1, 1.0))
    again = raters.models.result.Consensus.of(c)
    from raters.models.saved import predict

    assert predict(again, votes).posterior == pytest.approx(c.posterior, abs=1e-9)
    assert replace(again, posterior=c.posterior).hard == c.hard
