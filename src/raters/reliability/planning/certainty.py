"""How many labels an item needs until its label is certain, under fitted raters."""

from __future__ import annotations

from typing import Any

import numpy as np

from raters.errors import UsageError
from raters.estimate import Estimate

ITEMS = 4000
MOST = 61
SHARE = 0.95


def labels_for_certainty(consensus: Any, certainty: float, seed: int, share: float = SHARE) -> tuple[Estimate, str]:
    """The least number of labels after which a share of items has a label of this certainty.

    Items are drawn from the fitted prevalence, raters at random (with replacement), labels from their confusion
    matrices; the posterior then takes the raters as known. ``consensus``: ``.confusion`` (rater, true, given) and
    ``.prevalence``, as :func:`raters.consensus` gives them.
    """
    confusion, prevalence = np.asarray(consensus.confusion, float), np.asarray(consensus.prevalence, float)
    if confusion.ndim != 3 or confusion.shape[1:] != (len(prevalence),) * 2:
        raise UsageError(
            "labels for certainty need a consensus with a confusion matrix for every rater; for example dawid_skene."
        )
    rng = np.random.default_rng(seed)
    q = len(prevalence)
    truth = rng.choice(q, ITEMS, p=prevalence / prevalence.sum())
    log = np.tile(np.log(np.maximum(prevalence, 1e-300)), (ITEMS, 1))
    shares = []
    for _ in range(MOST):
        rater = rng.integers(0, len(confusion), ITEMS)
        given = (rng.random((ITEMS, 1)) > np.cumsum(confusion[rater, truth], 1)[:, :-1]).sum(1)
        log += np.log(np.maximum(confusion[rater, :, given], 1e-300))
        posterior = np.exp(log - log.max(1, keepdims=True))
        shares.append(float((posterior.max(1) / posterior.sum(1) >= certainty).mean()))
    enough = np.flatnonzero(np.array(shares) >= share)
    value = float(enough[0] + 1) if len(enough) else np.nan
    said = () if len(enough) else (f"{share:.0%} of items are not at {certainty:g} after {MOST} labels",)
    row = Estimate("labels per item for certainty", value, title=f"Labels until {share:.0%} of items are certain at {certainty:g}",
                   warnings=said, details={"counts": True, "certainty": certainty, "share": share, "shares": shares})  # fmt: skip
    if not len(enough):
        return (
            row,
            f"Under the fitted raters {MOST} labels per item bring {shares[-1]:.0%} of items to a certainty of {certainty:g}.",
        )
    return (
        row,
        f"Under the fitted raters {value:,.0f} labels per item bring {share:.0%} of items to a certainty of {certainty:g}.",
    )
