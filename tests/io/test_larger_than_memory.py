"""Several files as one table that the database holds, a database held to so much memory, and nothing left behind."""

import gc
import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import raters
from raters.engines.duckdb import DuckDBEngine, connect, gathered, memory_limit
from raters.io.exports import several_files as plain
from raters.models.fitting import on_engine
from raters.writing import MARK


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    made = []
    for day in range(3):
        path = tmp_path / f"day's {day}.parquet"
        duckdb.sql(
            f"SELECT 'q' || (i // 3 + 100 * {day}) AS item, 'r' || (i % 3) AS rater, ['no', 'yes'][1 + (i * 7 + {day})"
            " % 5 % 2] AS label FROM range(60) AS t(i)"
        ).write_parquet(str(path))
        made.append(path)
    return made


def test_files_of_the_same_columns_are_one_view(parts: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = DuckDBEngine.query
    monkeypatch.setattr(DuckDBEngine, "query", lambda self, sql, **t: asked.append(sql) or real(self, sql, **t))
    ann = raters.read(parts)
    assert not any("ORDER BY row" in sql and "LIMIT" not in sql for sql in asked)  # no rows were brought here
    assert (ann.n_items, ann.n_annotations, ann.extras) == (60, 180, ("file",))
    assert [e.name for e in raters.agreement(ann, by="file", interval=None)] == [path.name for path in parts]
    folder = raters.read(parts[0].parent)
    assert raters.agreement(folder).to_dict() == raters.agreement(ann).to_dict()
    first = ann.engine.query("SELECT item, file FROM annotations ORDER BY row LIMIT 1")
    assert first["item"][0] == "q0" and first["file"][0] == parts[0].name


def test_files_without_raters_are_a_rater_each(tmp_path: Path) -> None:
    paths = []
    for name in ("ann", "bob"):
        path = tmp_path / f"{name}.parquet"
        duckdb.sql("SELECT i AS item, ['no', 'yes'][1 + i % 2] AS label FROM range(10) AS t(i)").write_parquet(
            str(path)
        )
        paths.append(path)
    ann = raters.read(paths)
    assert ann.n_raters == 2 and float(raters.agreement(ann, interval=None)) == 1.0


def test_a_file_that_changes_is_an_error(parts: list[Path]) -> None:
    ann = raters.read(parts)
    duckdb.sql("SELECT 'x' AS item, 'y' AS rater, 'no' AS label").write_parquet(str(parts[2]))
    with pytest.raises(raters.DataError, match=r"day.s 2\.parquet was changed after it was read"):
        raters.per_rater(ann)


def test_other_columns_are_put_together_in_memory(parts: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    duckdb.sql("SELECT 'q900' AS item, 'r0' AS rater, 'no' AS label, 1 AS topic").write_parquet(str(other))
    ann = raters.read([*parts, other])
    assert ann.n_annotations == 181 and "topic" in ann.extras


def setting(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    return str(connection.execute(f"SELECT current_setting('{name}')").fetchall()[0][0])


def test_memory_is_limited_and_the_rest_goes_to_a_private_folder(parts: list[Path]) -> None:
    ann = raters.read(parts, memory="200 MB")
    assert setting(ann.engine._connection, "memory_limit") == "190.7 MiB"
    assert memory_limit(ann.engine) == pytest.approx(200e6, rel=1e-3)
    place = Path(setting(ann.engine._connection, "temp_directory"))
    folder = place.parent
    assert folder.joinpath(MARK).exists() and folder.stat().st_mode & 0o777 == 0o700
    assert place != Path(setting(connect(), "temp_directory")), "two databases must not write the same files"
    assert raters.agreement(ann).to_dict() == raters.agreement(parts).to_dict()


def test_the_limit_of_a_table_ends_with_it(parts: list[Path]) -> None:
    before = setting(connect(), "memory_limit")
    ann = raters.read(parts, memory="200MB")
    other = raters.read(parts)
    assert setting(connect(), "memory_limit") == before == setting(other.engine._connection, "memory_limit")
    assert setting(raters.read(parts, memory="300MB").engine._connection, "memory_limit") == "286.1 MiB"
    assert setting(ann.engine._connection, "memory_limit") == "190.7 MiB"
    with pytest.raises(raters.DataError):
        raters.read([("a", "b")], label="z", memory="200MB")
    assert setting(connect(), "memory_limit") == before


def test_a_fit_by_sql_keeps_to_the_limit_of_its_table(parts: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    ann = raters.read(parts, memory="200MB")
    made = []
    monkeypatch.setattr(on_engine, "gathered", lambda *given: made.append(gathered(*given)) or made[-1])
    on_engine.fit_on_engine(ann, "dawid_skene")
    assert [setting(connection, "memory_limit") for connection in made] == ["190.7 MiB"]


@pytest.mark.parametrize("size", ["", "lots", "1MB", "-1GB", "10", "5 GB; DROP TABLE x"])
def test_what_is_no_size_is_an_error(size: str) -> None:
    with pytest.raises(raters.UsageError, match="pass a size of at least 50MB"):
        raters.read([("a", "b", "c")], memory=size)


def test_reading_leaves_no_files_open(parts: list[Path]) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files are counted where the system lists them")
    raters.agreement(parts, interval=None)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        raters.agreement(parts, interval=None)
    assert len(os.listdir("/proc/self/fd")) <= before + 2


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_text_files_are_put_together_by_the_database(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(3):
        rows = [(f"d{day}i{i}", f"r{j}", (i * j + day) % 3) for i in range(9) for j in range(3)]
        if ending == "csv":  # the first has no notes
            head, more = ("item,rater,label", "") if not day else ("item,rater,label,note", ",x")
            lines = [head, *(f"{i},{r},{x}{more}" for i, r, x in rows)]
        else:
            lines = [json.dumps({"item": i, "rater": r, "label": x}) for i, r, x in rows]
        tmp_path.joinpath(f"day's {day}.{ending}").write_text("\n".join(lines))
    monkeypatch.setattr(plain, "in_memory", lambda *_: pytest.fail("rows were brought into memory"))
    ann = raters.read(str(tmp_path / f"*.{ending}"), scale="nominal")
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (27, 3, 81)
    assert ann.labels == (0, 1, 2) and "file" in ann.extras
    first = ann.engine.query("SELECT item, file FROM annotations ORDER BY row")
    assert first["item"].tolist() == [f"d{day}i{i}" for day in range(3) for i in range(9) for _ in range(3)]
    assert set(first["file"]) == {f"day's {day}.{ending}" for day in range(3)}


def test_columns_that_are_numbers_in_one_file_and_text_in_another_still_make_one(tmp_path: Path) -> None:
    for name, label in (("a", 1), ("b", "one")):
        tmp_path.joinpath(f"{name}.jsonl").write_text(json.dumps({"item": "q", "rater": name, "label": label}))
    assert raters.read(str(tmp_path / "*.jsonl"), scale="nominal").n_annotations == 2


def test_a_killed_run_that_spilled_leaves_nothing_after_the_next_start(tmp_path: Path) -> None:
    code = (
        "import os, sys, duckdb, raters\nfrom raters.engines.duckdb import connect, limited\nraters.read([('a',"
        " 'b', 'c'), ('a', 'd', 'c')], scale='nominal')\nif sys.argv[1] == 'kill':\n    with limited('50MB'):\n   "
        "     connection = connect()\n    connection.execute('CREATE TEMP TABLE t AS SELECT hash(i) AS a, hash(i + 1) AS b"
        " FROM range(5000000) AS r(i)')\n    os.kill(os.getpid(), 9)\n"
    )
    env = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code, "kill"], env=env, check=False)
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != MARK]
    assert sum(path.stat().st_size for path in left) > 10_000_000, "it spilled"
    subprocess.run([sys.executable, "-c", code, "end"], env=env, check=True)
    assert list(tmp_path.iterdir()) == []


def test_reports_in_one_process_keep_nothing(parts: list[Path]) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files are counted where the system lists them")

    def state() -> tuple[int, int]:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return len(os.listdir("/proc/self/fd")), pages * os.sysconf("SC_PAGE_SIZE")

    def one() -> None:
        raters.report(parts[0], interval=None, resamples=50).text()

    one()
    files, memory = state()
    for _ in range(2):
        one()
    after = state()
    assert after[0] <= files
    assert after[1] - memory < 30_000_000
