"""The commands on spans: agree, consensus, convert, and what refuses them."""

import json

import pytest
from span_files import brat

import raters


@pytest.mark.shared
@pytest.mark.parametrize("path", ["label-studio-leoka", "csv-evidence-inference", "factgenie-d2t", "webanno-inception"])
def test_genuine_projects_have_an_answer_of_24_lines(data_dir, path, run):
    code, out, _ = run("agree", data_dir / "spans" / path)
    assert code == 0 and len(out.splitlines()) <= 24, out


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


def layers(folder):
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Entity|value\n#T_SP=custom.Event|kind\n\n\n#Text=Ann met Bob\n"
    rows = "1-1\t0-3\tAnn\t{}\t_\t\n1-2\t4-7\tmet\t_\t{}\t\n1-3\t8-11\tBob\tPER\t_\t\n"
    for who, cells in (("ann", ("PER", "meet")), ("bob", ("PER", "_"))):
        (folder / f"{who}.tsv").write_text(head + rows.format(*cells))
    return folder


def test_every_layer_has_its_figure(run, tmp_path):
    path = layers(tmp_path)
    code, out, _ = run("agree", str(path))
    assert code == 0 and "Entity.value: Exact F1   1.00" in out and "Event.kind: Exact F1     0.00" in out
    assert "it needs 5 documents with spans, and there is 1" in " ".join(out.split())
    found = json.loads(run("agree", str(path), "--per", "label", "--format", "json")[1])
    assert {e["name"]: e["value"] for e in found["estimates"]} == {"Entity.value: PER": 1, "Event.kind: meet": 0}


def test_raters_are_anonymized_everywhere(run, tmp_path):
    (tmp_path / "p").mkdir()
    path = brat(tmp_path / "p")
    for command, name in (("agree", "x.txt"), ("agree", "x.json"), ("report", "x.html"), ("look", "y.txt")):
        assert run(command, str(path), "--anonymize", "-o", str(tmp_path / name), "--force")[0] == 0
        text = (tmp_path / name).read_text()
        assert "R001" in text and "ann:" not in text and "bob" not in text
    assert {row.split(",")[1] for row in (tmp_path / "x-key.csv").read_text().split()} == {"rater", "ann", "bob"}


def test_every_answer_fits_a_terminal(run, tmp_path):
    (tmp_path / "p").mkdir()
    path = brat(tmp_path / "p")
    for arguments in (
        ("judge", path, "--judges", "bob"),
        ("consensus", path),
        ("look", path),
        ("krr", path),
        ("xrr", path, path),
        ("agree", path, "--against", path),
        ("convert", path, "-o", tmp_path / "x.csv"),
    ):
        code, out, _ = run(*map(str, arguments))
        assert code == 0 and max(map(len, out.splitlines())) <= 80 and len(out.splitlines()) <= 24, arguments


def test_columns_that_look_like_spans_are_named_in_the_words_of_the_command_line(run, tmp_path):
    (tmp_path / "x.csv").write_text(
        "item,rater,label,start,end\n1,a,x,1,2\n1,a,y,3,4\n1,b,x,1,2\n2,a,x,1,3\n2,b,x,2,3\n"
    )
    code, _, err = run("agree", tmp_path / "x.csv", "--scale", "nominal")
    assert code == 2 and "--document COLUMN" in err and "--unit-start COLUMN" in err and "raters.read" not in err
    assert "=" not in err
