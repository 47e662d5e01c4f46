"""A methods paragraph to paste into a paper, and what it cites."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raters import __version__
from raters.agree.overlap import too_few_shared
from raters.annotations import not_used
from raters.coefficients import DEFAULT, REGISTRY
from raters.estimate import shown
from raters.reporting.context import Context
from raters.reporting.document import Section
from raters.reporting.interval_words import in_words, reference
from raters.reporting.steps import span

BIBTEX = {
    "krr": "@inproceedings{wong2022krr, author={Wong, Ka and Paritosh, Praveen}, title={k-Rater Reliability: The Correct Unit of Reliability for Aggregated Human Annotations}, booktitle={Proceedings of ACL}, year={2022}}",
    "xrr": "@inproceedings{wong2021cross, author={Wong, Ka and Paritosh, Praveen and Aroyo, Lora}, title={Cross-replication Reliability: An Empirical Approach to Interpreting Inter-rater Reliability}, booktitle={Proceedings of ACL-IJCNLP}, year={2021}}",
    "multilabel": "@inproceedings{marchal2022establishing, author={Marchal, Marian and Scholman, Merel and Yung, Frances and Demberg, Vera}, title={Establishing Annotation Quality in Multi-label Annotations}, booktitle={Proceedings of COLING}, year={2022}}",
    "dawid_skene": "@article{dawid1979maximum, author={Dawid, A. P. and Skene, A. M.}, title={Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm}, journal={Applied Statistics}, volume={28}, number={1}, pages={20--28}, year={1979}}",
    "passonneau": "@article{passonneau2014benefits, author={Passonneau, Rebecca J. and Carpenter, Bob}, title={The Benefits of a Model of Annotation}, journal={Transactions of the ACL}, volume={2}, pages={311--326}, year={2014}}",
}
SOFTWARE = f"@software{{raters, author={{{{The raters developers}}}}, title={{raters: how far can labels be trusted?}}, version={{{__version__}}}}}"


def paragraph(c: Context, sections: Sequence[Section]) -> str:
    """What was done, in the words of a methods section."""
    ann = c.ann
    there = {s.key for s in sections if not s.absent}
    who = f"{ann.n_raters:,} raters" if ann.n_raters else "unnamed raters"
    parts = [
        f"{ann.n_items:,} items received {ann.used.n_annotations:,} annotations from {who} on {article(ann.scale)} scale.",
        _design(c),
    ]
    e = c.table[DEFAULT] if "agreement" in there else None
    if e is not None and math.isfinite(e.value):
        limits = (
            f"{c.level:.0%} interval {shown(e.low, 2)} to {shown(e.high, 2)} by {in_words(e.interval, c.resamples)}, over items, raters held fixed."
            if math.isfinite(e.low)
            else "without an interval."
        )
        parts.append(
            f"Inter-rater agreement was measured by Krippendorff's alpha ({ann.scale} metric; Krippendorff 2004), which allows any number of "
            f"raters, missing labels and this scale: {shown(e.value, 2)}, {limits}"
        )
    curve = c.curve
    if "aggregate" in there and not isinstance(curve, str):
        parts.append(
            f"The reliability of aggregated labels was estimated as k-rater reliability (Wong & Paritosh 2022); for the {curve.kind} of "
            f"k = {curve.at} labels it is {shown(curve.now.value, 2)}{span(curve.now)}."
        )
    if "trust" in there and not isinstance(c.fit, str):
        row = c.fit.definition
        cited = f" ({row.reference})" if row.reference else ""
        parts.append(
            f"Where one label for each item was used, it was estimated by {row.title}{cited}, chosen among annotation models by the log probability of held-out labels in five folds (Passonneau & Carpenter 2014)."
        )
    if "pools" in there:
        parts.append(
            "Agreement between pools was measured by cross-replication reliability (Wong, Paritosh & Aroyo 2021)."
        )
    if "sets" in there:
        parts.append("Multi-label agreement was corrected for chance by bootstrapped label sets (Marchal et al. 2022).")
    parts.append(f"All figures were computed with raters {__version__} (seed {c.seed}).")
    return " ".join(parts)


def _design(c: Context) -> str:
    """How many labels each item has, who gave them, and what was left out."""
    ann = c.ann
    low, mean, high = ann.used.per_item
    cells = ann.n_items * ann.n_raters
    each = f"Every item has {low} labels" if low == high else f"Items have {low} to {high} labels (mean {mean:.1f})"
    whole = ann.n_raters and low == high == ann.n_raters
    crossed = (
        ", one from each rater." if whole else f"; {1 - ann.used.n_annotations / cells:.0%} of the item-rater pairs have no label." if cells else "."
    )  # fmt: skip
    lost = not_used(ann).replace("Not used:", "Left out:")
    return f"{each}{crossed}{f' {lost}' if lost else ''}"


def short(c: Context) -> str:
    """The same in two or three sentences."""
    ann = c.ann
    who = f"{ann.n_raters:,} raters" if ann.n_raters else "unnamed raters"
    low, mean, high = ann.used.per_item
    each = f"{low} labels each" if low == high else f"{mean:.1f} labels each on average ({low} to {high})"
    parts = [f"{ann.n_items:,} items were labelled by {who} ({each})."]
    if too_few_shared(ann):
        return " ".join([*parts, too_few_shared(ann), f"Computed with raters {__version__} (seed {c.seed})."])
    e = c.table[DEFAULT] if ann.scale != "sets" else None
    if e is not None and math.isfinite(e.value):
        limits = f" [{shown(e.low, 2)}, {shown(e.high, 2)}]" if math.isfinite(e.low) else ""
        parts.append(
            f"Agreement was Krippendorff's alpha = {shown(e.value, 2)}{limits} ({ann.scale} metric; {c.level:.0%} interval over items)."
        )
    curve = c.curve
    if not isinstance(curve, str) and math.isfinite(curve.now.value):
        parts.append(
            f"The {curve.kind} of {curve.at} labels has an estimated k-rater reliability of {shown(curve.now.value, 2)} (Wong & Paritosh 2022)."
        )
    parts.append(f"Computed with raters {__version__} (seed {c.seed}).")
    return " ".join(parts)


def article(scale: str) -> str:
    """The scale with its article.

    >>> article("ordinal"), article("nominal")
    ('an ordinal', 'a nominal')
    """
    return f"{'an' if scale[0] in 'aeiou' else 'a'} {scale}"


def references(sections: Sequence[Section], interval: str | None = None) -> tuple[str, ...]:
    """BibTeX of what the paragraph cites."""
    there = {s.key for s in sections if not s.absent}
    keys = ["krr"] if "aggregate" in there else []
    keys += ["dawid_skene", "passonneau"] if "trust" in there else []
    keys += ["xrr"] if "pools" in there else []
    keys += ["multilabel"] if "sets" in there else []
    named = [REGISTRY[name].bibtex for name in (DEFAULT, "gwet")] if "agreement" in there else []
    return (*named, *(reference(interval) if named else ()), *(BIBTEX[k] for k in keys), SOFTWARE)
