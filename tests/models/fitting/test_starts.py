"""Where a fit starts, and which of several fits is kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_crowds import read

import raters
from raters.models.base.fit import Start
from raters.models.base.votes import Votes
from raters.models.fitting.em import winners
from raters.models.fitting.fit import _better, fit
from raters.models.follow_up.why import found_again


def test_labels_exchanged_at_no_cost_are_called_as_raters_call_them() -> None:
    # "c" is given once: without a reason to, no start may call it the truth of what all raters call "b"
    given = ["bcc", "bcb", "bbb", "bbb", "abb"]
    rows = [(i, j, x) for i, labels in enumerate(given) for j, x in enumerate(labels)]
    for seed in range(4):
        c = raters.consensus(read(rows, labels=["a", "b", "c"]), "dawid_skene", seed=seed)
        assert c.labels[2] == c.labels[3] == "b"
        assert c.objective == pytest.approx(max(s.objective for s in c.starts), abs=1e-5)


def test_a_better_objective_wins_and_equal_ones_go_by_the_votes() -> None:
    from raters.models.fitting.em import Fit

    def end(objective: float, q: Any) -> Fit:
        return Fit({}, np.array(q), (objective,), (objective,), True, "")

    shares = np.array([[1.0, 0.0], [0.0, 1.0]])
    good, swapped = [[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]
    assert _better(end(-5.0, swapped), end(-5.1, good), shares)
    assert not _better(end(-5.0 + 1e-12, swapped), end(-5.0, good), shares)
    assert _better(end(-5.0 - 1e-12, good), end(-5.0, swapped), shares)
    assert not _better(end(-5.0, good), end(-5.0, good), shares)


def test_winners_split_ties() -> None:
    assert winners(np.array([[3.0, 3.0, 1.0]])).tolist() == [[0.5, 0.5, 0.0]]


def test_only_independent_starts_count_as_finding_the_best_again() -> None:
    """Starts near an end return to it: on date-n three seeds found "the best 8 times", each another one, and none the
    best of all.
    """
    c = fit(Votes.of_codes([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], labels=(0, 1)), "dawid_skene")

    def of(*ends: tuple[str, float]) -> str:
        starts = tuple(Start(name, c.objective - behind, 0.0, 1, True, "", 0) for name, behind in ends)
        return found_again(replace(c, starts=starts))

    near = [("nudged", 0.0)] * 8
    assert (
        of(("votes", 5.0), ("random", 7.0), *near)
        == "none of 2 independent starts reached the best, which was found by starts near an earlier one: "
        "a better one may exist, and another seed may find it"
    )
    assert of(("votes", 0.0), ("random", 7.0), *near).startswith(
        "only 1 of 2 independent starts reached the best: a better"
    )
    assert of(("votes", 0.0), ("random", 0.001), ("random", 3.0), *near) == "2 of 3 independent starts reached the best"
