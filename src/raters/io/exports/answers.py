"""The common form of what a tool exported: one answer for each item, rater and question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from raters.io.exports.documents import Document
from raters.io.exports.glance import Glance

REASONS: Mapping[str, str] = {
    "skipped": "the rater skipped the item",
    "cancelled": "the annotation was cancelled",
    "rejected": "a reviewer rejected the annotation",
    "untrusted": "the tool does not trust the rater",
    "gold": "a test question with a known answer",
    "training": "a question of the training",
    "curated": "a curator's or reviewer's version, or the ground truth",
    "predicted": "a model's guess",
    "draft": "not submitted",
    "preview": "a preview or a test of the survey",
    "unfinished": "the survey was not finished",
    "expired": "the time for the task was over",
    "empty": "no label: not seen, or none applies",
    "unscored": "no score was given",
    "error": "the model or the scorer failed",
    "measured": "a measurement (time, cost), not a judgment",
}
"""Why an answer is left out, unless it is asked for by ``keep=``."""


NAMES, VALUES = frozenset({str, int, type(None)}), frozenset({str, int, float, bool})
"""Types of items and raters, and of labels. Looked up by type, since there are as many answers as labels."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One rater's answer to one question about one item."""

    item: Any
    rater: Any
    question: str
    label: Any
    """One value, or a list where several may be given; None where there is none."""
    why: str | None = None
    """A key of ``REASONS`` where the answer is left out."""
    place: int = 0
    """Of its document in the source."""
    content: Any = None
    """What the item shows, to find the same item in another person's file."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other columns."""

    def __post_init__(self) -> None:
        """Check untrusted values: names must be text or numbers, and labels single values."""
        if type(self.item) not in NAMES:
            object.__setattr__(self, "item", str(self.item))
        if type(self.rater) not in NAMES:
            object.__setattr__(self, "rater", str(self.rater))
        if type(self.label) is list:
            if not all(type(v) in VALUES and v != "" for v in self.label):
                object.__setattr__(self, "label", [v for v in self.label if scalar(v) is not None])
        elif type(self.label) not in VALUES and self.label is not None:
            object.__setattr__(self, "label", None)


@dataclass(frozen=True)
class Export:
    """Everything that a reader found."""

    answers: Sequence[Answer]
    spans: int = 0
    """Spans, regions and relations that were skipped."""
    notes: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    """What the tool calls an item and a rater."""
    from_text: bool = False
    """Labels are the text of a table, in which numbers count as numbers."""
    sets: frozenset[str] = frozenset()
    """Questions that take several labels, though it may be that nobody gave more than one."""
    free_text: frozenset[str] = frozenset()
    """Questions that are answered in words of one's own."""


@dataclass(frozen=True)
class Tool:
    """A row of the registry: every fact about a tool whose exports are read."""

    name: str
    title: str
    sniff: Callable[[Glance], bool]
    """Whether a document is an export of this tool, by its start."""
    read: Callable[[Sequence[Document]], Export]
    how: str
    """How to export from the tool."""
    agreement: str
    """The tool's own figure of agreement, and whether it is corrected for chance."""
    verified: bool = True
    """Read on genuine files; else by the tool's documentation alone."""
    log: bool = False
    """An evaluation log: raters are judges or scorers, and one of them alone is usual."""


def scalar(value: Any) -> Any:
    """A value as a cell: text, number, yes or no; None for anything else, and for no text."""
    if isinstance(value, str):
        return value if value.strip() else None
    return value if isinstance(value, bool | int | float) else None


def scalars(values: Any, prefix: str = "") -> dict[str, Any]:
    """The simple values of an object, as other columns."""
    if not isinstance(values, Mapping):
        return {}
    return {f"{prefix}{k}": v for k, v in values.items() if type(v) in VALUES}


def mapping(value: Any) -> Mapping[str, Any]:
    """An object; an empty one if the value is something else, as untrusted files may hold anything."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list; none where there is no list."""
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list) else []
