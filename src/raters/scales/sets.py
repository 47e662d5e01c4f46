"""Sets of labels: their representation, and the distances between them.

A table on the scale ``sets`` has the distinct sets that occur as its labels, so that folds, coefficients and intervals
need no change; a set distance is a matrix over these, quadratic only in *distinct* sets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.errors import UsageError

Array = NDArray[Any]
MOST_SETS = 5000
"""Most distinct sets for which a matrix of distances is built."""


class LabelSet(tuple[Any, ...]):
    """The labels of one annotation, in label order, or primary first if the order was kept.

    >>> print(LabelSet(("joy", "awe")), LabelSet())
    {joy, awe} {}
    """

    __slots__ = ()

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"


def key_of(texts: Iterable[str]) -> str:
    """A set as the engine stores it: its labels as a JSON list of text.

    >>> key_of(["b", "a"])
    '["b","a"]'
    """
    return json.dumps(list(texts), ensure_ascii=False, separators=(",", ":"))


def texts_of(key: str) -> list[str]:
    """The labels of a set as text, from the engine's representation."""
    found: list[str] = json.loads(key)
    return found


def membership(sets: Sequence[Sequence[Any]], members: Sequence[Any]) -> sparse.csr_array:
    """(set, label): 1 where the set has the label."""
    place = {label: k for k, label in enumerate(members)}
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    columns = np.fromiter((place[label] for s in sets for label in s), np.int64, int(sizes.sum()))
    start = np.concatenate([[0], np.cumsum(sizes)])
    table = sparse.csr_array((np.ones(len(columns)), columns, start), (len(sets), len(members)))
    table.sort_indices()
    return table


def shared(has: sparse.csr_array, a: Array, b: Array) -> Array:
    """(pair,): how many labels set a[i] and set b[i] share."""
    return np.asarray(has[a].multiply(has[b]).sum(1)).ravel()


def _jaccard(both: Array, a: Array, b: Array) -> Array:
    """|a & b| / |a | b|; two empty sets are equal."""
    either = a + b - both
    return np.where(either == 0, 1.0, both / np.maximum(either, 1))


def _monotone(both: Array, a: Array, b: Array, subset: float, overlap: float) -> Array:
    """1 if equal, ``subset`` if one is a proper subset, ``overlap`` if they overlap otherwise, 0 if disjoint."""
    equal, inside = (both == a) & (both == b), (both == np.minimum(a, b)) & (both > 0)
    return np.where(equal, 1.0, np.where(inside, subset, np.where(both > 0, overlap, 0.0)))


def masi(both: Array, a: Array, b: Array) -> Array:
    r"""MASI similarity: :math:`J \cdot M`, M in exact thirds.

    .. math:: J = |a \cap b| / |a \cup b|, \quad M = 1, 2/3, 1/3, 0

    for equal sets, a proper subset, an overlap, and disjoint sets. Passonneau (2006), LREC, 831-836.

    >>> float(masi(np.array(1), np.array(1), np.array(2)))
    0.3333333333333333
    """
    return _jaccard(both, a, b) * _monotone(both, a, b, 2 / 3, 1 / 3)


def masi_rounded(both: Array, a: Array, b: Array) -> Array:
    """MASI with M rounded to .67 and .33, as in older versions of NLTK; 3.10 has exact thirds."""
    return _jaccard(both, a, b) * _monotone(both, a, b, 0.67, 0.33)


def masi_2004(both: Array, a: Array, b: Array) -> Array:
    """M alone, without Jaccard's factor. Passonneau (2004), LREC, 1503-1506."""
    return _monotone(both, a, b, 2 / 3, 1 / 3)


def jaccard(both: Array, a: Array, b: Array) -> Array:
    """Jaccard's similarity, |a & b| / |a | b|."""
    return _jaccard(both, a, b)


def dice(both: Array, a: Array, b: Array) -> Array:
    """Dice's similarity, 2 |a & b| / (|a| + |b|): the F1 of two sets."""
    return np.where(a + b == 0, 1.0, 2 * both / np.maximum(a + b, 1))


SIMILARITIES: Mapping[str, Callable[[Array, Array, Array], Array]] = {
    "masi": masi,
    "masi_rounded": masi_rounded,
    "masi_2004": masi_2004,
    "jaccard": jaccard,
    "dice": dice,
}
"""The similarity of two sets, from the number of labels that they share and their sizes: 1 for equal sets."""
MASI = ("masi", "masi_rounded", "masi_2004")


def similarity(name: str, labels: Sequence[Any], alike: Callable[..., Array] | None = None) -> Array:
    """(set, set): the similarity of any two of these sets; ``alike`` in place of the function of that name.

    >>> similarity("jaccard", [LabelSet("A"), LabelSet("AB"), LabelSet()]).round(2).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if not all(isinstance(label, LabelSet) for label in labels):
        raise UsageError(
            f"{name!r} compares sets of labels, but these are single labels; read the data with scale='sets'."
        )
    if len(labels) > MOST_SETS:
        raise UsageError(
            f"{name!r} would need a table of {len(labels):,} x {len(labels):,} distinct sets, and the limit is"
            f" {MOST_SETS:,}. Merge rare labels first."
        )
    has = membership(labels, list(dict.fromkeys(x for label in labels for x in label)))
    size = np.fromiter(map(len, labels), float, len(labels))
    return (alike or SIMILARITIES[name])(np.asarray((has @ has.T).toarray()), size[:, None], size[None, :])
