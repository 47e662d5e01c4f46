"""The questions of the report, in the order in which people have them."""

from __future__ import annotations

from collections.abc import Callable

from raters.reporting.context import Context
from raters.reporting.model import Section
from raters.reporting.sections.aggregate import aggregate
from raters.reporting.sections.data import data
from raters.reporting.sections.disagreement import where
from raters.reporting.sections.one_label import one_label
from raters.reporting.sections.people import who
from raters.reporting.sections.pools import pools
from raters.reporting.sections.sets import several
from raters.reporting.sections.steps import steps
from raters.reporting.sections.trust import trust

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
