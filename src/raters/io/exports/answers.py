"""The common format of exports: one answer for each item, rater and question."""

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
    "training": "a training question",
    "curated": "a curator's or reviewer's version, or the ground truth",
    "predicted": "a model's guess",
    "draft": "not submitted",
    "preview": "a preview or a test of the survey",
    "unfinished": "the survey was not finished",
    "expired": "the time limit of the task had passed",
    "empty": "no label: the item was not seen, or no label applies",
    "unscored": "no score was given",
    "error": "the model or the scorer failed",
    "measured": "a measurement (time, cost), not a judgment",
}
"""Reasons why an answer is excluded, unless ``keep=`` includes it."""


NAMES, VALUES = frozenset({str, int, type(None)}), frozenset({str, int, float, bool})
"""Types of items and raters, and of labels. They are looked up by type, because there are as many answers as labels."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One rater's answer to one question about one item."""

    item: Any
    rater: Any
    question: str
    label: Any
    """One value, or a list if several may be given; None if there is none."""
    why: str | None = None
    """A key of ``REASONS`` if the answer is excluded."""
    place: int = 0
    """Position of its document in the source."""
    content: Any = None
    """The content of the item, to find the same item in another person's file."""
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
    """Whether labels are text from a table, in which numbers count as numbers."""
    sets: frozenset[str] = frozenset()
    """Questions that allow several labels, even if nobody gave more than one."""
    free_text: frozenset[str] = frozenset()
    """Questions that are answered in free text."""


@dataclass(frozen=True)
class Tool:
    """A row of the registry: every fact about a tool whose exports are read."""

    name: str
    title: str
    sniff: Callable[[Glance], bool]
    """Whether a document is an export of this tool, judged by its first bytes."""
    read: Callable[[Sequence[Document]], Export]
    how: str
    """How to export from the tool."""
    agreement: str
    """The tool's own figure of agreement, and whether it is corrected for chance."""
    verified: bool = True
    """True if tested on genuine files; otherwise the reader follows only the tool's documentation."""
    log: bool = False
    """Whether this is an evaluation log: raters are judges or scorers, and a single one is usual."""


def scalar(value: Any) -> Any:
    """A value as a cell: text, number or boolean; None for anything else and for empty text."""
    if isinstance(value, str):
        return value if value.strip() else None
    return value if isinstance(value, bool | int | float) else None


def scalars(values: Any, prefix: str = "") -> dict[str, Any]:
    """The simple values of an object, as other columns."""
    if not isinstance(values, Mapping):
        return {}
    return {f"{prefix}{k}": v for k, v in values.items() if type(v) in VALUES}


def mapping(value: Any) -> Mapping[str, Any]:
    """An object; an empty one if the value is something else, because untrusted files may hold anything."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list; none if the value is not a list."""
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list) else []
