"""Options under their names before 0.2 work for this version, and say what they are called now."""

import pytest
from click.testing import CliRunner

from raters.cli import cli


@pytest.mark.parametrize(
    "args",
    [
        ("agree", "FILE", "--per", "category"),
        ("agree", "FILE", "--per=category"),
        ("krr", "FILE", "--k", "2", "--method", "split", "--draws", "10"),
        ("plan", "FILE", "--certainty", ".9"),
        ("multilabel", "FILE", "--coders", "r1,r2"),
    ],
)
def test_an_old_name_works_and_names_the_new_one(tmp_path, args):
    path = tmp_path / "a.csv"
    rows = [f"{i},r{j},{'ab'[(i + (i % 7 == j)) % 2]}" for i in range(20) for j in range(4)]
    path.write_text("\n".join(["item,rater,label", *rows]))
    done = CliRunner().invoke(cli, [str(path) if x == "FILE" else x for x in args])
    assert done.exit_code == 0, done.output
    assert "is now called --" in done.stderr


def test_a_new_name_says_nothing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,rater,label\na,x,1\na,y,1\nb,x,2\nb,y,2\n")
    assert "is now called" not in CliRunner().invoke(cli, ["agree", str(path), "--per", "label"]).output
