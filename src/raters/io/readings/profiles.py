"""What the columns of a table hold, judged from its first rows: enough to distinguish raters from ids, attributes and
derived figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raters.io.labels.numbers import parsed
from raters.io.table import Table, normal, plain

SAMPLE = 1000
"""Number of rows that are inspected."""
EMPTY = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?"})
"""Cells that carry no information about what a column holds; whether they are missing labels is decided elsewhere."""
DERIVED = re.compile(
    r"(mean|avg|average|median|mode|majority|majorityvote|gold|goldlabel|goldstandard|truth|groundtruth|consensus|final|finallabel|"
    r"adjudicated|adjudication|adjudicator|agree|agreed|agreement|disagree|disagreement|kappa|alpha|hardlabel|softlabel|aggregated?|sd|std|stddev|stdev|variance|var|sum|total|"
    r"entropy|confidence|prediction|predicted|modelguess|reference|expected|"
    r"mittelwert|mittel|durchschnitt|mehrheit|mehrheitsentscheid|mehrheitslabel|modus|summe|gesamt|gesamtzahl|anzahl|standardabweichung|varianz|referenz|konsens|"
    r"moyenne|mediane|majorite|somme|ecarttype|verite|desaccord|accord|"
    r"promedio|media|mediana|mayoria|moda|suma|desviacion|desviacionestandar|verdad|consenso|acuerdo|maggioranza|somma|maioria)"
)
COUNTED = frozenset({"count", "counts", "n", "freq", "frequency", "times", "weight", "nitems", "items"})
SUMS = frozenset(
    [
        "mean",
        "means",
        "average",
        "averages",
        "avg",
        "median",
        "mode",
        "sum",
        "sums",
        "total",
        "totals",
        "grandtotal",
        "subtotal",
        "sd",
        "std",
        "stdev",
        "stddev",
        "count",
        "counts",
        "kappa",
        "alpha",
        "agreement",
        "summe",
        "gesamt",
        "mittelwert",
        "durchschnitt",
        "moyenne",
        "promedio",
        "media",
    ]
)
"""Names of rows below a table that sum it up."""
WHO = re.compile(
    r"(rater|annotator|ann|anno|coder|judge|worker|reviewer|labell?er|expert|observer|person|user|evaluator|doctor|reader|"
    r"student|participant|subject|respondent|annotateur|codeur|[ck]odierer(in)?|bewerter(in)?|beurteiler|gutachter|evaluateur|juge|anotador|"
    r"codificador|evaluador|juez|annotatore|codificatore|r|a|j|p|c)[a-z]?[0-9]*"
)


@dataclass(frozen=True)
class Profile:
    """One column in a sample of rows."""

    name: str
    column: str
    filled: int
    values: frozenset[str]
    """The distinct values as text, with numbers in one notation."""
    numbers: tuple[float, ...] | None
    """The distinct values if all of them are numbers."""
    nested: bool

    @property
    def distinct(self) -> int:
        return len(self.values)

    @property
    def derived(self) -> bool:
        """Whether the name shows that the column was computed from others, or is the answer key."""
        return any(DERIVED.fullmatch(part) for part in (normal(self.name), *words(self.name)))

    @property
    def unique(self) -> bool:
        """Whether nearly every row has a value of its own: an id, a text, a measurement; not labels."""
        return self.filled > 8 and self.distinct > 0.6 * self.filled

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers, 0 or more."""
        return self.numbers is not None and all(x >= 0 and float(x).is_integer() for x in self.numbers)

    @property
    def like_a_person(self) -> bool:
        """Whether the name is that of a rater: ann1, coder_B, R2."""
        return bool(WHO.fullmatch(normal(self.name)))


def words(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> words("hard_label"), words("meanScore")
    (['hard', 'label'], ['mean', 'score'])
    """
    return [w.lower() for w in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", plain(name))]


def profiles(table: Table) -> tuple[list[Profile], list[dict[str, Any]]]:
    """The profile of every column, and the inspected rows, by c0, c1, ..."""
    columns = list(table.named())
    casts = ", ".join(f"CAST({c} AS STRING) AS {c}" for c in columns)
    got = table.engine.query(f"SELECT {casts} FROM annotations LIMIT {SAMPLE}")
    cells = {c: [text_of(v) for v in got[c].tolist()] for c in columns}
    below = footer(list(zip(*cells.values(), strict=True)))
    cells = {c: values[: len(values) - below] for c, values in cells.items()}
    made = [profile(table.name(c), c, cells[c], table.kinds.get(c) == "nested") for c in columns]
    return made, [dict(zip(columns, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def footer(rows: Sequence[Sequence[str | None]]) -> int:
    """How many of the last rows do not belong to the table: totals, a remark in one cell, or empty rows.

    >>> rows = [("q1", "no", "yes"), ("q2", "no", "no"), ("q3", "no", "no")]
    >>> footer([*rows, (None, None, None), ("Note: two coders", None, None)])
    2
    """
    found = 0
    for row in reversed(rows):
        full = [cell for cell in row if cell is not None]
        if not (any(normal(cell) in SUMS for cell in full) or (len(row) > 2 and len(full) < 2)):
            break
        found += 1
    return found if found < len(rows) / 2 else 0


def text_of(value: Any) -> str | None:
    """A cell as text; None if it carries no information."""
    if value is None or value != value:
        return None
    text = str(value).strip()
    return None if text.lower() in EMPTY else text


def profile(name: str, column: str, cells: Sequence[str | None], nested: bool) -> Profile:
    """What one column holds."""
    full = [c for c in cells if c is not None]
    found = {c: parsed(c) for c in set(full)}
    numbers = [float(n) for n in found.values() if n is not None]
    all_numbers = bool(full) and len(numbers) == len(found)
    values = frozenset(f"{x:g}" for x in numbers) if all_numbers else frozenset(found)
    lists = nested or (bool(full) and all(c[:1] in "[{" and c[-1:] in "]}" for c in full))
    return Profile(name, column, len(full), values, tuple(sorted(set(numbers))) if all_numbers else None, lists)
