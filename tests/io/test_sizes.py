"""Counting in one scan: items, raters and repeats as a plain count has them, however many raters share the bits of a
mask.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from raters.engines.duckdb import DuckDBEngine
from raters.engines.patterns import Packing, in_order
from raters.io.labels import sizes
from raters.io.read import read
from raters.items import fold


def made(n_raters: int, per_item: int, repeats: int, seed: int, text: bool = True) -> list[tuple[Any, Any, str]]:
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, Any, str]] = []
    for i in range(60):
        who = rng.choice(n_raters, min(n_raters, int(rng.integers(1, per_item + 1))), replace=False)
        rows += [(f"q{i}" if text else i, f"r{r}" if text else int(r), str(rng.choice(list("abc")))) for r in who]
    again = [rows[int(j)] for j in rng.integers(0, len(rows), repeats)]
    return rows + [(item, rater, "c") for item, rater, _ in again]


@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize("repeats", [0, 1, 7])
@pytest.mark.parametrize(("n_raters", "per_item"), [(1, 1), (5, 5), (62, 9), (63, 9), (300, 10), (300, 25)])
def test_sizes_are_those_of_a_plain_count(n_raters: int, per_item: int, repeats: int, text: bool) -> None:
    rows = made(n_raters, per_item, repeats, 7, text)
    ann = read(rows, duplicates="keep")
    pairs, labels = Counter((i, r) for i, r, _ in rows), Counter(i for i, _, _ in rows)
    assert ann.n_items == len(labels) and ann.n_raters == len({r for _, r, _ in rows})
    assert ann.repeats == len(rows) - len(pairs)
    assert ann.per_item == (min(labels.values()), len(rows) / len(labels), max(labels.values()))
    first = next((p for p in ((i, r) for i, r, _ in rows) if pairs[p] > 1), None)
    assert ann.first_repeat == first


def test_more_raters_than_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MOST_RATERS", 20)
    asked = recorded(monkeypatch)
    rows = made(100, 6, 3, 1)
    ann = read(rows, duplicates="keep")
    assert sizes.PAIRS.format(these="") not in asked  # hashes know no limit
    assert ann.repeats == len(rows) - len({(i, r) for i, r, _ in rows}) and ann.n_raters == len({r for _, r, _ in rows})


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that are run from now on."""
    asked: list[str] = []
    real = DuckDBEngine.query
    monkeypatch.setattr(DuckDBEngine, "query", lambda self, sql, **t: asked.append(sql) or real(self, sql, **t))
    return asked


def test_few_items_are_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = recorded(monkeypatch)
    rows = [(i, (i * 7 + j * 41) % 1000, "ab"[(i + j) % 2]) for i in range(2000) for j in range(5)]
    ann = read(rows)
    assert ann.repeats == 0
    doubtful = [sql for sql in asked if "JOIN doubtful" in sql]
    assert len(doubtful) == 1
    asked.clear()
    fold(ann)
    assert not asked  # the patterns came along when the items were counted


def test_columns_of_the_source_may_have_any_name() -> None:
    names = ("name", "m0", "p0", "key", "pairs", "n", "w0")
    rows = [
        {"item": f"q{i // 3}", "rater": f"r{i % 3}", "label": "ab"[i % 2], **dict.fromkeys(names, i)} for i in range(30)
    ]
    ann = read(rows)
    assert ann.n_items == 10 and ann.repeats == 0
    assert fold(ann, by="m0", group="rater") and fold(ann, group="p0", cluster="w0")


def test_a_relation_of_the_user_is_only_read() -> None:
    rows = made(300, 5, 2, 3)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (item VARCHAR, rater VARCHAR, label VARCHAR)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    ann, ours = read(connection.sql("FROM t"), duplicates="keep"), read(rows, duplicates="keep")
    assert (ann.repeats, ann.n_raters, ann.per_item) == (ours.repeats, ours.n_raters, ours.per_item)
    assert connection.sql("SHOW TABLES").fetchall() == [("t",)]


@pytest.mark.parametrize(
    ("groups", "labels", "bits"), [(1, 5, 8), (1, 48, 8), (1, 1, 1), (5, 5, 1), (9, 5, 3), (24, 2, 10), (1, 3, 52)]
)
def test_counts_come_back_from_their_sums(groups: int, labels: int, bits: int) -> None:
    packing = Packing(groups, labels, bits)
    assert packing.possible
    counts = np.random.default_rng(0).integers(0, 2**bits, (50, groups * labels))
    counts[0] = 2**bits - 1
    weight = packing.label_weights()
    if groups > 1:
        by_group = packing.group_weights()
        cell = [np.outer(by_group[f"q{w}"], weight["p"]).ravel() for w in range(packing.words)]
    else:
        cell = [weight[f"p{w}"] for w in range(packing.words)]
    words = np.stack([counts @ column for column in cell], -1)
    assert words.max() < 2**53 and (packing.counts(words) == counts).all()


def test_what_does_not_fit_into_a_word() -> None:
    assert not Packing(2, 10, 6).possible and not Packing(1, 2, 53).possible
    rows = [(f"q{i}", f"r{j}", f"l{(i + j) % 10}", f"p{j % 2}") for i in range(8) for j in range(70)]
    ann = read([dict(zip(("item", "rater", "label", "pool"), row, strict=True)) for row in rows])
    items = fold(ann, group="pool")[None]
    assert items.n_annotations == 560 and items.counts.shape[1] == 20


def test_the_order_is_that_of_sql() -> None:
    table = np.array([[1, 2], [0, 5], [1, 0], [0, 5]])
    assert table[in_order(table)].tolist() == sorted(table.tolist())


def test_more_labels_on_an_item_than_a_digit_holds() -> None:
    rows = [("q0", j, "ab"[j % 2]) for j in range(400)] + [("q1", 0, "a")]
    ann = read(rows)
    items = fold(ann)[None]
    assert items.counts.toarray().tolist() == [[1, 0], [200, 200]] and ann.per_item[2] == 400


@pytest.mark.parametrize("labels", [2, 8, 9, 48])
@pytest.mark.parametrize("numbers", [True, False])
def test_patterns_are_those_of_a_plain_count(labels: int, numbers: bool) -> None:
    rng = np.random.default_rng(labels)
    rows = [
        (i, j, int(x) if numbers else f"it's {x}") for (i, j), x in np.ndenumerate(rng.integers(0, labels, (80, 4)))
    ]
    ann = read(rows, scale="nominal")
    items = fold(ann)[None]
    place = {label: k for k, label in enumerate(ann.labels)}
    expected: Counter[tuple[int, ...]] = Counter()
    for i in range(80):
        found = Counter(place[x] for item, _, x in rows if item == i)
        expected[tuple(found[k] for k in range(len(place)))] += 1
    counts = items.counts.toarray().astype(int)
    assert {tuple(row): int(n) for row, n in zip(counts.tolist(), items.weight, strict=True)} == expected


def test_a_text_file_without_blanks_is_not_searched_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, gaps = tmp_path / "whole.csv", tmp_path / "gaps.csv"
    rows = [f"q{i // 3},r{i % 3},{'yes' if i % 4 else 'no'}" for i in range(300)]
    whole.write_text("\n".join(["item,rater,label", *rows]))
    gaps.write_text(
        "\n".join(["item,rater,label", *rows, ",r1,yes", '"  ",r1,yes', "q7,,no", "q7, ,no", "q7,r9,", ",,"])
    )
    asked = recorded(monkeypatch)
    ann = read(whole)
    assert (ann.n_annotations, ann.dropped) == (300, {})
    assert not [sql for sql in asked if "count(item)" in sql]
    ann = read(gaps)
    assert ann.n_annotations == 300
    assert ann.dropped == {"missing item": 2, "missing label": 2, "missing rater": 2}
