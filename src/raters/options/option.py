"""An option is a row: its type, default, allowed values and help. Calls are checked against the rows, and signatures
show them.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property, wraps
from importlib import import_module
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

from raters.errors import UsageError, interrupted

F = TypeVar("F", bound=Callable[..., Any])
Given = TypeVar("Given")


class UnknownOptionError(UsageError, TypeError):
    """The function has no such option; also a ``TypeError``, as Python itself would raise."""


@dataclass(frozen=True)
class Option:
    """What is declared of an option beside its name and type.

    ``values``: the words that it takes; ``"module:name"`` stands for those of a registry, which is imported when it is
    first asked. ``also``: a function, named likewise, from a synonym to the word of the registry. ``least``: the smallest number. ``python``: what Python
    takes besides. The rest is for the command line: ``command`` (the names there, if they differ), ``metavar``,
    ``typed`` (from what was typed to the value), and ``rare`` (only ``--help-all`` shows it).
    """

    help: str
    default: Any = None
    values: tuple[str, ...] = ()
    also: str = ""
    least: float | None = None
    python: str = ""
    command: tuple[str, ...] = ()
    metavar: str = ""
    typed: Callable[[str], Any] | None = None
    rare: bool = False

    @property
    def closed(self) -> bool:
        """Whether the words are written here, so that a call can be checked without a registry."""
        return bool(self.values) and not any(":" in word for word in self.values)

    def words(self) -> tuple[str, ...]:
        """The allowed words, with those of the registries."""
        return tuple(dict.fromkeys(w for v in self.values for w in (_listed(v) if ":" in v else (v,))))

    def settled(self, word: str) -> str:
        """The word of the registry for a synonym."""
        return str(named(self.also)(word)) if self.also else word


def named(place: str) -> Any:
    """What stands at ``"module:name"``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _listed(place: str) -> Iterable[str]:
    """The words of a registry, or of a function that lists them."""
    found = named(place)
    return map(str, found() if inspect.isfunction(found) else found)


class Kind(NamedTuple):
    """What a type takes: a test, and its name in a message."""

    takes: Callable[[Any], bool]
    words: str


def _brief(value: Any) -> str:
    """A value in one short line of a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _comparison(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_list(row) for row in value)
    return isinstance(value, str) or callable(value) or (_list(value) and hasattr(value, "__len__"))


KINDS: Mapping[str, Kind] = {
    "None": Kind(lambda x: x is None, "None"),
    "bool": Kind(lambda x: isinstance(x, bool) or type(x).__name__ == "bool", "True or False"),  # also numpy's
    "int": Kind(lambda x: isinstance(x, Integral) and not isinstance(x, bool), "a whole number"),
    "float": Kind(lambda x: isinstance(x, Real) and not isinstance(x, bool), "a number"),
    "str": Kind(lambda x: isinstance(x, str), "text"),
    "Sequence": Kind(_list, "a list"),
    "Collection": Kind(_list, "a list"),
    "Iterable": Kind(_list, "a list"),
    "Mapping": Kind(lambda x: isinstance(x, Mapping), "a dictionary"),
    "Callable": Kind(callable, "a function"),
    "Progress": Kind(callable, "a function"),
    "FittedModel": Kind(lambda x: hasattr(x, "confusion"), "a consensus (what raters.consensus gives)"),
    "Weights": Kind(_comparison, "a name, a matrix or a function of two labels"),
    "Distance": Kind(_comparison, "a name, a matrix or a function of two labels"),
}
"""The types that options have; what has another type is not checked here."""
ELEMENTS = ("str", "int", "float")
"""Types whose lists are checked element by element."""


@dataclass(frozen=True)
class Row:
    """An option of a function or a command: its name, its type as it is written, and what is declared of it."""

    name: str
    type: str
    option: Option

    @cached_property
    def parts(self) -> list[str]:
        """The types of a union: ``"str | None"`` -> ``["str", "None"]``."""
        return re.split(r" \| (?![^\[]*\])", re.sub(r"[a-z_]+\.(?=\w)", "", self.type))

    def check(self, value: Any) -> None:
        """Raise an error if the value is none that this option takes; a matrix is never compared with anything."""
        fits = [p for p in self.parts if (kind := KINDS.get(p.partition("[")[0])) is None or kind.takes(value)]
        if not fits or not any(self._elements(p, value) for p in fits):
            raise UsageError(f"{self.name}={_brief(value)} is not {self.takes}.")
        o = self.option
        if isinstance(value, str) and o.closed and value not in o.values:
            near = get_close_matches(value, o.values, n=1)
            raise UsageError(
                f"{self.name}={value!r} is not {self.takes}.{f' Did you mean {near[0]!r}?' if near else ''}"
            )
        if o.least is not None and isinstance(value, Real) and not float(value) >= o.least:
            raise UsageError(f"{self.name}={value!r} is not {self.takes}.")

    def _elements(self, part: str, value: Any) -> bool:
        """Whether the elements of a list have their type."""
        of = part.partition("[")[2].removesuffix("]")
        return of not in ELEMENTS or not isinstance(value, list | tuple) or all(map(KINDS[of].takes, value))

    @property
    def takes(self) -> str:
        """What the option takes, for a message: ``one of 'a', 'b'``, ``a whole number of 0 or more``."""
        words = [self._words(p) for p in self.parts if p.partition("[")[0] in KINDS]
        return " or ".join(dict.fromkeys(words))

    def _words(self, part: str) -> str:
        head, _, of = part.partition("[")
        if head == "str" and self.option.closed:
            return f"one of {', '.join(map(repr, self.option.values))}"
        if head in ("int", "float") and self.option.least is not None:
            return f"{KINDS[head].words} of {self.option.least:g} or more"
        what = {"str": " of texts", "int": " of whole numbers", "float": " of numbers"}.get(of.removesuffix("]"), "")
        return KINDS[head].words + what


@cache
def rows(group: Any) -> Mapping[str, Row]:
    """The declared options of a group (a TypedDict) by name."""
    return {name: row_of(name, hint) for name, hint in group.__annotations__.items()}


def row_of(name: str, hint: Any) -> Row:
    """The row of an annotated type; the type alone, if nothing more is declared."""
    (option,) = getattr(hint, "__metadata__", (Option(""),))
    hint = getattr(hint, "__origin__", hint) if option.help else hint
    written = getattr(hint, "__forward_arg__", None) or (hint.__name__ if isinstance(hint, type) else str(hint))
    return Row(name, str(written), option)


def filled(group: type[Given], options: Mapping[str, Any]) -> Given:
    """All options of a group: those that were given, and the defaults of the others."""
    declared = rows(group)  # type: ignore[arg-type]
    return {name: row.option.default for name, row in declared.items()} | dict(options)  # type: ignore[return-value]


def given_to(group: Any, options: Mapping[str, Any]) -> Any:
    """What was given of a group, for a function that takes the group."""
    return {name: options[name] for name in rows(group) if name in options}


def asks() -> Callable[[F], F]:
    """Check the options before a function runs, and show all of them in its signature and its help.

    The options are the group that stands as the type of ``**options``, and the parameters that are written out, by
    their types.

    >>> @asks()
    ... def draw(x, *, color: str = "blue", size: int = 1):
    ...     return color
    >>> draw(1, colr="red")
    Traceback (most recent call last):
    ...
    raters.options.option.UnknownOptionError: draw() has no option 'colr'. Did you mean color=?
    >>> draw(1, size="big")
    Traceback (most recent call last):
    ...
    raters.errors.UsageError: size='big' is not a whole number.
    """

    def decorate(function: F) -> F:
        plain = inspect.signature(function)
        options = _group_of(function, plain)
        written_out = _written_out(function, plain)
        signature = expanded(plain, options, written_out)
        known = [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        accepted = frozenset(known)
        called = function.__name__ if function.__name__ != "__init__" else function.__qualname__.split(".")[-2]
        declared = rows(options) if options is not None else {}
        checked = {name: row for name, row in declared.items() if row.option.help} | written_out
        in_order = [p.name for p in plain.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            if not accepted.issuperset(given):
                check_options(called, given, known)
            for name, value in (*zip(in_order, args, strict=False), *given.items()):
                if name in checked:
                    checked[name].check(value)
            try:
                return function(*args, **given)
            except RuntimeError as error:
                if interrupted(error):
                    raise KeyboardInterrupt from None
                raise

        call.__signature__ = signature  # type: ignore[attr-defined]
        if options is not None:
            call.__doc__ = f"{(function.__doc__ or '').rstrip()}\n{described(written_out | checked)}    "
        return call  # type: ignore[return-value]

    return decorate


def _group_of(function: Callable[..., Any], signature: inspect.Signature) -> type | None:
    """The group behind ``**options: Unpack[Group]``."""
    hints = (p.annotation for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD)
    name = next((str(hint).removeprefix("Unpack[").removesuffix("]") for hint in hints if "Unpack[" in str(hint)), None)
    return None if name is None else inspect.unwrap(function).__globals__[name]


def _written_out(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Row]:
    """The rows of parameters that are written out: the declared one that stands as the type, or one of the type."""
    names = getattr(inspect.unwrap(function), "__globals__", {})
    found = {}
    for p in signature.parameters.values():
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.annotation is not p.empty:
            known = names.get(p.annotation) if isinstance(p.annotation, str) else None
            found[p.name] = row_of(p.name, known if hasattr(known, "__metadata__") else p.annotation)
    return found


def expanded(signature: inspect.Signature, options: type | None, written_out: Mapping[str, Row]) -> inspect.Signature:
    """The signature with ``**options`` expanded into keywords with their types and defaults."""
    plain = [
        p.replace(annotation=written_out[p.name].type) if p.name in written_out else p
        for p in signature.parameters.values()
        if p.kind is not p.VAR_KEYWORD
    ]
    named = {p.name for p in plain}
    declared = rows(options).values() if options is not None else ()
    more = [
        inspect.Parameter(r.name, inspect.Parameter.KEYWORD_ONLY, default=r.option.default, annotation=r.type)
        for r in declared
        if r.name not in named
    ]
    return signature.replace(parameters=[*plain, *more])


def described(declared: Mapping[str, Row]) -> str:
    """The section about declared options in the help of a function."""
    lines = ["", "    **Options**:", ""]
    for name, row in declared.items():
        o = row.option
        if o.help:
            words = ", ".join(f'``"{word}"``' for word in o.values) if o.closed and not o.python else ""
            said = " ".join(filter(None, [f"- ``{name}``: {o.help}", words and f"One of {words}.", o.python]))
            lines += textwrap.wrap(said, 116, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


TO_READ = (
    "item rater label scale labels layout raters missing duplicates encoding format sheet delimiter header skip period sep"
    " multi ordered question keep columns memory document start end seen"
)
"""The options of :func:`raters.read`, which alone is told how to read a source."""


def check_options(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error for an unknown option, naming the closest known one, or ``read`` if it is one of those."""
    names = list(known)
    for name in given:
        if name in names:
            continue
        if name in TO_READ.split():
            raise UnknownOptionError(
                f"{function}() does not take {name}=, which says how to read a source: read it first, with"
                f" raters.read(..., {name}=...), and pass the result to {function}()."
            )
        near = get_close_matches(name, names, n=1, cutoff=0.6)
        hint = f"Did you mean {near[0]}=?" if near else f"Its options are {', '.join(names)}."
        raise UnknownOptionError(f"{function}() has no option {name!r}. {hint}")


def check_passed_on(function: str, given: Iterable[str], *targets: Callable[..., Any]) -> None:
    """Check options that a function passes on to others, at once and under the name that the user called."""
    parameters = [p for target in targets for p in inspect.signature(target).parameters.values()]
    check_options(function, given, [p.name for p in parameters if p.kind is p.KEYWORD_ONLY])
