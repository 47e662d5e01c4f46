"""Bounds on what a small input can ask for, each an error that says so."""

import gzip
import io
import json
import time
import zipfile

import numpy as np
import pytest

import raters
from raters import examples
from raters.errors import DataError, UsageError
from raters.io.sources import local
from raters.io.sources.header import find_header
from raters.io.table import MOST_COLUMNS


def test_json_lines_with_a_new_key_in_every_row(tmp_path):
    """123 KB took 2 GB."""
    path = tmp_path / "keys.jsonl"
    path.write_text("\n".join(json.dumps({"item": i, "rater": "a", "label": "x", f"k{i}": 1}) for i in range(2000)))
    with pytest.raises(DataError, match="2,003 different keys in 2,000 objects"):
        raters.read(path)


def test_one_item_with_very_many_raters():
    """Asked for 74 GiB: all pairs of raters."""
    n = 20_000
    columns = {"item": np.zeros(n), "rater": np.arange(n), "label": np.arange(n) % 3 // 2}
    c = raters.consensus(raters.read(columns, scale="nominal"), "majority")
    from raters.models.checking.diagnostics import residual_pairs

    assert residual_pairs(c) == ()


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_very_many_columns(tmp_path, ending):
    names = [f"r{i}" for i in range(MOST_COLUMNS + 1)]
    path = tmp_path / f"wide.{ending}"
    path.write_text(
        ",".join(names) + "\n" + ",".join("x" for _ in names)
        if ending == "csv"
        else 2 * (json.dumps(dict.fromkeys(names, 1)) + "\n")
    )
    with pytest.raises(DataError, match="more than 5,000 columns, the maximum"):
        raters.read(path, layout="wide")


def test_a_very_long_header_and_very_long_labels_take_no_quadratic_time(tmp_path):
    """Asked for half a minute, and for hours: each name was compared with those before it, each zero with the rest."""
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    wide.write_text(2 * (",".join(f"c{i}" for i in range(200_000)) + "\n"))
    long.write_text("item,rater,label\n" + "".join(f"i{i // 2},r{i % 2},{'0' * 100_000}{i // 4}x\n" for i in range(6)))
    start = time.process_time()
    with pytest.raises(DataError, match=r"wide\.csv: more than 5,000 columns, the maximum"):
        raters.read(wide)
    assert raters.read(long, scale="nominal").n_items == 3
    find_header([["", *map(str, range(100_000))], *(["a"] * 9 for _ in range(3))])
    assert time.process_time() - start < 20


@pytest.mark.parametrize("ending", ["csv.gz", "jsonl.gz", "parquet.gz"])
def test_a_compressed_file_that_unpacks_without_end(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(local, "FREE", 1 << 22)
    path = tmp_path / f"bomb.{ending}"
    with gzip.open(path, "wb") as file:
        file.write(b"item,rater,label\n")
        for _ in range(64):
            file.write(b"a,b,c\n" * (1 << 18))
    with pytest.raises(DataError, match="which no table does"):
        raters.read(path)
    monkeypatch.setattr(local, "FREE", 1 << 40)
    monkeypatch.setattr(local, "MOST_UNPACKED", 1 << 22)
    with pytest.raises(DataError, match="which no table does"):
        raters.read(path)


def test_a_saved_fit_that_unpacks_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("raters.models.saved.FREE", 1 << 20)
    path = tmp_path / "fit.npz"
    array = io.BytesIO()
    np.save(array, np.zeros(1 << 20))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.npy", array.getvalue())
    with pytest.raises(DataError, match="so this is not a saved consensus"):
        raters.load(path)


@pytest.mark.parametrize(
    "call, why",
    [
        (lambda ann: raters.agreement(ann, resamples=10**12), "resamples=1000000000000 is more than 1,000,000"),
        (lambda ann: raters.krr(ann, k=10**22), "k=10000000000000000000000 is more than 1,000,000 labels"),
        (lambda ann: raters.krr(ann, k=2, replications=10**12), "replications=1000000000000 is more than"),
        (lambda ann: raters.krr(ann, k=float("nan")), "k=nan is not a whole number"),
        (lambda ann: raters.xrr(ann, ann, permutations=10**12), "permutations=1000000000000 is more than"),
        (lambda ann: raters.plan(ann, target=float("nan")), "target=nan is not between 0 and 1"),
        (lambda ann: raters.report(ann, target=float("nan")), "target=nan is not between 0 and 1"),
        (lambda ann: raters.agreement(ann, level=float("nan")), "level=nan is not between 0 and 1"),
    ],
)
def test_numbers_that_nobody_means(call, why):
    with pytest.raises(UsageError, match=why):
        call(examples.demo())
