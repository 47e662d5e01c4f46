"""The judge on each class, beside a person on the same class: precision, recall, and how often each uses it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, special

from raters.estimate import Estimate, jsonable, shown
from raters.inference.intervals import IntervalSpec
from raters.inference.joint import Terms
from raters.judges.confusion import MOST_CLASSES
from raters.judges.kappas import estimate, figured, others_of
from raters.judges.people_and_judges import Sides
from raters.notes.note import Note

Array = NDArray[Any]
FIGURES = ("precision", "precision_people", "recall", "recall_people", "ratio")
TITLES = {
    "precision": "where the judge says {label}, how often most others do",
    "precision_people": "where a person says {label}, how often most others do",
    "recall": "where most others say {label}, how often the judge does",
    "recall_people": "where most others say {label}, how often a person does",
    "ratio": "how often the judge says {label}, relative to people",
}


@dataclass(frozen=True)
class ClassFigures:
    """A judge and people on one class, each compared with the consensus of all people but one."""

    label: str
    precision: Estimate
    precision_people: Estimate
    recall: Estimate
    recall_people: Estimate
    ratio: Estimate
    """The judge's share of this label divided by people's."""
    worse: tuple[str, ...]
    """Which of ``precision`` and ``recall`` is clearly more than the margin below people's."""

    @property
    def sentence(self) -> str:
        """Where the judge is worse than people on this class."""
        said = {
            "precision": f"where it says {self.label!r}, {_share(self.precision)} of the others do"
            f" ({_share(self.precision_people, short=True)} where a person says so)",
            "recall": f"of what the others call {self.label!r}, it finds {_share(self.recall)}"
            f" (a person {_share(self.recall_people, short=True)})",
        }
        often = [] if not math.isfinite(self.ratio.value) else [f"it says {self.label!r} {_times(self.ratio)}"]
        return "; ".join([*(said[name] for name in self.worse), *often])

    def to_dict(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "worse": jsonable(self.worse),
            **{name: getattr(self, name).to_dict() for name in FIGURES},
        }


def _share(e: Estimate, short: bool = False) -> str:
    limits = f" [{e.low:.0%}, {e.high:.0%}]" if math.isfinite(e.low) and not short else ""
    return f"{e.value:.0%}{limits}"


def _times(e: Estimate) -> str:
    """How often the judge uses a label, in words.

    >>> _times(Estimate("ratio", 2.04)), _times(Estimate("ratio", 0.25)), _times(Estimate("ratio", 1.02))
    ('2.0 times as often as people', '0.25 times as often as people', 'about as often as people')
    """
    if abs(math.log(max(e.value, 1e-9))) < 0.1:
        return "about as often as people"
    return f"{shown(e.value, 1 if e.value >= 1 else 2)} times as often as people"


def by_class(s: Sides, judge: int, margin: float, spec: IntervalSpec, resamples: int) -> tuple[ClassFigures, ...]:
    """The figures of each class; none for numbers with very many values, nor beside one person alone."""
    k, n = len(s.labels), len(s.items)
    if k > MOST_CLASSES or len(s.people) < 2:
        return ()
    met: list[tuple[Array, Array]] = []
    compared = np.zeros(n)
    for person in range(len(s.people)):
        rows, truth = others_of(s, person, mean=False)
        at = s.said[rows, judge] >= 0
        rows, truth = rows[at], truth[at]
        own, said = s.given[rows, person], s.said[rows, judge]
        compared[rows] += 1
        for place, label in enumerate((said, own, truth)):
            met.append((rows, place * k + label))
        for place, label in ((3, said), (4, own)):
            right = label == truth
            met.append((rows[right], place * k + label[right]))
    row, column = (np.concatenate(x) for x in zip(*met, strict=True))
    terms = Terms(n)
    # an item counts once, however many people labelled it
    terms.add(sparse.coo_array((1 / compared[row], (row, column)), (n, 5 * k)).tocsr())

    def figures(flat: Array) -> Array:
        """(figure * class, replicate)"""
        said, own, truth, right, own_right = np.moveaxis(flat.reshape(len(flat), 5, k), 1, 0)
        return np.concatenate([right / said, own_right / own, right / truth, own_right / truth, said / own], 1).T

    point, found = figured(terms, figures, resamples, spec, [(0.0, 1.0)] * (4 * k) + [(0.0, np.inf)] * k)
    total = terms.sums()[0].reshape(5, k)
    used = np.flatnonzero((total[:3] > 0).any(0)).tolist()
    worse = _worse(total[:, used], margin, spec.level)
    made = []
    for place, c in enumerate(used):
        each = {
            name: estimate(
                name,
                point[i * k + c],
                found[i * k + c],
                spec,
                Note("class_not_met"),
                coefficient=name,
                title=TITLES[name].format(label=s.labels[c]),
                n_items=int((compared > 0).sum()),
                n_raters=len(s.people),
            )
            for i, name in enumerate(FIGURES)
        }
        made.append(ClassFigures(str(s.labels[c]), **each, worse=worse[place]))
    return tuple(made)


def _worse(total: Array, margin: float, level: float) -> list[tuple[str, ...]]:
    """For each class, which of precision and recall is clearly more than the margin below people's.

    Limits of Agresti and Caffo (one success and one failure added to each side), which hold for a handful of items
    too; shared by Bonferroni among all classes and both figures.
    """
    said, own, truth, right, own_right = total
    z = special.ndtri(1 - (1 - level) / 2 / (2 * max(total.shape[1], 1)))

    def below(hits: Array, of: Array, their_hits: Array, their_of: Array) -> Array:
        p, q = (hits + 1) / (of + 2), (their_hits + 1) / (their_of + 2)
        se = np.sqrt(p * (1 - p) / (of + 2) + q * (1 - q) / (their_of + 2))
        return np.asarray(p - q + z * se < -margin)

    flags = {"precision": below(right, said, own_right, own), "recall": below(right, truth, own_right, truth)}
    return [tuple(name for name, at in flags.items() if at[c]) for c in range(total.shape[1])]
