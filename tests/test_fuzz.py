"""The fuzzer, for a few hundred inputs; ``make fuzz`` runs a hundred thousand. And bytes that Hypothesis thinks of."""

import warnings

import pytest
from fuzzing import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import raters
from raters.errors import RatersError


def test_broken_files_are_read_right_or_refused_in_our_words():
    found, bad = run(200, first=1_000_000)
    assert not bad, bad[:5]
    assert found["read"] > 20 and found["refused"] > 20 and found["command"] > 20


CELLS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(max_size=200), CELLS.map(lambda x: f"item,rater,label\n{x},a,b\n".encode())))
def test_any_bytes_are_a_table_or_an_error_of_ours(tmp_path, ending, content):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ann = raters.read(path)
        except RatersError:
            return
    assert ann.n_annotations >= 1


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8))
def test_what_is_written_right_has_as_many_rows_when_read(tmp_path, rows):
    import csv

    path = tmp_path / "x.csv"
    clean = [[cell.replace("\0", "") for cell in row] for row in rows]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("item", "rater", "label"), *clean])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ann = raters.read(path)
        except RatersError:
            return
    assert ann.n_annotations + sum(ann.dropped.values()) == len(rows)
