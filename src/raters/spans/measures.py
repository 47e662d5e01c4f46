"""The measures of agreement on spans: a row each, with what it needs and how it is computed from documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.coefficients import coefficient_name
from raters.coefficients.base import Parts
from raters.errors import UsageError, listed
from raters.estimate import Estimate
from raters.inference.bounded import LOG_REST, LOGIT, Bounded, by_bounded
from raters.inference.intervals import IntervalSpec, interval
from raters.inference.limits import NO_INTERVAL, Interval, student
from raters.inference.statistic import Linear, Statistic, value_alone
from raters.notes.note import Note
from raters.spans import gamma as gammas
from raters.spans import unitizing
from raters.spans.chance import turned
from raters.spans.pairs import IOU, MATCHES, Matched, Pairing
from raters.spans.statistics import MeanOfPairs, pooled_f1
from raters.spans.units import Spans

Array = NDArray[Any]
MANY_PAIRS = 500
"""Beyond so many pairs of raters their number is said."""
FEW_FOR_LABELS = 30
"""Under so many documents the interval of cu misses the true value near 1 too often."""


@dataclass(frozen=True)
class Asked:
    """How a measure is to be computed."""

    pooled: bool | None = None
    threshold: float = IOU
    spec: IntervalSpec | None = field(default_factory=IntervalSpec)
    chance: bool = True
    seed: int = 0
    sample: str = "items"
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True)
class Figure:
    """A measure as a function of documents; without a statistic it is undefined, for the reason in the notes."""

    stat: Statistic | None
    n: float = 1.0
    """What the figure counts: units, or those of all pairs. Left-out values stay 1 / (2 n) from the ends."""
    at: Array = field(default_factory=lambda: np.zeros(0, int))
    """(row,): the documents of the statistic."""
    title: str = ""
    notes: tuple[Note, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    chance: float = np.nan


@dataclass(frozen=True)
class Measure:
    """A row: what it is called, what it needs, and how it is computed."""

    name: str
    title: str
    figure: Callable[[Spans, Measure, Asked], Figure]
    scale: Bounded
    of_pairs: bool = False
    """Whether it is computed pair by pair, so that there are a mean and a pooled figure."""
    lengths: bool = False
    """Whether it needs the lengths of documents."""
    one_label: bool = False
    """Whether it needs one label a character."""
    turned: bool = False
    """Whether it has a figure by chance to stand beside it."""
    few: int = 0
    """Under so many documents its interval carries a warning."""
    of_label: str = ""
    """The measure that takes its place for a single label."""


def leads_pooled(found: Spans, asked: Asked) -> bool:
    """Whether pairs are pooled: as asked; otherwise where not every rater saw every document, so that pairs have
    different weight.
    """
    return asked.pooled if asked.pooled is not None else not found.complete


def f1(found: Spans, row: Measure, asked: Asked) -> Figure:
    """Matched units of two raters against all units, over documents."""
    if none := nothing_marked(found):
        return Figure(None, notes=(none,))
    if row.name == "token" and (none := no_texts(found)):
        return Figure(None, notes=(none,))
    pooled = leads_pooled(found, asked)
    matched = MATCHES[row.name](found, Pairing(found), asked.threshold)
    at = turned(found, row.name, asked.threshold, asked.seed) if row.turned and asked.chance else None
    how = "pooled" if pooled else "mean over pairs"
    title = f"{row.title} ({how})" if matched.pairing.n_pairs > 1 else row.title
    pairs = matched.pairing.n_pairs
    notes: tuple[Note, ...] = () if at is None or at.note is None else (at.note,)
    notes += (Note("many_pairs", {"raters": found.n_raters, "pairs": pairs}),) if pairs > MANY_PAIRS else ()
    return replace(
        of_matched(matched, pooled, np.ones(matched.pairing.n_pairs, bool)),
        title=title,
        chance=np.nan if at is None else at.value,
        notes=notes,
    )


def of_matched(matched: Matched, pooled: bool, pairs: Array) -> Figure:
    """F1 over some pairs of raters, from the documents where one of them marked something."""
    chosen = matched.only(pairs)
    both, all_ = (np.bincount(matched.document, x, matched.n_documents) for x in (chosen.both, chosen.all))
    there = all_ > 0
    if not there.any():
        return Figure(None, notes=(Note("nobody_marked"),))
    if pooled:
        return Figure(pooled_f1(both[there], all_[there]), float(all_.sum()), np.flatnonzero(there))
    by = [x[there][:, np.flatnonzero(pairs)] for x in chosen.by_pair()]
    for table in by:
        table.eliminate_zeros()
    return Figure(MeanOfPairs(np.ones(int(there.sum())), *by), float(all_.sum()), np.flatnonzero(there))


def alpha(
    function: Callable[[Array], Parts], whole: bool, joined: bool = False
) -> Callable[[Spans, Measure, Asked], Figure]:
    """A figure of the family u; ``whole``: with all labels, otherwise what is marked against the blank; ``joined``: by
    stretches of overlapping parts also where no units overlap.
    """

    def figure(found: Spans, row: Measure, asked: Asked) -> Figure:
        if none := nothing_marked(found, blank=True) or not_possible(found, row):
            return Figure(None, notes=(none,))
        seen = found.views_each >= 2
        sums = (unitizing.rows(found) if whole else unitizing.against_rest(found, joined or found.stacked))[seen]
        total = sums.sum(0)
        details = {"cover": unitizing.covered(total)} if row.name == "cu" else {}
        if not np.isfinite(function(total).value):
            return Figure(None, notes=(why_undefined(found, row, total),), details=details)
        at = np.flatnonzero(seen)
        if row.name == "cu":
            met = unitizing.both_marked(sums) > 0
            sums, at = sums[met], at[met]
        return Figure(Linear(np.ones(len(sums)), sums, function), max(found.n_units, 1), at, details=details)

    return figure


def of_gamma(found: Spans, row: Measure, asked: Asked) -> Figure:
    """Gamma from the disorder of each document and of its random draws."""
    if none := nothing_marked(found):
        return Figure(None, notes=(none,))
    made = gammas.gamma(found, seed=asked.seed, progress=asked.progress)
    if made.too_many:
        return _gamma_of_pairs(found, asked)
    there = made.mean_units > 0
    terms = np.stack([made.disorder, made.mean_units * made.chance], 1)[there]

    def function(sums: Array) -> Parts:
        with np.errstate(invalid="ignore", divide="ignore"):
            return Parts(sums[..., 0], sums[..., 1], 0.0)

    details = {"monte_carlo_se": made.se, "draws": made.draws, "alpha": made.alpha, "beta": made.beta}
    return Figure(
        Linear(np.ones(len(terms)), terms, function),
        max(found.n_units, 1),
        np.flatnonzero(there),
        notes=made.notes,
        details=details,
    )


def _gamma_of_pairs(found: Spans, asked: Asked) -> Figure:
    """The mean of gamma over pairs of raters."""
    pairs = Pairing(found).raters.tolist()
    made = [gammas.gamma(found.of_raters(p), seed=asked.seed, progress=asked.progress) for p in pairs]
    each = [x for g in made for x in (g.disorder, g.mean_units * g.chance)]
    terms = np.stack(each, 1)
    there = terms.sum(1) > 0
    terms = terms[there]

    def function(sums: Array) -> Parts:
        chance = sums[..., 1::2]
        there = np.real(chance) > 0
        share = np.where(there, sums[..., ::2] / np.where(there, chance, 1), 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return value_alone(1 - share.sum(-1) / there.sum(-1))

    return Figure(
        Linear(np.ones(len(terms)), terms, function),
        max(found.n_units, 1),
        np.flatnonzero(there),
        title="gamma (mean over pairs)",
        notes=(Note("too_many_alignments"),),
        details={"monte_carlo_se": float(np.sqrt(np.mean([g.se**2 for g in made]) / len(made)))},
    )


def nothing_marked(found: Spans, blank: bool = False) -> Note | None:
    """Why nothing can be compared."""
    if not found.shared:
        return Note("no_shared_document", {"documents": found.n_documents, "raters": found.n_raters})
    if not blank and not (found.views_each[found.document] >= 2).any():
        return Note("nobody_marked")
    return None


def no_texts(found: Spans) -> Note | None:
    """Why tokens cannot be compared."""
    seen = (found.views_each >= 2).tolist()
    lost = [d for d, t, s in zip(found.documents, found.texts, seen, strict=True) if t is None and s]
    return Note("no_texts", {"n": len(lost), "document": lost[0]}) if lost else None


def not_possible(found: Spans, row: Measure) -> Note | None:
    """Why a measure of characters is not defined on these units."""
    if row.one_label and found.stacked:
        return Note("stacked_units", {"name": row.name})
    if row.lengths and not found.lengths_known:
        return Note("no_lengths", {"n": int((found.length[found.views_each >= 2] < 0).sum()), "name": row.name})
    if row.lengths and found.texts_differ:
        return Note("texts_differ", {"n": found.texts_differ, "name": row.name})
    return None


def why_undefined(found: Spans, row: Measure, total: Array) -> Note:
    """Why a figure of the family u has no value."""
    if not found.n_units:
        return Note("nobody_marked")
    return Note("one_label_marked" if row.of_label == "" else "all_marked_alike")


MEASURES: dict[str, Measure] = {
    row.name: row
    for row in (
        Measure("exact", "Exact F1", f1, LOGIT, of_pairs=True, of_label="exact"),
        Measure("overlap", "Overlap F1", f1, LOGIT, of_pairs=True, turned=True, of_label="overlap"),
        Measure("boundaries", "Boundary F1", f1, LOGIT, of_pairs=True, of_label="boundaries"),
        Measure("iou", "IoU F1", f1, LOGIT, of_pairs=True, turned=True, of_label="iou"),
        Measure("token", "Token F1", f1, LOGIT, of_pairs=True, of_label="token"),
        Measure("character", "Character F1", f1, LOGIT, of_pairs=True, of_label="character"),
        Measure("u", "u-alpha", alpha(unitizing.u, True), LOG_REST, lengths=True, one_label=True, of_label="u_of_label"),
        Measure(
            "u_boundary", "|u (marked)", alpha(unitizing.u_boundary, False), LOG_REST, lengths=True,
            of_label="u_of_label",
        ),
        Measure(
            "cu", "cu (labels)", alpha(unitizing.cu, True), LOG_REST, lengths=True, one_label=True,
            few=FEW_FOR_LABELS,
        ),
        Measure("gamma", "gamma", of_gamma, LOG_REST),
    )
}  # fmt: skip
OF_LABEL = Measure(
    "u_of_label", "u of a label against the rest", alpha(unitizing.u_boundary, False, joined=True), LOG_REST, lengths=True,
    of_label="u_of_label",
)  # fmt: skip
"""The figure of a single label, which is not asked for by name."""
DEFAULT = "exact"
SYNONYMS = {
    "krippendorff": "u",
    "alpha": "u",
    "|u": "u_boundary",
    "u_alpha": "u",
    "alpha_u": "u",
    "f1": "exact",
    "tokens": "token",
    "characters": "character",
}

OWN_NAMES = ("|u", "u_alpha", "alpha_u", "tokens", "characters")
"""Synonyms that no coefficient of labels has."""


def measure_name(name: str) -> str:
    """The name of a measure, or the error that lists them."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    found = SYNONYMS.get(plain, plain)
    if found not in MEASURES:
        raise UsageError(
            f"{name!r} compares one label per item, and these are spans. Measures of spans are {listed(MEASURES, 12)}."
        )
    return found


def figure_name(name: str) -> str:
    """The name of a measure of spans, or of a coefficient of labels."""
    return name if name in MEASURES else SYNONYMS[name] if name in OWN_NAMES else coefficient_name(name)


def estimate(found: Spans, name: str, asked: Asked, called: str | None = None, **more: Any) -> Estimate:
    """One measure with its interval, or the reason why it is undefined."""
    row = OF_LABEL if name == OF_LABEL.name else MEASURES[measure_name(name)]
    return of_figure(found, row, row.figure(found, row, asked), asked, called, **more)


def of_figure(
    found: Spans, row: Measure, figure: Figure, asked: Asked, called: str | None = None, **more: Any
) -> Estimate:
    """The estimate of a figure."""
    value, parts, made = np.nan, None, NO_INTERVAL
    if figure.stat is not None:
        parts = figure.stat.parts(figure.stat.weight[None, :])
        value = float(parts.value[0])
        made = interval_of(figure, value, row, asked.spec)
        if asked.spec is not None and asked.sample != "items" and not more:
            made = over_raters(found, row, value, made, asked)
    few = row.few and figure.stat is not None and np.isfinite(made.low) and figure.stat.weight.sum() < row.few
    notes = (*figure.notes, *made.notes, *((Note("few_documents_for_labels", {"limit": row.few}),) if few else ()))
    chance = figure.chance if np.isfinite(figure.chance) else float(parts.expected[0]) if parts is not None else np.nan
    details = {**figure.details, **({"chance": figure.chance} if np.isfinite(figure.chance) else {}), **more}
    return Estimate(
        name=called or row.name,
        value=value,
        low=made.low,
        high=made.high,
        se=made.se,
        level=asked.spec.level if asked.spec else 0.95,
        interval=made.method or None,
        observed=float(parts.observed[0]) if parts is not None else np.nan,
        expected=chance,
        parts="agreement" if row.of_pairs else "disagreement",
        n_items=found.shared,
        n_raters=len(np.unique(found.view_rater[found.views_each[found.view_document] >= 2])),
        n_annotations=int((found.views_each[found.document] >= 2).sum()),
        notes=notes,
        coefficient=row.name,
        title=figure.title or row.title,
        sampled={"items": "documents", "raters": "raters", "both": "documents and raters"}[asked.sample],
        details=details,
    )


def over_raters(found: Spans, row: Measure, value: float, documents: Interval, asked: Asked) -> Interval:
    """The jackknife over raters; ``both`` adds the variance over documents."""
    n = len(found.raters)
    if n < 3 or asked.spec is None:
        return Interval(np.nan, np.nan, np.nan, "jackknife", (Note("two_raters" if n == 2 else "single_rater"),))
    alone = replace(asked, spec=None, chance=False, sample="items")
    left = np.array(
        [estimate(found.of_raters([q for q in range(n) if q != r]), row.name, alone).value for r in range(n)]
    )
    if not np.isfinite(left).all():
        return Interval(np.nan, np.nan, np.nan, "jackknife", (Note("one_document_matters", {"unit": "rater"}),))
    se = float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))
    if asked.sample == "both" and np.isfinite(documents.se):
        se = float(np.hypot(se, documents.se))
    found_ = student(value, se, n, replace(asked.spec, lowest=row.scale.lowest), "jackknife")
    return replace(found_, notes=(Note("left_out_raters", {"n": n}),))


def interval_of(figure: Figure, value: float, row: Measure, spec: IntervalSpec | None) -> Interval:
    """The interval over documents: on the measure's scale, or as asked."""
    if spec is None or figure.stat is None:
        return NO_INTERVAL
    if spec.method in ("auto", "stabilised"):
        return by_bounded(figure.stat, value, spec, row.scale, figure.n, "document")
    return interval(figure.stat, value, replace(spec, lowest=row.scale.lowest))
