"""Coefficients whose chance comes from one distribution of labels for all raters."""

from __future__ import annotations

import numpy as np

from raters.coefficients.base import Array, Parts, Sums, safe_divide
from raters.scales import Kernel


def percent(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Percent agreement: the mean over items of the agreement of its pairs of labels.

    .. math:: A_o = \frac{1}{n_2} \sum_{i: r_i \ge 2} \frac{1}{r_i (r_i - 1)} \sum_{a \ne b} w(a, b)

    Expected agreement is taken to be zero.
    """
    return Parts(safe_divide(s.agree, s.paired), 0 * s.paired, k.perfect, k.unit)


def fleiss(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Fleiss' kappa: two labels drawn at random from the mean label shares of the items.

    .. math:: A_e = \sum_{kl} w_{kl} \pi_k \pi_l

    Items with one label enter the margins but not the observed agreement (Gwet's framework).
    Two raters: Scott's pi.

    Fleiss (1971), Psychol. Bull. 76, 378-382; Scott (1955), Public Opin. Q. 19, 321-325.
    """
    pi = safe_divide(s.shares, s.labelled[..., None])
    return Parts(safe_divide(s.agree, s.paired), k.product(pi, pi), k.perfect, k.unit)


def fleiss_pooled(s: Sums, k: Kernel, q: int) -> Parts:
    """Fleiss' kappa with margins over all annotations, so that items with more labels have more weight."""
    pi = safe_divide(s.pooled, s.annotations[..., None])
    return Parts(safe_divide(s.agree, s.paired), k.product(pi, pi), k.perfect, k.unit)


def gwet(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Gwet's AC1 (nominal) and AC2 (weighted): raters agree by chance only on hard items.

    .. math:: A_e = \frac{\sum_{kl} w_{kl}}{q (q - 1)} \sum_k \pi_k (1 - \pi_k)

    Gwet (2008), Br. J. Math. Stat. Psychol. 61, 29-48.
    """
    pi = safe_divide(s.label_shares, s.labelled[..., None])
    spread = (pi * (1 - pi)).sum(-1)
    chance = k.total / (q * (q - 1)) * spread if q > 1 else float("nan") * spread
    return Parts(safe_divide(s.agree, s.paired), chance, k.perfect, k.unit)


def gwet_pooled(s: Sums, k: Kernel, q: int) -> Parts:
    """Gwet's AC1 and AC2 with margins over all annotations."""
    pi = safe_divide(s.label_pooled, s.annotations[..., None])
    spread = (pi * (1 - pi)).sum(-1)
    chance = k.total / (q * (q - 1)) * spread if q > 1 else float("nan") * spread
    return Parts(safe_divide(s.agree, s.paired), chance, k.perfect, k.unit)


def brennan_prediger(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Brennan and Prediger's kappa: every label is equally likely by chance.

    .. math:: A_e = \frac{1}{q^2} \sum_{kl} w_{kl}

    Bennett's S for two raters, PABAK for two labels, Randolph's free-marginal kappa for several raters.

    Brennan & Prediger (1981), Educ. Psychol. Meas. 41, 687-699.
    """
    return Parts(safe_divide(s.agree, s.paired), 0 * s.paired + k.total / q**2, k.perfect, k.unit)


def van_oest(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Van Oest's coefficient: expected agreement from a margin that starts with one label of each kind and is updated
    with the data.

    .. math:: p_k = \frac{1 + N_k}{q + N}, \quad A_e = \sum_{kl} w_{kl} p_k p_l, \quad
        A_o = \frac{\sum_i \sum_{a \ne b} w(a, b)}{\sum_i r_i (r_i - 1)}

    N counts all annotations, including those of items with one label. Observed agreement gives all pairs of labels
    equal weight, where Fleiss and Gwet take the mean over items. With a prior of 0 instead of 1, it would be Fleiss
    with pooled margins; with an infinite one, Brennan-Prediger. The number of labels q changes the value: declare
    labels that were never used.

    >>> from raters import agreement, read
    >>> round(agreement(read([[81, 9], [9, 1]], layout="contingency"), "van_oest", interval=None).value, 3)
    0.034

    Van Oest (2019), Psychol. Methods 24, 439-451; van Oest & Girard (2022), Psychol. Methods 27, 1069-1088.
    """
    every = np.ones(q) if k.features is None else k.features.sum(0)
    p = (s.pooled + every) / (s.annotations + q)[..., None]
    return Parts(safe_divide(s.pairings_agree, s.pairings), k.product(p, p), k.perfect, k.unit)


def krippendorff(s: Sums, k: Kernel, q: int) -> Parts:
    r"""Krippendorff's alpha: two of the pairable annotations drawn without replacement.

    .. math:: \alpha = 1 - \frac{D_o}{D_e}, \quad
        D_o = \frac{1}{n} \sum_i \frac{1}{r_i - 1} \sum_{a \ne b} \delta(a, b), \quad
        D_e = \frac{1}{n (n - 1)} \sum_{a \ne b} \delta(a, b)

    with n annotations of items that have two or more. Between groups a group counts as one annotation, drawn from
    the labels that it gave; it is not compared with itself. Krippendorff (2004), Content Analysis, ch. 11.
    """
    n = s.pairable_n
    together = k.product(s.pairable, s.pairable) - s.pairable_own
    return Parts(safe_divide(s.pairable_agree, n), safe_divide(together, n * (n - 1)), k.perfect, k.unit)


def krippendorff_large(s: Sums, k: Kernel, q: int) -> Parts:
    """Alpha without its small-sample term, which irrCAC's standard error linearises."""
    n = s.pairable_n
    pi = safe_divide(s.pairable, n[..., None])
    return Parts(safe_divide(s.pairable_agree, n), k.product(pi, pi), k.perfect, k.unit)


def krippendorff_slope(s: Sums, k: Kernel, q: int) -> dict[str, Array]:
    """The derivative of alpha by each of its sums, because with very many labels a complex step in each would take too
    long.
    """
    n, pairs = s.pairable_n, s.pairable_n * (s.pairable_n - 1)
    towards = k.times_form(s.pairable)
    together = (towards * s.pairable).sum(-1) - s.pairable_own
    observed, expected = s.pairable_agree / n, together / pairs
    by_observed = 1 / (k.perfect - expected)
    by_expected = (observed - k.perfect) * by_observed**2
    return {
        "pairable_n": -by_observed * observed / n - by_expected * expected * (2 * n - 1) / pairs,
        "pairable_agree": by_observed / n,
        "pairable_own": -by_expected / pairs,
        "pairable": (by_expected / pairs)[..., None] * 2 * towards,
    }
