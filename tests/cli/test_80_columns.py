"""Tables on a terminal: at most 80 columns, by leaving out columns, never by breaking words; and the raters that
matter.
"""

import numpy as np
import pytest
from commands import FAST

from raters.cli.terminal import in_lines


@pytest.fixture
def crowd(tmp_path):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 60)
    rows = [
        f"i{i},a rater with a long name"
        f" {j:02d},{'xy'[truth[i] if rng.random() < (0.9 if j else 0.5) else 1 - truth[i]]}\n"
        for i in range(60)
        for j in [0, *rng.choice(range(1, 30), 5, replace=False)]
    ]
    path = tmp_path / "crowd.csv"
    path.write_text("item,rater,label\n" + "".join(rows))
    return path


@pytest.mark.parametrize(
    "asked", [("agree",), ("agree", "--per", "rater"), ("agree", "--per", "label"), ("krr", "--k", "3"), ("consensus",)]
)
def test_tables_fit_80_columns(run, crowd, asked):
    code, out, err = run(asked[0], str(crowd), *asked[1:], *(FAST if asked[0] == "agree" else ()))
    assert code == 0, err
    assert max(map(len, out.splitlines())) <= 80
    code, out, err = run(asked[0], str(crowd), *asked[1:], "--all", *(FAST if asked[0] == "agree" else ()))
    assert max(map(len, out.splitlines())) <= 80
    assert "not shown here: " in out and "--format json has every column" in out


def test_raters_that_matter_come_first(run, crowd):
    code, out, _ = run("consensus", str(crowd))
    lines = out.splitlines()
    first = next(i for i, line in enumerate(lines) if " bits " in line) + 1
    assert code == 0 and "--all (30 raters)" in out
    assert any("name 00" in line for line in lines[first : first + 2])  # 60 labels


def test_sentences_break_between_words_and_rows_of_tables_stay():
    row = "name" + " " * 30 + "value"
    assert in_lines(f"one two three\n{row}", 8) == f"one two\nthree\n{row}"
