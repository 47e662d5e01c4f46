"""Coefficients whose chance comes from a distribution of labels for each group (rater, pool, round)."""

from __future__ import annotations

from raters.coefficients.base import Array, Parts, Sums, safe_divide
from raters.scales import Kernel


def _margins(s: Sums) -> tuple[Array, Array, Array]:
    """(..., group, feature) mean features of each group, 0 for absent groups; which are present; how many."""
    n = s.group_n
    here = (n.real > 0).astype(float)
    grouped = s.by_group.reshape(*n.shape, -1)
    return grouped / (n + (1 - here))[..., None], here, here.sum(-1)


def cohen(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Cohen's kappa of two groups: each draws by chance from its own labels.

    .. math:: A_e = \sum_{kl} w_{kl} p_{1k} p_{2l}

    Where a group gave an item several labels, the item weighs by how many labels it has, which makes this the
    kappa_x of cross-replication reliability; with one label a side it is Cohen's kappa.

    Cohen (1960), Educ. Psychol. Meas. 20, 37-46; (1968), Psychol. Bull. 70, 213-220.
    Wong, Paritosh & Aroyo (2021), ACL, equations 6-11.
    """
    p, _, _ = _margins(s)
    return Parts(
        safe_divide(s.pair_labels_agree, s.pair_labels), k.product(p[..., 0, :], p[..., 1, :]), k.perfect, k.unit
    )


def conger(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Conger's kappa: Cohen's chance, averaged over all pairs of raters.

    .. math:: A_e = \frac{1}{r (r - 1)} \sum_{g \ne h} \sum_{kl} w_{kl} p_{gk} p_{hl}

    With the distance of the scale instead of weights it is Janson and Olsson's iota.

    Conger (1980), Psychol. Bull. 88, 322-328; Janson & Olsson (2001), Educ. Psychol. Meas. 61, 277-289.
    """
    p, _, r = _margins(s)
    together = p.sum(-2)
    chance = k.product(together, together) - k.product(p, p).sum(-1)
    return Parts(safe_divide(s.agree, s.paired), safe_divide(chance, r * (r - 1)), k.perfect, k.unit)
