"""What is computed many at once gives what is computed one by one."""

import numpy as np
import pytest
from scipy.special import gammaln, polygamma

import raters
from raters.models.base import settled_vote
from raters.models.base.probabilities import row_sums
from raters.models.base.votes import PART, Votes
from raters.models.families import glad, hierarchical
from raters.models.families.spec import Settings, Task
from raters.models.fitting.fit import fit
from raters.models.held_out import choose
from raters.models.held_out.hard_items import STRENGTHS, TRIED, _alike, _mixed, kinds


@pytest.fixture(scope="module")
def votes() -> Votes:
    return Votes.of(raters.simulate.labels(80, 9, 3, accuracy=0.7, missing=0.4, seed=3).annotations())


@pytest.mark.parametrize("k", [0, 1, 2, 7, 8, 20])
def test_sums_of_rows_are_numpys_own(k: int) -> None:
    x = np.random.default_rng(k).normal(size=(50, k))
    assert row_sums(x).tolist() == x.sum(1).tolist()


@pytest.mark.parametrize("far", [1.0, 900.0])
def test_all_shares_of_hard_items_at_once(far: float) -> None:
    rng = np.random.default_rng(1)
    logs, at, chance = -far * rng.random((30, 3)), rng.integers(0, 30, 100), rng.random((100, 3))
    seen = []
    for strength in STRENGTHS:
        for some in _alike([hard for hard in TRIED if hard.strength == strength]):
            seen += some
            one_by_one = np.stack([(kinds(hard, logs)[at] * chance).sum(1) for hard in some], -1)
            assert _mixed(some, logs, at, chance) == pytest.approx(one_by_one, rel=1e-9, abs=1e-300)
    assert sorted(seen, key=repr) == sorted(TRIED, key=repr)


def test_sums_of_cells(votes: Votes, monkeypatch: pytest.MonkeyPatch) -> None:
    more = votes.with_items(["without a label"])
    cells = np.random.default_rng(0).normal(size=len(votes.table.data))
    q = np.random.default_rng(1).random((more.n_items, more.n_labels))
    small = more.summed(cells), more.given(q)
    assert small[0].sum(1) == pytest.approx(np.bincount(more.item_of, cells, more.n_items))
    assert more.item_sums(cells) == pytest.approx(small[0].sum(1)) and more.item_sums(cells)[-1] == 0
    assert votes.item_sums(cells) == pytest.approx(small[0].sum(1)[:-1])
    by_rater = np.bincount(more.rater_of, cells, more.n_raters)
    assert more.rater_sums(cells) == pytest.approx(by_rater)
    nobody = votes.recoded(votes.items, (*votes.raters, "who labelled nothing"))
    assert nobody.rater_sums(cells).tolist() == [*by_rater.tolist(), 0.0]
    assert small[1].tolist() == q[more.item_of, more.label_of].tolist()
    assert len(cells) <= PART
    monkeypatch.setattr("raters.models.base.votes.PART", 1)
    assert (more.summed(cells) == small[0]).all() and (more.given(q) == small[1]).all()


def test_glads_sigmoid() -> None:
    x = np.concatenate([np.linspace(-800, 800, 401), [0.0, 1e-9, -1e-9]])
    assert glad.log_sigmoid(x) == pytest.approx(-np.logaddexp(0, -x), abs=3e-16, rel=1e-12)


def test_glad_moves_along_the_line_where_only_the_prior_changes(votes: Votes) -> None:
    rng = np.random.default_rng(2)
    ability, ease, weight = rng.normal(1, 1, 12), rng.normal(1.5, 1, 40), rng.integers(0, 3, 40).astype(float)

    def prior(t: float) -> float:
        return -float(((ability * np.exp(t) - 1) ** 2).sum() + (weight * (ease - t - 1) ** 2).sum())

    found = glad.shift(Task(votes), ability, ease, weight)
    grid = np.linspace(-2, 2, 4001)
    assert found == pytest.approx(grid[np.argmax([prior(t) for t in grid])], abs=1e-3)
    assert glad.shift(Task(votes), ability * np.exp(found), ease - found, weight) == pytest.approx(0, abs=1e-9)


def test_glad_reaches_in_few_iterations_what_it_reached_in_many(monkeypatch: pytest.MonkeyPatch) -> None:
    many = Votes.of(raters.simulate.labels(150, 20, 2, accuracy=0.75, seed=1).annotations())
    quick, whole = fit(many, "glad", **choose.FAST), fit(many, "glad", start="votes")
    monkeypatch.setattr(glad, "shift", lambda *at: 0.0)
    slow, end = fit(many, "glad", **choose.FAST), fit(many, "glad", start="votes")
    assert whole.objective == pytest.approx(end.objective, abs=1e-8)
    assert whole.posterior == pytest.approx(end.posterior, abs=1e-5)
    assert 3 * len(quick.trace) < len(slow.trace) and quick.objective > slow.objective


def test_what_the_crowd_keeps_is_what_would_be_computed_again(votes: Votes) -> None:
    task = Task.of(votes, None, Settings())
    kept = hierarchical.maximise(task, votes.shares(), None)
    kept = hierarchical.maximise(task, hierarchical.expect(task, kept)[0], kept)
    a, g = kept["crowd"], kept["counts"]
    divergence = ((a - g) * hierarchical.mean_log(g)).sum() + (gammaln(a.sum(-1)) - gammaln(a).sum(-1)).sum() * len(g)
    divergence -= (gammaln(g.sum(-1)) - gammaln(g).sum(-1)).sum()
    plain = float(divergence + (np.log(a) - a).sum()) + task.prevalence_penalty(kept)
    for params in (kept, dict(kept)):
        assert hierarchical.penalty(task, params) == pytest.approx(plain, rel=1e-12)
    assert (hierarchical.expect(task, kept)[0] == hierarchical.expect(task, dict(kept))[0]).all()


def test_trigamma() -> None:
    x = np.concatenate([np.geomspace(1e-6, 1e6, 200), [1.0, 2.0, 8.0]])
    assert hierarchical.trigamma(x) == pytest.approx(polygamma(1, x), rel=1e-12)


def test_chances_to_win_of_equal_counts_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 4, (40, 3)) + np.array([0.5, 0.3, 0.2])
    seen = []
    nodes = settled_vote._nodes
    monkeypatch.setattr(settled_vote, "_nodes", lambda shape: (seen.append(len(shape)), nodes(shape))[1])
    shapes = []
    below = settled_vote.gammainc
    monkeypatch.setattr(settled_vote, "gammainc", lambda a, x: (shapes.append(len(a)), below(a, x))[1])
    together = settled_vote.chance_to_win(rows)
    assert max(seen) <= 4 and max(shapes) <= 16  # of 40 rows, a pair of labels has at most 4 times 4 counts
    assert together == pytest.approx(np.concatenate([settled_vote.chance_to_win(row[None]) for row in rows]), rel=1e-13)
