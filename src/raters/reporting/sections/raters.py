"""Who: how each rater does."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

from raters.agree.slices import per_pair, per_rater
from raters.charts.heat import heat
from raters.charts.scatter import scatter
from raters.coefficients import DEFAULT
from raters.errors import RatersError
from raters.estimate import Estimate, shown
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, long_table
from raters.reporting.estimate_charts import estimate_intervals

MOST_RATERS = 500
MOST_MATRIX = 25
MOST_FOREST = 30


def raters(c: Context) -> Answer:
    """Labels, agreement with the others, bits for each label and flags of every rater; the matrix of pairs."""
    ann = c.ann
    if ann.n_raters < 2:
        return Answer("Raters have no names here, or there is only one.", absent=True)
    if ann.scale == "sets":
        return Answer("Labels are sets here; see the question on several labels below.", absent=True)
    if ann.n_raters > MOST_RATERS:
        return Answer(f"{ann.n_raters:,} raters are too many to compare each with the rest here.", absent=True)
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
        blocks.append(
            estimate_intervals(
                [against[n] for n in order], "raters", caption, axis="alpha with the others", names=order
            )
        )
        return Answer(_answer(against, flags), (*blocks, *_matrix(c)))
    blocks.append(
        scatter(
            list(against), [float(_labels(e, bits.get(n))) for n, e in against.items()], [e.value for e in against.values()],
            [bool(flags.get(n)) for n in against], x="labels given", y="alpha with the others", name="raters",
            caption="Each rater: how many labels, and agreement with the others.",
        )
    )  # fmt: skip
    blocks += _matrix(c)
    return Answer(_answer(against, flags), tuple(blocks))


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
    middle = statistics.median(value for value, _ in known)
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
    if not names:
        return []
    cells = [
        cell
        for e in pairs
        for a, b in [(str(e.details["rater_a"]), str(e.details["rater_b"]))]
        for cell in ((a, b, e.value), (b, a, e.value))
    ]
    chart = heat(
        *zip(*cells, strict=True), value_title="alpha", row_order=names, column_order=names, percent=False,
        domain=(0.0, 1.0), name="pairs", caption="Krippendorff's alpha of every two raters on the items that both labelled.",
    )  # fmt: skip
    return [chart]
