"""A methods paragraph to paste into a paper."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters import __version__
from raters.agree.estimating import too_few_shared
from raters.annotations import counted, not_used
from raters.estimate import Estimate, shown
from raters.models.families.registry import MODELS
from raters.models.result import Consensus
from raters.reporting.cells import percent
from raters.reporting.context import Context
from raters.reporting.document import Section
from raters.reporting.headline import inside, lead_of
from raters.reporting.interval_words import RANGES, in_words
from raters.reporting.references import cited
from raters.reporting.steps import span


def paragraph(c: Context, sections: Sequence[Section]) -> str:
    """What was done, in the words of a methods section."""
    ann = c.ann
    there = {s.key for s in sections if not s.absent}
    who = _who(c)
    parts = [
        f"{ann.n_items:,} items received {ann.used.n_annotations:,} annotations from {who}{_measured(c)}.",
        _design(c),
    ]
    e = lead_of(c) if "agreement" in there or "sets" in there else None
    if e is not None and math.isfinite(e.value):
        limits = (
            f"{c.level:.0%} interval {shown(e.low, 2)} to {shown(e.high, 2)} by {in_words(e.interval, c.resamples)}, over items, raters held fixed."
            if math.isfinite(e.low)
            else "without an interval."
        )
        parts.append(
            f"Inter-rater agreement was measured by Krippendorff's alpha ({_metric(c)}; Krippendorff 2004), which allows any number of "
            f"raters, missing labels and {'sets' if ann.scale == 'sets' else 'this scale'}: {shown(e.value, 2)}, {limits}"
        )
    curve = c.curve
    if "aggregate" in there and not isinstance(curve, str):
        parts.append(
            f"The reliability of aggregated labels was estimated as k-rater reliability (Wong & Paritosh 2022); for the {curve.kind} of "
            f"k = {curve.at} labels it is {shown(curve.now.value, 2)}{span(curve.now)}."
        )
    if "trust" in there and not isinstance(c.fit, str):
        parts.append(_one_label(c.fit))
    if "pools" in there:
        parts.append(
            "Agreement between pools was measured by cross-replication reliability (Wong, Paritosh & Aroyo 2021)."
        )
    if "judges" in there:
        parts.append(
            "Models were compared with people by the kappa of pairs of raters and by the alternative-annotator test (Calderon, Reichart & Dror 2025; epsilon = 0.1)."
        )
    if "sets" in there:
        parts.append(_shared(c))
    parts.append(f"All figures were computed with raters {__version__} (seed {c.seed}).")
    return " ".join(parts)


def _measured(c: Context) -> str:
    """The scale of the labels, and whether it was only assumed."""
    if c.ann.scale == "sets":
        return ", each a set of labels"
    assumed = c.ann.scale_reason.startswith("assumed")
    return f"; the labels were {'taken as' if assumed else 'on'} {article(c.ann.scale)} scale"


def _one_label(fit: Consensus) -> str:
    """How the label of each item was found, and why so."""
    row, choice = fit.definition, fit.choice
    start = "Where one label for each item was used, it was"
    folds = "by the log probability of held-out labels in five folds (Passonneau & Carpenter 2014)"
    if choice is not None and choice.against:
        best = MODELS[choice.best].title
        return f"{start} the majority vote; the {best} model, chosen among annotation models {folds}, was not used, because {choice.against[0]}."
    if not row.likelihood:
        return f"{start} the majority vote."
    works = f" ({cited(row.reference)})" if row.reference else ""
    return f"{start} estimated by the {row.title} model{works}, chosen among annotation models {folds}."


def _metric(c: Context) -> str:
    """How alpha compares labels, as a methods section says it."""
    return "MASI distance between sets, Passonneau 2006" if c.ann.scale == "sets" else f"{c.ann.scale} metric"


def _shared(c: Context) -> str:
    """How often two sets share a label, and how far that is beyond chance."""
    how = "with chance from bootstrapped label sets (Marchal et al. 2022)"
    if isinstance(c.sets, str) or not math.isfinite(c.sets["boot_match"].value):
        return f"Agreement on label sets was corrected for chance {how}."
    e = c.sets["boot_match"]
    return (
        f"Two raters shared a label on {e.observed:.0%} of the items and would share one by chance on {e.expected:.0%}, "
        f"which is an agreement of {shown(e.value, 2)}{span(e)} beyond chance, {how}."
    )


def _who(c: Context) -> str:
    models = f", {len(c.judges):,} of them {'a model' if len(c.judges) == 1 else 'models'}," if c.judges else ""
    return f"{c.ann.n_raters:,} raters{models}" if c.ann.n_raters else "unnamed raters"


def _design(c: Context) -> str:
    """How many labels each item has, who gave them, and what was left out."""
    ann = c.ann
    low, mean, high = ann.used.per_item
    cells = ann.n_items * ann.n_raters
    what = "label set" if ann.scale == "sets" else "label"
    each = (
        f"Every item has {counted(low, what)}"
        if low == high
        else f"Items have {low} to {high} {what}s (mean {inside(mean, low, high)})"
    )
    whole = ann.n_raters and low == high == ann.n_raters
    crossed = (
        ", one from each rater." if whole else f"; {percent(1 - ann.used.n_annotations / cells)} of the item-rater pairs have no {what}." if cells else "."
    )  # fmt: skip
    lost = not_used(ann).replace("Not used:", "Left out:")
    return f"{each}{crossed}{f' {lost}' if lost else ''}"


def short(c: Context) -> str:
    """The same in two or three sentences."""
    ann = c.ann
    who = _who(c)
    low, mean, high = ann.used.per_item
    what = "label set" if ann.scale == "sets" else "label"
    each = (
        f"{counted(low, what)} each"
        if low == high
        else f"{low} to {high} {what}s each, {inside(mean, low, high)} on average"
    )
    parts = [f"{ann.n_items:,} items were labelled by {who} ({each})."]
    if too_few_shared(ann):
        return " ".join([*parts, too_few_shared(ann), f"Computed with raters {__version__} (seed {c.seed})."])
    e = lead_of(c)
    if math.isfinite(e.value):
        limits = f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else ""
        parts.append(
            f"Agreement was Krippendorff's alpha = {shown(e.value, 2)}{limits} ({_metric(c)}; {c.level:.0%} interval over items)."
        )
    curve = c.curve
    if not isinstance(curve, str) and math.isfinite(curve.now.value):
        parts.append(
            f"The {curve.kind} of {curve.at} labels has an estimated k-rater reliability of {shown(curve.now.value, 2)}{_range(curve.now)} (Wong & Paritosh 2022)."
        )
    parts.append(f"Computed with raters {__version__} (seed {c.seed}).")
    return " ".join(parts)


def _range(e: Estimate) -> str:
    """The interval of a reliability, or the range that the data allow if a model extrapolates it."""
    if not math.isfinite(e.low):
        return ""
    limits = f"{shown(e.low, 2)} to {shown(e.high, 2)}"
    return (
        f", extrapolated by a model (the data allow {limits})"
        if e.interval in RANGES
        else f" [{limits.replace(' to ', ', ')}]"
    )


def article(scale: str) -> str:
    """The scale with its article.

    >>> article("ordinal"), article("nominal")
    ('an ordinal', 'a nominal')
    """
    return f"{'an' if scale[0] in 'aeiou' else 'a'} {scale}"
