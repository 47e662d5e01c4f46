"""Judges as text, JSON, CSV, Markdown, LaTeX and JUnit: the verdict, the figures, and what else to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raters.estimate import Estimate
from raters.judges.calibration import Calibration
from raters.judges.judge import JudgeReport, JudgeReports
from raters.reporting.estimate_formats import FORMATS as RENDERERS
from raters.reporting.junit import Check, junit

Checked = Sequence[tuple[str, str, bool, str]]
"""(judge, figure, passed, in words) of every limit of a gate."""


def judged(result: JudgeReports, about: Any, format_: str, missed: Checked) -> str:
    """The verdict, the figures, and what else to know."""
    if format_ == "junit":
        cases = [Check(*c) for c in missed] or [Check(r.judge, "verdict", True, r.verdict) for r in result]
        return junit("raters judge", cases, result.verdict)
    whole = result.to_dict()
    extra = {
        "judges": [{k: v for k, v in j.items() if k != "estimates"} for j in whole["judges"]],
        "several": whole["several"],
        "note": result.note,
        **({"checks": [dict(zip(CHECK, c, strict=True)) for c in missed]} if missed else {}),
    }
    one = len(result) == 1
    lead = [
        *([f"{result.note}."] if result.note else []),
        *([] if one else [result.summary]),
        *(said for r in result for said in (r.verdict, r.advice)),
        *(r.drift.sentence for r in result if r.drift is not None),
    ]
    lines = _lines(result, one)
    return RENDERERS[format_](
        about, _rows(result, format_), "\n".join(lead), lines, **(extra if format_ == "json" else {})
    )


CHECK = ("judge", "check", "passed", "said")
OF_PEOPLE = ("kappa_people", "leave_one_out_people", "alpha_people", "kappa_median_person", "kappa_best_person")
OF_JUDGE = ("kappa", "kappa_gap", "leave_one_out_gap", "kappa_x_ratio", "winning_rate", "advantage")
"""What is shown of each of several judges; JSON and CSV have everything."""


def _rows(result: JudgeReports, format_: str) -> list[Estimate]:
    """For programs every figure under its short name; for people in words, and of several judges what tells them apart."""
    if format_ in ("json", "csv"):
        return [replace(e, details={**e.details, "judge": r.judge}) for r in result for e in r.figures]
    if len(result) == 1:
        return [_in_words(e, "") for e in result[0].figures]
    shared = [_in_words(e, "") for e in result[0].figures if e.name in OF_PEOPLE]
    return [*shared, *(_in_words(e, f"{r.judge}: ") for r in result for e in r.figures if e.name in OF_JUDGE)]


def _in_words(e: Estimate, who: str) -> Estimate:
    """A figure under its title; weights are part of it where they are not plain."""
    weighted = "" if e.weights in ("", "identity kappa", "nominal") else f" ({e.weights})"
    nothing = float("nan")
    return replace(
        e, name=f"{who}{e.title or e.name}{weighted}", coefficient="", weights="", observed=nothing, expected=nothing
    )


def _lines(result: JudgeReports, one: bool) -> list[str]:
    lines = []
    for r in result:
        who = "" if one else f"{r.judge}: "
        if r.power is not None and r.power.sentence not in r.verdict and r.outcome != "no":
            lines.append(who + r.power.sentence)
        lines += [f"{who}{said}" for said in _biased(r)]
        if r.confidence is not None:
            lines.append(who + r.confidence.sentence)
        if r.biases is not None:
            lines += [who + said for said in r.biases.sentences]
        if r.preferences is not None:
            lines += [who + said for said in r.preferences.sentences]
        if r.consistency is not None:
            lines.append(r.consistency.sentence)
        lines += [f"{who}{note}." for note in r.notes]
        lines += _confusion(r, who)
    return [*lines, *([result.several.sentence] if result.several is not None else [])]


def _biased(r: JudgeReport) -> list[str]:
    """Labels that the judge gives more or less often than people do, most biased first."""
    clear = sorted((e for e in r.bias if e.low > 0 or e.high < 0), key=lambda e: -abs(e.value))
    if not clear:
        return []
    if r.bias[0].name == "mean" and len(r.bias) == 1:
        e = clear[0]
        way = "higher" if e.value > 0 else "lower"
        return [f"its scores are {way} than people's by {abs(e.value):.3f} on average [{e.low:+.3f}, {e.high:+.3f}]."]
    named = ", ".join(f"{e.name} {e.value:+.1%} [{e.low:+.1%}, {e.high:+.1%}]" for e in clear[:6])
    return [f"it gives these labels more (+) or less (-) often than people do, in percentage points: {named}."]


def _confusion(r: JudgeReport, who: str) -> list[str]:
    """The confusion matrix in lines, where it is small."""
    c = r.confusion
    if c is None or len(c.rows) > 8:
        return []
    wide = max(6, *(len(x) for x in (*c.rows, *c.columns)))
    head = f"{who}rows: the judge; columns: the majority of people ({c.tied} items without a majority are left out)"
    body = [
        f"{name:<{wide}}  " + "  ".join(f"{n:>{wide}}" for n in row) for name, row in zip(c.rows, c.counts, strict=True)
    ]
    return [head, " " * wide + "  " + "  ".join(f"{name:>{wide}}" for name in c.columns), *body]


def calibrated(found: Calibration, about: Any, format_: str, half_width: float | None) -> str:
    """The figures beside people alone and the judge alone, labels for a width, ranks."""
    needed = found.labels_for(half_width) if half_width else None
    ranks = [
        f"{name}: probability of rank 1, 2, ...: {', '.join(f'{p:.2f}' for p in chances)}"
        for name, chances in found.ranks.items()
    ]
    lines = [*([needed.sentence] if needed else []), *ranks, *(f"{w}." for w in found.warnings)]
    extra = {k: v for k, v in found.to_dict().items() if k not in ("schema", "estimates")} | (
        {"labels_for": needed.to_dict()} if needed else {}
    )
    return RENDERERS[format_](
        about, list(found.estimates), found.sentence, lines, **(extra if format_ == "json" else {})
    )
