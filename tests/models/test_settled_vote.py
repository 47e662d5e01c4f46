"""How far a vote is settled: a chance, not a share."""

import numpy as np
import pytest

import raters
from raters.models.base.settled_vote import chance_to_win, settled, variety


def test_chance_to_win_by_draws() -> None:
    shapes = np.array([[3.0, 1.0, 0.5], [0.3, 0.3, 0.3], [20.0, 18.0, 1.0]])
    drawn = np.random.default_rng(0).standard_gamma(shapes, (200_000, 3, 3)).argmax(-1)
    by_draws = np.stack([(drawn == k).mean(0) for k in range(3)], -1)
    assert chance_to_win(shapes) == pytest.approx(by_draws, abs=0.005)


def test_the_dirichlet_of_the_votes_is_recovered() -> None:
    rng = np.random.default_rng(1)
    counts = np.stack([rng.multinomial(8, p) for p in rng.dirichlet([0.8, 0.4, 0.2], 4000)]).astype(float)
    found = variety(counts)
    assert found.weight @ found.alpha == pytest.approx([0.8, 0.4, 0.2], rel=0.12)


def test_what_is_called_settled_wins_the_vote_of_a_large_crowd_as_often_as_stated() -> None:
    rng = np.random.default_rng(2)
    shares = rng.dirichlet([1.0, 0.7], 6000)
    counts = np.stack([rng.multinomial(5, p) for p in shares]).astype(float)
    q = settled(counts)
    hit = shares.argmax(1) == q.argmax(1)
    for low, high in ((0.5, 0.8), (0.8, 0.95), (0.95, 1.0)):
        at = (q.max(1) >= low) & (q.max(1) < high)
        assert at.sum() > 300 and hit[at].mean() == pytest.approx(q.max(1)[at].mean(), abs=0.025)


def test_three_of_three_is_not_certain() -> None:
    rows = [(i, j, "y" if (i + j * (i % 3 == 0)) % 2 else "n") for i in range(60) for j in range(3)]
    ann = raters.read(rows, scale="nominal")
    plain, c = raters.consensus(ann, "majority"), raters.consensus(ann, "majority", tempering="held_out")
    unanimous = plain.certainty == 1
    assert unanimous.any() and (c.certainty[unanimous] < 1).all() and (c.certainty[unanimous] > 0.6).all()
    assert c.labels == plain.labels and c.posterior.sum(1) == pytest.approx(1)
    assert c.predict(ann).posterior == pytest.approx(c.posterior)


def test_very_many_labels_are_settled_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(16, 0.1), 40)
    counts = np.array([rng.multinomial(6, p) for p in shares]).astype(float)
    short = settled(counts)
    monkeypatch.setattr("raters.models.base.settled_vote.FEW_LABELS", 100)
    assert np.abs(short - settled(counts)).max() < 0.002


def test_a_handful_of_votes_does_not_settle_a_tie():
    """Two items: how items vary cannot be learned from four votes, and a tie stays nearly even."""
    q = settled(np.array([[1.0, 1.0], [0.0, 2.0]]))
    assert 0.25 < q[0, 1] < 0.75 and 0.75 < q[1, 1] < 0.99


def test_ten_votes_that_mostly_agree_do_not_settle_everything() -> None:
    """Where the likelihood of the concentration has no maximum inside, the largest one would call a vote of 6 to 4
    settled.
    """
    rng = np.random.default_rng(3)
    counts = np.array([[x, 10 - x] for x in (*rng.binomial(10, 0.93, 30), 4, 5)], dtype=float)
    q = settled(counts)
    assert q[-2].max() < 0.97 and q[-1].max() < 0.99
    few = settled(np.array([[10.0, 0.0]] * 4 + [[9.0, 1.0]]))
    assert (few.max(1) < 0.99999).all() and (few.max(1) > 0.98).all()


@pytest.mark.parametrize("strength", (0.3, 2.0, 40.0, 400.0))
def test_votes_of_small_tables_win_as_often_as_stated(strength: float) -> None:
    """30 items of 5 votes: too few to learn the concentration, which a maximum would put at its bound."""
    rng = np.random.default_rng(int(strength * 10))
    stated, won = [], []
    for _ in range(60):
        shares = rng.dirichlet(strength * np.array([0.6, 0.4]), 30)
        q = settled(np.stack([rng.multinomial(5, p) for p in shares]).astype(float))
        stated.append(q.max(1))
        won.append(shares.argmax(1) == q.argmax(1))
    said, hit = np.concatenate(stated), np.concatenate(won)
    sure = said >= 0.95
    assert hit.mean() > said.mean() - 0.03
    assert sure.sum() < 50 or hit[sure].mean() > said[sure].mean() - 0.02
