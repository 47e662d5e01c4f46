r"""Krippendorff's alpha for unitizing (u-alpha): one label a character, chance pairs not within one unit.

Sums by document with m views, then added: :math:`\ell_{ck}`, characters that one rater labels c and another k, over
m - 1; :math:`q_c`, squared sizes of units, and of blanks their characters; :math:`\ell'`, the same where both marked, and :math:`q'_c`.

Krippendorff, Mathet, Bouvry and Widlocher (2016), Qual. Quant. 50, 2347-2364.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.coefficients.base import Parts
from raters.spans.sweeps import Cover, Integral, cover, levels, meeting, runs
from raters.spans.units import Spans

Array = NDArray[Any]


def rows(found: Spans) -> Array:
    """(document, sum): total, blank, both blank; then for each label its margin, agreement, squared
    sizes, and the same three where both raters marked. For units that do not overlap within a rater.
    """
    n, q = found.n_documents, len(found.labels)
    m = found.views_each
    share = 1 / np.maximum(m - 1, 1)
    key = found.document * q + found.label
    margin = np.bincount(key, found.size, n * q).reshape(n, q)
    of = found.document[found.part_unit]
    base = found.base[of]
    start, end = base + found.part_start, base + found.part_end
    agreed = meeting(key[found.part_unit], start, end, n * q).reshape(n, q) * share[:, None]
    squares = np.bincount(key, found.size.astype(float) ** 2, n * q).reshape(n, q)
    marked = Integral(start, end)
    with_other = np.bincount(found.part_unit, marked.to(end) - marked.to(start), found.n_units) - found.size
    inner = np.bincount(key, with_other, n * q).reshape(n, q) * share[:, None]
    inner_squares = np.bincount(key, _marked_by_others(found), n * q).reshape(n, q) * share[:, None]
    blank = _blank(found, cover(found, found.view), margin.sum(1))
    return np.concatenate([blank, margin, agreed, squares, inner, inner_squares], 1) * (m >= 2)[:, None]


def _marked_by_others(found: Spans) -> Array:
    """(unit,): over the other raters of the document, the squared number of its characters that they marked."""
    v, step = found.n_views, int(found.base[-1]) + int(found.end.max(initial=0)) + 2
    order = np.lexsort((found.part_start, found.view[found.part_unit]))
    view, start, end = found.view[found.part_unit][order], found.part_start[order], found.part_end[order]
    place = view * step + start
    before = np.concatenate([[0], np.cumsum(end - start)])

    def marked(views: Array, to: Array) -> Array:
        at = np.searchsorted(place, views * step + to, "left")
        beyond = np.where((at > 0) & (view[at - 1] == views), np.maximum(end[at - 1] - to, 0), 0) if len(view) else 0
        return np.asarray(before[at] - beyond)

    first = np.cumsum(found.views_each) - found.views_each
    document = found.document[found.part_unit]
    part, other = runs(first[document], found.views_each[document])
    unit = found.part_unit[part]
    kept = other != found.view[unit]
    part, other, unit = part[kept], other[kept], unit[kept]
    inside = marked(other, found.part_end[part]) - marked(other, found.part_start[part])
    key, at = np.unique(unit * v + other, return_inverse=True)
    both = np.bincount(at, inside, len(key)) ** 2
    return np.bincount(key // v, both, found.n_units)


def _blank(found: Spans, made: Cover, marked: Array) -> Array:
    """(document, 3): m L, the blank length, and both blank over m - 1."""
    views = found.views_each
    length = np.maximum(found.length, 0).astype(float)
    document = found.view_document[made.group]
    base = found.base[document]
    n, width, of = levels(document, base + made.start, base + made.end)
    m = views[of]
    # where nobody marked, every pair is blank: m (m - 1); less where n did
    less = np.bincount(of, (m * (m - 1) - (m - n) * (m - n - 1)) * width, found.n_documents)
    both = (views * (views - 1) * length - less) / np.maximum(views - 1, 1)
    return np.stack([views * length, views * length - marked, both], 1)


def against_rest(found: Spans, joined: bool = True) -> Array:
    """(document, sum): the sums of all units as one label, against the blank; ``joined``: stretches of overlapping
    parts in place of units.
    """
    made = cover(found, found.view)
    document = found.view_document[made.group]
    marked = np.bincount(document, made.end - made.start, found.n_documents)
    if joined:
        size = np.bincount(made.stretch, made.end - made.start)
        where = np.zeros(len(size), int)
        where[made.stretch] = document
    else:
        size, where = found.size.astype(float), found.document
    squares = np.bincount(where, size**2, found.n_documents)
    sums = np.concatenate([_blank(found, made, marked), marked[:, None], squares[:, None]], 1)
    return np.asarray(sums * (found.views_each >= 2)[:, None])


def _value(observed: Array, expected: Array, defined: Array) -> Parts:
    """Disagreement, observed and expected; no value where it is not defined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return Parts(observed, np.where(defined, expected, np.nan), 0.0)


def u_boundary(sums: Array) -> Parts:
    r"""|u: what is marked against what is blank.

    .. math:: 1 - \frac{(\ell_0 - \ell_{00})(\ell^2 - \sum q)}{\ell\, \ell_0 (\ell - \ell_0)}
    """
    total, blank, both, _, squares = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = 2 * (blank - both) / total
        expected = 2 * blank * (total - blank) / (total**2 - blank - squares)
    return _value(observed, expected, (np.real(blank) > 0) & (np.real(blank) < np.real(total)))


def u(sums: Array) -> Parts:
    r"""u: all labels and the blank.

    .. math:: 1 - \frac{\ell - \sum_c \ell_{cc}}{\ell - \sum_c e_{cc}}, \quad
              e_{cc} = \ell\, \frac{\ell_c^2 - q_c}{\ell^2 - \sum q}
    """
    total, blank, both, (margin, agreed, squares, _, _) = _split(sums)
    q = blank + squares.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = 1 - (both + agreed.sum(-1)) / total
        expected = 1 - (blank**2 + (margin**2).sum(-1) - q) / (total**2 - q)
    several = (np.real(margin) > 0).sum(-1) + (np.real(blank) > 0) > 1
    return _value(observed, expected, several)


def cu(sums: Array) -> Parts:
    r"""cu: the labels, where both raters marked; :math:`e'_{cc} = (\ell'^2_c - q'_c) / (\ell' - \sum q' / \ell')`."""
    _, _, _, (_, agreed, _, inner, q) = _split(sums)
    total = inner.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = 1 - agreed.sum(-1) / total
        expected = 1 - ((inner**2).sum(-1) - q.sum(-1)) / (total**2 - q.sum(-1))
    return _value(observed, expected, (np.real(inner) > 0).sum(-1) > 1)


def ku(label: int) -> Callable[[Array], Parts]:
    r"""(k)u of one label: :math:`1 - \frac{\ell'_k - \ell_{kk}}{\ell'_k} \frac{e'_k}{e'_k - e'_{kk}}`."""

    def function(sums: Array) -> Parts:
        _, _, _, (_, agreed, _, inner, q) = _split(sums)
        own, total = inner[..., label], inner.sum(-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = 1 - agreed[..., label] / own
            expected = (own * total - own**2) / (own * total - q[..., label])
        return _value(observed, expected, ((np.real(inner) > 0).sum(-1) > 1) & (np.real(own) > 0))

    return function


def covered(sums: Array) -> float:
    """The share of characters where both raters marked something."""
    total, _, _, (_, _, _, inner, _) = _split(sums)
    return float(inner.sum(-1) / total) if total > 0 and inner.shape[-1] else float("nan")


def both_marked(sums: Array) -> Array:
    """(document,): the characters where both raters of a pair marked something, over pairs."""
    return np.asarray(_split(sums)[3][3].sum(-1))


def _split(sums: Array) -> tuple[Array, Array, Array, Array]:
    """The three sums of all text, and those of labels: (sum, ..., label)."""
    q = (sums.shape[-1] - 3) // 5
    of_labels = np.moveaxis(sums[..., 3:].reshape(*sums.shape[:-1], 5, q), -2, 0)
    return sums[..., 0], sums[..., 1], sums[..., 2], of_labels
