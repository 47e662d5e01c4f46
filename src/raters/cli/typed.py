"""Messages of the library in the words of the command line: ``scale='ordinal'`` becomes ``--scale ordinal``.

The library's messages name the arguments of its functions. Everything that a command prints passes through here, so
that no message has to be written twice.
"""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

QUOTED = r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\""
VALUE = rf"(?:{QUOTED}|\[[^\]\n]*\]|\{{[^}}\n]*\}}|None|True|False|nan(?!\w)|-?inf(?!\w)|-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\w))"
ARGUMENT = rf"[a-z][a-z_]*=(?:{VALUE}(?:(?:, | or )(?:{QUOTED}))*)?"
BOTH = re.compile(
    rf"(?<![\w=?&.-])({ARGUMENT}(?:(?:, | and ){ARGUMENT})*)(?: in order)?(?: to read\(\))? \((--[^()\n]*?)(?: on the"
    r" command line)?\)"
)
"""An argument of Python and, in parentheses, the option."""
READ = re.compile(rf"\braters\.read\(\.\.\., ({ARGUMENT}(?:, {ARGUMENT})*)\)")
"""Arguments of ``read``: every command takes them as options."""
OR_ELSE = re.compile(r"\b[a-z_]+=, (?=--)")
ONE = re.compile(rf"(--[a-z-]+ )?(?:(?<![\w=?&.-])({ARGUMENT})|(?<!\w)(?:{QUOTED}))")
"""An argument, or a quotation of the data, which stays as it is; so does QUESTION=SCALE after an option."""
OTHER_NAMES = {"format": "--input-format", "raters": "--raters-as", "start": "--unit-start", "end": "--unit-end"}
"""Arguments whose option has another name."""
REPEATED = ("--missing", "--coefficient")
"""Options that are given once for each value; other lists are separated by commas."""


def options_of(command: click.Command) -> dict[str, str]:
    """The argument of the library that each option of a command stands for -> the option.

    >>> options_of(click.Command("x", params=[click.Option(["--item-cost"]), click.Option(["--gold", "gold_file"])]))
    {'item_cost': '--item-cost', 'gold': '--gold'}
    """
    found = {}
    for p in command.params:
        if isinstance(p, click.Option) and p.name:
            option = next((o for o in p.opts if o.startswith("--")), p.opts[0])
            found[p.name.removesuffix("_file").rstrip("_")] = option
    return found | {name: option for name, option in OTHER_NAMES.items() if option in found.values()}


def as_typed(message: str, options: Mapping[str, str]) -> str:
    """A message with options in place of arguments.

    >>> there = {"scale": "--scale", "missing": "--missing", "interval": "--interval", "encoding": "--encoding"}
    >>> as_typed("use scale='nominal' or 'ordinal', or pass missing=['n a'].", there)
    "use --scale nominal or ordinal, or pass --missing 'n a'."
    >>> as_typed("pass scale='nominal' (--scale nominal); omit interval=, or interval=None", there)
    'pass --scale nominal; omit --interval, or --interval none'
    >>> as_typed("name it: raters.read(..., scale='nominal'); columns found: a", there)
    'name it: --scale nominal; columns found: a'
    >>> as_typed("pass encoding='cp1252' (--encoding); the label 'scale=3' stays", there)
    "pass --encoding cp1252; the label 'scale=3' stays"
    """

    def both(found: re.Match[str]) -> str:
        return found[2] if " " in found[2].strip() else ONE.sub(one, found[1])

    def one(found: re.Match[str]) -> str:
        option, argument = found[1], found[2]
        if argument is None or option:
            return found[0]
        name, value = argument.split("=", 1)
        return _option(options[name], value) if name in options and not value.startswith("{") else argument

    return ONE.sub(one, OR_ELSE.sub("", BOTH.sub(both, READ.sub(r"\1", message))))


def _option(option: str, given: str) -> str:
    """An option with its value; further values keep the words between them."""
    if given in ("", "True"):
        return option
    if given.startswith("["):
        values = _values(given)
        return f" {option} ".join(["", *values]).strip() if option in REPEATED else f"{option} {','.join(values)}"
    words = re.split(rf"((?:, | or )(?={QUOTED}))", given)
    return f"{option} " + "".join(w if i % 2 else _word(_literal(w)) for i, w in enumerate(words))


def _literal(given: str) -> object:
    try:
        return literal_eval(given)
    except (ValueError, SyntaxError):  # a value that a message cut short, in the middle of an escape
        return given.strip("'\"")


def _values(given: str) -> list[str]:
    try:
        return [_word(value) for value in literal_eval(given)]
    except (ValueError, SyntaxError):  # a list that a message cut short
        return [x.strip("' ") for x in given.strip("[]").split(", ")]


def _word(value: object) -> str:
    return "none" if value is None else shlex.quote(str(value))


def sentences_as_typed(content: str) -> str:
    """The sentences of a text for the terminal; rows of tables, in which names of the data stand, are left alone."""
    context = click.get_current_context(silent=True)
    if context is None:
        return content
    options = options_of(context.command)
    return "\n".join(line if "  " in line.strip() else as_typed(line, options) for line in content.split("\n"))


@contextmanager
def one_question(file: Path | list[Path]) -> Iterator[None]:
    """Where a file asks several questions and the command takes one: the whole line to type for the first of them."""
    from raters.io.table import SeveralQuestions

    try:
        yield
    except SeveralQuestions as several:
        context = click.get_current_context(silent=True)
        if context is not None:
            files = shlex.join(map(str, file if isinstance(file, list) else [file]))
            line = f"raters {context.info_name} {files} --question {shlex.quote(several.first)}"
            every = (
                "--by question takes all of them"
                if context.info_name == "consensus"
                else f"raters report {files} answers for all of them"
            )
            several.args = (f"{several.found} Choose one: {line}; {every}.",)
        raise
