"""Who: how each rater does."""

from __future__ import annotations

import math
from dataclasses import replace

from raters.agree.slices import per_pair, per_rater
from raters.coefficients import DEFAULT
from raters.errors import RatersError
from raters.estimate import Estimate, shown
from raters.reporting.charts import forest, heat, scatter
from raters.reporting.context import Context
from raters.reporting.model import Block, Section, long_table

MOST_RATERS = 500
MOST_MATRIX = 25
MOST_FOREST = 30


def who(c: Context) -> Section:
    """Labels, agreement with the others, bits for each label and flags of every rater; the matrix of pairs."""
    question = "Who stands out?"
    ann = c.ann
    if ann.n_raters < 2:
        return Section("raters", question, "Raters have no names here, or there is only one.", absent=True)
    if ann.scale == "sets":
        return Section(
            "raters", question, "Labels are sets here; see the question on several labels below.", absent=True
        )
    if ann.n_raters > MOST_RATERS:
        return Section(
            "raters", question, f"{ann.n_raters:,} raters are too many to compare each with the rest here.", absent=True
        )
    against = {e.name: e for e in per_rater(ann, **c.quick)}
    bits = {e.name: e for e in c.bits or ()}
    flags = {name: e.details.get("flags", "") for name, e in bits.items()}
    order = sorted(against, key=lambda n: (not math.isfinite(against[n].value), against[n].value))
    rows = tuple((n, _labels(against[n], bits.get(n)), against[n], bits.get(n), flags.get(n) or None) for n in order)
    columns = ("rater", "labels", "agreement with the others", "bits per label", "flags")
    width = len(columns) if bits else 3
    caption = "Every rater against the others, the least agreement first"
    blocks: list[Block] = [long_table("raters", caption, columns[:width], [r[:width] for r in rows], 2 * c.rows)]
    caption = f"Each rater's agreement with the others (Krippendorff's alpha, {c.level:.0%} interval)."
    if len(against) <= MOST_FOREST:
        blocks.append(forest([against[n] for n in order], "raters", caption, axis="alpha with the others", names=order))
        return Section("raters", question, _answer(against, flags), (*blocks, *_matrix(c)))
    points = [(n, float(_labels(e, bits.get(n))), e.value, bool(flags.get(n))) for n, e in against.items()]
    blocks.append(
        scatter(
            points,
            "raters",
            "Each rater: how many labels, and agreement with the others.",
            x="labels given",
            y="alpha with the others",
        )
    )
    blocks += _matrix(c)
    return Section("raters", question, _answer(against, flags), tuple(blocks))


def _labels(e: Estimate, bits: Estimate | None) -> int:
    """How many labels the rater gave: known where there is a model, else the items shared with others."""
    return bits.n_annotations if bits is not None else e.n_items


def _answer(against: dict[str, Estimate], flags: dict[str, str]) -> str:
    flagged = [n for n, f in flags.items() if f]
    known = sorted((e.value, n) for n, e in against.items() if math.isfinite(e.value))
    if not known:
        why = next((w for e in against.values() for w in e.warnings), "no rater shares items with another")
        return f"That cannot be said: {why}."
    low, name = known[0]
    middle = known[len(known) // 2][0]
    parts = []
    if flagged:
        listed = ", ".join(f"{n!r} ({flags[n]})" for n in flagged[:5]) + (
            f" and {len(flagged) - 5} more" if len(flagged) > 5 else ""
        )
        parts.append(f"The labels of {len(flagged)} of {len(against)} raters deserve a look: {listed}.")
    e = against[name]
    if math.isfinite(e.high) and e.high < middle:
        parts.append(
            f"Rater {name!r} agrees least with the others ({shown(low, 2)}, the median is {shown(middle, 2)})."
        )
    return (
        " ".join(parts) or f"Nobody: agreement with the others goes from {shown(low, 2)} to {shown(known[-1][0], 2)}."
    )


def _matrix(c: Context) -> list[Block]:
    if not 3 <= c.ann.n_raters <= MOST_MATRIX:
        return []
    try:
        pairs = per_pair(
            replace(c.ann, duplicates="first") if c.ann.duplicates == "error" else c.ann, DEFAULT, interval=None
        )
    except RatersError:
        return []
    names = list(dict.fromkeys(str(e.details[k]) for e in pairs for k in ("rater_a", "rater_b")))
    cells = [
        cell
        for e in pairs
        for a, b in [(str(e.details["rater_a"]), str(e.details["rater_b"]))]
        for cell in ((a, b, e.value), (b, a, e.value))
    ]
    if not cells:
        return []
    chart = heat(cells, "pairs", "Krippendorff's alpha of every two raters on the items that both labelled.", rows="", columns="", value="alpha",
                 order=names, percent=False, domain=(0.0, 1.0))  # fmt: skip
    return [chart]
