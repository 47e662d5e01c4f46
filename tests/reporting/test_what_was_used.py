"""Repeats that are dropped are counted nowhere but where it is said that they were dropped."""

import pytest

import raters


def repeated():
    rows = [(f"q{i}", f"r{j}", "abc"[(i * (j + 1)) % 3]) for i in range(40) for j in range(3)]
    return rows + [(f"q{i}", "r0", "c") for i in range(40)] + [("q0", "r1", "b")] * 4


def test_what_is_used_is_counted_once():
    ann = raters.read(repeated(), scale="nominal", duplicates="first")
    used = ann.used
    assert (used.n_items, used.n_raters, used.n_annotations, used.left_out) == (40, 3, 120, 44)
    assert used.per_item == (3, 3.0, 3) and ann.per_item[2] == 8
    assert ann.used is used
    assert "120 annotations (44 repeats dropped: the first of each was used)" in str(ann).splitlines()[0]
    kept = raters.read(repeated(), scale="nominal", duplicates="keep").used
    assert (kept.n_annotations, kept.left_out) == (164, 0)


@pytest.mark.parametrize("duplicates", ["first", "last"])
def test_krr_counts_what_was_used(duplicates):
    ann = raters.read(repeated(), scale="nominal", duplicates=duplicates)
    for k in (1, 3):
        e = raters.krr(ann, k, interval=None)
        assert (e.n_annotations, e.n_raters) == (120, 3)


def test_the_reason_without_a_rater_counts_the_others():
    rows = [(i, f"r{j}", "ab"[i % 2]) for i in range(30) for j in range(3)]
    rows += [(i, "odd", "ab"[i // 3 % 2]) for i in range(30)]
    found = next(r for r in raters.explain(raters.read(rows, scale="nominal")).reasons if r.kind == "rater")
    assert found.estimate.name == "odd" and found.estimate.n_raters == 3


def test_the_report_takes_k_from_what_was_used():
    made = raters.report(raters.read(repeated(), scale="nominal"), resamples=100)
    assert "of 3 labels has a reliability" in made.section("aggregate").answer
    assert made.section("data").answer.startswith("120 annotations with")
    assert any(
        "44 annotations repeat an item and rater, and were dropped" in str(b) for b in made.section("data").blocks
    )
    assert "44 annotations of 164" in made.text().splitlines()[0] + made.not_used
    labels = next(t for t in made.section("data").tables() if t.name == "labels")
    assert sum(row[1] for row in labels.rows) == 120
    assert "40 items received 120 annotations" in made.methods


@pytest.mark.shared
def test_dawid_and_skenes_long_table(data_dir):
    path = data_dir / "anesthesia" / "dawid_skene_1979_table1_long.csv"
    ann = raters.read(path, item="patient", rater="observer", label="class", scale="nominal")
    made = raters.report(ann, resamples=100)
    assert "of 5 labels has a reliability" in made.section("aggregate").answer
    assert "225 annotations with" in made.section("data").answer and "90 annotations repeat" in made.text()
    assert "45 items received 225 annotations" in made.methods


@pytest.mark.shared
def test_wordsim_with_a_pair_that_occurs_twice(data_dir):
    names = [str(j) for j in range(1, 14)]
    lines = (data_dir / "wordsim353" / "set1.csv").read_text().splitlines()[1:]
    cells = [line.split(",") for line in lines]
    rows = [(f"{c[0]}-{c[1]}", who, float(x)) for c in cells for who, x in zip(names, c[3:], strict=True)]
    ann = raters.read(rows, scale="interval", duplicates="first")
    used = ann.used
    assert used.per_item == (13, 13.0, 13) and ann.per_item[2] == 26  # money and cash are there twice
    assert raters.krr(ann, 13, interval=None).n_annotations == used.n_annotations == 13 * used.n_items
