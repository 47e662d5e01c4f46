"""What labels are taken for, and what is said about it."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from raters.agree.agreement import agreement
from raters.annotations import Annotations
from raters.errors import DataError, RatersError, RatersWarning, UsageError
from raters.io.read import read


def rows(labels: list[Any]) -> list[tuple[str, str, Any]]:
    return [(f"q{n // 2}", f"r{n % 2}", label) for n, label in enumerate(labels)]


def csv(folder: Path, labels: list[Any]) -> Path:
    path = folder / "x.csv"
    path.write_text("item,rater,label\n" + "".join(f"{i},{r},{v}\n" for i, r, v in rows(labels)), encoding="utf-8")
    return path


def quietly(source: Any, **options: Any) -> Annotations:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RatersWarning)
        return read(source, **options)


@pytest.mark.parametrize(
    ("labels", "scale", "kept", "warned"),
    [
        (["b", "a", "c"], "nominal", ("a", "b", "c"), False),
        (["10", "9", "a"], "nominal", ("10", "9", "a"), False),
        ([True, False, True], "nominal", (False, True), False),
        ([0, 1, 0], "nominal", (0, 1), False),
        ([1, 1, 1], "nominal", (1,), False),
        ([1, 10, 2], "ordinal", (1, 2, 10), True),
        ([1.0, 2.0, 3.0], "ordinal", (1, 2, 3), True),
        (list(range(11)), "ordinal", tuple(range(11)), True),
        (list(range(12)), "interval", tuple(range(12)), True),
        ([0.5, 1.5, 0.5], "interval", (0.5, 1.5), True),
        ([-0.0, 0.0, 2.5], "interval", (0.0, 2.5), True),
    ],
)
def test_scale_not_given(labels: list[Any], scale: str, kept: tuple[Any, ...], warned: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ann = read(rows(labels))
    assert (ann.scale, ann.labels) == (scale, kept)
    assert [type(v) for v in ann.labels] == [type(v) for v in kept]
    assert len(caught) == warned and all(w.category is RatersWarning and w.filename == __file__ for w in caught)
    assert "assumed" in str(ann).splitlines()[0] and "pass scale=" in str(ann).splitlines()[0]
    assert not caught or "scale='nominal'" in str(caught[0].message)


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["1", "1.0", "2"], (1, 2)),
        (["-2", "+3", "1e3"], (-2, 3, 1000)),
        ([".5", "5.", " 7 "], (0.5, 5.0, 7.0)),
        (["007", "7", "10"], (7, 10)),
        (["-0", "0", "1"], (0, 1)),
    ],
)
def test_text_that_parses_is_numbers_in_a_file(texts: list[str], kept: tuple[Any, ...], tmp_path: Path) -> None:
    ann = quietly(csv(tmp_path, texts))
    assert ann.numeric and ann.labels == kept and ann.keys.dtype == np.float64
    assert any("zeros" in note for note in ann.warnings) == ("007" in texts)


@pytest.mark.parametrize("word", ["nan", "NA", "0x1", "1_000", "1e", "--1", "１２", "one"])
def test_text_that_does_not_parse_is_text(word: str, tmp_path: Path) -> None:
    with pytest.warns(RatersWarning, match="mix numbers") as caught:
        ann = read(csv(tmp_path, ["1", f'"{word}"', "2"]))
    assert len(caught) == 1 and "missing=[" in str(caught[0].message) and repr(word) in str(caught[0].message)
    assert not ann.numeric and ann.labels == tuple(sorted(["1", "2", word])) and ann.scale == "nominal"
    assert quietly(csv(tmp_path, ["1", f'"{word}"', "2"]), missing=[word]).labels == (1, 2)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_text_columns_of_frames_stay_text(make: Any) -> None:
    ann = read(make({"item": [1, 1], "rater": ["a", "b"], "label": ["1", "2"]}))
    assert ann.labels == ("1", "2") and ann.scale == "nominal" and not ann.numeric


def test_json_keeps_its_own_types(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"item": 1, "rater": "a", "label": "1"}\n{"item": 2, "rater": "a", "label": "2020-01-01"}\n')
    assert read(path).labels == ("1", "2020-01-01")
    path.write_text('{"item": 1, "rater": "a", "label": 1}\n{"item": 2, "rater": "a", "label": 2.5, "x": {}}\n')
    assert quietly(path).labels == (1, 2.5)
    path.write_text('{"item": 1, "rater": "a", "label": true}\n{"item": 2, "rater": "a"}\n')
    assert read(path).labels == (True,) and read(path).dropped == {"missing label": 1}


def test_numbers_and_text_mixed() -> None:
    for source in (rows([1, "a", 2.0]), pd.DataFrame(rows([1, "a", 2.0]), columns=["item", "rater", "label"])):
        with pytest.warns(RatersWarning, match="mixes numbers .such as 1. and text .such as 'a'.") as caught:
            ann = read(source)
        assert ann.labels == ("1", "2", "a") and len(caught) == 1 and len(ann.warnings) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(rows([1, "a"]), scale="nominal").labels == ("1", "a")


def test_codes_too_long_for_floats_are_text(tmp_path: Path) -> None:
    long = [2**60, 2**60 + 1, 5]
    assert read(rows(long)).labels == tuple(sorted(map(str, long)))
    assert read(csv(tmp_path, long)).labels == tuple(sorted(map(str, long)))
    assert read(pl.DataFrame({"item": [1] * 3, "rater": [1, 2, 3], "label": long})).labels == tuple(
        sorted(map(str, long))
    )
    assert "too long" in str(read(rows(long)))
    assert read([[2**60, 2**60 + 1]], layout="wide").labels == (str(2**60), str(2**60 + 1))


@pytest.mark.parametrize("labels", [["lo", "mid", "hi"], ["hi", "mid", "lo", "other"]])
def test_declared_labels_are_the_order(labels: list[str]) -> None:
    ann = read(rows(["hi", "lo", "mid"]), scale="ordinal", labels=labels)
    assert ann.labels == tuple(labels) and ann.declared and ann.keys.tolist() == labels


LEVELS = ["low", "mid", "high", "extreme"]


def pandas_ordered(labels: list[Any], levels: list[Any]) -> Any:
    return pd.Categorical(labels, categories=levels, ordered=True)


def polars_enum(labels: list[Any], levels: list[Any]) -> Any:
    return pl.Series(labels, dtype=pl.Enum(levels))


ORDERED = pytest.mark.parametrize(
    ("frame", "column"), [(pd.DataFrame, pandas_ordered), (pl.DataFrame, polars_enum), (pl.LazyFrame, polars_enum)]
)


@ORDERED
def test_ordered_categories_declare_an_ordinal_scale(frame: Any, column: Any) -> None:
    labels = ["high", "low", "mid", None, "low", "low"]
    of = {"item": [1, 1, 2, 2, 3, 3], "rater": ["a", "b"] * 3, "label": column(labels, LEVELS)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ann = read(frame(of))
    assert (ann.scale, ann.labels, ann.declared) == ("ordinal", tuple(LEVELS), True)
    assert "scale: ordinal (assumed: the categories of the column are ordered" in str(ann).split("\n")[0]
    plain = read({**of, "label": labels}, scale="ordinal", labels=LEVELS)
    assert agreement(ann, interval=None).value == agreement(plain, interval=None).value
    assert read(frame(of), scale="ordinal").labels == tuple(LEVELS)
    assert read(frame(of), scale="nominal").labels == ("high", "low", "mid")
    assert read(frame(of), labels=["high", "mid", "low"]).scale == "nominal"
    assert read(frame(of), missing=["mid"]).labels == ("low", "high", "extreme")
    again = read(ann, labels=["high", "mid", "low"])
    assert (again.scale, again.labels) == ("ordinal", ("high", "mid", "low"))


@ORDERED
def test_wide_tables_are_ordered_where_all_columns_are_alike(frame: Any, column: Any) -> None:
    one, other = column(["low", "high", "mid"], LEVELS), column(["low", "low", "mid"], LEVELS)
    ann = read(frame({"item": [1, 2, 3], "ann": one, "bob": other}), layout="wide")
    assert (ann.scale, ann.labels) == ("ordinal", tuple(LEVELS))
    apart = column(["low", "low", "mid"], LEVELS[::-1])
    assert read(frame({"item": [1, 2, 3], "ann": one, "bob": apart}), layout="wide").scale == "nominal"


def test_ordered_categories_that_are_no_text() -> None:
    values = pd.Series([0.5, 7.0, 2.5, 9.0])
    of = {"item": [1, 1, 2, 2], "rater": ["a", "b"] * 2}
    bins = read(pd.DataFrame({**of, "label": pd.cut(values, [0, 1, 5, 10])}))
    assert (bins.scale, bins.labels) == ("ordinal", ("(0, 1]", "(1, 5]", "(5, 10]"))
    numbers = read(pd.DataFrame({**of, "label": pandas_ordered([3, 1, 1, 3], [3, 2, 1])}))
    assert (numbers.scale, numbers.labels, numbers.numeric) == ("ordinal", (3, 2, 1), True)
    assert read(pd.DataFrame({**of, "label": pd.Categorical(list("baab"))})).scale == "nominal"


def test_declared_numbers(tmp_path: Path) -> None:
    ann = read(rows([1, 3]), scale="ordinal", labels=[3, 1, 2])
    assert ann.labels == (3, 1, 2) and ann.keys.tolist() == [3.0, 1.0, 2.0]
    assert read(csv(tmp_path, ["1", "3"]), scale="ordinal", labels=["3", "1"]).labels == (3, 1)
    assert read(csv(tmp_path, ["1", "3"]), labels=["1", "3", "unsure"]).labels == ("1", "3", "unsure")
    assert read(rows([1, 3]), labels=["1", "3", "unsure"]).labels == ("1", "3", "unsure")
    assert read(rows([1.0, 3.5]), labels=["1", "3.5", "unsure"]).labels == ("1", "3.5", "unsure")
    assert read(rows([True, False]), labels=[True, False]).labels == (True, False)
    assert read(rows([1, 2]), labels=np.array([1, 2]), scale="nominal").labels == (1, 2)


def test_a_label_off_the_scale() -> None:
    with pytest.raises(DataError) as caught:
        read([("q1", "ann", "no"), ("q17", "ann", "maybe"), ("q18", "bob", "maybe")], labels=["no", "yes"])
    assert (
        str(caught.value)
        == "rows: label 'maybe' is not on the scale ['no', 'yes'] (2 annotations; first: item 'q17', rater 'ann'). "
        "Pass labels=['no', 'yes', 'maybe'] in order, or missing=['maybe'] to drop these rows."
    )
    with pytest.raises(DataError, match=r"labels 3, 4 are not on the scale .1, 2. .2 annotations; first: item 'q0'"):
        read(rows([1, 4, 2, 3]), labels=[1, 2])


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (
            ["a", "b"],
            {"scale": "ordinal"},
            r"needs their order. State it from lowest to highest: raters.read\(..., labels=\['a', 'b'\]\)",
        ),
        (["a", "b"], {"scale": "interval"}, "scale='interval' needs numbers, but there are labels such as 'a'"),
        (["a", "b"], {"scale": "circular"}, "needs numbers"),
        (
            [-1, 2],
            {"scale": "ratio"},
            "does not allow negative labels, but -1 occurs .1 annotation; first: item 'q0', rater 'r0'",
        ),
        ([1.5, float("inf")], {}, "label inf is not a finite number .1 annotation; first: item 'q0', rater 'r1'"),
        ([1.5, float("-inf")], {"scale": "nominal"}, "-inf is not a finite number"),
        ([1, 2], {"scale": "likert"}, "scale='likert' is not known. Use one of 'nominal'"),
        ([1, 2], {"labels": "12"}, "is not a list"),
        ([1, 2], {"labels": []}, "give a list of labels"),
        ([1, 2], {"labels": [1, 2, 1]}, "names a label twice"),
        ([1, 2], {"period": 7}, "applies only to scale='circular'"),
        ([1, 2], {"scale": "circular", "period": -7}, "positive number"),
        ([True, False], {"labels": ["a", "b"]}, "are true and false"),
        ([1, 2], {"duplicates": "drop"}, "duplicates='drop' is not known"),
        ([1, 2], {"layout": "tall"}, "layout='tall' is not known"),
        ([1, 2], {"raters": "both"}, "raters='both' is not known"),
        ([["a"], ["b"]], {}, "column .label. holds lists or objects, not single labels"),
    ],
)
def test_what_cannot_be(labels: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(RatersError, match=message) as caught:
        read(rows(labels), **options)
    assert "\n" not in str(caught.value)


def test_infinity_in_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"label 'inf' is not a finite number .first: item 'q0', rater 'r1'"):
        read(csv(tmp_path, ["1", "inf", "2"]))
    with pytest.raises(DataError, match="not a finite number"):
        read(csv(tmp_path, ["1", "1e999", "2"]))
    assert quietly(csv(tmp_path, ["1", "inf", "2"]), missing=["inf"]).labels == (1, 2)


def test_circular() -> None:
    ann = read(rows([0, 6, 12, 23]), scale="circular", period=24)
    assert ann.period == 24 and "period 24" in str(ann)
    assert read(rows([0, 6]), scale="circular").period is None
    assert read(read(rows([0, 6]), scale="circular"), period=24).period == 24


def test_ten_thousand_labels() -> None:
    labels = [f"label {n:05d}" for n in range(10_000)]
    ann = read(rows(labels))
    assert len(ann.labels) == 10_000 and "..." in str(ann).splitlines()[0] and len(str(ann)) < 1000
    with pytest.raises(DataError, match=r"... \(10,000 in all\)") as caught:
        read(rows(labels), labels=["x"])
    assert len(str(caught.value)) < 2000


def test_usage_errors_are_value_errors() -> None:
    assert issubclass(UsageError, ValueError) and issubclass(DataError, RatersError)
