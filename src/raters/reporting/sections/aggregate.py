"""How reliable is the aggregate?"""

from __future__ import annotations

import math

from raters.charts.of_results import estimate_curve
from raters.estimate import Estimate, shown
from raters.notes.note import codes, either
from raters.reliability.krr.methods import DRAWN
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Cell, Table
from raters.reporting.headline import number, upper
from raters.reporting.label_curve import LabelCurve
from raters.reporting.names import RANGES


def aggregate(c: Context) -> Answer:
    """kRR at the present k, the curve over k, and how many raters the target needs."""
    curve = c.curve
    if isinstance(curve, str):
        return Answer(curve, absent=True)
    points, here = curve.points, curve.here
    rows: tuple[tuple[Cell, ...], ...] = tuple((k, e, k * c.ann.n_items, _method(e)) for k, e in points)
    notes = [*dict.fromkeys(str(w) for _, e in points for w in e.notes if w.code not in DRAWN), *_draws(curve)]
    caption = (
        f"Reliability by labels per item, with its range;{_even(c, curve)} below the axis, how many labels that is in"
        f" all.{_drawn(curve)}"
    )
    chart = estimate_curve(
        [k for k, _ in points],
        [e for _, e in points],
        "krr",
        caption,
        x="labels per item, on a logarithmic scale; labels in all",
        y="reliability",
        target=c.target,
        here=here,
        cost=c.ann.n_items,
    )
    if curve.mean is not None:
        rows = (*rows, (f"{curve.at} (mean)", curve.mean, curve.at * c.ann.n_items, _method(curve.mean)))
    whole = Table("krr", "Every number of labels that was tried", COLUMNS, rows)
    return Answer(_answer(c, curve), (chart, *_falls(curve)), details=(whole, *notes))


def _even(c: Context, curve: LabelCurve) -> str:
    """What raises the median of an even number of labels."""
    if curve.kind != "median" or not c.ann.scale.ranks or all(k % 2 for k, _ in curve.points):
        return ""
    return (
        " the median of an even number of labels may lie between two labels, which makes it a little more reliable than"
        " that of one label more;"
    )


COLUMNS = ("labels per item", "reliability (interval)", "labels in all", "how it was found")
METHODS = {
    "agreement": "agreement of single labels",
    "split": "random halves of each item's labels, drawn many times",
    "model": "a model of how the votes of items vary",
    "icc": "intraclass correlation, stepped up (Spearman-Brown)",
    "spearman_brown": "Spearman-Brown prophecy",
}


def _draws(curve: LabelCurve) -> list[str]:
    """How far random draws blur the curve, once for all its points, and what to type for a sharper figure."""
    blurred = [(k, e) for k, e in curve.points if codes(e.notes) & DRAWN]
    if not blurred:
        return []
    k, e = max(blurred, key=lambda point: float(point[1].details["drawing_error"]))
    n = int(e.details.get("draws", 0))
    does = "halves it" if n else "shows how far the figure moves"
    name, value = ("replications", 4 * n) if n else ("seed", 1)
    how = either(f"raters.krr(ann, {k}, {name}={value})", f"raters krr --k {k} --{name} {value}")
    return [
        "Points of this curve rest on random draws. They add a standard error of at most"
        f" {float(e.details['drawing_error']):.2g} (at {k} labels), which the intervals do not include; {how} {does}."
    ]


def _drawn(curve: LabelCurve) -> str:
    """Which points are measured and which a model extrapolates, where both are drawn."""
    beyond = [k for k, e in curve.points if e.details.get("extrapolated")]
    if not beyond or len(beyond) == len(curve.points):
        return ""
    return (
        f" Empty points ({beyond[0]} labels and more) are extrapolated by a model, so the line may bend or jump where"
        " they begin."
    )


def _falls(curve: LabelCurve) -> list[Block]:
    """Where the line falls as labels are added, and that this is no effect of more labels."""
    steps = [
        (a, b)
        for a, b in zip(curve.points, curve.points[1:], strict=False)
        if round(b[1].value, 2) < round(a[1].value, 2)
    ]
    if not steps:
        return []
    why_lower = [n for _, (_, e) in steps for n in e.notes if n.code == "loses_votes"]
    if why_lower:
        return [f"The line falls: votes of {why_lower[0].facts['k']} are {why_lower[0]}."]
    said = " and ".join(
        f"from {shown(a.value, 2)} at {k} labels to {shown(b.value, 2)} at {m}" for (k, a), (m, b) in steps[:2]
    )
    other = any(a.details.get("method") != b.details.get("method") for (_, a), (_, b) in steps)
    why = (
        "the two figures come from different methods"
        if other
        else "each point is estimated by itself, and even numbers of labels can be tied"
    )
    return [
        f"The line falls {said}. This is an artefact of the estimates ({why}), not evidence that more labels do harm:"
        " rely on the range, not on the point."
    ]


def _method(e: Estimate) -> str:
    beyond = " (extrapolated)" if e.details.get("extrapolated") else ""
    name = str(e.details.get("method", ""))
    return f"{METHODS.get(name, name)}{beyond}"


def _answer(c: Context, curve: LabelCurve) -> str:
    now, here, kind = curve.now, curve.at, curve.kind
    if not math.isfinite(now.value):
        return f"The reliability of the {kind} of {here} labels is undefined: {now.undefined or 'see below'}."
    if curve.alone:
        return f"{upper(number(here))} labels have no {kind} where they differ. {_enough(c, curve)}"
    what = "the data allow" if now.interval in RANGES else f"{c.level:.0%} interval"
    limits = f" ({what} {shown(now.low, 2)} to {shown(now.high, 2)})" if math.isfinite(now.low) else ""
    one = shown(curve.points[0][1].value, 2)
    text = (
        f"The {kind} of {here} labels{curve.half} has a reliability of {shown(now.value, 2)}{limits}; one label alone,"
        f" {one}."
    )
    return f"{text} {_enough(c, curve)}"


def _enough(c: Context, curve: LabelCurve) -> str:
    """How many labels reach the target, as far as the data determine it."""
    enough, e = curve.enough, curve.needed
    if e is None or enough is None:
        return f"By the best estimate, even {curve.tried} labels per item are not enough."
    if curve.span:
        return "The data do not determine how many labels would be enough: the range below is wide."
    sure = f", and {e.high:.0f} reach it with the whole interval" if e.high > enough else ""
    unknown = " (without an interval, it is not known how far the data determine this)" if e.interval is None else ""
    fewest = "one label per item is enough to" if enough == 1 else f"{enough} labels are the fewest that"
    return f"By the best estimate, {fewest} reach {c.target:g}{sure}{unknown}."
