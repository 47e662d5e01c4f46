"""``raters consensus --next`` with limits of raters."""

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
    lines = [line.split() for line in out.splitlines() if " bits  " in line]
    return [(words[2], " ".join(words[4:])) for words in lines]


def test_each_rater_is_asked_at_most_so_often(run: Any, table: Path) -> None:
    code, out, _ = run("consensus", table, "--model", "one_coin", "--next", "8", "--per-rater", "2")
    who = [rater for _, rater in asked(out)]
    assert code == 0 and sorted(who) == [x for x in "0123" for _ in range(2)]
    _, out, _ = run("consensus", table, "--model", "one_coin", "--next", "9", "--per-rater", "2")
    assert len(asked(out)) == 8 and "only 8 of 9 labels can be asked for" in out


def test_only_available_raters_are_asked_and_only_for_their_items(run: Any, table: Path) -> None:
    there = table.parent / "available.csv"
    there.write_text("rater,item\n0,q0\n0,q4\n1,q1\n")
    code, out, _ = run("consensus", table, "--model", "one_coin", "--next", "5", "--available", there)
    assert code == 0 and sorted(asked(out)) == [("q0", "0"), ("q1", "1"), ("q4", "0")]
    for text, said in (
        ("rater,item\nzoe,q1\n", "rater 'zoe' is not among the raters"),
        ("rater,item\n0,q99\n", "item 'q99' is not among the items"),
        ("who,what\n0,q1\n", "no columns 'rater' and 'item'"),
        ("rater,item\n", "has no rows"),
    ):
        there.write_text(text)
        code, _, err = run("consensus", table, "--model", "one_coin", "--next", "5", "--available", there)
        assert code == 2 and said in err and len(err.splitlines()) == 1


def test_limits_without_next_are_refused(run: Any, table: Path) -> None:
    for option in (("--per-rater", "2"), ("--available", table)):
        code, _, err = run("consensus", table, *option)
        assert code == 2 and f"{option[0]} limits the requests of --next; add --next N" in err
    code, _, err = run("consensus", table, "--next", "-3")
    assert code == 2 and "--next -3 is not a number of labels" in err


@pytest.mark.parametrize("option", ["--available", "--gold", "--check"])
def test_an_empty_sheet_is_said_to_be_empty(run: Any, table: Path, option: str) -> None:
    empty = table.with_name("empty.csv")
    empty.write_text("\n")
    code, _, err = run("consensus", table, "--model", "one_coin", "--next", "2", option, empty)
    assert code != 0 and "empty.csv: the file is empty." in err and err.count("\n") == 1
