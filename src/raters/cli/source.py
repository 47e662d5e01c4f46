"""The input of a command: one file, several people's files, a folder or a zip archive."""

from __future__ import annotations

from pathlib import Path

import click


def _one_or_several(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> Path | list[Path]:
    """One path, or the paths of several people's files, which are read as one table; an empty list if no file is needed."""
    return value[0] if len(value) == 1 else list(value)


source = click.argument(
    "file", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...", callback=_one_or_several
)

optional_source = click.argument(
    "file", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE...]", callback=_one_or_several
)


def need_file(file: Path | list[Path], instead: str) -> None:
    """Stop if neither a file nor a substitute for it was given."""
    if file == []:
        raise click.UsageError(f"pass a FILE, or {instead}.")


def source_name(file: Path | list[Path]) -> str:
    """The name of the file, or of the first of several."""
    return (file if isinstance(file, Path) else file[0]).name
