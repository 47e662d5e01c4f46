"""An old report is computed again, and what differs is listed."""

import json

import pytest
from click.testing import CliRunner

from raters.cli import cli
from raters.errors import DataError
from raters.reporting.verifying import digest, old_report


@pytest.fixture
def old(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"i{i},{r},{'xy'[(i + (r == 'ann' and i % 5 == 0)) % 2]}" for i in range(20) for r in ("ann", "ben")]
    (tmp_path / "labels.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    args = ["report", "labels.csv", "--resamples", "50", "--scale", "nominal", "-o", "old.html"]
    monkeypatch.setattr("sys.argv", ["raters", *args])
    assert CliRunner().invoke(cli, args).exit_code == 0
    return tmp_path / "old.html"


def test_the_same_file_gives_the_same_figures(old):
    made, figures = old_report(old)
    assert made["sha256"] == digest([old.parent / "labels.csv"]) and made["file"] == "labels.csv"
    assert made["seed"] == 0 and {"version", "python", "numpy", "command"} <= set(made)
    assert len(figures) > 5
    done = CliRunner().invoke(cli, ["report", "--verify", "old.html"])
    assert done.exit_code == 0 and f"all {len(figures)} figures are the same" in done.output, done.output


def test_what_differs_is_listed(old):
    table = old.parent / "labels.csv"
    table.write_text(table.read_text().replace("i3,ann,y", "i3,ann,x"))
    done = CliRunner().invoke(cli, ["report", "--verify", "old.html"])
    assert done.exit_code == 1
    assert "the file: " in done.output and "Krippendorff's alpha" in done.output and " then, " in done.output


def test_a_page_without_figures_says_so(tmp_path):
    page = tmp_path / "other.html"
    page.write_text("<p>hello</p>")
    with pytest.raises(DataError, match="holds no figures"):
        old_report(page)
    done = CliRunner().invoke(cli, ["report", "--verify", str(page)])
    assert isinstance(done.exception, DataError)
    done = CliRunner().invoke(cli, ["report"])
    assert done.exit_code == 2 and "pass a FILE" in done.output


def test_the_figures_inside_the_page_are_those_of_the_report(demo):
    inside = json.loads(demo.figures_json())
    alpha = next(e for e in demo.estimates if e.coefficient == "krippendorff")
    assert any(v[0] == pytest.approx(alpha.value) for v in inside.values())
