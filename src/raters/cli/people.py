"""--anonymize, in every command: codes for raters, with the key in a separate file that only its owner can read."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from raters.errors import UsageError

if TYPE_CHECKING:
    from raters.annotations import Annotations

HELD = "raters.key"


def hidden(ann: Annotations, options: dict[str, Any]) -> Annotations:
    """The table with codes instead of names, if requested; the key is kept until something is written."""
    if not options.get("anonymize"):
        return ann
    from raters.reporting.anonymous import anonymous

    context = click.get_current_context()
    path, known = context.meta.get(HELD) or _start(context)
    ann, key = anonymous(
        ann, known=known, least=options["least_raters"], models=models(ann, options), kind=options.get("judges_from")
    )
    context.meta[HELD] = (path, key)
    return ann


def models(ann: Annotations, options: dict[str, Any]) -> set[str]:
    """The raters that options identify as models: they are not people, so they keep their names."""
    if options.get("judges_from"):
        from raters.judges.people_and_judges import machines

        return set(machines(ann, options["judges_from"]))
    return {name.strip() for name in (options.get("judges") or "").split(",") if name.strip()}


def _start(context: click.Context) -> tuple[Path, dict[str, Any]]:
    """The path of the key, and the codes that it already holds."""
    from raters.cli.streams import inputs
    from raters.writing import refuse_existing

    given, output = context.params.get("key_file"), context.params.get("output")
    if given is None and output is None:
        raise UsageError("--anonymize also writes a key; say where with -o FILE or --key FILE.")
    path = Path(given or Path(str(output)).with_name(f"{Path(str(output)).stem}-key.csv"))
    refuse_existing(path, True, inputs())
    return path, known_codes(path) if path.exists() else {}


def known_codes(path: Path) -> dict[str, Any]:
    """The codes in an existing key."""
    try:
        head, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
        if head != ["code", "rater"] or any(len(row) != 2 for row in rows):
            raise ValueError
    except (OSError, ValueError):
        raise UsageError(
            f"{path} exists and is not a key (its columns are not code,rater). Choose another file with --key FILE."
        ) from None
    return {code: who[1:] if who[:2] in ("'=", "'+", "'-", "'@") else who for code, who in rows}


def write_key() -> Path | None:
    """Write the key before anything that needs it; only its owner can read it."""
    from raters.writing import csv_text, write_whole

    context = click.get_current_context(silent=True)
    held = context.meta.pop(HELD, None) if context is not None else None
    if held is None:
        return None
    path, key = held
    write_whole(
        path,
        csv_text(("code", "rater"), ([c, str(who)] for c, who in sorted(key.items()))).encode(),
        True,
        private=True,
    )
    click.echo(f"Keep this file private: {path.resolve()}", err=True)
    return Path(path)
