"""The result of ``multilabel``: a table of measures, and what they depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.estimate import Estimate, EstimateTable, jsonable
from raters.options import deprecated

Array = NDArray[Any]

AIMS: Mapping[str, tuple[str, str]] = {
    "final_label": (
        "boot_match",
        "for the reliability of a single final label when several may be true, report boot_match",
    ),
    "ambiguity": (
        "boot_f1",
        "to find all true labels of an item, report boot_f1 together with alpha_masi or alpha_jaccard",
    ),
    "uncertainty": (
        "augmented",
        "if one label is true and several mean that the rater is unsure, report augmented",
    ),
    "asymmetric": (
        "boot_precision",
        "if raters give different numbers of labels, or one is the reference, report boot_precision and boot_recall",
    ),
}
"""Which measure to report for which aim."""
OTHER_GUIDANCE = (
    "soft_match is the best that single labels could reach; it ignores that more labels match more easily",
    "compare datasets by the adjusted values, because observed ones depend on labels per item, number of labels and entropy",
)
NOT_TRUE = (
    "the distribution of final (intersection) labels is not that of the true labels: frequent labels, and the rater who "
    "gives fewer labels, have more weight in it"
)


@dataclass(frozen=True)
class RaterProfile:
    """How one rater gives labels: the measures depend on it."""

    name: str
    n: int
    sizes: Mapping[int, float]
    """Shares of annotations with 0, 1, 2, ... labels."""
    labels: Mapping[Any, float]
    """Shares of labels among all given labels."""

    @property
    def mean_size(self) -> float:
        return float(sum(m * share for m, share in self.sizes.items()))

    @property
    def several(self) -> float:
        """The share of annotations with two or more labels."""
        return float(sum(share for m, share in self.sizes.items() if m > 1))

    @property
    def entropy(self) -> float:
        """Entropy of the label distribution, in bits."""
        p = np.array([share for share in self.labels.values() if share > 0])
        return float(-(p * np.log2(p)).sum()) if len(p) else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name, "n_annotations": self.n, "sizes": jsonable(self.sizes), "labels": jsonable(self.labels),
            "mean_size": self.mean_size, "several": self.several, "entropy_bits": self.entropy,
        }  # fmt: skip

    def __str__(self) -> str:
        sizes = ", ".join(f"{m}: {share:.1%}" for m, share in self.sizes.items() if share > 0)
        return f"{self.name}: labels per annotation {sizes}; mean {self.mean_size:.2f}; label entropy {self.entropy:.2f} bits"


@dataclass(frozen=True)
class Final:
    """The labels that all raters of an item share: how many items have one, several or none, and which labels."""

    one: int
    several: int
    none: int
    labels: Mapping[Any, float]
    """Shares of labels among the intersections, with an intersection of several labels counted in equal parts."""
    warning: str = NOT_TRUE

    def to_dict(self) -> dict[str, Any]:
        return {"one": self.one, "several": self.several, "none": self.none, "labels": jsonable(self.labels),
                "warning": self.warning}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Multilabel(EstimateTable):
    """One row per measure; in addition, the pairs of raters, the pooled form, each label, and each rater."""

    form: str = "two"
    """``two`` raters, the mean over ``pairs`` of raters, or ``pooled``."""
    pairs: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """Every measure of every pair; ``details`` name ``rater_a`` and ``rater_b``."""
    pooled: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """The same measures for interchangeable raters: one distribution for all."""
    per_label: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """Krippendorff's alpha of each label against the rest."""
    baseline: Estimate | None = None
    """Kappa with each set treated as one label."""
    profiles: tuple[RaterProfile, ...] = ()
    final: Final | None = None
    chance: str = "exact"

    @property
    def guidance(self) -> tuple[str, ...]:
        """Which measure to report for which aim."""
        return (*(text for _, text in AIMS.values()), *OTHER_GUIDANCE)

    def matrix(self, measure: str = "boot_match") -> tuple[tuple[str, ...], Array]:
        """Names of raters, and (rater, rater) values of one measure; nan if two share no item.

        Precision and recall are those of the rater in the row against the one in the column.
        """
        names = tuple(c.name for c in self.profiles)
        out = np.full((len(names), len(names)), np.nan)
        turned = {"boot_precision": "boot_recall", "boot_recall": "boot_precision"}.get(measure, measure)
        for e in self.pairs:
            a, b = names.index(e.details["rater_a"]), names.index(e.details["rater_b"])
            if e.coefficient == measure:
                out[a, b] = e.value
            if e.coefficient == turned:
                out[b, a] = e.value
        return names, out

    @property
    def coders(self) -> tuple[RaterProfile, ...]:
        """The old name of ``profiles``."""
        deprecated(
            "Multilabel.coders is deprecated; use profiles. The old name will be removed in the next minor version."
        )
        return self.profiles

    def to_dict(self) -> dict[str, Any]:
        """The estimates, and everything that accompanies them."""
        return super().to_dict() | {"beside": self.beside()}

    def beside(self) -> dict[str, Any]:
        """Everything that accompanies the table, as plain values ready for JSON."""
        return {
            "form": self.form,
            "chance": self.chance,
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
            "pairs": [e.to_dict() for e in self.pairs],
            "pooled": [e.to_dict() for e in self.pooled],
            "per_label": [e.to_dict() for e in self.per_label],
            "raters": [c.to_dict() for c in self.profiles],
            "final": None if self.final is None else self.final.to_dict(),
            "guidance": list(self.guidance),
        }
