"""Writes the reference from the source: functions, results, commands, coefficients, weights, models, formats, errors.

``make docs`` calls :func:`write` before Sphinx reads the pages. Nothing here is kept in the repository, so that the
reference cannot fall behind; a test builds it and asks for a page of every public name.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import command_examples
import option_examples
import reference_examples
from click import Context, Option

import raters
from raters import errors
from raters.cli import COMMANDS, Commands
from raters.coefficients import REGISTRY
from raters.inference.intervals import METHODS
from raters.io.sources.files import READERS
from raters.models.families.registry import MODELS
from raters.scales import DISTANCES, SET_DISTANCES, SET_WEIGHTS, WEIGHTS


def write(folder: Path) -> None:
    """Every page of the reference, in this folder."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    pages: dict[str, str] = {}
    for name, make in PAGES.items():
        pages[name] = make()
    titles = "\n".join(pages)
    pages["index"] = (
        f"# Reference\n\nGenerated from the source of this version.\n\n```{{toctree}}\n:maxdepth: 1\n\n{titles}\n```\n"
    )
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


# docstrings


def markdown(text: str) -> str:
    """A docstring as Markdown: roles become code, examples become blocks."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    out, example = [], False
    for line in text.splitlines():
        starts = line.lstrip().startswith(">>>")
        if starts and not example:
            out += ["", "```pycon"]
        elif example and not line.strip():
            out.append("```")
        example = (example or starts) and bool(line.strip())
        out.append(line.lstrip() if example else line if line[:4].strip() or not line.strip() else line.strip())
    return "\n".join([*out, "```"] if example else out)


def signature(name: str, thing: Callable[..., Any]) -> str:
    """A call with its options, one a line where they are many."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    given = [
        re.sub(r"'([^']*)'", r"\1", str(p), count=1) if "'" in str(p).split("=")[0] else str(p)
        for p in found.parameters.values()
    ]
    if found.parameters and any(p.kind is p.KEYWORD_ONLY for p in found.parameters.values()):
        at = next(i for i, p in enumerate(found.parameters.values()) if p.kind is p.KEYWORD_ONLY)
        given.insert(at, "*")
    short = f"{name}({', '.join(given)})"
    return short if len(short) < 90 else f"{name}(\n    " + ",\n    ".join(given) + ",\n)"


def entry(name: str, thing: Any, level: str = "##") -> str:
    """The heading, the call and the words of one name."""
    call = f"```python\n{signature(name, thing)}\n```\n\n" if inspect.isroutine(thing) else ""
    return f"{level} {name}\n\n{call}{markdown(inspect.getdoc(thing) or '')}\n"


def runs(lines: str, *, shown: int = 40) -> str:
    """Python that runs when the page is built."""
    return f"```{{run-python}}\n:lines: {shown}\n\n{lines}\n```\n"


def example_rows(title: str) -> str:
    """An example for each row of a registry, in one block."""
    table, example = reference_examples.REGISTRIES[title]
    return runs("\n".join(example(name) for name in table))


# pages


def functions() -> str:
    parts = [
        entry(f"{module.__name__}.{n}", getattr(module, n))
        for module in (raters, raters.sets)
        for n in module.__all__
        if inspect.isroutine(getattr(module, n))
    ]
    return "# Functions\n\n" + "\n".join(parts)


def results() -> str:
    kinds = [(module, getattr(module, n)) for module in (raters, raters.results) for n in module.__all__]
    parts = ["# Results\n"]
    for module, kind in kinds:
        if not inspect.isclass(kind) or kind in vars(errors).values():  # errors have their own page
            continue
        parts.append(entry(f"{module.__name__}.{kind.__name__}", kind))
        rows = [
            (n, (inspect.getdoc(m) or "").split("\n\n")[0].replace("\n", " "))
            for n, m in inspect.getmembers(kind)
            if not n.startswith("_") and (inspect.isroutine(m) or isinstance(m, property)) and _own(kind, n)
        ]
        if rows:
            parts.append("| | |\n|---|---|\n" + "\n".join(f"| `{n}` | {cell(text)} |" for n, text in rows) + "\n")
        if kind.__name__ in reference_examples.RESULTS:
            parts.append(runs(reference_examples.RESULTS[kind.__name__], shown=12))
    parts.insert(1, runs(reference_examples.START))
    return "\n".join(parts)


def _own(kind: type, name: str) -> bool:
    """Whether the name is of this package, not of a base class such as Sequence."""
    return any(name in base.__dict__ and base.__module__.startswith("raters") for base in kind.__mro__)


def cell(text: str) -> str:
    return markdown(text).replace("|", "\\|").replace("\n", " ")


def modules() -> str:
    parts = ["# Modules\n"]
    for n in raters.__all__:
        module = getattr(raters, n)
        if not inspect.ismodule(module):
            continue
        parts.append(f"## raters.{n}\n\n{markdown(inspect.getdoc(module) or '')}\n")
        if module in (raters.results, raters.sets):  # on pages of their own
            continue
        names = getattr(
            module,
            "__all__",
            [x for x, y in vars(module).items() if inspect.isfunction(y) and y.__module__ == module.__name__],
        )
        parts += [
            entry(f"raters.{n}.{x}", getattr(module, x), "###")
            for x in names
            if not x.startswith("_") and (inspect.isroutine(getattr(module, x)) or inspect.isclass(getattr(module, x)))
        ]
    return "\n".join(parts)


def commands() -> str:
    parts = [
        "# Commands\n",
        (
            "What `raters COMMAND --help` prints, and a line to type for every option. Each line is run in the tests,"
            " with the option and without it, on small files that `docs/_ext/command_files.py` makes; a test fails if"
            " an option has no line or changes nothing.\n"
        ),
        "## Options that all commands share\n",
        option_table(command_examples.SHARED, {}),
    ]
    group = Commands()
    for name, line in COMMANDS.items():
        command = group.get_command(None, name)  # type: ignore[arg-type]
        context = Context(command, info_name=f"raters {name}")
        parts.append(f"## raters {name}\n\n{line}\n\n```text\n{context.command.get_help(context)}\n```\n")
        stays = reference_examples.STAYS.get(name)
        shown = f"sh\n{stays}" if stays else f"{{run}}\n:lines: 12\n\n{reference_examples.COMMANDS[name]}"
        parts.append(f"```{shown}\n```\n")
        own = command_examples.OWN.get(name, {})
        if own:
            parts.append(option_table(own, {_long(p): p.help or "" for p in command.params if isinstance(p, Option)}))
    return "\n".join(parts)


def _long(option: Option) -> str:
    return next(o for o in option.opts if o.startswith("--"))


def option_table(examples: Mapping[str, str], meanings: Mapping[str, str]) -> str:
    """A row for each option: what it means, and a line to type."""
    rows = ["| option | meaning | example |", "|---|---|---|"]
    for name, line in examples.items():
        why = command_examples.NOT_RUN.get(name)
        said = f" (not run in the tests of the examples: {why})" if why else ""
        meaning = meanings.get(name) or _shared_meaning(name)
        rows.append(f"| `{name}` | {cell(meaning)}{said} | `{line.replace('|', chr(92) + '|')}` |")
    return "\n".join(rows) + "\n"


def _shared_meaning(name: str) -> str:
    """The help of an option that several commands have; of a choice, its values."""
    options = [p for c in COMMANDS for p in Commands().get_command(None, c).params if isinstance(p, Option)]  # type: ignore[arg-type, union-attr]
    found = next(p for p in options if name in p.opts)
    return found.help or ", ".join(getattr(found.type, "choices", ()))


def coefficients() -> str:
    rows = [
        "# Coefficients, weights and distances\n",
        "[Formulas and advice](../coefficients.md).\n",
        runs(reference_examples.START),
        "## Coefficients\n",
    ]
    rows.append("| name | | also called | paper |\n|---|---|---|---|")
    for name, row in REGISTRY.items():
        rows.append(f"| `{name}` | {row.title} | {cell(', '.join(row.synonyms))} | {row.paper} |")
    rows.append("\n" + example_rows("Coefficients"))
    for title, table in (
        ("Weights", WEIGHTS),
        ("Distances", DISTANCES),
        ("Weights of sets", SET_WEIGHTS),
        ("Distances of sets", SET_DISTANCES),
    ):
        rows += [f"\n## {title}\n", "| name | |\n|---|---|", *_registry(table), "\n" + example_rows(title)]
    rows += ["\n## Intervals\n", "[Which, and why](../intervals.md).\n", "| name | |\n|---|---|", *_registry(METHODS)]
    rows.append("\n" + example_rows("Intervals"))
    return "\n".join(rows) + "\n"


def _registry(table: Mapping[str, Any]) -> list[str]:
    def words(row: Any) -> str:
        said = getattr(row, "title", "") or getattr(row, "words", "")
        function = getattr(row, "function", row)
        return str(said) or (inspect.getdoc(function) or "").split("\n")[0] if callable(function) else str(said)

    return [f"| `{name}` | {cell(words(row))} |" for name, row in table.items()]


def models() -> str:
    rows = [
        "# Models and file formats\n",
        "## Annotation models\n",
        "[What each assumes](../models.md).\n",
        "| name | |\n|---|---|",
    ]
    rows += [*_registry(MODELS), "\n" + runs(reference_examples.START), example_rows("Annotation models")]
    rows += [
        "\n## File formats\n",
        "[How files are read](../reading.md), and [exports of labelling tools](../exports.md).\n",
    ]
    rows.append(runs(reference_examples.FORMATS_START))
    for name, row in READERS.items():
        rows += [f"### {name}\n", ", ".join(f"`{ending}`" for ending in row.endings) + "\n"]
        rows.append(runs(reference_examples.FORMATS[name]))
    return "\n".join(rows)


def error_page() -> str:
    """Every error, with what to do."""
    kinds = [x for x in vars(errors).values() if inspect.isclass(x) and x.__module__ == errors.__name__]
    parts = [
        "# Errors and warnings\n",
        (
            "Every message is one line: what was found, where, and what to type instead. The command line prints it and"
            " exits with 2.\n"
        ),
    ]
    parts.append(runs(reference_examples.START))
    for k in kinds:
        parts += [entry(f"raters.{k.__name__}", k), runs(reference_examples.ERRORS[k.__name__])]
    return "\n".join(parts)


def options() -> str:
    """Every option of the public functions, in a call that uses it."""
    parts = [
        "# Options\n",
        (
            "One call for every option of the public functions; all of them run when this page is built. What each"
            " option means is explained with [its function](functions.md).\n"
        ),
        runs(option_examples.START),
    ]
    for title, calls in option_examples.SECTIONS.items():
        lines = "\n".join(f"{call}  # {name}=" for name, call in calls.items())
        parts += [f"## {title}\n", ", ".join(f"`{name}`" for name in calls) + "\n", runs(lines)]
    return "\n".join(parts)


PAGES: Mapping[str, Callable[[], str]] = {
    "functions": functions, "results": results, "modules": modules, "options": options, "commands": commands, "coefficients": coefficients,
    "models": models, "errors": error_page,
}  # fmt: skip


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", lambda made: write(Path(made.srcdir) / "reference"))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
