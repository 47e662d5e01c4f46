"""A printed figure and ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raters.estimate import SCHEMA, Result, jsonable, shown, text_table

PUBLIC = "public data (below: where to get them, and what comes out)"


@dataclass(frozen=True)
class Figure:
    """One figure of a paper."""

    where: str
    """Table, figure or section."""
    what: str
    printed: float
    ours: float = math.nan
    digits: int = 3
    """The number of digits that the paper prints."""
    reason: str = ""
    """Why they differ; empty if they agree to the digits printed."""
    needs: str = ""
    """What is missing to compute it; empty if it was computed."""
    known: str = ""
    """What came out with these data when it was computed; empty if it never was."""

    @property
    def state(self) -> str:
        """``same``, ``differs``, ``not computed``, or ``ours alone`` if the paper states a claim without a number."""
        if not math.isfinite(self.printed):
            return "ours alone"
        if not math.isfinite(self.ours):
            return "not computed"
        return "same" if abs(self.ours - self.printed) <= 0.5 * 10**-self.digits * 1.000001 + 1e-12 else "differs"


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """A paper's figures and ours."""

    paper: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...] = ()
    """What has to be said about the comparison as a whole."""

    @property
    def sentence(self) -> str:
        count = {state: sum(f.state == state for f in self.figures) for state in ("same", "differs", "not computed")}
        said = [
            f"{n:,} {one if n == 1 else several}"
            for state, one, several in (
                ("same", "comes out as printed", "come out as printed"),
                ("differs", "differs, with the reason", "differ, each with the reason"),
                ("not computed", f"needs {PUBLIC}", f"need {PUBLIC}"),
            )
            if (n := count[state])
        ]
        return f"{self.paper}. Of its figures, {', '.join(said)}."

    def to_dict(self) -> dict[str, Any]:
        rows = [{k: jsonable(v) for k, v in vars(f).items()} | {"state": f.state} for f in self.figures]
        return {
            "schema": SCHEMA,
            "paper": self.paper,
            "sentence": self.sentence,
            "figures": rows,
            "remarks": list(self.remarks),
        }

    def to_columns(self) -> dict[str, list[Any]]:
        names = ("where", "what", "printed", "ours", "state", "reason", "needs", "known")
        return {name: [getattr(f, name) for f in self.figures] for name in names}

    def __str__(self) -> str:
        rows = [
            [*_printed(f), _text(f.ours, f.digits + 1), f.state, f.reason if f.state != "same" else ""]
            for f in self.figures
            if f.state != "not computed"
        ]
        lines = text_table(["where", "what", "printed", "ours", "", "why"], rows) if rows else []
        for needs in dict.fromkeys(f.needs for f in self.figures if f.state == "not computed"):
            told = [[*_printed(f), f.known or "not tried"] for f in self.figures if f.needs == needs]
            lines += ["", f"With {needs}:", *text_table(["where", "what", "printed", "comes out as"], told)]
        return "\n".join(
            [self.sentence, "", *lines, *([""] if self.remarks else []), *(f"note: {n}" for n in self.remarks)]
        )


def _printed(f: Figure) -> list[str]:
    return [f.where, f.what, _text(f.printed, f.digits)]


def _text(x: float, digits: int) -> str:
    if not math.isfinite(x):
        return "-"
    return f"{x:,.0f}" if digits == 0 or (digits == 1 and float(x).is_integer()) else shown(float(x), digits)


def found(data: Path | None, *names: str) -> Path | None:
    """The first of these files or folders below the data folder."""
    if data is None:
        return None
    return next((data / name for name in names if (data / name).exists()), None)
