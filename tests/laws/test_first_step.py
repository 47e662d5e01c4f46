"""The first screen of a report never contradicts itself, on tables of many kinds."""

import numpy as np
import pytest

import raters
from raters.reporting.advice import CLEARER, SHOWN
from raters.reporting.document import BAD, GOOD
from raters.reporting.headline import OWN_RULE, side_of


def table(seed: int) -> raters.Annotations:
    """Two to seven raters of unequal care, two to four labels of which one may be frequent, some labels missing."""
    rng = np.random.default_rng(seed)
    n, people, k = int(rng.integers(40, 250)), int(rng.integers(2, 8)), int(rng.integers(2, 5))
    shares = rng.dirichlet(np.ones(k)) if rng.random() < 0.5 else np.r_[0.92, np.full(k - 1, 0.08 / (k - 1))]
    truth, hard = rng.choice(k, n, p=shares), rng.random(n) < rng.uniform(0, 0.4)
    care, given = rng.uniform(0, 0.5) * rng.random(people), rng.choice([0.5, 0.8, 1.0])
    rows = [
        (i, f"r{j}", "abcd"[truth[i] if rng.random() > care[j] + 0.4 * hard[i] else rng.choice(k, p=shares)])
        for i in range(n)
        for j in range(people)
        if rng.random() < given
    ]
    return raters.read(rows, scale="nominal")


@pytest.mark.parametrize("seed", range(8))
def test_the_first_step_fits_the_verdict_and_what_would_change_it(seed: int) -> None:
    v = raters.report(table(seed), resamples=100, interval="delta").verdict
    one, many, settled = v.figures
    e = one.estimate
    if e is None or not np.isfinite(e.low):
        return
    if side_of(e, OWN_RULE[0]) == "below":  # "only clearer labels or instructions"
        assert v.first.kind in (*CLEARER, "nothing", "more")
        assert "as in the first step" in v.change or v.first.kind != "more"
        assert v.first.title != "Use them"
        assert settled.tone != GOOD or many.tone == GOOD
    if e.low >= OWN_RULE[1]:  # reliable: nothing that was not tested calls for more
        assert v.first.kind in (*SHOWN, "nothing", "more") and one.tone == GOOD
        assert v.first.kind != "nothing" or v.first.title == "Use them"
    if not v.change.startswith("Only"):
        assert one.tone != BAD
