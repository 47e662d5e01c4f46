"""The basis of kRR intervals in small studies: an imaginary item, or the jackknife for ICCs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from raters.agree.estimating import FEW_VALUES, folded, item_means, kernel_of, made, n_used, small_study
from raters.inference.family import Among
from raters.inference.intervals import Interval, IntervalSpec, Numbers, Small, interval, skewed_values
from raters.inference.prior_item import Posterior, imagine, posterior
from raters.inference.statistic import Statistic
from raters.items import Items
from raters.reliability.krr.resampling import split, statistic_alone
from raters.reliability.krr.study import Prophecy, Study
from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.model import AtK, fit_votes
from raters.reliability.variance.components import spearman_brown
from raters.scales import along


def for_split(study: Study, k: int, seed: int) -> Posterior | None:
    """Split halves with one imaginary item; none for aggregates of whole tables, or of many different numbers."""
    if study.agg.table is not None or (study.agg.shares is None and n_used(study.items) > FEW_VALUES):
        return None
    enough = study.items.merged()
    enough = enough.where(np.flatnonzero(enough.per_item >= 2 * k))

    def halves(items: Items) -> Statistic:
        b, drawn = split(items, k)
        return statistic_alone(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed)

    return posterior(enough, along(kernel_of(study.req, study.compared)), seed, halves)


def for_model(study: Study, k: int, stat: AtK, seed: int) -> Posterior | None:
    """The vote model refitted with one imaginary item; None if it is calibrated to moments (four labels or more)."""
    if not isinstance(stat.votes.mixture, Mixture):
        return None
    wide, base = imagine(study.items.merged(), along(kernel_of(study.req, study.compared)), seed)
    # fitted with the imaginary item, so that no pattern is impossible when the replicates start
    fitted = fit_votes(study.req, study.compared, study.agg, replace(wide, weight=wide.weight + base), study.n, seed)
    return Posterior(Among(wide.weight, fitted.at(k, stat.beyond), np.arange(len(base))), base)


def prophecy_interval(study: Study, stat: Prophecy, spec: IntervalSpec) -> Interval:
    """The interval of single ratings, transformed by Spearman-Brown: the transformation is monotone, so coverage is unchanged."""
    inner = stat.of
    value = float(inner.parts(inner.weight[None]).value[0])
    small: Small
    if study.coefficient_given:
        bag = folded(study.req, study.ann)[None]
        small = small_study(replace(study.req, spec=spec), bag, kernel_of(study.req, study.ann), made(study.req))
    else:
        per, weight = study.items.per_item, study.items.weight * (study.items.per_item >= 2)
        several = study.items.merged().where(np.flatnonzero(per >= 2))
        said = skewed_values(item_means(several), several.weight)
        small = Numbers(max(2.0, float(weight @ per / max(weight.sum(), 1.0))), said=said)
    found = interval(inner, value, spec, small=small)
    low, high = (float(spearman_brown(x, stat.k)) for x in (found.low, found.high))
    slope = stat.k / (1 + (stat.k - 1) * value) ** 2
    return replace(found, low=low, high=high, se=found.se * slope)
