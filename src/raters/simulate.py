"""Tables of labels with known truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import UsageError
from raters.io import read


@dataclass(frozen=True)
class Simulated:
    """Drawn labels as columns, and the truth they were drawn from."""

    item: NDArray[np.int64]  # (annotation,)
    rater: NDArray[np.int64]  # (annotation,)
    label: NDArray[np.int64]  # (annotation,): 0 .. n_labels - 1
    truth: NDArray[np.int64]  # (item,)
    n_labels: int

    def columns(self, names: Sequence[Any] | None = None) -> dict[str, NDArray[Any]]:
        """item, rater and label as columns, labels under their names if given."""
        label = self.label if names is None else np.array(names, dtype=object)[self.label]
        return {"item": self.item, "rater": self.rater, "label": label}

    def annotations(self) -> Annotations:
        """The same as annotations on a nominal scale, on which every label is declared."""
        return read(self.columns(), scale="nominal", labels=range(self.n_labels))


def labels(
    n_items: int,
    n_raters: int,
    n_labels: int,
    *,
    accuracy: float | Sequence[float] = 0.8,
    prevalence: Sequence[float] | None = None,
    missing: float = 0.0,
    seed: int | np.random.Generator = 0,
) -> Simulated:
    """Draw labels: a rater gives the true label with probability ``accuracy``, else one of the others at random.

    ``accuracy``: one number, or one for each rater. ``prevalence``: of each label among items (equal if not
    given). ``missing``: the share of annotations left out.

    >>> drawn = labels(1000, 3, 2, accuracy=[1.0, 1.0, 0.5], seed=1)
    >>> bool((drawn.label[drawn.rater == 1] == drawn.truth).all())
    True
    """
    if n_items < 1 or n_raters < 1 or n_labels < 1:
        raise UsageError("simulate.labels needs at least one item, one rater and one label.")
    rng = np.random.default_rng(seed)
    skill = np.broadcast_to(np.asarray(accuracy, dtype=float), (n_raters,))
    truth = rng.choice(n_labels, n_items, p=prevalence).astype(np.int64)
    right = rng.random((n_items, n_raters)) < skill
    wrong = (truth[:, None] + rng.integers(1, max(n_labels, 2), (n_items, n_raters))) % n_labels
    given = np.where(right, truth[:, None], wrong)  # (item, rater)
    at = np.flatnonzero(rng.random(n_items * n_raters) >= missing)
    return Simulated(at // n_raters + 1, at % n_raters + 1, given.ravel()[at], truth, n_labels)
