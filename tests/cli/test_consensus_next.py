"""``raters consensus --next``, and sheets that are empty."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """24 items with three of four raters each; rater 0 is a number that Python takes for nothing."""
    rows = [(i, j, "ny"[(i + (j == 3) * (i % 3)) % 2]) for i in range(24) for j in range(4) if j != i % 4]
    there = tmp_path / "l.csv"
    there.write_text("item,rater,label\n" + "".join(f"q{i},{j},{x}\n" for i, j, x in rows))
    return there


def asked(out: str) -> list[tuple[str, str]]:
    lines = [line.split() for line in out.splitlines() if " bits  " in line and line.startswith("  ")]
    return [(words[2], " ".join(words[4:])) for words in lines]


def test_the_command_says_how_many_labels_it_can_ask_for(run: Any, table: Path) -> None:
    code, out, _ = run("consensus", table, "--model", "one_coin", "--next", "8")
    assert code == 0 and len(asked(out)) == 8 and "can be asked for" not in out
    _, out, _ = run("consensus", table, "--model", "one_coin", "--next", "30")
    assert len(asked(out)) == 24 and "nly 24 of 30 labels can be asked for" in out
    code, _, err = run("consensus", table, "--next", "-3")
    assert code == 2 and "--next -3 is not a number of labels" in err


@pytest.mark.parametrize("option", ["--gold", "--check"])
def test_an_empty_sheet_is_said_to_be_empty(run: Any, table: Path, option: str) -> None:
    empty = table.with_name("empty.csv")
    empty.write_text("\n")
    code, _, err = run("consensus", table, "--model", "one_coin", "--next", "2", option, empty)
    assert code != 0 and "empty.csv: the file is empty." in err and err.count("\n") == 1
