"""The error of drawing, computed for all batches at once, is that of the batches one by one."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import raters
from raters.reliability.krr.resampling import BATCHES, collected, drawing_error


@pytest.mark.parametrize(
    ("scale", "aggregate", "coefficient", "ties"),
    [
        ("nominal", "majority", "alpha", "random"),
        ("nominal", "majority", "cohen_kappa", "abstain"),
        ("ordinal", "median", "alpha", "random"),
        ("ordinal", "median", "percent", "random"),
        ("interval", "mean", "alpha", "random"),
    ],
)
def test_all_batches_at_once(
    scale: str, aggregate: str, coefficient: str, ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Any, ...]] = []

    def kept(*given: Any) -> float:
        seen.append(given)
        return drawing_error(*given)

    monkeypatch.setattr("raters.reliability.krr.resampling.drawing_error", kept)
    rng = np.random.default_rng(3)
    rows = [
        (i, r, int(np.clip(round(2.5 + q + rng.normal()), 1, 4)))
        for i, q in enumerate(rng.normal(size=40))
        for r in range(6)
    ]
    made = raters.krr(
        raters.read(rows, scale=scale),
        3,
        method="split",
        aggregate=aggregate,
        coefficient=coefficient,
        ties=ties,
        interval=None,
    )
    req, ann, agg, weight, parts = seen[0]
    ends = np.linspace(0, len(parts[0][1]), BATCHES + 1).astype(int)
    values = []
    for low, high in pairwise(ends):
        stat = collected(req, ann, agg, weight, [(at, a[low:high], b[low:high]) for at, a, b in parts])
        values.append(float(stat.parts(stat.weight[None]).value[0]))
    assert made.details["drawing_error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(BATCHES), rel=1e-9)
