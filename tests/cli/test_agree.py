"""``raters agree``: formats, options, exit codes, and no traceback whatever comes in."""

import csv
import io
import json
import re

import pytest
from commands import FAST

import raters

HOSTILE = [
    "=1+1",
    "@SUM(A1)",
    "<script>alert(1)</script>",
    "50% & $x_1$ #{}~^\\",
    "a|b`c*d",
    "\u202eevil",
    "-2",
    "tab\there",
]


def test_text_answers_in_a_sentence_before_the_table(run, file):
    code, out, err = run("agree", file, *FAST)
    assert code == 0 and not err
    first, more, blank, head, *rest = out.splitlines()
    assert re.fullmatch(
        r"(One label|\d+ items) .* enough.*: alpha is 0\.\d\d \(0\.\d\d to 0\.\d\d\)\.", f"{first} {more}".strip()
    )
    assert blank == "" and head.split() == ["value", "95%", "interval", "by", "chance"]
    assert [line.split("  ")[0] for line in rest[:4]] == [
        "Krippendorff's alpha", "Fleiss' kappa", "Gwet's AC1", "Percent agreement",
    ]  # fmt: skip
    assert "nominal (assumed: labels are text; --scale changes it)" in out


def test_json_has_the_schema_the_data_and_the_estimates(run, file):
    code, out, _ = run("agree", file, "--format", "json", "-c", "krippendorff", "-c", "fleiss", "--seed", "4", *FAST)
    whole = json.loads(out)
    assert code == 0 and whole["schema"] == 1
    assert {"n_items", "n_raters", "n_annotations", "labels", "scale", "scale_reason", "dropped"} <= set(whole["data"])
    alpha, fleiss = whole["estimates"]
    keys = {
        "name",
        "value",
        "low",
        "high",
        "se",
        "level",
        "interval",
        "observed",
        "expected",
        "n_items",
        "n_raters",
        "n_annotations",
        "warnings",
        "parts",
    }
    assert keys <= set(alpha)
    ann = raters.read(file, scale="nominal")
    ours = raters.agreement(ann, "krippendorff", resamples=200, seed=4)
    assert (alpha["value"], alpha["low"], alpha["se"]) == (ours.value, ours.low, ours.se)  # at full precision
    assert fleiss["name"] == "fleiss"


def test_undefined_is_null_in_json(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,x\n")
    code, out, _ = run("agree", path, "--format", "json")
    by_name = {e["name"]: e for e in json.loads(out, parse_constant=pytest.fail)["estimates"]}
    assert (
        code == 0
        and by_name["krippendorff"]["value"] is None
        and "every label is 'x'" in by_name["krippendorff"]["warnings"][0]
    )
    assert by_name["percent"]["value"] == 1
    _, out, _ = run("agree", path, "--scale", "nominal")
    assert out.startswith("Krippendorff's alpha is undefined: every label is 'x'")


def test_csv_is_read_back_at_full_precision(run, file):
    _, out, _ = run("agree", file, "--format", "csv", *FAST)
    rows = list(csv.DictReader(io.StringIO(out)))
    ann = raters.read(file, scale="nominal")
    for row in rows:
        assert float(row["value"]) == raters.agreement(ann, row["name"], interval=None).value


def test_markdown_and_latex_are_tables(run, file):
    _, out, _ = run("agree", file, "--format", "markdown", *FAST)
    table = [line for line in out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1 and table[1].startswith("| --- |")
    _, out, _ = run("agree", file, "--format", "latex", "--scale", "nominal", *FAST)
    assert out.startswith(r"\begin{tabular}{l") and r"\end{tabular}" in out
    body = [line for line in out.splitlines() if line.endswith(r"\\")]
    assert len({line.count(" & ") for line in body}) == 1


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "labels.csv"
    with path.open("w", encoding="utf-8", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["item", "rater", "label"])
        for i in range(24):
            for r in ("=cmd|' /C calc'!A0", "{r}"):
                writer.writerow([i, r, HOSTILE[(i + (i % 3 == 0 and r == "{r}")) % len(HOSTILE)]])
    return path


def test_hostile_labels_are_harmless_in_every_format(run, hostile):
    per = ("--per", "label", "--interval", "none")
    _, out, _ = run("agree", hostile, *per, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == len(HOSTILE)
    assert all(value[:1] not in ("=", "@", "\t") for row in rows for value in row.values() if value)
    assert all(not row["name"].startswith(("+", "-")) for row in rows)
    _, out, _ = run("agree", hostile, *per, "--format", "markdown")
    table = [line for line in out.splitlines() if line.startswith("|")]
    assert "<script" not in out and len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    _, out, _ = run("agree", hostile, *per, "--format", "latex")
    assert r"50\% \& \$x\_1\$ \#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}" in out
    _, out, _ = run("agree", hostile, *per)
    assert "\u202e" not in out and "\t" not in out
    _, out, _ = run("agree", hostile, *per, "--format", "json")
    assert {e["name"] for e in json.loads(out)["estimates"]} == set(HOSTILE)
    _, out, _ = run("agree", hostile, "--per", "pair", "--interval", "none", "--format", "csv")
    assert next(csv.DictReader(io.StringIO(out)))["rater_a"].startswith("'=")


@pytest.mark.parametrize("per, n", [("label", 2), ("rater", 3), ("pair", 3), ("item", 40)])
def test_per(run, file, per, n):
    _, out, _ = run("agree", file, "--per", per, "--format", "json", *FAST)
    rows = json.loads(out)["estimates"]
    assert len(rows) == n
    usual = {"pair": "cohen", "item": "percent"}.get(per, "krippendorff")  # of one item alpha is no readable figure
    assert {row["coefficient"] for row in rows} == {usual}
    _, out, _ = run("agree", file, "--per", per, "-c", "gwet", "--format", "json", *FAST)
    assert {row["coefficient"] for row in json.loads(out)["estimates"]} == {"gwet"}


def test_by(run, file):
    _, out, _ = run("agree", file, "--by", "topic", "-c", "fleiss", "-c", "gwet", "--format", "json", *FAST)
    assert [(r["name"], r["by"], r["coefficient"]) for r in json.loads(out)["estimates"]] == [
        ("p", "topic", "fleiss"),
        ("q", "topic", "fleiss"),
        ("p", "topic", "gwet"),
        ("q", "topic", "gwet"),
    ]
    code, _, err = run("agree", file, "--by", "colour")
    assert code == 2 and "no column 'colour'" in err and "topic" in err


def test_no_file_is_overwritten_without_force(run, file, tmp_path):
    target = tmp_path / "out.json"
    args = ("agree", file, "--format", "json", "-o", target, *FAST)
    code, out, _ = run(*args)
    assert code == 0 and not out
    first = target.read_text()
    assert json.loads(first)["schema"] == 1
    code, _, err = run("agree", file, "--seed", "9", "-o", target)
    assert code == 2 and "exists already" in err and "--force" in err and target.read_text() == first
    assert run(*args, "--seed", "9", "--force")[0] == 0
    assert target.read_text() != first
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]  # no half file is left


def test_a_folder_that_is_not_there(run, file, tmp_path):
    code, _, err = run("agree", file, "-o", tmp_path / "none" / "out.txt", *FAST)
    assert code == 2 and "cannot write" in err and err.count("\n") == 1


BAD = {
    "nothing.csv": (b"", "empty"),
    "header.csv": (b"item,rater,label\n", "no rows"),
    "missing.csv": (b"item,label\n1,a\n", "rater"),
    "doubled.csv": (b"item,rater,rater,label\n1,a,b,x\n", "rater"),
    "twice.csv": (b"item,rater,label\n1,a,x\n1,a,y\n1,b,x\n", "repeat an item and rater"),
    "nul.csv": (b"item,rater,label\n1,a,x\x00y\n1,b,x\n", "NUL"),
    "latin.csv": "item,rater,label\n1,a,caf\xc3\xa9\n1,b,\xff\n".encode("latin-1"),
    "inf.csv": (b"item,rater,label\n1,a,inf\n1,b,2\n2,a,3\n2,b,4\n", "finite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line(run, tmp_path, name):
    content, why = BAD[name] if isinstance(BAD[name], tuple) else (BAD[name], "encoding")
    path = tmp_path / name
    path.write_bytes(content)
    code, out, err = run("agree", path)
    assert code == 2 and not out
    assert err.startswith("raters: ") and err.count("\n") == 1 and why in err


@pytest.mark.parametrize(
    "args, why",
    [
        (["agree"], "Missing argument"),
        (["agree", "none.csv"], "no such file"),
        (["agree", "/"], "directory"),
        (["agree", "{file}", "--scale", "huge"], "huge"),
        (["agree", "{file}", "-c", "kapa"], "Did you mean 'cohen'"),
        (["agree", "{file}", "-c", "cohen"], "compares two raters, but there are 3"),
        (["agree", "{file}", "--level", "95"], "between 0 and 1"),
        (["agree", "{file}", "--resamples", "1"], "too few"),
        (["agree", "{file}", "--label", "nope"], "nope"),
        (["agree", "{file}", "--group", "nope"], "nope"),
        (["agree", "{file}", "--scale", "ordinal"], "order"),
        (["agree", "{file}", "--scale", "interval"], "needs numbers"),
        (["agree", "{file}", "--labels", "x,z"], "not on the scale"),
        (["agree", "{file}", "--nope"], "No such option"),
        (["nope"], "No such command"),
    ],
)
def test_bad_usage_is_one_line(run, file, args, why):
    code, out, err = run(*(str(file) if a == "{file}" else a for a in args))
    assert code == 2 and not out
    assert err.startswith("raters: ") and err.count("\n") == 1 and why in err


def test_options_reach_the_library(run, file):
    ann = raters.read(file, scale="ordinal", labels=["y", "x"])
    args = ("--scale", "ordinal", "--labels", "y,x", "--format", "json", "--no-explain")
    for given, options in (
        (
            ("--weights", "linear", "--interval", "delta", "--level", "0.8"),
            {"weights": "linear", "interval": "delta", "level": 0.8},
        ),
        (("--interval", "bca", "--resamples", "300", "--seed", "5"), {"interval": "bca", "resamples": 300, "seed": 5}),
        (("--interval", "delta", "--se", "gwet"), {"interval": "delta", "se": "gwet"}),
        (("--interval", "none", "--margins", "pooled"), {"interval": None, "margins": "pooled"}),
    ):
        _, out, _ = run("agree", file, "-c", "fleiss", *args, *given)
        assert json.loads(out)["estimates"] == [raters.agreement(ann, "fleiss", **options).to_dict()]


def test_layouts(run, tmp_path):
    wide, square = tmp_path / "wide.csv", tmp_path / "square.csv"
    wide.write_text("item,ana,ben\n1,x,x\n2,x,y\n3,y,y\n")
    square.write_text(",x,y\nx,1,1\ny,0,1\n")
    for path, layout in ((wide, "wide"), (square, "contingency")):
        code, out, err = run(
            "agree",
            path,
            "--layout",
            layout,
            "-c",
            "cohen",
            "--interval",
            "none",
            "--format",
            "json",
            "--scale",
            "nominal",
        )
        assert code == 0, err
        assert json.loads(out)["estimates"][0]["value"] == pytest.approx(0.4)


@pytest.mark.parametrize(("per", "option"), [("label", "--by"), ("rater", "--group"), ("item", "--by")])
def test_what_per_does_not_take_is_refused_in_one_line(run, file, per, option):
    code, out, err = run("agree", file, "--per", per, option, "item", *FAST)
    assert code == 2 and not out and len(err.strip().splitlines()) == 1
    assert f"--per {per} and {option} cannot be combined" in err


@pytest.mark.parametrize("given", ["pair --sample raters", "item --cluster doc", "label --weights linear"])
def test_options_that_a_slice_does_not_use_are_refused(run, file, given):
    per, option, value = given.split()
    code, out, err = run("agree", file, "--per", per, option, value, *FAST)
    assert (code, out, err.strip()) == (2, "", f"raters: --per {per} does not take {option}. Omit one of them.")
