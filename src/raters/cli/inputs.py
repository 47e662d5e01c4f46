"""The input of a command: one file, several people's files, a folder or a zip archive."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from raters.errors import DataError, UsageError, brief, listed

if TYPE_CHECKING:
    from raters.annotations import Annotations


def _one_or_several(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> Path | list[Path]:
    """One path, or the paths of several people's files, which are read as one table; an empty list if no file is
    needed.
    """
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


READERS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
KEPT_OPTIONS = ("sheet", "input_format", "header", "skip", "question", "sep", "multi", "keep")
"""Options for files that Spark does not read."""


def source_of(file: Path | list[Path], options: dict[str, Any]) -> Any:
    """What ``read`` takes: the path or paths, or a frame of the requested engine."""
    if options.get("engine") == "spark":
        return spark_frame(file, options.get("master"), options)
    if options.get("master") is not None:
        raise click.UsageError("--master applies to --engine spark.")
    return fspath(file) if isinstance(file, Path) else file


def spark_frame(files: Path | Sequence[Path], master: str | None, options: dict[str, Any]) -> Any:
    """The rows of the files as a Spark frame, kept in Spark's memory (or on its disks if it does not fit) until the
    command ends.

    Without ``master``, the session is the one that the environment describes (``spark-submit``, SPARK_REMOTE), or uses
    all local cores.
    """
    given = [name for name in KEPT_OPTIONS if options.get(name)]
    if given:
        raise UsageError(f"--engine spark does not take {listed(['--' + n.replace('_', '-') for n in given])}.")
    paths = [fspath(files)] if isinstance(files, Path) else [fspath(path) for path in files]
    kind = _kind(paths)
    session, ours = _session(master)
    delimiter = options.get("delimiter") or ("\t" if paths[0].lower().endswith((".tsv", ".tsv.gz")) else ",")
    asked = (
        {"header": True, "inferSchema": True, "sep": delimiter, "quote": '"', "escape": '"'} if kind == "csv" else {}
    )
    try:
        # without a scheme, Spark looks for a path in the file system of the cluster; a local file is marked as local
        located = ["file://" + os.path.abspath(p) if "://" not in p and os.path.exists(p) else p for p in paths]
        frame = session.read.format(kind).options(**asked).load(located)
    except Exception as error:  # Spark raises many kinds of errors, all with a long trace
        raise DataError(f"{paths[0]}: Spark cannot read it ({brief(str(error).splitlines()[0])}).") from None
    frame.persist()
    click.get_current_context().call_on_close(lambda: _released(frame, session if ours else None))
    return frame


def _kind(paths: Sequence[str]) -> str:
    endings = {Path(p.rstrip("/*").removesuffix(".gz")).suffix.lower() for p in paths}
    kinds = {READERS.get(ending, "parquet" if not ending else "") for ending in endings}
    if len(kinds) != 1 or kinds == {""}:
        raise UsageError(
            f"--engine spark reads Parquet, CSV or JSON lines, all files of one kind; found {listed(sorted(endings))}."
        )
    return kinds.pop()


def _session(master: str | None) -> tuple[Any, bool]:
    """The session, and whether it was created here."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError("--engine spark needs pyspark: pip install pyspark.") from None
    builder = SparkSession.builder.appName("raters").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master is not None and master.startswith("local"):  # the default, 200, is for a cluster
        builder = builder.config("spark.sql.shuffle.partitions", "8")
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    try:
        before = SparkSession.getActiveSession()
        return builder.getOrCreate(), before is None
    except Exception as error:
        where = f"--master {master}" if master else "the session"
        raise UsageError(f"{where} cannot be reached ({brief(str(error).splitlines()[0])}).") from None


def _released(frame: Any, session: Any) -> None:
    with suppress(Exception):
        frame.unpersist()
    if session is not None:
        with suppress(Exception):
            session.stop()


HELD = "raters.key"
A = TypeVar("A")


def hidden(ann: A, options: dict[str, Any]) -> A:
    """The table with codes instead of names, if requested; the key is kept until something is written."""
    if not options.get("anonymize"):
        return ann
    from raters.reporting.anonymous import anonymous, coded, without_names
    from raters.spans.units import Spans

    context = click.get_current_context()
    path, known = context.meta.get(HELD) or _start(context)
    key: dict[str, Any]
    made: Any = ann
    if isinstance(made, Spans):
        aside = models(made, options)
        key = coded([r for r in made.raters if r not in aside], dict(known), None)
        codes = {who: code for code, who in key.items()} | {r: r for r in aside}
        made = made.renamed(codes, lambda note: without_names(note, codes, None))
    else:
        made, key = anonymous(
            made,
            known=known,
            least=options["least_raters"],
            models=models(made, options),
            kind=options.get("judges_from"),
        )
    context.meta[HELD] = (path, key)
    return cast(A, made)


def models(ann: Any, options: dict[str, Any]) -> set[str]:
    """The raters that options identify as models: they are not people, so they keep their names."""
    if options.get("judges_from"):
        from raters.judges.people_and_judges import machines

        return set(machines(ann, options["judges_from"]))
    return {name.strip() for name in (options.get("judges") or "").split(",") if name.strip()}


def _start(context: click.Context) -> tuple[Path, dict[str, Any]]:
    """The path of the key, and the codes that it already holds."""
    from raters.cli.terminal import inputs
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


class FirstOfSeveral:
    """The first of several tables for the renderers, which report for each table what was not used."""

    def __init__(self, anns: Sequence[Annotations], names: Sequence[str] = ()) -> None:
        self.anns = list(anns)
        self.names = list(names)
        """The names of the tables, if they are questions of one source."""

    def summary(self) -> dict[str, Any]:
        return self.anns[0].summary()

    def __str__(self) -> str:
        from raters.notes.note import of_question

        if not self.names:
            return str(self.anns[0])
        with of_question(self.names[0]):
            return "\n".join(f"{self.names[0]}: {x}" for x in str(self.anns[0]).splitlines())


def tell_beside_csv(ann: Annotations, question: str = "") -> None:
    """Print the notes on standard error when the command ends: CSV, JUnit and a table to paste have no room for a
    sentence, since a comment would be read as a row. Those of several questions are said together.
    """
    context = click.get_current_context(silent=True)
    if context is None or sys.stderr is None:
        return
    if context.params.get("format_") not in ("csv", "junit") and not context.params.get("paper"):
        return
    tables: list[tuple[str, Annotations]] = context.meta.setdefault(TOLD, [])
    if not tables:
        context.call_on_close(lambda: _tell(tables, context.info_name != "look"))
    tables.append((question, ann))


TOLD = "raters.told"


def _tell(tables: Sequence[tuple[str, Annotations]], figures: bool) -> None:
    """The notes about the tables that a command has read."""
    from raters.reporting.first_lines import first_lines
    from raters.reporting.how_read import how_read
    from raters.words import printable

    names = [question for question, _ in tables]
    if all(names) and len(names) > 1:
        read = how_read(FirstOfSeveral([ann for _, ann in tables], names), figures)
        lines = [(tables[0][1].source, said) for said in (*([read.change] if read.change else []), *read.by_name)]
    else:
        lines = [(ann.source, said) for _, ann in tables for said in first_lines(ann, figures)]
    for source, said in lines:
        with suppress(OSError):  # standard error is closed
            click.echo(f"raters: {printable(source)}: {printable(said)}", err=True)
