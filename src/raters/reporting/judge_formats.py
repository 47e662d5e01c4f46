"""Judges as text, JSON, CSV, Markdown, LaTeX and JUnit: the verdict, the figures, and what else to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raters.estimate import Estimate
from raters.judges.calibration_result import Calibration
from raters.judges.judge_result import JudgeReport, JudgeReports
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
    }
    one = len(result) == 1
    rows = [_row(e, r.judge, format_, one) for r in result for e in r.figures]
    lead = result[0].verdict if one else f"{len(result)} judges beside {result[0].figures[0].n_raters} people."
    return RENDERERS[format_](about, rows, lead, _lines(result, one), **(extra if format_ == "json" else {}))


def _row(e: Estimate, judge: str, format_: str, one: bool) -> Estimate:
    """For people the rows say what they are; for programs they keep their short names, with the judge beside."""
    if format_ in ("json", "csv"):
        return replace(e, details={**e.details, "judge": judge})
    return replace(e, name=(e.title or e.name) if one else f"{judge}: {e.title or e.name}", coefficient="")


def _lines(result: JudgeReports, one: bool) -> list[str]:
    lines = [] if one else [r.verdict for r in result]
    for r in result:
        who = "" if one else f"{r.judge}: "
        if r.power is not None:
            lines.append(who + r.power.sentence)
        biased = [e for e in r.bias if e.low > 0 or e.high < 0]
        if biased:
            lines.append(
                f"{who}the judge gives more or fewer of these labels than people: "
                + ", ".join(f"{e.name} {e.value:+.3f} [{e.low:+.3f}, {e.high:+.3f}]" for e in biased[:6])
            )
        if r.confidence is not None:
            c = r.confidence
            lines.append(
                f"{who}stated confidence exceeds agreement with people by {c.overconfidence.value:+.3f} (expected calibration error {c.expected_error:.3f})."
            )
        if r.biases is not None:
            lines += [who + said for said in r.biases.sentences]
        if r.consistency is not None:
            lines.append(r.consistency.sentence)
        lines += [f"{who}{note}." for note in r.notes]
        lines += _confusion(r, who)
    return [*lines, *([result.several.sentence] if result.several is not None else [])]


def _confusion(r: JudgeReport, who: str) -> list[str]:
    """The confusion matrix in lines, where it is small."""
    c = r.confusion
    if c is None or len(c.rows) > 8:
        return []
    wide = max(6, *(len(x) for x in (*c.rows, *c.columns)))
    head = f"{who}rows: the judge; columns: most people ({c.tied} items without a majority left out)"
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
