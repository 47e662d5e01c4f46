"""A row of the catalogue: how a note is worded, and how much depends on it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["assumed", "undefined", "caution", "detail"]


class Sentence(NamedTuple):
    """The sentence of a note, without a final stop.

    ``{n:item}`` is a number with its noun, ``{n:has|have}`` one of two words, ``{x:quoted}`` a value as Python writes
    it, ``{x:listed}`` several such values, ``{x:pairs}`` pairs of them with a number, ``{x:each}`` names with their
    shares, and anything else is a format of Python (``{share:.0%}``).
    ``<scale>`` and ``<missing={label}>`` are options, in the words of whoever reads.
    """

    text: str
    level: Level = "caution"
    """``assumed`` leads every output; ``undefined`` is the reason why a figure (or its interval) has no value; ``caution`` stands by its
    figure; ``detail`` may be folded away.
    """
    decisive: bool = False
    """Under the other reading every figure is another one, so it stands beside the answer."""
