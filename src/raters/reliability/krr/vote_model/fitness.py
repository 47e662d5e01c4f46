"""How well the mixing distribution of ``model`` fits, for the details of its estimate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.reliability.krr.resampling import split, statistic_of
from raters.reliability.krr.study import Study
from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.patterns import patterns_of
from raters.reliability.krr.vote_model.tilted import Calibrated

Array = NDArray[Any]
TABLES = 500


def goodness(study: Study) -> dict[str, Any]:
    """``fit_p``, and the value of ``split`` and ``model`` at the largest k that the data can check (``checked_at``).

    ``fit_p``: the share of tables drawn from the fit that are further from it (by the likelihood ratio) than the data.
    Small values show that an item's labels are not independent draws: raters have habits of their own, or copy.
    """
    if "goodness" not in study.votes.kept:
        found: dict[str, Any] = {"fit_p": fit_p(study.votes.mixture, study.seed)}
        k = study.n // 2
        if k and study.agg.shares is not None:
            b, drawn = split(study.items, k)
            stat, _ = statistic_of(study.req, study.compared, study.agg, b, drawn, None, study.seed)
            found |= {"checked_at": k, "split_there": float(stat.parts(stat.weight[None]).value[0]),
                      "model_there": float(study.votes.at(k, False).value.value[0])}  # fmt: skip
        study.votes.kept["goodness"] = found
    return dict(study.votes.kept["goodness"])


def fit_p(mixture: Mixture | Calibrated, seed: int) -> float:
    """The probability of tables as far from the fit as these, by simulation; nan if there are too many patterns to enumerate."""
    patterns = patterns_of(mixture.counts, mixture.weight)
    if patterns is None:
        return float("nan")
    chances = patterns.chances(mixture.support, mixture.fitted[0])
    expected = chances * patterns.items[patterns.size]
    seen = _ratio(patterns.observed(mixture.counts, mixture.weight), expected)
    drawn = _ratio(patterns.drawn(chances, TABLES, np.random.default_rng(seed)), expected)
    return float((1 + (drawn >= seen).sum()) / (1 + TABLES))


def _ratio(table: Array, expected: Array) -> Array:
    """2 sum of observed * log(observed / expected)."""
    return np.asarray(2 * special.xlogy(table, table / np.maximum(expected, 1e-300)).sum(-1))
