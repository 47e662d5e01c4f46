"""``raters report``."""


def test_report_command(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from raters.cli import cli

    monkeypatch.chdir(tmp_path)
    rows = [f"i{i},{r},{'xy'[(i + (r == 'ann' and i % 5 == 0)) % 2]}" for i in range(30) for r in ("ann", "ben", "chi")]
    (tmp_path / "labels.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    run = CliRunner().invoke(cli, ["report", "labels.csv", "--anonymize", "--tables", "tables", "--resamples", "50"])
    assert run.exit_code == 0, run.output
    assert "One label: " in run.output and "labels-report.html" in run.output
    page, key = (tmp_path / "labels-report.html").read_text(), (tmp_path / "labels-report-key.csv").read_text()
    assert "R001" in page and ">ann<" not in page and "ann" in key
    made = {p.suffix for p in (tmp_path / "tables").iterdir()}
    assert made == {".csv", ".svg", ".png", ".pdf"}
    again = CliRunner().invoke(cli, ["report", "labels.csv", "--resamples", "50"])
    assert again.exit_code == 2
    tex = CliRunner().invoke(cli, ["report", "labels.csv", "-o", "paper.tex", "--resamples", "50"])
    assert tex.exit_code == 0 and (tmp_path / "paper.tex").read_text().startswith(r"\documentclass")
    assert not list(tmp_path.glob("*.part"))


def test_a_report_that_cannot_write_its_tables_writes_nothing(tmp_path, monkeypatch):
    """It left its main file and the tables beside it."""
    from click.testing import CliRunner

    from raters.cli import cli

    monkeypatch.chdir(tmp_path)
    rows = [f"i{i},{r},{'xy'[(i + (r == 'ann' and i % 5 == 0)) % 2]}" for i in range(30) for r in ("ann", "ben", "chi")]
    (tmp_path / "labels.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    (tmp_path / "all.xlsx").touch()
    (tmp_path / "file").touch()
    before = set(tmp_path.rglob("*"))
    for tables in ("all.xlsx", "file"):
        given = ["report", "labels.csv", "--resamples", "50", "-o", "new.html", "--tables", tables]
        assert CliRunner().invoke(cli, given).exit_code and set(tmp_path.rglob("*")) == before
