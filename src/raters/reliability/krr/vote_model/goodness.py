"""How well the mixing distribution of ``model`` fits, for the details of its estimate."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from raters.reliability.krr.resampling import split, statistic_of
from raters.reliability.krr.study import Study
from raters.reliability.krr.vote_model.mixture import Mixture
from raters.reliability.krr.vote_model.simplex import chances, lattice
from raters.reliability.krr.vote_model.tilted import Calibrated

Array = NDArray[Any]
MOST_PATTERNS = 5_000


@dataclass(frozen=True)
class Patterns:
    """All patterns with as many labels as the items have, grouped by size."""

    counts: Array
    """(pattern, label)."""
    size: Array
    """(pattern,): the index of its number of labels."""
    items: Array
    """(size,): how many items have that many labels."""

    def chances(self, support: Array, mixing: Array) -> Array:
        """(pattern,): the probability of each among those of its size."""
        f = chances(self.counts, support) @ mixing
        return np.asarray(f / np.bincount(self.size, f)[self.size])

    def drawn(self, chances: Array, times: int, rng: np.random.Generator) -> Array:
        """(table, pattern): how many items show each pattern, in tables drawn with these probabilities."""
        found = np.zeros((times, len(self.size)))
        for i, n in enumerate(self.items):
            at = np.flatnonzero(self.size == i)
            found[:, at] = rng.multinomial(int(n), chances[at] / chances[at].sum(), times)
        return found

    def observed(self, counts: Array, weight: Array) -> Array:
        """(pattern,): the same for the data."""
        place = {tuple(row): i for i, row in enumerate(self.counts.tolist())}
        found = np.zeros(len(self.size))
        found[[place[tuple(row)] for row in counts.astype(np.int64).tolist()]] = weight
        return found


def patterns_of(counts: Array, weight: Array) -> Patterns | None:
    """The patterns that items with as many labels as these can show; None if there are too many to enumerate."""
    sizes, which = np.unique(counts.sum(1).astype(np.int64), return_inverse=True)
    q = counts.shape[1]
    if sum(comb(int(n) + q - 1, q - 1) for n in sizes) > MOST_PATTERNS:
        return None
    each = [lattice(q, int(n)) for n in sizes]
    return Patterns(
        np.concatenate(each), np.repeat(np.arange(len(sizes)), [len(x) for x in each]), np.bincount(which, weight)
    )


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
            found |= {
                "checked_at": k,
                "split_there": float(stat.parts(stat.weight[None]).value[0]),
                "model_there": float(study.votes.at(k, False).value.value[0]),
            }
        study.votes.kept["goodness"] = found
    return dict(study.votes.kept["goodness"])


def fit_p(mixture: Mixture | Calibrated, seed: int) -> float:
    """The probability of tables as far from the fit as these, by simulation; nan if there are too many patterns to
    enumerate.
    """
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
