"""What was read stays what it was: files that change, arrays that change, other processes, pickles."""

import copy
import os
import pickle
import subprocess
import sys

import duckdb
import numpy as np
import pytest

import raters
from raters.errors import DataError, UsageError


def parquet(path, seed):
    table = (
        "SELECT i // 4 AS item, 'r' || (i % 4) AS rater, CASE WHEN hash(i // 4 + {0}) % 2 = 0 AND hash(i) % 5 > 0 "
        "THEN 'a' ELSE 'b' END AS label, current_date AS day, i::HUGEINT * 100000000000000000000 AS big "
        "FROM range(400) t(i)"
    )
    duckdb.sql(table.format(seed)).write_parquet(str(path))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "labels.parquet"
    parquet(path, 0)
    return path


def test_a_file_that_is_written_anew_is_an_error(file):
    ann = raters.read(file, scale="nominal")
    before = raters.agreement(ann, interval=None).value
    parquet(file, 7)
    with pytest.raises(DataError, match=r"labels\.parquet was changed after it was read"):
        raters.per_rater(ann)
    assert raters.agreement(ann, interval=None).value == before, "what is known already stays so"
    file.unlink()
    with pytest.raises(DataError, match=r"labels\.parquet is gone"):
        raters.per_item(ann)


def test_a_file_that_is_written_during_the_query_is_an_error(file, monkeypatch):
    ann = raters.read(file, scale="nominal")
    run = type(ann.engine)._run

    def slow(self, sql):
        parquet(file, 7)
        return run(self, sql)

    monkeypatch.setattr(type(ann.engine), "_run", slow)
    with pytest.raises(DataError, match="was changed"):
        raters.per_rater(ann)


@pytest.mark.parametrize("raters_", ["rows", "columns"])
@pytest.mark.parametrize("dtype", [float, np.int64])
def test_arrays_of_the_user_may_change(raters_, dtype):
    label = np.array([0, 1, 0, 1, 1, 1, 0, 0], dtype=dtype)
    columns = {"item": np.arange(8) // 2, "rater": np.arange(8) % 2, "label": label}
    matrix = np.ascontiguousarray(label.reshape(2, 4) if raters_ == "rows" else label.reshape(2, 4).T)
    several = [
        raters.read(columns, scale="nominal"),
        raters.read(matrix, layout="wide", raters=raters_, scale="nominal"),
        raters.read(matrix, layout="wide", raters=raters_, scale="nominal", labels=[0, 1], missing=["x"]),
    ]
    fresh = [copy.deepcopy(columns), matrix.copy()]
    label[:], matrix[:], columns["item"][:] = 1, 1, 0
    again = [
        raters.read(fresh[0], scale="nominal"),
        *[raters.read(fresh[1], layout="wide", raters=raters_, scale="nominal")] * 2,
    ]
    for ann, other in zip(several, again, strict=True):
        assert raters.agreement(ann, interval=None).value == raters.agreement(other, interval=None).value


def test_frames_of_the_user_may_change():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"item": [1, 1, 2, 2, 3, 3], "rater": list("ababab"), "label": [0, 1, 0, 0, 1, 1]})
    ann = raters.read(frame, scale="nominal")
    frame.loc[:, "label"] = 1
    frame["label"].to_numpy(copy=True)[:] = 1
    assert raters.agreement(ann, "percent", interval=None).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("kind", ["parquet", "rows", "matrix", "sets"])
def test_tables_can_be_pickled_and_copied(file, kind):
    if kind == "parquet":
        ann = raters.read(file, scale="nominal")
    elif kind == "rows":
        ann = raters.read([(i // 3, f"r{i % 3}", "xyz"[(i * i) % 3]) for i in range(30)], scale="nominal")
    elif kind == "matrix":
        ann = raters.read(np.arange(30).reshape(10, 3) % 4, layout="wide", scale="nominal")
    else:
        ann = raters.read([(i // 2, i % 2, ["a", "b"][: 1 + i % 2]) for i in range(10)], scale="sets")
    raters.agreement(ann, interval=None, weights=None) if kind != "sets" else None
    file.unlink(missing_ok=True) if kind != "parquet" else None
    back = pickle.loads(pickle.dumps(ann))
    query = "SELECT * FROM annotations ORDER BY row"
    ours, theirs = ann.engine.query(query), back.engine.query(query)
    assert list(ours) == list(theirs) and all(np.array_equal(ours[c], theirs[c]) for c in ours)
    assert str(back) == str(ann) and back.labels == ann.labels
    assert copy.copy(ann) is ann and copy.deepcopy(ann) is ann


def test_a_pickle_needs_the_file_no_more(file):
    content = pickle.dumps(raters.read(file, scale="nominal"))
    before = raters.agreement(raters.read(file, scale="nominal"), interval=None).value
    file.unlink()
    assert raters.agreement(pickle.loads(content), interval=None).value == before


def test_a_relation_says_why_it_cannot_be_pickled():
    ann = raters.read(duckdb.sql("SELECT 1 AS item, 'a' AS rater, 'x' AS label"), scale="nominal")
    with pytest.raises(UsageError, match="in your own database"):
        pickle.dumps(ann)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_says_why_it_cannot_go_on(file):
    """It hung: no thread of the database came with it."""
    code = (
        "import os, sys, raters\n"
        "ann = raters.read(sys.argv[1], scale='nominal'); raters.agreement(ann)\n"
        "if not (child := os.fork()):\n"
        "    try:\n        raters.per_rater(ann)\n"
        "    except raters.errors.UsageError as error:\n        print(error, flush=True)\n"
        "    again = raters.read(sys.argv[1], scale='nominal')\n"
        "    print(raters.agreement(again, interval=None).n_items, flush=True); os._exit(0)\n"
        "os.waitpid(child, 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=60, check=True
    )
    said, n = done.stdout.splitlines()
    assert "before the process was forked" in said and n == "100"


class Ended:
    """A database that a damaged file has ended."""

    def cursor(self):
        return self

    def execute(self, sql):
        raise duckdb.FatalException("database has been invalidated because of a previous fatal error")


def test_a_database_that_a_damaged_file_ended_is_made_anew(monkeypatch):
    from raters.engines import duckdb as engine

    monkeypatch.setattr(engine, "_DATABASES", {os.getpid(): Ended()})
    assert raters.read([("a", "x", "no"), ("a", "y", "no")]).n_items == 1


def test_tables_in_a_database_that_was_ended_say_so():
    from raters.engines.guards import guarded

    with (
        pytest.raises(DataError, match=r"ended by another, damaged file\. Read this"),
        guarded(os.getpid(), None),
    ):
        Ended().execute("")
