"""The six methods of k-rater reliability: each returns the statistic of k labels, its warnings and its details."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from raters.errors import UsageError
from raters.inference.statistic import Statistic
from raters.reliability.krr.aggregates import as_good_as
from raters.reliability.krr.consensus_aggregate import split_tables
from raters.reliability.krr.resampling import resampled, split, statistic_of
from raters.reliability.krr.study import BINS, Prophecy, Study, any_k, reachable
from raters.reliability.krr.vote_model.fitness import goodness
from raters.reliability.variance.components import spearman_brown
from raters.reliability.variance.icc import check_numbers

Found = tuple[Statistic, tuple[str, ...], dict[str, Any]]
MEANS = ("icc", "spearman_brown")
"""Methods for means of numbers."""
FROM_LABELS = ("split", "bootstrap", "model")
"""Methods that start from the labels of single items, and therefore need items with two."""
TITLES = {"empirical": "two replications", "split": "split halves", "bootstrap": "bootstrap", "icc": "ICC",
           "spearman_brown": "Spearman-Brown", "model": "model"}  # fmt: skip


def _icc(study: Study, k: int) -> Found:
    check_numbers(study.ann, "an intraclass correlation")
    stat = study.single
    return Prophecy(stat, k), () if study.form == "ICC(1)" else study.matrix.warnings, {"form": study.form}


def _spearman_brown(study: Study, k: int) -> Found:
    if not study.coefficient_given:
        return _icc(study, k)
    return Prophecy(study.agreement, k), (), {}


def _split(study: Study, k: int) -> Found:
    said = reachable(study, k, 2 * k, "split")
    if study.agg.table is not None:
        return _found(split_tables(study.req, study.ann, study.agg, k, study.draws, study.seed), said)
    b, drawn = split(study.items, k)
    return _found(statistic_of(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed), said)


def _found(made: tuple[Statistic, dict[str, Any]], said: tuple[str, ...]) -> Found:
    return made[0], said, made[1]


def _bootstrap(study: Study, k: int) -> Found:
    b, drawn = resampled(study.items, k)
    stat, details = statistic_of(study.req, study.compared, study.agg, b, drawn, study.draws, study.seed)
    said = "bootstrap samples repeat an item's labels, so this estimate is biased upward"
    if study.agg.name == "mean":
        r = float(study.single.parts(study.single.weight[None]).value[0])
        limit = r + (1 - r) / study.n
        details["limit"] = limit / (limit + (1 - r) * (study.n - 1) / (study.n * k))
        said += f": with ICC(1) = {r:.4f} it tends to {details['limit']:.4f}, while the reliability is {float(spearman_brown(r, k)):.4f}"
    return stat, (said,), details


def _empirical(study: Study, k: int) -> Found:
    both = study.replications
    if len(both.parts) > 2 and study.req.coefficient.compares == "groups":
        raise UsageError(
            f"{study.req.coefficient.name} distinguishes two sides, which {len(both.parts)} replications do not have: "
            "use krippendorff, fleiss or gwet, or compare two at a time."
        )
    b, drawn = both.pairs(k, any_k(study))
    ann = replace(both.ann, scale=study.compared.scale)
    draws = study.draws or 200 // both.n_pairs * both.n_pairs or both.n_pairs  # all pairs equally often
    stat, details = statistic_of(study.req, ann, study.agg, b, drawn, draws, study.seed)
    details |= {"draw": "columns" if both.by_column else "items", "replications_compared": len(both.parts)}
    return stat, both.warnings, details


def beyond(study: Study, k: int) -> bool:
    """Whether the labels of an item leave the reliability of k undetermined."""
    return 2 * as_good_as(study.agg, k, len(study.ann.labels)) > study.n


def _model(study: Study, k: int) -> Found:
    said: tuple[str, ...] = ()
    further = beyond(study, k)
    if further:
        said = (
            f"extrapolated: {study.n} labels per item determine aggregates of up to {study.n // 2} label{'s' * (study.n // 2 > 1)}; beyond that, "
            "the interval is the range of what the data allow",
        )
    if study.binned:
        said = (
            *said,
            f"the model grouped the numbers into {BINS} bins with about equally many ratings each; in simulations with four normal ratings per item the figure was .05 to .09 too high, so read it as an upper bound, or use the mean",
        )
    at = study.votes.at(k, further)
    error = study.votes.drawing_error(k, at)
    return at, said, goodness(study) | ({} if error is None else {"drawing_error": error})


METHODS: Mapping[str, Callable[[Study, int], Found]] = {
    "empirical": _empirical, "split": _split, "bootstrap": _bootstrap, "icc": _icc, "spearman_brown": _spearman_brown, "model": _model,
}  # fmt: skip
