"""The values that options accept, read from the library's registries only when needed, so that help stays fast."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import click


class FromRegistry(click.Choice[str]):
    """The names in a registry, read only when needed, so that the help of other commands stays fast."""

    def __init__(self, names: Callable[[], Iterable[str]], settled: Callable[[str], str] = str) -> None:
        self._names, self._settled = names, settled
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self._names())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself, or the name for which it is a synonym."""
        from raters.errors import UsageError

        try:
            return super().convert(self._settled(value), param, ctx)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class ForQuestion(click.ParamType[str]):
    """A value for all questions, or ``QUESTION=VALUE`` for one; the value is checked by another type."""

    name = "choice"

    def __init__(self, of: click.Choice[str]) -> None:
        self.of = of

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        question, equals, alone = str(value).rpartition("=")
        return f"{question}{equals}{self.of.convert(alone, param, ctx)}"


def given_for(options: dict[str, Any], name: str) -> str | None:
    """The value of ``--scale`` or ``--labels`` for the question being read: its own, or the one for all questions."""
    from raters.errors import UsageError

    given: Any = options[name]
    if isinstance(given, str):  # set by another command
        return given
    values: tuple[str, ...] = given or ()
    asked = [q for q in (options.get("question"), options.get("label")) if q]
    known = {q.casefold() for q in (*options.get("questions", ()), *asked)}
    general, own = [], []
    for value in values:
        question, equals, rest = value.partition("=")
        if not equals or (not known and name == "labels"):
            general.append(value)
        elif question.strip().casefold() in {q.casefold() for q in asked}:
            own.append(rest)
        elif known and question.strip().casefold() not in known:
            there = ", ".join(options.get("questions", asked))
            raise UsageError(f"--{name} {value}: there is no question {question.strip()!r}; there is {there}.")
    chosen = own or general
    if len(chosen) > 1:
        raise UsageError(
            f"--{name} was given {len(chosen)} times: {', '.join(chosen)}. Pass it once, or as --{name} QUESTION=... for each question."
        )
    return chosen[0] if chosen else None


def refuse_unasked(options: dict[str, Any]) -> None:
    """Refuse a scale for a question if the table has no questions."""
    from raters.errors import UsageError

    named = [x for x in options["scale"] or () if "=" in x]
    if named and not (options.get("question") or options.get("label")):
        alone = named[0].rpartition("=")[2]
        raise UsageError(f"--scale {named[0]} names a question, but this file has only one: use --scale {alone}.")


def _coefficients() -> Iterable[str]:
    from raters.coefficients import REGISTRY

    return REGISTRY


def coefficient_name(name: str) -> str:
    from raters.coefficients import coefficient

    return coefficient(name).name


def _irr() -> Iterable[str]:
    from raters.coefficients import REGISTRY

    return [name for name, row in REGISTRY.items() if row.irr]


def _weights() -> Iterable[str]:
    from raters.scales import SET_WEIGHTS, WEIGHTS

    return (*WEIGHTS, *SET_WEIGHTS)


def _distances() -> Iterable[str]:
    from raters.scales import DISTANCES, SET_DISTANCES

    return (*DISTANCES, *SET_DISTANCES)


def _scales() -> Iterable[str]:
    from raters.annotations import SCALES

    return SCALES


def _duplicates() -> Iterable[str]:
    from raters.annotations import DUPLICATES

    return DUPLICATES


def _layouts() -> Iterable[str]:
    from raters.io.read import LAYOUTS

    return LAYOUTS


def _readers() -> Iterable[str]:
    from raters.io.sources.files import READERS

    return READERS


def _intervals() -> Iterable[str]:
    from raters.inference.intervals import METHODS

    return dict.fromkeys(("auto", *METHODS, "none"))


def _krr_methods() -> Iterable[str]:
    from raters.reliability.krr.methods import METHODS

    return METHODS


def _vote_ties() -> Iterable[str]:
    from raters.reliability.krr.aggregates import TIES

    return TIES


def _single_forms() -> Iterable[str]:
    from raters.reliability.variance.icc import FORMS

    return [form.name for form in FORMS if not form.average]


def _samples() -> Iterable[str]:
    from raters.agree.agreement_spec import SAMPLES

    return SAMPLES


def _masi() -> Iterable[str]:
    from raters.scales.sets import MASI

    return MASI


def _aims() -> Iterable[str]:
    from raters.reliability.sets.multilabel import AIMS

    return AIMS


def _estimate_formats() -> Iterable[str]:
    from raters.reporting.tables import FORMATS

    return FORMATS


def _report_formats() -> Iterable[str]:
    from raters.reporting.formats import FORMATS

    return FORMATS


def _with_measures_of_sets() -> Iterable[str]:
    from raters.reliability.sets.measures import ROWS

    return (*_coefficients(), *ROWS)


def _coefficient_or_measure(name: str) -> str:
    from raters.reliability.sets.measures import ROWS

    return name if name in ROWS else coefficient_name(name)


SCALE = FromRegistry(_scales)
SCALE_OF = ForQuestion(SCALE)
COEFFICIENT = FromRegistry(_coefficients, coefficient_name)
COEFFICIENT_OR_MEASURE = FromRegistry(_with_measures_of_sets, _coefficient_or_measure)
IRR = FromRegistry(_irr, coefficient_name)
WEIGHTS, DISTANCE = FromRegistry(_weights), FromRegistry(_distances)
LAYOUT, DUPLICATES = FromRegistry(_layouts), FromRegistry(_duplicates)
INPUT_FORMAT, OUTPUT_FORMAT = FromRegistry(_readers), FromRegistry(_estimate_formats)
REPORT_FORMAT = FromRegistry(_report_formats)
INTERVAL, SAMPLE = FromRegistry(_intervals), FromRegistry(_samples)
KRR_METHOD, VOTE_TIES, SINGLE_FORM = FromRegistry(_krr_methods), FromRegistry(_vote_ties), FromRegistry(_single_forms)
MASI, AIM = FromRegistry(_masi), FromRegistry(_aims)
