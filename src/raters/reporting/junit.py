"""Checks of a gate as JUnit XML, which every pipeline shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from raters.words import printable


@dataclass(frozen=True)
class Check:
    """One figure against what was asked of it."""

    subject: str
    """What the figure is of: a judge, a slice."""
    name: str
    passed: bool
    said: str
    """The figure and the limit, in words."""


def junit(suite: str, checks: Sequence[Check], said: str = "") -> str:
    """A test suite with a test case for each check; ``said`` is what a reader finds beside them.

    >>> print(junit("raters judge", [Check("gpt-4o", "kappa", False, "kappa is .4, below .6")]).splitlines()[1])
    <testsuite name="raters judge" tests="1" failures="1" errors="0" skipped="0">
    """
    failed = sum(not c.passed for c in checks)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name={_quoted(suite)} tests="{len(checks)}" failures="{failed}" errors="0" skipped="0">',
    ]
    for c in checks:
        head = f"  <testcase classname={_quoted(c.subject)} name={_quoted(c.name)}"
        if c.passed:
            lines.append(f"{head}><system-out>{_text(c.said)}</system-out></testcase>")
        else:
            lines.append(f"{head}><failure message={_quoted(c.said)}>{_text(c.said)}</failure></testcase>")
    if said:
        lines.append(f"  <system-out>{_text(said)}</system-out>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def _quoted(text: str) -> str:
    return f'"{escape(printable(text), quote=False).replace(chr(34), "&quot;")}"'


def _text(text: str) -> str:
    return escape("\n".join(printable(line) for line in text.splitlines()), quote=False)
