"""Ctrl-C during a query is a KeyboardInterrupt, wherever the query runs; DuckDB raises a RuntimeError."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import duckdb
import pytest

import raters
from raters.engines.duckdb import DuckDBEngine
from raters.io.sources import delimited, files

ROWS = "".join(f"q{i // 3},r{i % 3},{'yes' if i % 4 else 'no'}\n" for i in range(30))


def stopped(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError("Query interrupted")


@pytest.mark.parametrize(
    ("where", "name"), [(delimited, "fill"), (DuckDBEngine, "_run"), (delimited, "headers_left_out")]
)
def test_a_text_file(where: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,rater,label\n" + ROWS)
    monkeypatch.setattr(where, name, stopped)
    with pytest.raises(KeyboardInterrupt):
        raters.read(path)


def test_a_parquet_file_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    duckdb.sql(f"COPY (SELECT 'q' AS item, 'r' AS rater, 'yes' AS label) TO '{path}' (FORMAT parquet)")
    monkeypatch.setattr(files, "unpacked", stopped)
    with pytest.raises(KeyboardInterrupt):
        raters.read(path)


def test_other_errors_stay_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> NoReturn:
        raise RuntimeError("something else")

    monkeypatch.setattr(DuckDBEngine, "_run", broken)
    with pytest.raises(RuntimeError, match="something else"):
        raters.read([("q", "r", "yes"), ("q", "s", "no")])


LONG_TASK = """
from raters.cli import noting
from raters.engines.duckdb import DuckDBEngine, connect

noting()
engine = DuckDBEngine("SELECT 1 AS row", connect())
print("ready", flush=True)
try:
    engine.query("SELECT count(*) AS n FROM range(1000000) AS a, range(1000000) AS b WHERE a.range + b.range = 7")
except KeyboardInterrupt:
    print("stopped", engine.query("SELECT 2 AS n")["n"][0])  # and the database goes on
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_on_the_command_line_a_signal_ends_a_query_within_one_long_task(number: int) -> None:
    with subprocess.Popen([sys.executable, "-c", LONG_TASK], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            time.sleep(0.3)  # the query, of an hour, has begun
            process.send_signal(number)
            assert process.communicate(timeout=60)[0] == "stopped 2\n"
        finally:
            process.kill()
