"""``--engine spark``: files read by a Spark session that is created for this command and stopped with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from os import fspath
from pathlib import Path
from typing import Any

import click

from raters.errors import DataError, UsageError, brief, listed

READERS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
KEPT_OPTIONS = ("sheet", "input_format", "header", "question", "sep", "multi", "keep")
"""Options for files that Spark does not read."""


def source_of(file: Path | list[Path], options: dict[str, Any]) -> Any:
    """What ``read`` takes: the path or paths, or a frame of the requested engine."""
    if options.get("engine") == "spark":
        return spark_frame(file, options.get("master"), options)
    if options.get("master") is not None:
        raise click.UsageError("--master applies to --engine spark.")
    return fspath(file) if isinstance(file, Path) else file


def spark_frame(files: Path | Sequence[Path], master: str | None, options: dict[str, Any]) -> Any:
    """The rows of the files as a Spark frame, kept in Spark's memory (or on its disks if it does not fit) until the command ends.

    Without ``master``, the session is the one that the environment describes (``spark-submit``, SPARK_REMOTE), or uses all local cores.
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
