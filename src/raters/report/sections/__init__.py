"""The questions of the report, in the order in which people have them."""

from __future__ import annotations

from collections.abc import Callable

from raters.report.context import Context
from raters.report.model import Section
from raters.report.sections.aggregate import aggregate
from raters.report.sections.data import data
from raters.report.sections.disagreement import where
from raters.report.sections.one_label import one_label
from raters.report.sections.people import who
from raters.report.sections.pools import pools
from raters.report.sections.sets import several
from raters.report.sections.steps import steps
from raters.report.sections.trust import trust

QUESTIONS: tuple[tuple[str, Callable[[Context], Section]], ...] = (
    ("counting what is there", data),
    ("agreement", one_label),
    ("reliability of the aggregate", aggregate),
    ("where people disagree", where),
    ("raters", who),
    ("annotation model", trust),
    ("pools", pools),
    ("label sets", several),
    ("next steps", steps),
)
"""What is going on while a section is made, and the function that makes it."""
