"""The commands on spans: agree, consensus, convert, and what refuses them."""

import json

from span_files import brat

import raters


def test_the_command_line_answers_in_24_lines(run, tmp_path):
    (tmp_path / "p").mkdir()
    path = brat(tmp_path / "p")
    code, out, err = run("agree", str(path))
    assert code == 0 and len(out.splitlines()) <= 24 and "Exact F1" in out
    assert run("agree", str(path), "--fail-under", "exact=0.9")[0] == 1
    for per in ("label", "rater", "pair", "document"):
        assert run("agree", str(path), "--per", per)[0] == 0
    for form in ("json", "csv", "markdown", "latex"):
        assert run("agree", str(path), "--format", form)[0] == 0
    assert run("agree", str(path), "--paper")[0] == 0
    assert run("agree", str(path), "--against", str(path))[0] == 0
    code, out, err = run("plan", str(path))
    assert code == 2 and "not for spans" in err


def test_consensus_is_written(run, tmp_path):
    (tmp_path / "p").mkdir()
    path = brat(tmp_path / "p")
    for name in ("gold.jsonl", "gold.csv", "gold.brat"):
        assert run("consensus", str(path), "-o", str(tmp_path / name))[0] == 0, name
    rows = [json.loads(x) for x in (tmp_path / "gold.jsonl").read_text().splitlines()]
    assert {r["status"] for r in rows} == {"settled", "bounds", "label", "minority"}
    assert len((tmp_path / "gold.brat" / "d.ann").read_text().splitlines()) == 2
    assert run("convert", str(path), "--unit", "token", "-o", str(tmp_path / "t.csv"))[0] == 0
    ann = raters.read(tmp_path / "t.csv", item="item", rater="rater", label="label")
    assert (ann.n_items, ann.n_raters) == (14, 2)
