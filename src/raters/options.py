"""Checks on calls of public functions: unknown options are errors, and signatures show every option."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar

from raters.errors import UsageError, interrupted

F = TypeVar("F", bound=Callable[..., Any])


class UnknownOptionError(UsageError, TypeError):
    """The function has no such option; also a ``TypeError``, as Python itself would raise."""


def asks(*, options: type | None = None, defaults: Mapping[str, Any] | None = None) -> Callable[[F], F]:
    """Check the names of options before a function runs, and show all of them in its signature.

    ``options``: the TypedDict behind ``**options``, with its ``defaults``.

    >>> @asks()
    ... def draw(x, *, color="blue", size=1):
    ...     return color
    >>> draw(1, colr="red")
    Traceback (most recent call last):
    ...
    raters.options.UnknownOptionError: draw() has no option 'colr'. Did you mean color=?
    """
    known_defaults = dict(defaults or {})

    def decorate(function: F) -> F:
        signature = expanded(inspect.signature(function), options, known_defaults)
        known = [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        accepted = frozenset(known)
        called = function.__name__ if function.__name__ != "__init__" else function.__qualname__.split(".")[-2]

        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            if not accepted.issuperset(given):
                check_options(called, given, known)
            try:
                return function(*args, **given)
            except RuntimeError as error:
                if interrupted(error):
                    raise KeyboardInterrupt from None
                raise

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


def expanded(signature: inspect.Signature, options: type | None, defaults: Mapping[str, Any]) -> inspect.Signature:
    """The signature with ``**options`` expanded into keywords with their defaults."""
    plain = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    named = {p.name for p in plain}
    hints: dict[str, Any] = {} if options is None else dict(options.__annotations__)
    more = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=_plain(hints[name])
        )
        for name in sorted(hints, key=lambda name: name not in defaults)  # its own options before those of reading
        if name not in named
    ]
    return signature.replace(parameters=[*plain, *more])


def _plain(hint: Any) -> Any:
    return getattr(hint, "__forward_arg__", hint)


def check_options(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error for an unknown option, naming the closest known one."""
    names = list(known)
    for name in given:
        if name in names:
            continue
        near = get_close_matches(name, names, n=1, cutoff=0.6)
        hint = f"Did you mean {near[0]}=?" if near else f"Its options are {', '.join(names)}."
        raise UnknownOptionError(f"{function}() has no option {name!r}. {hint}")


def check_passed_on(function: str, given: Iterable[str], *targets: Callable[..., Any]) -> None:
    """Check options that a function passes on to others, at once and under the name that the user called."""
    parameters = [p for target in targets for p in inspect.signature(target).parameters.values()]
    check_options(function, given, [p.name for p in parameters if p.kind is p.KEYWORD_ONLY])
