"""``raters watch``: agreement week after week, with an alarm that may be looked at as often as one likes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from raters.cli.command import command, option
from raters.cli.inputs import source
from raters.cli.options import output_file, put, read_table, reading, refuse, stop
from raters.cli.terminal import working


@command()
@source
@option("--by", metavar="COLUMN", help="One table: the column of dates; weeks are those of the calendar.")
@option("--baseline", type=click.IntRange(min=1), default=4, show_default=True, metavar="N",
        help="The first N weeks are what later weeks are compared with.")  # fmt: skip
@option(
    "--looks",
    type=click.IntRange(min=1),
    default=52,
    show_default=True,
    metavar="N",
    help="How many later weeks are planned.",
)
@option("--floor", type=float, help="Instead: alarm if alpha is below this value.")
@option("--judge", metavar="NAME", help="Watch the agreement of this rater, a model, with the others.")
@option("--before", type=click.Path(dir_okay=False, path_type=Path), metavar="JSON",
        help="What an earlier look wrote (--format json), to say which weeks changed since.")  # fmt: skip
@reading
@option("--format", "format_", type=click.Choice(["text", "json", "junit"]), default="text", show_default=True)
@output_file("Write to FILE instead of the terminal.")
@option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def watch(file: Path | list[Path], format_: str, output: Path | None, force: bool, **options: Any) -> None:
    """Watch agreement in the weeks FILE... (tables or folds, by name), and alarm if it fell.

    \b
    raters watch 2026-*.fold
    raters watch labels.csv --by date --baseline 6
    raters watch 2026-*.fold --floor 0.6 --format junit -o watch.xml

    In at most 5 % of whole streams without a fall there is any alarm, however often one looks. Exit code 1 on alarm.
    """
    from raters.agree.watching import ALARM, in_turn, week_names
    from raters.agree.watching import watch as measure
    from raters.reporting.junit import Check, junit

    refuse(output, force)
    before = options["before"]
    with working("reading"):
        paths = [file] if isinstance(file, Path) else [Path(p) for p in in_turn(map(str, file))]
        if options["by"] is not None:
            weeks: Any = read_table(file, options)
        else:
            weeks = {name: read_table(p, options) for name, p in zip(week_names(paths), paths, strict=True)}
    names = ("by", "baseline", "looks", "floor", "judge")
    with working("comparing weeks"):
        seen = None if before is None else _seen(before)
        found = measure(weeks, before=seen, **{name: options[name] for name in names})
    if format_ == "json":
        put(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n", output, force)
    elif format_ == "junit":
        checks = [
            Check(
                e.name,
                "agreement has not fallen",
                e.details["evidence"] < ALARM,
                f"evidence {e.details['evidence']:.2f}, alarm at 20",
            )
            for e in found
        ]
        put(junit("raters watch", checks, found.sentence), output, force)
    else:
        put(f"{found}\n", output, force, format_=format_)
    if found.alarm is not None:
        stop(f"alarm since {found.alarm.name}", 1)


def _seen(path: Path) -> Any:
    """What an earlier look wrote."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        stop(f"{path}: not the JSON of an earlier look ({error}).")
