"""Coefficients whose chance comes from a distribution of labels for each group (rater, pool, round)."""

from __future__ import annotations

import numpy as np

from raters.coefficients.base import Array, Parts, Sums, safe_divide
from raters.scales import Kernel


def _margins(s: Sums) -> tuple[Array, Array, Array]:
    """(..., group, feature) mean features of each group, 0 for absent groups; which are present; how many."""
    n = s.group_n
    here = (n.real > 0).astype(float)
    grouped = s.by_group.reshape(*n.shape, -1)
    return grouped / (n + (1 - here))[..., None], here, here.sum(-1)


def cohen(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Cohen's kappa of two groups: by chance, each draws from its own labels.

    .. math:: A_e = \sum_{kl} w_{kl} p_{1k} p_{2l}

    If a group gave an item several labels, the item is weighted by its number of labels, which makes this the
    kappa_x of cross-replication reliability; with one label per group it is Cohen's kappa.

    Cohen (1960), Educ. Psychol. Meas. 20, 37-46; (1968), Psychol. Bull. 70, 213-220.
    Wong, Paritosh & Aroyo (2021), ACL, equations 6-11.
    """
    p, _, _ = _margins(s)
    return Parts(
        safe_divide(s.pair_labels_agree, s.pair_labels), k.product(p[..., 0, :], p[..., 1, :]), k.perfect, k.unit
    )


def matthews(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Matthews' correlation of two raters, or of a rater with a key, for any number of labels.

    .. math:: \frac{A_o - \sum_{kl} w_{kl} p_{1k} p_{2l}}
        {\sqrt{(1 - \sum_{kl} w_{kl} p_{1k} p_{1l}) (1 - \sum_{kl} w_{kl} p_{2k} p_{2l})}}

    Never closer to 0 than Cohen's kappa, and equal to it if the margins are equal; if a rater gave a single label
    throughout, it is undefined
    (scikit-learn says 0). Observed and expected agreement are those of Cohen's kappa; the value is not computed from
    them.

    >>> from raters import agreement, examples
    >>> round(agreement(examples.abstractors(), "matthews", interval=None).value, 4)
    0.7979

    Matthews (1975), Biochim. Biophys. Acta 405, 442-451; Gorodkin (2004), Comput. Biol. Chem. 28, 367-374.
    """
    p, _, _ = _margins(s)
    a, b = p[..., 0, :], p[..., 1, :]
    observed, chance = safe_divide(s.pair_labels_agree, s.pair_labels), k.product(a, b)
    room = (k.perfect - k.product(a, a)) * (k.perfect - k.product(b, b))
    # a denominator that is only rounding error counts as 0: a rater gave a single label
    room = room * (room.real > 1e-13)
    value = safe_divide(observed - chance, room**0.5)
    return Parts(observed, chance, k.perfect, k.unit, value)


def conger(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Conger's kappa: Cohen's expected agreement, averaged over all pairs of raters.

    .. math:: A_e = \frac{1}{r (r - 1)} \sum_{g \ne h} \sum_{kl} w_{kl} p_{gk} p_{hl}

    With the distance of the scale instead of weights it is Janson and Olsson's iota.

    Conger (1980), Psychol. Bull. 88, 322-328; Janson & Olsson (2001), Educ. Psychol. Meas. 61, 277-289.
    """
    place = s.places.get("by_group")
    if place is not None and k.form is None:
        r = (s.group_n.real > 0).sum(-1).astype(float)
        p = safe_divide(s.occurring("by_group"), s.group_n.take(place.group, -1))
        p[np.isnan(p)] = 0  # groups that are absent
        together, own = p @ place.by_feature, (p**2).sum(-1)
    else:
        p, _, r = _margins(s)
        together, own = p.sum(-2), k.product(p, p).sum(-1)
    chance = k.product(together, together) - own
    return Parts(safe_divide(s.agree, s.paired), safe_divide(chance, r * (r - 1)), k.perfect, k.unit)


def conger_slope(s: Sums, k: Kernel, q: int) -> dict[str, Array]:
    """The derivative of Conger's kappa by each of its sums, because with thousands of raters a complex step in each
    would take hours.
    """
    p, here, r = _margins(s)
    together = p.sum(-2)
    others = k.times_form(together)[..., None, :] - k.times_form(
        p
    )  # by which a group's share of a label adds to chance
    pairs = r * (r - 1)
    expected = (others * p).sum((-2, -1)) / pairs
    observed = s.agree / s.paired
    by_observed = 1 / (k.perfect - expected)
    by_expected = (observed - k.perfect) * by_observed**2
    by_share = (2 * by_expected / pairs)[..., None, None] * others * (here / (s.group_n + (1 - here)))[..., None]
    return {
        "labelled": np.zeros_like(observed),
        "paired": -by_observed * observed / s.paired,
        "agree": by_observed / s.paired,
        "by_group": by_share.reshape(*by_share.shape[:-2], -1),
        "group_n": -(by_share * p).sum(-1),
    }
