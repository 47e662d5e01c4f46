"""Who: how each rater does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from raters.agree.agreement import per_pair, per_rater
from raters.agree.many_raters import countable, rater_values
from raters.charts.of_results import estimate_intervals, pair_matrix
from raters.charts.points import strip
from raters.coefficients import DEFAULT
from raters.errors import RatersError
from raters.estimate import Estimate, name_of, shown
from raters.reporting.advice import camps_labels, camps_sentence, some_of
from raters.reporting.context import MOST_RATERS, Context
from raters.reporting.document import Answer, Block, long_table
from raters.reporting.names import SETS_ELSEWHERE, as_sentence

MOST_LISTED = 3
MOST_MATRIX = 25
MOST_FOREST = 30
FEW = 8
"""Rows of the small table; the rest stands in the CSV file."""


def raters(c: Context) -> Answer:
    """Labels, agreement with the others, bits for each label and flags of every rater; the matrix of pairs."""
    ann = c.part
    if ann.n_raters < 2:
        return Answer("Raters are unnamed, or there is only one.", absent=True)
    if ann.scale.of_sets:
        return Answer(SETS_ELSEWHERE, absent=True)
    if ann.n_raters > MOST_RATERS:
        return _many(c)
    against = {e.name: e for e in per_rater(ann, **c.quick)}
    bits = {e.name: e for e in c.bits or ()}
    # that there are too few labels to tell belongs in the table, not among those who deserve a look
    few = set(map(str, c.bits.too_few if c.bits else ()))
    said = {n: e.details.get("flags") or (e.details["verdict"] if n in few else None) for n, e in bits.items()}
    order = sorted(against, key=lambda n: (not math.isfinite(against[n].value), against[n].value))
    known = {
        n: e for n, e in bits.items() if e.n_annotations
    }  # the model set the others aside, and knows nothing of them
    rows = tuple((n, _labels(against[n], known.get(n)), against[n], known.get(n), said.get(n)) for n in order)
    columns = ("rater", "labels", "agreement with the others", "information per label (bits)", "what can be said")
    width = (5 if any(said.values()) else 4) if bits else 3
    caption = "Every rater against the others, the least agreement first"
    table = long_table(
        "raters", caption, columns[:width], [r[:width] for r in rows], FEW if len(rows) > 2 * FEW else 2 * FEW
    )
    answer, *more = _answers(c, against)
    aside = other_order(c.standing_out.disagree, against)
    return Answer(answer, (*more, _picture(c, against, order), *aside), details=(table, *_matrix(c)))


def _picture(c: Context, against: dict[str, Estimate], order: list[str]) -> Block:
    """Each rater with the interval, or a strip where there are many."""
    caption = f"Each rater's agreement with the others (Krippendorff's alpha{c.with_intervals})."
    if len(against) <= MOST_FOREST:
        return estimate_intervals(
            [against[n] for n in order], "raters", caption, axis="alpha with the others", names=order
        )
    out = c.standing_out
    named = {*out.disagree, *out.flagged, *out.usage}
    return strip(
        order,
        [against[n].value for n in order],
        [n in named for n in order],
        x="alpha with the others",
        name="raters",
        caption=(
            "Each rater as a dot: agreement with the others (Krippendorff's alpha). Red: who disagrees more than chance"
            " explains, gives no information or uses labels differently; the lowest by name."
        ),
    )


def _many(c: Context) -> Answer:
    """Thousands of raters: how far their agreement with the others is spread, and who is lowest, without a test of
    each.
    """
    try:
        known, of = _all_raters(c)
    except RatersError as error:
        return Answer(f"{c.ann.n_raters:,} raters cannot be compared here: {error}", absent=True)
    if not known:
        return Answer("This cannot be determined: no rater shares items with another.")
    values = [value for _, _, value in known]
    text = (
        f"With {c.ann.n_raters:,} raters each is compared with the others, but not tested: half of them have an alpha"
        f" of {shown(median(values), 2)} or more with the others, the lowest tenth"
        f" {shown(values[len(values) // 10], 2)} or less{of}. With few labels each, some are low by chance."
    )
    chart = strip(
        [name for name, _, _ in known],
        values,
        None,
        x="alpha with the others",
        name="raters",
        caption="Each rater as a dot: agreement with the others (Krippendorff's alpha), without intervals.",
    )
    caption = "Every rater against the others, the least agreement first"
    return Answer(text, (chart, long_table("raters", caption, ("rater", "shared items", "alpha"), known, FEW)))


def _all_raters(c: Context) -> tuple[list[tuple[str, int, float]], str]:
    """Name, items and alpha with the others of every rater that has one, the lowest first; and of which items, if not
    of all.
    """
    if countable(c.ann):
        found = rater_values(c.ann)
        rows = [
            (name_of(r), int(n), float(x)) for r, n, x in zip(found.raters, found.n_items, found.value, strict=True)
        ]
        of = ""
    else:
        rows = [(e.name, e.n_items, float(e.value)) for e in per_rater(c.part, interval=None)]
        of = c.of_part and f", on the labels{c.of_part}"
    return sorted((row for row in rows if math.isfinite(row[2])), key=lambda row: row[2]), of


def _labels(e: Estimate, bits: Estimate | None) -> int:
    """How many labels the rater gave: known where there is a model, else the items shared with others."""
    return bits.n_annotations if bits is not None else e.n_items


def _answers(c: Context, against: dict[str, Estimate]) -> list[str]:
    """The verdict on who stands out, which every other section speaks by; what matters most first."""
    known = sorted(e.value for e in against.values() if math.isfinite(e.value))
    if not known:
        why = next((e.undefined for e in against.values() if e.undefined), "no rater shares items with another")
        return [f"This cannot be determined: {why}."]
    out = c.standing_out
    parts = []
    if c.camps is not None:
        parts.append(camps_sentence(c.camps) + camps_labels(c))
    if out.disagree:
        parts.append(disagreeing(out.disagree, against))
    if out.flagged:
        parts.append(_flagged(c, len(against)))
    if out.usage and len(against) > 2 and not parts:
        who = "This rater uses" if len(out.usage) == 1 else "These raters use"
        names = f": {_some([repr(n) for n in out.usage])}"
        if len(out.usage) == len(against):
            who, names = "All raters use", ""
        parts.append(f"{who} labels differently from the others{names}.")
    if parts:
        return parts
    if len(against) == 2:
        differ = ", though they use labels differently" if out.usage else ""
        return [
            f"With two raters, the data cannot show which one errs{differ}: each agrees with the other equally, at"
            f" {shown(known[0], 2)}."
        ]
    low, high = shown(known[0], 2), shown(known[-1], 2)
    ranges = f"ranges from {low} to {high}" if low != high else f"is {low} for each of them"
    return [f"Nobody: agreement with the others {ranges}, as expected if raters are alike."]


def _flagged(c: Context, n: int) -> str:
    """Who has which flag, and why labels without information count all the same."""
    flagged = c.standing_out.flagged
    by: dict[str, list[str]] = {}
    for name, flag in flagged.items():
        by.setdefault(flag, []).append(repr(name))
    named = "; ".join(f"{flag} ({_some(names)})" for flag, names in by.items())
    why = " ".join(as_sentence(str(n)) for n in (c.bits.notes if c.bits else ()))
    return f"The labels of {len(flagged)} of {n} raters should be reviewed: {named}. {why}".rstrip()


def disagreeing(named: Sequence[str], against: dict[str, Estimate]) -> str:
    """Who differs from the others on the same items more often than chance explains, and how often."""
    known = {n: e for n, e in against.items() if math.isfinite(e.value)}
    plain = {n: 1 - e.observed for n, e in known.items() if e.parts == "agreement" and e.unweighted}
    said = [f"{n!r} ({plain[n]:.0%} of the time)" if n in plain else repr(n) for n in named]
    usual = f" Half of the raters differ {median(plain.values()):.0%} of the time or less." if plain else ""
    who = "This rater differs" if len(said) == 1 else "These raters differ"
    text = f"{who} from the others on the same items more often than chance explains: {_some(said)}.{usual}"
    return (
        f"{text} The median alpha of all {len(against)} raters with the others is"
        f" {shown(median(e.value for e in known.values()), 2)}."
    )


def other_order(named: Sequence[str], against: dict[str, Estimate]) -> list[Block]:
    """Why those who differ most often need not be those with the lowest alpha; nothing where they are."""
    known = {n: e for n, e in against.items() if math.isfinite(e.value)}
    lowest = sorted(known, key=lambda n: known[n].value)[: len(named)]
    if not set(named) - set(lowest):
        return []
    return [
        (
            f"{lowest[0]!r} has the lowest alpha with the others ({shown(known[lowest[0]].value, 2)}), but is not among"
            " those who differ most often: alpha corrects for chance, so it is also low for raters who seldom give the"
            " rarer labels."
            if lowest[0] not in named
            else (
                "Those who differ most often need not have the lowest alpha: it corrects for chance, so it is also low"
                " for raters who seldom give the rarer labels."
            )
        )
    ]


def _some(names: list[str]) -> str:
    return some_of(names, MOST_LISTED)


def _matrix(c: Context) -> list[Block]:
    if not 3 <= c.part.n_raters <= MOST_MATRIX:
        return []
    try:
        pairs = per_pair(
            replace(c.part, duplicates="first") if c.part.duplicates == "error" else c.part, DEFAULT, interval=None
        )
    except RatersError:
        return []
    if not len(pairs):
        return []
    return [pair_matrix(pairs, c.camps.camps if c.camps is not None else ())]
