"""How many labels an item needs until its label is settled, under fitted raters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import counted
from raters.errors import UsageError
from raters.estimate import Estimate

ITEMS = 4000
MOST = 61
SHARE = 0.95
ASSUMED = "if raters err independently and no item is hard for all of them; otherwise it takes more"
MANY = 5000
"""With more raters than this, the same one is hardly ever drawn twice for an item."""


def labels_until_settled(consensus: Any, settled: float, seed: int, share: float = SHARE) -> tuple[Estimate, str]:
    """The smallest number of labels after which a share of items has a label that is at least this settled.

    Items are drawn from the fitted prevalence, raters at random, labels from their confusion matrices; the posterior then takes
    the raters as known. No rater labels an item twice: if an item needs more labels than there are raters, the others come from
    new raters like these, and the sentence says how many are needed. ``consensus``: ``.confusion`` (rater, true, given) and
    ``.prevalence``, as :func:`raters.consensus` returns them.
    """
    confusion, prevalence = np.asarray(consensus.confusion, float), np.asarray(consensus.prevalence, float)
    if confusion.ndim != 3 or confusion.shape[1:] != (len(prevalence),) * 2:
        raise UsageError("this needs a consensus with a confusion matrix for every rater, such as dawid_skene.")
    rng = np.random.default_rng(seed)
    q = len(prevalence)
    truth = rng.choice(q, ITEMS, p=prevalence / prevalence.sum())
    log = np.tile(np.log(np.maximum(prevalence, 1e-300)), (ITEMS, 1))
    shares = []
    order = _raters(len(confusion), rng)
    for j in range(MOST):
        rater = order[:, j]
        given = (rng.random((ITEMS, 1)) > np.cumsum(confusion[rater, truth], 1)[:, :-1]).sum(1)
        log += np.log(np.maximum(confusion[rater, :, given], 1e-300))
        posterior = np.exp(log - log.max(1, keepdims=True))
        shares.append(float((posterior.max(1) / posterior.sum(1) >= settled).mean()))
    enough = np.flatnonzero(np.array(shares) >= share)
    value = float(enough[0] + 1) if len(enough) else np.nan
    said = () if len(enough) else (f"{share:.0%} of items are not settled at {settled:g} after {MOST} labels",)
    row = Estimate("labels per item until settled", value, title=f"Labels until {share:.0%} of items are settled at {settled:g}",
                   warnings=said, details={"counts": True, "settled": settled, "share": share, "shares": shares})  # fmt: skip
    if not len(enough):
        return (
            row,
            f"With raters like these, {MOST} labels per item bring only {shares[-1]:.0%} of items to a label that is settled at {settled:g}.",
        )
    said_of = (
        f"{value:,.0f} labels per item bring {share:.0%} of items to a label that is settled at {settled:g}, {ASSUMED}"
    )
    if value > len(confusion):
        new = counted(int(value) - len(confusion), "more rater")
        return row, f"There are {counted(len(confusion), 'rater')} here; with {new} like them, {said_of}."
    return row, f"With the fitted raters, {said_of}."


def _raters(n: int, rng: np.random.Generator) -> NDArray[Any]:
    """(item, label): who gives it. Each rater occurs once, in random order; then each once more, as new raters like them."""
    if n > MANY:
        return rng.integers(0, n, (ITEMS, MOST))
    rounds = [rng.random((ITEMS, n)).argsort(1) for _ in range(-(-MOST // n))]
    return np.concatenate(rounds, 1)[:, :MOST]
