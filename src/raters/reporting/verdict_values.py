"""The first screen of a report as a frozen value: one sentence, three figures, one thing to do, and what would change it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from raters.estimate import Estimate, jsonable

GOOD, MIDDLE, BAD, OPEN = "good", "middle", "bad", "open"
"""How a figure is coloured: the interval carries it, carries part of it, carries the contrary, or carries nothing."""


@dataclass(frozen=True)
class Part:
    """A part of a whole, such as the items that are settled."""

    name: str
    share: float
    tone: str


@dataclass(frozen=True)
class Figure:
    """One large number with a word, its interval, and what it means."""

    title: str
    shown: str
    """The number as it stands on the page."""
    word: str
    tone: str
    text: str
    estimate: Estimate | None = None
    marks: tuple[float, ...] = ()
    """Where thresholds stand on the scale from 0 to 1."""
    parts: tuple[Part, ...] = ()

    @property
    def drawn(self) -> bool:
        """Whether there is an interval to draw."""
        e = self.estimate
        return e is not None and all(math.isfinite(x) for x in (e.value, e.low, e.high))

    @property
    def alt(self) -> str:
        """What the small bar shows, in words."""
        if self.parts:
            return "; ".join(f"{p.name} {p.share:.0%}" for p in self.parts)
        e = self.estimate
        if e is None or not self.drawn:
            return ""
        marks = f", with marks at {' and '.join(f'{m:g}' for m in self.marks)}" if self.marks else ""
        return f"{e.value:.2f}, from {e.low:.2f} to {e.high:.2f}, on a scale from 0 to 1{marks}"

    @property
    def line(self) -> str:
        """The figure where there is no page."""
        return f"{self.title}: {self.shown} - {self.word}. {self.text}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "shown": self.shown,
            "word": self.word,
            "text": self.text,
            "estimate": self.estimate and self.estimate.to_dict(),
            "parts": [{"name": p.name, "share": jsonable(p.share)} for p in self.parts],
        }


@dataclass(frozen=True)
class Step:
    """One thing to do: what, and the expected effect with its uncertainty."""

    kind: str
    title: str
    text: str
    gain: float = math.nan
    """By how much the figure is expected to rise; nan if the step is not about the figure."""
    effect: Estimate | None = None
    """The figure afterwards."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "title": self.title,
            "text": self.text,
            "gain": jsonable(self.gain),
            "effect": self.effect and self.effect.to_dict(),
        }


@dataclass(frozen=True)
class Verdict:
    """What a lead would repeat in a meeting, and what it rests on."""

    about: str
    """What was labelled."""
    headline: str
    figures: tuple[Figure, ...]
    first: Step
    change: str
    """What would change the verdict."""
    then: tuple[tuple[str, str], ...] = ()
    """Where to read on: keys of sections and what one finds there."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The same words for the terminal and for Markdown."""
        return (
            self.about,
            self.headline,
            *(f.line for f in self.figures),
            f"First: {self.first.title}. {self.first.text}",
            f"What would change this: {self.change}",
        )

    @property
    def line(self) -> str:
        """The three figures and the first step in one line, for a document of several questions."""
        figures = "; ".join(f"{f.title}: {f.shown}, {f.word}" for f in self.figures)
        return f"{figures}. First: {self.first.title}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "about": self.about,
            "headline": self.headline,
            "figures": [f.to_dict() for f in self.figures],
            "first": self.first.to_dict(),
            "change": self.change,
        }
