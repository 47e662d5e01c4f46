"""The questions of the report, in the order in which people have them, and the function that answers each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from raters.agree.estimating import too_few_shared
from raters.reporting.context import Context
from raters.reporting.document import Answer, Block, Section
from raters.reporting.interval_words import as_sentence
from raters.reporting.sections.aggregate import aggregate
from raters.reporting.sections.agreement import agreement
from raters.reporting.sections.data import data
from raters.reporting.sections.judges import judges
from raters.reporting.sections.next_steps import next_steps
from raters.reporting.sections.pools import pools
from raters.reporting.sections.raters import raters
from raters.reporting.sections.sets import sets
from raters.reporting.sections.trust import trust
from raters.reporting.sections.usage import usage
from raters.reporting.sections.where import where


@dataclass(frozen=True)
class Question:
    """A section of the report before it is made."""

    key: str
    """The section's name in the JSON, in links and in names of files."""
    question: str
    stage: str
    """What is going on while it is answered."""
    answer: Callable[[Context], Answer]
    overlap: bool = False
    """Whether it can be answered only where enough items have labels from two raters."""

    def section(self, c: Context) -> Section:
        why = too_few_shared(c.ann) if self.overlap else ""
        found = Answer(why, absent=True) if why else self.answer(c)
        blocks, details = (tuple(map(_read, some)) for some in (found.blocks, found.details))
        return Section(self.key, self.question, found.text, blocks, found.absent, details)


def _read(block: Block) -> Block:
    """Notes of the library are parts of a line on the terminal; a page has whole sentences."""
    return as_sentence(block) if isinstance(block, str) else block


QUESTIONS = (
    Question("data", "What is in the data?", "counting", data),
    Question("agreement", "How reliable is one label?", "agreement", agreement, overlap=True),
    Question("aggregate", "How reliable is the aggregate?", "reliability of the aggregate", aggregate, overlap=True),
    Question("where", "Where do people disagree?", "where people disagree", where, overlap=True),
    Question("raters", "Who stands out?", "raters", raters, overlap=True),
    Question("usage", "Which raters used which labels?", "labels of each rater", usage),
    Question("trust", "Which labels are settled?", "annotation model", trust, overlap=True),
    Question("pools", "Would another pool give the same labels?", "pools", pools),
    Question("judges", "May a model stand in for people?", "comparing judges with people", judges),
    Question("sets", "What if an item has several right labels?", "label sets", sets),
    Question("next", "What to do next?", "next steps", next_steps),
)
