"""What an address says: how the file is read, which part is looked at, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlencode

from raters.judges.verdict import MARGIN

READING = (
    "item",
    "rater",
    "label",
    "scale",
    "labels",
    "missing",
    "layout",
    "raters",
    "columns",
    "header",
    "duplicates",
)
"""Options of ``read`` that an address may hold; values are text as on the command line."""
OF_A_QUESTION = ("scale", "labels", "missing")
"""Of these an address may have one for each question: ``scale.tone``."""
ROLES = ("item", "rater", "label")
EPSILON = 0.1
OF_ONE_VIEW = ("margin", "epsilon", "cell", "who", "by", "open", "find", "only", "sort", "page", "at", "votes")
CORE = ("reading", "question", "without", "hidden", "slice", "pool", "judges", "margin", "epsilon", "target", "gold")
LISTS = ("without", "judges", "hidden")


@dataclass(frozen=True)
class State:
    """One address of a file's page. Everything has a default, which the address leaves out."""

    reading: Mapping[str, str] = field(default_factory=dict)
    question: str = ""
    without: tuple[str, ...] = ()
    """Raters left out."""
    slice: str = ""
    """``column=value``: only items with this value."""
    pool: str = ""
    judges: tuple[str, ...] = ()
    margin: float = MARGIN
    epsilon: float = EPSILON
    """How much worse than people a judge may be, and what people are taken for in the test of a judge."""
    target: float = 0.8
    k: int = 0
    cost: float = 0.0
    cell: str = ""
    """Two labels, ``row-column`` by their position."""
    who: str = ""
    """The rater or judge that is looked at."""
    by: str = ""
    """``chance``: labels that meet are compared with chance."""
    open: str = ""
    """The question whose row is open."""
    find: str = ""
    only: str = ""
    sort: str = ""
    page: int = 1
    at: str = ""
    """The item that is adjudicated."""
    votes: int = 0
    """Whether an adjudicator has looked at the votes."""
    gold: int = 0
    """Whether what was decided here is taken as known in the consensus."""
    doc: str = ""
    """The document whose text is shown."""
    kind: str = ""
    """The kind of difference between spans that is looked at."""
    same: str = ""
    """When two spans count as the same."""
    hidden: tuple[str, ...] = ()
    """Labels of spans that are left out."""

    def query(self, **changes: Any) -> str:
        """The address's part behind the ``?`` after these changes."""
        return urlencode(replace(self, **changes).pairs())

    def elsewhere(self) -> str:
        """The same for another view: without what only one view asks."""
        fresh = State()
        return self.query(**{name: getattr(fresh, name) for name in OF_ONE_VIEW})

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values as the address and forms have them."""
        given: list[tuple[str, str]] = [(name, value) for name, value in self.reading.items() if value]
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name == "reading" or value == f.default or value in ((), [], ""):
                continue
            values = (
                value if isinstance(value, tuple | list) else (f"{value:g}" if isinstance(value, float) else value,)
            )
            given += [("q" if f.name == "question" else f.name, str(v)) for v in values]
        return given

    def core(self) -> State:
        """The part on which figures depend, apart from what only selects or sorts what is shown."""
        return State(**{name: getattr(self, name) for name in CORE})

    def toggled(self, name: str, of: str = "without") -> tuple[str, ...]:
        """The raters left out, or the labels, after a click on one."""
        off: tuple[str, ...] = getattr(self, of)
        return tuple(x for x in off if x != name) if name in off else (*off, name)

    @property
    def own(self) -> dict[str, str]:
        """How this question is read: as every one, and as is said of it alone."""
        own = {x: text for x in OF_A_QUESTION if (text := self.reading.get(f"{x}.{self.question}"))}
        return {name: text for name, text in self.reading.items() if name in READING} | own


def state_of(given: list[tuple[str, str]]) -> State:
    """The state of an address; what it does not understand is left out, as a bookmark may be old."""
    one = dict(given)
    every: dict[str, list[str]] = {}
    for name, value in given:
        every.setdefault(name, []).append(value)
    plain = {
        f.name: tuple(every[f.name]) if f.name in LISTS else one[f.name]
        for f in fields(State)
        if f.name in one and isinstance(f.default, str | tuple)
    }
    for role, _, column in (text.partition("=") for text in every.get("role", ())):  # of the heads of columns
        if role in ROLES:
            every.setdefault(role, []).append(column)
    return State(
        reading={
            name: text
            for name in (*READING, *(x for x in every if x.partition(".")[0] in OF_A_QUESTION))
            if (text := "|".join(x for x in every.get(name, ()) if x))
        },
        question=one.get("q", ""),
        target=number(one.get("target"), 0.8, 0.01, 0.99),
        margin=number(one.get("margin"), MARGIN, 0.01, 0.5),
        epsilon=number(one.get("epsilon"), EPSILON, 0.0, 0.5),
        cost=number(one.get("cost"), 0.0, 0.0, 1e9),
        k=int(number(one.get("k"), 0, 0, 1000)),
        page=int(number(one.get("page"), 1, 1, 1e9)),
        votes=int(number(one.get("votes"), 0, 0, 1)),
        gold=int(number(one.get("gold"), 0, 0, 1)),
        **{name: value for name, value in plain.items() if name != "question"},  # type: ignore[arg-type]
    )


def reading_of(options: Mapping[str, Any]) -> dict[str, str]:
    """The text of an address for what ``read`` is to be told; the other way round than :func:`read_options`."""
    return {name: "|".join(map(str, x)) if isinstance(x, list | tuple) else str(x) for name, x in options.items()}


def number(text: str | None, default: float, low: float, high: float) -> float:
    try:
        value = float(text or "")
    except ValueError:
        return default
    return value if low <= value <= high else default


def read_options(reading: Mapping[str, str]) -> dict[str, Any]:
    """The options for ``read``, of the text of an address; names and labels of a list are separated by ``|``."""
    found: dict[str, Any] = dict(reading)
    for name, text in reading.items():
        if name in ("labels", "missing") or (name in ROLES and "|" in text):
            found[name] = [x for x in text.split("|") if x]
    if "header" in found:
        found["header"] = int(number(found["header"], 1, 0, 20))
    return found
