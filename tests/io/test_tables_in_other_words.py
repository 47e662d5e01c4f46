"""Tables that nobody prepared: other languages, columns that were computed, totals, cells that count; read right,
without an option.
"""

import pytest
from made_other_words import FILES, GIVEN, LONG, SCORES, UNNAMED, N, text

import raters
from raters.errors import RatersError
from raters.results import InDoubt


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_read_right_without_an_option(name, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(FILES[name], encoding="utf-8")
    ann = raters.read(path)
    rows = 7 if name == "a few decimal numbers" else N
    assert (ann.n_items, ann.n_annotations) == (rows, 3 * rows), str(ann)
    assert ann.n_raters == (0 if name in UNNAMED else 3), str(ann)
    given = [row for row in GIVEN for _ in row]
    if ann.scale == "nominal":
        codes = raters.read([(k // 3, k % 3, row[k % 3]) for k, row in enumerate(given)], scale="nominal")
        assert raters.agreement(ann, "fleiss", interval=None).value == pytest.approx(
            raters.agreement(codes, "fleiss", interval=None).value, abs=1e-12
        )
    else:
        assert not any(x == round(x, 2) != round(2 * x) / 2 for x in ann.labels), "a mean is no label"


def test_two_columns_of_labels_beside_item_and_rater_are_two_questions(tmp_path):
    """Both hold yes and no, and were taken for two raters."""
    path = tmp_path / "a.csv"
    rows = [[i, who, "yn"[x == "a"], "yn"[x == "b"]] for i, who, x in LONG]
    path.write_text(text(["post", "coder", "hateful", "sexist"], rows), encoding="utf-8")
    with pytest.raises(RatersError, match="contains 2 questions, each in a column: 'hateful'"):
        raters.read(path)
    ann = raters.read(path, question="hateful")
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == (N, 3, 3 * N)


def test_two_words_name_a_pair_together(tmp_path):
    path = tmp_path / "a.csv"
    rows = [[f"w{i % 6}", f"v{i // 6}", *row, f"{sum(row) / 3:.2f}"] for i, row in enumerate(SCORES)]
    path.write_text(text(["Word 1", "Word 2", "1", "2", "3", "Human (mean)"], rows), encoding="utf-8")
    with pytest.warns(raters.RatersWarning):
        ann = raters.read(path)
    assert "items named by columns 'Word 1' and 'Word 2' together" in ann.recognised
    assert ann.columns["item"] == "Word 1 / Word 2" and ann.n_items == N
    assert "w1 / v0" in ann.to_columns()["item"]
    path.write_text(text(["Word 1", "Word 2", "1", "2", "3"], [row[:5] for row in [*rows, rows[0]]]), encoding="utf-8")
    with pytest.warns(raters.RatersWarning):
        ann = raters.read(path, layout="wide")
    assert "one item a row" in ann.recognised and ann.n_items == N + 1, "a pair that is there twice is two rows"


def test_names_that_differ_only_by_spaces_or_case_are_kept_apart_and_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,rater,label\nQ1,Ann,x\nq1,bob,x\nq2,ann ,y\nq2,bob,x\n")
    ann = raters.read(path)
    assert ann.n_raters == 3 and ann.n_items == 3
    assert any("raters 'Ann', 'ann ' differ only by spaces or letter case" in note for note in ann.warnings)
    assert any("items 'Q1', 'q1' differ only by" in note for note in ann.warnings)
    sets = raters.read(path, scale="sets", sep=";")
    assert any("raters 'Ann', 'ann '" in note for note in sets.warnings)
    assert not raters.read([(1, "a", "x"), (1, "b", "x")]).warnings


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
@pytest.mark.parametrize(
    ("rows", "noted"), [("item,1,2,3\n2,1,1,1\n3,2,2,2\n", False), ("q1,1,2,4\nq2,1,1,1\nq3,2,2,2\n", True)]
)
def test_a_header_that_cannot_be_labels_needs_no_note(rows, noted, tmp_path):
    """A column of numbers named by a word has a header; a word over words may be the first row of a file without
    one.
    """
    path = tmp_path / "a.csv"
    path.write_text(rows, encoding="utf-8")
    assert any("read as a header" in note for note in raters.read(path, layout="wide").warnings) is noted


def near(i: int, j: int) -> int:
    """A number for a row that columns share in most cases."""
    return 1 + (i * i + (j + i) % 4 // 3) % 5


NO_RATINGS: dict[str, tuple[list[str], list[list[object]]]] = {
    "marks by subject": (
        ["Schüler", "Deutsch", "Mathe", "Kunst"],
        [[f"Tom{i}", *(near(i, j) for j in range(3))] for i in range(40)],
    ),
    "trees with their sum and mean": (
        ["Quadrat", "Quercus", "Fagus", "Acer", "Total", "Mean"],
        [[f"plot{i}", *(x := [near(i, j) for j in range(3)]), sum(x), round(sum(x) / 3, 2)] for i in range(40)],
    ),
    "cities by month": (
        ["date", "Berlin", "Hamburg"],
        [[f"20{15 + i // 12}-{1 + i % 12:02}-01", near(i, 0), near(i, 1)] for i in range(40)],
    ),
    "trials of animals": (
        ["animal", "trial", "side", "outcome"],
        [[f"mouse{1 + i % 4}", i // 4, "LR"[i * i // 3 % 2], ("hit", "miss")[i * 5 // 7 % 2]] for i in range(48)],
    ),
}


@pytest.mark.parametrize("name", NO_RATINGS)
def test_what_may_be_no_ratings_is_asked_about(name, tmp_path):
    head, rows = NO_RATINGS[name]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]), encoding="utf-8")
    with pytest.raises(InDoubt):
        raters.read(path)
