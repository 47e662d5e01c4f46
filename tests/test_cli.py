"""``raters agree`` and ``raters demo``: formats, options, exit codes, and no traceback whatever comes in."""

import csv
import io
import json
import random
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

import raters
from raters.cli import COMMANDS, cli, main

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


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Three raters, forty items, two topics."""
    rng = random.Random(2)
    path = tmp_path_factory.mktemp("cli") / "labels.csv"
    with path.open("w", encoding="utf-8") as f:
        f.write("item,rater,label,topic\n")
        for i in range(40):
            truth = rng.choice("xy")
            for r in ("ana", "ben", "chi"):
                f.write(f"i{i},{r},{truth if rng.random() < 0.8 else rng.choice('xy')},{'pq'[i % 2]}\n")
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line in this process: (exit code, output, errors)."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["raters", *map(str, args)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        got = capsys.readouterr()
        assert "Traceback" not in got.err + got.out
        return code, got.out, got.err

    return call


FAST = ("--resamples", "200", "--no-explain")


def test_text_answers_in_a_sentence_before_the_table(run, file):
    code, out, err = run("agree", file, *FAST)
    assert code == 0 and not err
    first, blank, head, rule, *rest = out.splitlines()
    assert re.fullmatch(r"Krippendorff's alpha is 0\.\d+, 95% interval 0\.\d+ to 0\.\d+ \(bootstrap.*\)\.", first)
    assert blank == "" and head.startswith("name") and set(rule) <= {"-", " "}
    assert rest[0].startswith("percent")
    assert "scale: nominal (assumed" in out


def test_json_has_the_schema_the_data_and_the_estimates(run, file):
    code, out, _ = run("agree", file, "--format", "json", "-c", "krippendorff", "-c", "fleiss", "--seed", "4", *FAST)
    whole = json.loads(out)
    assert code == 0 and whole["schema"] == 1
    assert {"n_items", "n_raters", "n_annotations", "labels", "scale", "scale_reason", "dropped"} <= set(whole["data"])
    alpha, fleiss = whole["estimates"]
    keys = {"name", "value", "low", "high", "se", "level", "interval", "observed", "expected", "n_items", "n_raters",
            "n_annotations", "warnings", "parts"}  # fmt: skip
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
    _, out, _ = run("agree", path)
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
    _, out, _ = run("agree", file, "--format", "latex", *FAST)
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
    per = ("--per", "category", "--interval", "none")
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


@pytest.mark.parametrize("per, n", [("category", 2), ("rater", 3), ("pair", 3), ("item", 40)])
def test_per(run, file, per, n):
    _, out, _ = run("agree", file, "--per", per, "--format", "json", *FAST)
    rows = json.loads(out)["estimates"]
    assert len(rows) == n
    assert {row["coefficient"] for row in rows} == {"cohen" if per == "pair" else "krippendorff"}
    _, out, _ = run("agree", file, "--per", per, "-c", "gwet", "--format", "json", *FAST)
    assert {row["coefficient"] for row in json.loads(out)["estimates"]} == {"gwet"}


def test_by(run, file):
    _, out, _ = run("agree", file, "--by", "topic", "-c", "fleiss", "-c", "gwet", "--format", "json", *FAST)
    assert [(r["name"], r["by"], r["coefficient"]) for r in json.loads(out)["estimates"]] == [
        ("p", "topic", "fleiss"), ("q", "topic", "fleiss"), ("p", "topic", "gwet"), ("q", "topic", "gwet")
    ]  # fmt: skip
    code, _, err = run("agree", file, "--by", "colour")
    assert code == 2 and "no column 'colour'" in err and "topic" in err


@pytest.mark.parametrize(
    "given, code",
    [
        (["0.3"], 0),
        (["0.99"], 1),
        (["krippendorff=0.3"], 0),
        (["krippendorff=0.99"], 1),
        (["krippendorff:low=0.1"], 0),
        (["krippendorff:low=0.599"], 1),  # the value is above, its lower limit is not
        (["0.3", "percent=0.9999"], 1),
        (["percent=0.5", "gwet=0.3"], 0),
        (["-2"], 0),
    ],
)
def test_fail_under(run, file, given, code):
    args = [x for g in given for x in ("--fail-under", g)]
    got, out, err = run("agree", file, *args, *FAST)
    assert got == code and out
    assert bool(err) == bool(code) and err.count("\n") == code
    if code:
        assert re.search(r"raters: .* is 0\.\d{4}, below", err)


def test_fail_under_brings_its_coefficient_along(run, file):
    code, out, _ = run("agree", file, "-c", "fleiss", "--fail-under", "gwet=0.99", "--format", "json", *FAST)
    assert code == 1 and [e["name"] for e in json.loads(out)["estimates"]] == ["fleiss", "gwet"]
    code, _, err = run("agree", file, "--per", "rater", "--fail-under", "fleiss=0.99", *FAST)
    assert code == 1 and "and 2 more" in err


def test_fail_under_looks_at_every_slice(run, file):
    code, _, err = run("agree", file, "--by", "topic", "--fail-under", "0.5", *FAST)
    assert code == 1 and "p is" in err
    assert run("agree", file, "--by", "topic", "--fail-under", "0.1", *FAST)[0] == 0


def test_fail_under_does_not_pass_for_want_of_a_figure(run, file):
    """Each rater against the others by conger is cohen's kappa: nothing there is of conger."""
    code, _, err = run("agree", file, "--per", "rater", "--fail-under", "conger=0.1", *FAST)
    assert code == 2 and "no figure of conger" in err


def test_fail_under_fails_on_the_undefined(run, tmp_path, file):
    path = tmp_path / "one.csv"
    path.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,x\n2,b,x\n")
    code, _, err = run("agree", path, "--fail-under", "-5")
    assert code == 1 and "undefined" in err
    assert run("agree", path, "--fail-under", "percent=1")[0] == 0
    code, _, err = run("agree", file, "--interval", "none", "--fail-under", "krippendorff:low=0.1")
    assert code == 1 and "the lower limit of krippendorff is undefined" in err


@pytest.mark.parametrize("given", ["much", "nan", "kapa=0.5", "fleiss:high=0.5", "fleiss:low", "="])
def test_fail_under_that_cannot_be_read(run, file, given):
    code, out, err = run("agree", file, "--fail-under", given)
    assert code == 2 and not out and "[COEFFICIENT[:low]=]NUMBER" in err and err.count("\n") == 1


def test_no_file_is_overwritten_without_force(run, file, tmp_path):
    target = tmp_path / "out.json"
    args = ("agree", file, "--format", "json", "-o", target, *FAST)
    code, out, _ = run(*args)
    assert code == 0 and not out
    first = target.read_text()
    assert json.loads(first)["schema"] == 1
    code, _, err = run(*args[:-3], "--seed", "9", "-o", target)
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
    "latin.csv": "item,rater,label\n1,a,caf\xe9\n1,b,x\n".encode("latin-1"),
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
        (["agree", "{file}", "-c", "cohen"], "compares two raters, and there are 3"),
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


@pytest.mark.parametrize("format_", ["text", "json"])
def test_demo(format_, tmp_path):
    target = tmp_path / "demo.out"
    done = CliRunner().invoke(cli, ["demo", "--format", format_, "-o", str(target)])
    assert done.exit_code == 0, done.output
    text = target.read_text(encoding="utf-8")
    assert json.loads(text)["schema"] == 1 if format_ == "json" else "Krippendorff" in text


def test_help_names_every_command():
    done = CliRunner().invoke(cli, ["--help"])
    assert done.exit_code == 0 and all(name in done.output for name in COMMANDS)
    for name in COMMANDS:
        page = CliRunner().invoke(cli, [name, "--help"]).output
        assert f"raters {name}" in page, "help has an example"


def shell(*args, code="from raters.cli import main; main()"):
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=120, check=False)


def test_help_imports_nothing_heavy():
    watch = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('\\nHEAVY', sorted({'scipy', 'duckdb', 'numpy', 'rich', 'pandas'} & set(sys.modules))))\n"
        "sys.argv[0] = 'raters'\n"
        "from raters.cli import main; main()"
    )
    done = shell("--help", code=watch)
    assert done.returncode == 0 and "Usage: raters" in done.stdout
    assert done.stdout.strip().endswith("HEAVY []")


INTERRUPTED = """
import builtins, signal
real = builtins.__import__
def meddled(name, *args):
    if name == "click":
        signal.raise_signal(signal.SIGINT)
    return real(name, *args)
builtins.__import__ = meddled
import raters.cli
"""
SWALLOWED = """
import signal
from raters import cli
def command(**_):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("Query interrupted") from None
cli.cli = command
cli.main()
"""


@pytest.mark.parametrize(("code", "says"), [(INTERRUPTED, ""), (SWALLOWED, "raters: stopped; nothing was written.\n")])
def test_ctrl_c_is_quiet_while_modules_load_and_where_a_library_makes_it_an_error(code, says):
    done = shell(code=code)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", says)


def test_as_a_program(file):
    """Through a pipe that closes early, and with an exit code: as a shell sees it."""
    done = shell("agree", str(file), "--fail-under", "0.99", *FAST)
    assert done.returncode == 1 and done.stdout.startswith("Krippendorff's alpha") and "Traceback" not in done.stderr
    done = shell("agree", "none.csv")
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.count("\n") == 1
