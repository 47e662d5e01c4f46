"""Dawid & Skene (1979) and Passonneau & Carpenter (2014): their figures, and the model by another road."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published import bluebirds, right, snow, word

import raters
from raters.models.base.votes import Votes
from raters.models.families import dawid_skene
from raters.models.families.spec import Problem, Task
from raters.models.fitting.em import begin, run

FIGURE_5 = {
    "add-v": ([9, 461, 135, 107, 50, 50, 93], 967, -14658.62, 46, -14587.4),
    "date-n": ([19, 68, 19, 83, 173, 190, 133, 236, 5], 959, -19698.66, 86, -19614.1),
    "help-v": ([0, 279, 82, 201, 24, 0, 169, 0, 5], 940, -21927.71, 99, -21216.7),
    "ask-v": ([6, 348, 177, 9, 251, 0, 6, 6], 966, -14006.97, 75, -13448.5),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", FIGURE_5)
def test_figure_5_cell_by_cell(data_dir: Path, name: str) -> None:
    cells, n_items, log_likelihood, iterations, better = FIGURE_5[name]
    ann = word(data_dir, name)
    c = raters.consensus(ann, "dawid_skene", start="paper")
    sure = c.posterior.max(1) >= 0.99
    by_category = np.bincount(c.posterior.argmax(1)[sure], minlength=len(c.label_names)).tolist()
    assert [by_category[-1], *by_category[:-1]] == cells  # the largest category is sense 0
    assert (len(c.items), int(sure.sum())) == (n_items, sum(cells))
    assert round(c.log_likelihood, 2) == log_likelihood
    assert len(c.trace) == iterations
    by_votes = raters.consensus(ann, "dawid_skene", start="votes")
    assert round(by_votes.log_likelihood, 1) == better


@pytest.mark.shared
def test_best_of_several_starts_beats_the_named_ones_and_says_how_far_they_were(data_dir: Path) -> None:
    ann = word(data_dir, "add-v")
    c = raters.consensus(ann, "dawid_skene")
    assert [s.name for s in c.starts][:10] == ["votes", "majority", "diagonal", *["random"] * 7]
    assert {s.name for s in c.starts[10:]} == {"shaken", "nudged", "recast"}  # until nothing better is found
    assert (
        sum(c.objective - s.objective < 0.01 for s in c.starts) >= 3 and c.objective > -14507.7
    )  # the best of 500 random starts
    top = max(s.objective for s in c.starts)
    assert (
        c.objective == pytest.approx(top, abs=1e-6) and top > c.starts[0].objective
    )  # ends that are alike are as good
    assert c.modes > 3 and max(s.items_differ for s in c.starts) > 10
    assert c.converged and all(s.converged for s in c.starts)
    converged = raters.consensus(ann, "dawid_skene", start="diagonal")
    assert (int((converged.posterior.max(1) >= 0.99).sum()), round(converged.log_likelihood, 2)) == (911, -14654.12)


@pytest.mark.shared
def test_anesthesia(data_dir: Path) -> None:
    path = data_dir / "anesthesia" / "dawid_skene_1979_table1_long.csv"
    ann = raters.read(path, item="patient", rater="observer", label="class", scale="nominal", duplicates="keep")
    c = raters.consensus(ann, "dawid_skene", start="votes", smoothing=0)
    assert c.prevalence.round(4).tolist() == [0.3996, 0.4220, 0.1118, 0.0667]
    assert round(c.log_likelihood, 3) == -192.891
    assert round(raters.consensus(ann, "dawid_skene", start="diagonal", smoothing=0).log_likelihood, 3) == -193.975
    assert c.votes.n_annotations == 315 and c.raters == tuple("12345")  # repeats count, names stay


@pytest.mark.shared
def test_snow_rte_and_temp(data_dir: Path) -> None:
    for task, vote, model in (("rte", 0.896875, 0.9275), ("temp", 0.9361, 0.9416)):
        ann, truth = snow(data_dir, task)
        m = raters.consensus(ann, model="majority", ties="split")
        gold = [m.label_names.index(truth[item]) for item in m.items]
        assert float(m.posterior[np.arange(len(gold)), gold].mean()) == pytest.approx(vote, abs=5e-5)
        assert right(raters.consensus(ann, "dawid_skene"), truth) == pytest.approx(model, abs=5e-5)


@pytest.mark.shared
def test_ties_move_rte_by_two_points(data_dir: Path) -> None:
    ann, truth = snow(data_dir, "rte")
    first = raters.consensus(ann, model="majority", ties="first")
    assert right(first, truth) == 0.91875
    abstain = raters.consensus(ann, model="majority", ties="abstain")
    assert sum(x is None for x in abstain.labels.values()) == 65
    assert "65 of 800 votes are tied; these items have no label" in abstain.warnings[0]
    by_seed = [raters.consensus(ann, model="majority", ties="random", seed=s).labels for s in (1, 1, 2)]
    assert by_seed[0] == by_seed[1] != by_seed[2]


@pytest.mark.shared
def test_bluebirds(data_dir: Path) -> None:
    ann, truth = bluebirds(data_dir)
    assert round(right(raters.consensus(ann, model="majority"), truth), 4) == 0.7593
    c = raters.consensus(ann, "dawid_skene", smoothing=0)
    assert (round(right(c, truth), 4), round(c.log_likelihood, 2)) == (0.8981, -1888.12)
    assert round(right(raters.consensus(ann, model="one_coin"), truth), 3) == 0.722
    assert round(right(raters.consensus(ann, model="one_coin", prevalence="learned"), truth), 3) == 0.583


def test_worked_example_of_section_2_2_1() -> None:
    votes = Votes.of_codes([0, 0, 0], [0, 1, 2], [0, 0, 1], labels=(1, 2))
    theta = np.array([[[0.75, 0.25], [0.4, 0.6]], [[0.65, 0.35], [0.3, 0.7]], [[0.9, 0.1], [0.2, 0.8]]])
    q, log_likelihood = Problem(dawid_skene.MODEL, Task(votes)).expect(
        {"prevalence": np.array([0.2, 0.8]), "confusion": theta}
    )
    assert q.round(2).tolist() == [[0.11, 0.89]]
    assert log_likelihood == pytest.approx(np.log(0.00975 + 0.0768))


def by_hand(
    rows: list[tuple[int, int, int]], n: tuple[int, int, int], q: np.ndarray, s: float, rounds: int
) -> tuple[np.ndarray, float]:
    """Dawid-Skene as in the paper, in plain loops: another road to the same numbers."""
    n_items, n_raters, k = n
    for _ in range(rounds):
        pi = np.array([sum(q[:, t]) + s for t in range(k)])
        pi /= pi.sum()
        theta = np.full((n_raters, k, k), s)
        for i, j, y in rows:
            for t in range(k):
                theta[j, t, y] += q[i, t]
        theta /= theta.sum(2, keepdims=True)
        joint = np.tile(pi, (n_items, 1))
        for i, j, y in rows:
            joint[i] *= theta[j, :, y]
        q = joint / joint.sum(1, keepdims=True)
    return q, float(np.log(joint.sum(1)).sum())


def test_against_plain_loops_with_repeats_and_gaps() -> None:
    rng = np.random.default_rng(5)
    rows = [(int(i), int(j), int(y)) for i, j, y in rng.integers(0, (12, 4, 3), (60, 3))] + [
        (i, 0, 0) for i in range(12)
    ]
    votes = Votes.of_codes(*zip(*rows, strict=True), labels="abc")
    start = begin("votes", votes, None, rng)
    expected, log_likelihood = by_hand(rows, (12, 4, 3), start, 0.01, 9)
    params = None
    q: Any = start
    model = Problem(dawid_skene.MODEL, Task(votes))
    for _ in range(9):
        params = model.maximise(q, params)
        q, found = model.expect(params)
    assert np.abs(q - expected).max() < 1e-10
    assert found == pytest.approx(log_likelihood, abs=1e-9)


def test_posterior_sums_over_all_truths() -> None:
    """The log-likelihood by enumeration of every combination of truths."""
    votes = Votes.of_codes([0, 0, 1, 1, 2], [0, 1, 0, 1, 1], [0, 1, 1, 1, 0], labels="ab")
    model = Problem(dawid_skene.MODEL, Task(votes))
    fit = run(model, begin("votes", votes, None, np.random.default_rng(0)))
    pi, theta = fit.params["prevalence"], fit.params["confusion"]
    total = 0.0
    for truth in np.ndindex(2, 2, 2):
        p = np.prod([pi[z] for z in truth])
        for i, j, y in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1), (2, 1, 0)):
            p *= theta[j, truth[i], y]
        total += p
    assert fit.log_likelihood == pytest.approx(np.log(total))
