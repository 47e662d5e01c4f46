"""Sources with several questions: which questions there are, and which one to read."""

from __future__ import annotations

from collections.abc import Mapping

from raters.errors import DataError, UsageError, brief


class SeveralQuestions(DataError):
    """A source contains several questions, and none was chosen."""

    def __init__(self, found: str, advice: str, first: str, questions: Mapping[str, int]) -> None:
        super().__init__(f"{found} {advice}")
        self.found = found
        """What the source contains, without the advice, which is another on the command line."""
        self.first = first
        """The one that the advice names."""
        self.questions = dict(questions)

    def check_by(self, by: str | None) -> None:
        """Check that ``by`` means the questions; any other column needs one of them to be chosen first."""
        if by is None:
            raise self
        if by != "question" and f"column {by!r}" not in self.found:
            raise UsageError(
                f"by={by!r} does not name the questions: {self.found} Use by='question' for a fit of each, "
                f"or choose one with question={self.first!r} and give a column of the table as by=."
            ) from None


class NoSuchQuestion(UsageError):
    """A question that the source does not ask."""


def one_of(counts: Mapping[str, int], question: str | None, source: str, how: str) -> str:
    """The question that was requested, or the only one; otherwise an error that lists them.

    >>> one_of({"tone": 8}, None, "x.csv", "as columns")
    'tone'
    """
    there = ", ".join(f"{brief(q)} ({n:,} label{'' if n == 1 else 's'})" for q, n in list(counts.items())[:40])
    if question is not None:
        same = [q for q in counts if q == question] or [q for q in counts if q.lower() == question.lower()]
        if len(same) != 1:
            raise NoSuchQuestion(f"{source}: no question {question!r}. There is {there}.")
        return same[0]
    if len(counts) == 1:
        return next(iter(counts))
    first = next(iter(counts))
    word = first if first.replace("_", "").isalnum() else repr(first)
    raise SeveralQuestions(
        f"{source} contains {len(counts)} questions, {how}: {there}.",
        f"Choose one: question={first!r} in any function that takes a table "
        f"(--question {word} on the command line); report() and `raters report` answer for all of them.",
        first,
        counts,
    )
