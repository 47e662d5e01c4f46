"""What has to be said about a table or a figure, as a value: code decides by it, and words it last."""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Real
from string import Formatter
from typing import Any

from raters.errors import brief, listed
from raters.notes.figures import FIGURES
from raters.notes.judges import JUDGES
from raters.notes.models import MODELS
from raters.notes.reading import READING
from raters.notes.sentence import Level, Sentence
from raters.notes.spans import SPANS

CATALOGUE: Mapping[str, Sentence] = {**READING, **SPANS, **FIGURES, **MODELS, **JUDGES}
"""Every note that raters can make."""
OPTION = re.compile(r"<([a-z_]+)(?:=([^<>]*))?>")
FACT = re.compile(r"(\[?)\{([a-z_]+)(?:[:!][^{}]*)?\}\]?")
VALUE = re.compile(r"-?\d+(\.\d+)?|None|True|False|\[.*\]")
MOST_GROUPS = 3
MOST_ALIKE = 3


Option = Callable[[str, str | None, Any], str]
"""How an option is written: its name, the text of its value (None if it has none), and the value if it is a fact."""


@dataclass(frozen=True)
class Note:
    """Something to be said: its code, and the facts that its sentence states.

    >>> note = Note("looks_missing", {"label": "skip", "n": 1})
    >>> print(note)
    'skip' counts as a label (1 annotation); pass missing=['skip'] if it marks a missing label
    >>> with typed():
    ...     print(note)
    'skip' counts as a label (1 annotation); pass --missing skip if it marks a missing label
    >>> note.level
    'assumed'
    """

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def level(self) -> Level:
        return CATALOGUE[self.code].level

    @property
    def decisive(self) -> bool:
        return CATALOGUE[self.code].decisive

    def __str__(self) -> str:
        return worded(self, OPTIONS_AS.get())

    def to_dict(self) -> dict[str, Any]:
        """The code, the level, the sentence and the facts, ready for JSON."""
        return {"code": self.code, "level": self.level, "text": str(self), "facts": plain(self.facts)}


def worded(note: Note, option: Option) -> str:
    """The sentence of a note.

    Options are taken out of the template before facts are put in, so that no label can forge one.
    """
    parts, at, text = [], 0, CATALOGUE[note.code].text
    text = without_options(text) if option is unnamed else text
    first = {name: fact.values[0] if isinstance(fact, Each) else fact for name, fact in note.facts.items()}
    for found in OPTION.finditer(text):
        between = text[at : found.start()]
        parts.append(", " if between == " " and option is in_python else WORDS.vformat(between, (), note.facts))
        name, value = found[1], found[2]
        given = value and value_of(value, first)
        parts.append(option(name, None if value is None else WORDS.vformat(value, (), first), given))
        at = found.end()
    return "".join([*parts, WORDS.vformat(text[at:], (), note.facts)])


def without_options(text: str) -> str:
    """A template without what asks for an option: the parenthesis, or else the clause, that names it.

    >>> without_options("read from {sheet}; other sheets: {n} (choose one with <sheet>)")
    'read from {sheet}; other sheets: {n}'
    >>> without_options("{n} numbers were read; pass <scale=nominal> if they are codes")
    '{n} numbers were read'
    """
    clauses = re.split(r"(?<=[;.])\s+", re.sub(rf" \([^()]*{OPTION.pattern}[^()]*\)", "", text))
    return " ".join(clause for clause in clauses if not OPTION.search(clause)).rstrip(";.")


def value_of(text: str, facts: Mapping[str, Any]) -> Any:
    """The value of an option in a template: a fact, a list of one fact, a value of Python, or a word.

    >>> value_of("{n}", {"n": 3}), value_of("[{n}]", {"n": 3}), value_of("[0, 1]", {}), value_of("ordinal", {})
    (3, [3], [0, 1], 'ordinal')
    """
    fact = FACT.fullmatch(text)
    if fact:
        return [facts[fact[2]]] if fact[1] else facts[fact[2]]
    return literal_eval(text) if VALUE.fullmatch(text) else text


class Hidden:
    """A fact that must not be shown: the name of a rater in output without names; so must no part of it."""

    def __getitem__(self, part: object) -> Hidden:
        return self

    def __repr__(self) -> str:
        return "..."


HIDDEN = Hidden()


class Each:
    """A fact that differs from note to note of one kind, where one sentence is said for all of them.

    >>> print(alike([Note("looks_missing", {"label": x, "n": n}) for x, n in (("skip", 1), ("n/a", 4), ("skip", 2))]))
    'skip', 'n/a' counts as a label (1 to 4 annotations); pass missing=['skip'] if it marks a missing label
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values

    def __getitem__(self, part: Any) -> Each:
        return Each([value[part] for value in self.values])

    def __repr__(self) -> str:
        return self.shown(repr)

    def shown(self, form: Callable[[Any], str]) -> str:
        """The least and the greatest of numbers, or some of the others, in a form."""
        if all(isinstance(value, Real) for value in self.values):
            low, high = form(min(self.values)), form(max(self.values))
            return high if low == high else f"{low.split(' ')[0]} to {high}"
        said = list(dict.fromkeys(map(form, self.values)))
        return ", ".join(said[:MOST_ALIKE]) + (f" and {len(said) - MOST_ALIKE:,} more" if said[MOST_ALIKE:] else "")


def alike(notes: Sequence[Note]) -> Note:
    """Notes of one kind as one; an option is named as the first of them names it."""
    first = notes[0].facts
    return Note(
        notes[0].code,
        {
            name: fact if all(n.facts.get(name) == fact for n in notes) else Each([n.facts[name] for n in notes])
            for name, fact in first.items()
        },
    )


def plain(fact: Any) -> Any:
    """A fact ready for JSON."""
    if isinstance(fact, Mapping):
        return {name: plain(value) for name, value in fact.items()}
    if isinstance(fact, list | tuple):
        return [plain(value) for value in fact]
    return fact.to_dict() if isinstance(fact, Note) else repr(fact) if isinstance(fact, Hidden) else fact


class Words(Formatter):
    """Values in words: see :class:`Sentence`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """One value in the given form.

        >>> WORDS.format("{n:item}, {n:is|are}; {x:quoted}", n=1200, x="a")
        "1,200 items, are; 'a'"
        """
        if isinstance(value, Hidden):
            return "..."
        if isinstance(value, Each) and "|" in format_spec:
            value = max(value.values)
        if isinstance(value, Each):
            return value.shown(lambda one: self.format_field(one, format_spec))
        if format_spec == "quoted":
            return brief(value)
        if format_spec == "each":
            return ", ".join(f"{name} {x:.3f}" for name, x in value.items())
        if format_spec == "pairs":
            named = [f"{one!r} and {other!r} ({n:,})" for one, other, n in value[:3]]
            return ", ".join(named) + (f" and {len(value) - 3:,} more pairs" if len(value) > 3 else "")
        if format_spec == "groups":
            more = f" and {len(value) - MOST_GROUPS:,} more" if len(value) > MOST_GROUPS else ""
            return "; ".join(map(listed, value[:MOST_GROUPS])) + more
        if limit := re.fullmatch(r"listed(?: (\d+))?", format_spec):
            return listed(value, int(limit[1] or 8))
        if "|" in format_spec:
            one, several = format_spec.split("|")
            return one if value == 1 else several
        if re.fullmatch(r"[a-z][a-z -]+", format_spec):
            return f"{value:,} {format_spec}{'' if value == 1 else 's'}"
        return str(format(value, format_spec))


WORDS = Words()


def in_python(name: str, value: str | None, given: Any) -> str:
    """An option as an argument of Python.

    >>> in_python("scale", None, None), in_python("missing", "skip", "skip")
    ('scale=', "missing='skip'")
    """
    return f"{name}=" if value is None else f"{name}={given!r}"


def as_option(name: str, value: str | None, given: Any) -> str:
    """An option as one types it.

    >>> as_option("scale", None, None), as_option("half_width", "0.1", "0.1"), as_option("labels", "", ["a b", "c"])
    ('--scale', '--half-width 0.1', "--labels 'a b,c'")
    """
    option = OTHER_NAMES.get(name, f"--{name.replace('_', '-')}")
    if value is None or given is True:
        return option
    if isinstance(given, Hidden):
        return f"{option} ..."
    if isinstance(given, list | tuple):
        return f"{option} {shlex.quote(','.join(map(str, given)))}"
    return f"{option} {'none' if given is None else shlex.quote(str(given))}"


def unnamed(name: str, value: str | None, given: Any) -> str:
    """No option: for a page whose reader cannot type any."""
    return ""


OTHER_NAMES = {"format": "--input-format", "raters": "--raters-as", "start": "--unit-start", "end": "--unit-end"}
"""Arguments whose option has another name."""
OPTIONS_AS: ContextVar[Option] = ContextVar("OPTIONS_AS", default=in_python)
"""How notes name options: the command line types them."""


def either(python: str, on_command_line: str) -> str:
    """What to do in the words of whoever reads: a call of Python, or what one types.

    >>> either("raters.calibrate", "raters judge --estimate")
    'raters.calibrate'
    >>> with typed():
    ...     either("raters.calibrate", "raters judge --estimate")
    'raters judge --estimate'
    """
    return python if OPTIONS_AS.get() is in_python else on_command_line


@contextmanager
def typed(question: str = "") -> Iterator[None]:
    """Within this, notes name options as one types them; for one of several questions, scale and labels are its own.

    >>> with typed("tone"):
    ...     OPTIONS_AS.get()("scale", "ordinal", "ordinal")
    '--scale tone=ordinal'
    """

    def its_own(name: str, value: str | None, given: Any) -> str:
        made = as_option(name, value, given)
        return made.replace(" ", f" {shlex.quote(question)}=", 1) if name in ("scale", "labels") else made

    with options_as(its_own if question else as_option):
        yield


@contextmanager
def options_as(form: Option) -> Iterator[None]:
    """Within this, notes name options in this form."""
    token = OPTIONS_AS.set(form)
    try:
        yield
    finally:
        OPTIONS_AS.reset(token)


@contextmanager
def in_words() -> Iterator[None]:
    """Within this, notes leave out how an option would change what they say."""
    token = OPTIONS_AS.set(unnamed)
    try:
        yield
    finally:
        OPTIONS_AS.reset(token)


def of_question(question: str) -> AbstractContextManager[None]:
    """Within this, options that one types are those of one of several questions; Python's stay as they are."""
    return typed(question) if OPTIONS_AS.get() is as_option else nullcontext()


def in_json(notes: Iterable[Note]) -> dict[str, Any]:
    """Notes as every JSON holds them: their sentences as ``warnings``, and ``notes`` with codes and facts."""
    found = list(notes)
    return {"warnings": [str(n) for n in found], "notes": [n.to_dict() for n in found]}


def from_json(kept: Iterable[Any]) -> tuple[Note, ...]:
    """The notes of a file; a code that this version does not know is kept as its sentence."""
    return tuple(
        Note(n["code"], n["facts"])
        if isinstance(n, dict) and n["code"] in CATALOGUE
        else Note("text", {"text": n if isinstance(n, str) else n["text"]})
        for n in kept
    )


def refused(error: Exception | str) -> Note:
    """The reason of a figure that an error has kept from having a value."""
    return Note("refused", {"error": str(error).removesuffix(".")})


def codes(notes: Iterable[Note]) -> set[str]:
    """The codes of some notes."""
    return {note.code for note in notes}
