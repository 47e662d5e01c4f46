"""What every command is: its help fits a screen, and an option that takes one value is given once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

import click

from raters.options.declared import Inference
from raters.options.option import Option, Row, row_of, rows

F = TypeVar("F", bound=Callable[..., Any])
INTERVALS = frozenset(Inference.__annotations__)
OUTPUT = ("format_", "output", "all_", "details", "force")
TOPICS = {
    "reading": "How FILE is read",
    "intervals": "Intervals",
    "output": "Output",
}
"""What ``raters help`` explains for all commands at once; a command's own help names it in one line."""
WIDTH = 80
NAMES = 26
"""At most so wide are the names of options in the short help."""


class Declared(click.Option):
    """An option that knows what only ``--help-all`` shows of it, and to which topic it belongs."""

    def __init__(self, *args: Any, rare: bool = False, topic: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.rare = rare
        self.topic = topic or ("intervals" if self.name in INTERVALS else "output" if self.name in OUTPUT else "")

    def in_one_line(self) -> tuple[str, str]:
        """Its names, and the part of its help that fits one line beside them."""
        names, choices = ", ".join(self.opts), "|".join(getattr(self.type, "choices", ()))
        number = {"integer": "N", "integer range": "N", "float": "NUMBER"}.get(self.type.name, "")
        taken = "" if self.is_flag else str(self.metavar or choices or number)
        taken = taken if len(names) + len(taken) < NAMES else "NAME" if choices else ""
        return f"{names} {taken}".strip(), str(self.help or "")


class Command(click.Command):
    """A command whose ``--help`` fits a screen; ``--help-all`` has everything."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its parameters and, beside click's ``--help``, ``--help-all``."""
        every = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show all options, with their values and defaults.",
        )
        *params, help_ = super().get_params(ctx)
        return [*params, every, help_]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that takes one value and was given twice: the first value would be lost silently."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for param, n in Counter(order).items():
            if n > 1 and isinstance(param, click.Option) and not (param.multiple or param.is_flag):
                raise click.UsageError(f"{param.opts[-1]} is given {n} times, and takes one value.", ctx)
        return super().parse_args(ctx, args)

    def own(self) -> list[click.Option]:
        """The options that its short help shows."""
        some = [p for p in self.params if isinstance(p, click.Option)]
        return [p for p in some if not (isinstance(p, Declared) and (p.rare or p.topic))]

    def of_topic(self, topic: str) -> list[click.Option]:
        """The options that ``raters help TOPIC`` shows."""
        return [p for p in self.params if isinstance(p, Declared) and p.topic == topic]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Its own options in a line each, then a line for each topic."""
        if ctx.meta.get("raters.help_all"):
            super().format_options(ctx, formatter)
            return
        width = min(formatter.width, WIDTH)
        own = [p.in_one_line() if isinstance(p, Declared) else _plain(p) for p in self.own()]
        column = max((len(names) for names, _ in own), default=0)
        with formatter.section("Options"):
            for names, said in own:
                formatter.write(f"  {names:<{column}}  {first_part(said, width - column - 4)}\n")
        for topic, about in TOPICS.items():
            if found := self.of_topic(topic):
                some = ", ".join(p.opts[-1] for p in found[:4])
                formatter.write(f"{about} ({some}{', ...' if len(found) > 4 else ''}): raters help {topic}\n")
        formatter.write(f"Everything, also what is rarely needed: raters {ctx.info_name} --help-all\n")


def _plain(p: click.Option) -> tuple[str, str]:
    return ", ".join(p.opts), str(p.help or "")


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta["raters.help_all"] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def first_part(text: str, width: int) -> str:
    """The first part of a sentence or more that fits a line.

    >>> first_part("Agreement weights; numeric labels are weighted by value.", 30)
    'Agreement weights.'
    """
    while len(text) > width:
        end = max(text.rfind(mark, 0, len(text) - 1) for mark in (". ", "; ", " ("))
        if end < 0:
            return f"{text[: width - 3].rsplit(' ', 1)[0]}..."
        text = f"{text[:end]}."
    return text


command = partial(click.command, cls=Command)
option = partial(click.option, cls=Declared)
"""As in click, for the commands here."""


class OneOf(click.Choice[str]):
    """The words that an option takes; a registry is read only when needed, so that other help stays fast."""

    def __init__(self, *values: str, also: str = "", none: bool = False) -> None:
        self.of, self.none = Option("", values=values, also=also), none
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.of.words(), *(("none",) if self.none else ()))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word itself, or the one for which it is a synonym; ``none`` stands for Python's None."""
        from raters.errors import UsageError

        if value == "none" and self.none:
            return None
        if param is not None and value == param.default:  # nothing was typed: no registry need be read
            return value
        try:
            return super().convert(self.of.settled(value), param, ctx)
        except UsageError as error:
            self.fail(str(error), param, ctx)


def each_of(kind: click.ParamType[Any]) -> Callable[..., tuple[Any, ...]]:
    """The callback of an option that may be repeated, or list words of a kind between commas."""

    def listed(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[Any, ...]:
        return tuple(kind.convert(word.strip(), param, ctx) for words in given for word in words.split(","))

    return listed


def words_of(row: Row) -> OneOf:
    """The words of a declared option, with ``none`` where Python takes None besides."""
    none = "None" in row.parts and row.option.default is not None
    return OneOf(*row.option.values, also=row.option.also, none=none)


class Typed(click.ParamType[Any]):
    """What the declaration makes of the text that was typed."""

    def __init__(self, row: Row) -> None:
        self.name, self.row = row.name, row

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or self.row.option.typed is None:
            return value
        try:
            return self.row.option.typed(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def declared(row: Row) -> Callable[[F], F]:
    """The option of the command line for a declared one."""
    o = row.option
    names = o.command or (f"--{row.name.replace('_', '-')}",)
    more: dict[str, Any] = {"help": o.help, "rare": o.rare, "metavar": o.metavar or None}
    if "bool" in row.parts:
        return option(*names, row.name, is_flag=True, default=o.default, **more)
    kind: Any = None
    if o.typed is not None:
        kind = Typed(row)
    elif o.values:
        kind = words_of(row)
    elif "int" in row.parts:
        kind = click.INT if o.least is None else click.IntRange(min=int(o.least))
    elif "float" in row.parts:
        kind = click.FLOAT
    return option(*names, row.name, type=kind, default=o.default, show_default=o.default is not None, **more)


def taken(group: type) -> Callable[[F], F]:
    """The options of a group on the command line, from their declarations."""

    def apply(function: F) -> F:
        for row in reversed(list(rows(group).values())):
            function = declared(row)(function)
        return function

    return apply


def written_out(name: str, hint: Any) -> Callable[[F], F]:
    """The option for a parameter that a function writes out, with its declared row as the type."""
    return declared(row_of(name, hint))
