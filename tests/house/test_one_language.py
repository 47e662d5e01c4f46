"""Python is never told what to type in a shell, and the command line is never shown Python."""

import ast
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import raters
from raters.cli import cli
from raters.notes.note import CATALOGUE

SOURCE = Path(raters.__file__).parent
TYPED = re.compile(
    r"(?<![\w-])--[a-z][a-z-]+|[Rr]un raters [a-z]|`raters [a-z]+|\braters (report|agree|krr|plan|xrr|judge"
    r"|multilabel|consensus|fold|convert|look|serve|watch|check|rank|evaluate|meeting|reproduce) ([-A-Z]|gives|fits|compute)"
)
"""An option of the command line, or a command."""
PYTHON = re.compile(r"\braters\.[a-z]+[.(]|\b(scale|labels|missing|interval|method|aggregate|duplicates|layout|level)=")
FOR_THE_TERMINAL = ("cli/", "web/", "options/", "papers/", "reporting/answer.py", "reporting/tables.py",
                    "reporting/label_next.py", "io/exports/registry.py")  # fmt: skip
"""Parts that only commands and pages use; in ``papers``, ``--data`` names the folder that ``raters reproduce`` takes; the
registry of exports has the options of other tools."""
ONLY_PRINTED = re.compile(r"reporting/\w+_answer\.py")
STANDARD_INPUT = "raters agree - < labels.csv"
STYLE = re.compile(r"var\(--|:root|--[a-z]+:#")


def words_of(tree: ast.AST) -> list[ast.Constant]:
    """Text of the code, without docstrings, and without what ``either`` says on the command line."""
    bodies = [n.body for n in ast.walk(tree) if isinstance(n, ast.Module | ast.FunctionDef | ast.ClassDef)]
    leave = {id(part) for body in bodies for s in body if isinstance(s, ast.Expr) for part in ast.walk(s)}
    for n in ast.walk(tree):
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") in ("either", "in_words") and len(n.args) == 2:
            leave |= {id(part) for part in ast.walk(n.args[1])}
    return [
        n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in leave
    ]


def test_the_library_names_no_option_of_the_command_line() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(FOR_THE_TERMINAL) or ONLY_PRINTED.fullmatch(name):
            continue
        for word in words_of(ast.parse(path.read_text(encoding="utf-8"))):
            text = word.value
            if TYPED.search(text) and not STYLE.search(text) and STANDARD_INPUT not in text and text not in OPTIONS:
                found.append(f"{name}:{word.lineno}: {text[:90]!r}")
    assert not found


OPTIONS = {"--input-format", "--raters-as", "--unit-end", "--unit-start", "--"}
"""Names by themselves, which functions that put options into words return."""


def test_the_catalogue_names_options_only_as_options() -> None:
    """``<scale=ordinal>`` becomes an argument or an option; words of one of them would stay as they are."""
    wrong = [
        code for code, s in CATALOGUE.items() if TYPED.search(s.text) or PYTHON.search(re.sub("<[^>]*>", "", s.text))
    ]
    assert not wrong


ROWS = [(i, r, "abc"[(i + (r == "z") * (i % 3 == 0)) % 3]) for i in range(12) for r in "xyz"]
ERRORS = [
    ("agree", ["--coefficient", "cohen"]),
    ("agree", ["--scale", "ordinal"]),
    ("agree", ["--scale", "interval"]),
    ("agree", ["--labels", "a,b"]),
    ("agree", ["--level", "2"]),
    ("agree", ["--per", "raterr"]),
    ("agree", ["--by", "topic"]),
    ("agree", ["--sample", "raters", "--interval", "bca"]),
    ("krr", ["--k", "9", "--method", "split"]),
    ("krr", ["--method", "icc"]),
    ("krr", ["--ratings", "1"]),
    ("plan", ["--target", "2"]),
    ("plan", ["--budget", "0"]),
    ("xrr", []),
    ("consensus", ["--model", "gaussian"]),
    ("consensus", ["--resamples", "0"]),
    ("multilabel", []),
    ("rank", []),
    ("watch", ["--by", "week"]),
    ("groups", []),
    ("report", ["--pool", "nobody"]),
    ("report", ["--judges", "nobody"]),
    ("judge", ["--model", "nobody"]),
]


@pytest.mark.parametrize(("command", "words"), ERRORS)
def test_what_a_command_refuses_or_says_has_no_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # where a report is written
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n" + "".join(f"{i},{r},{x}\n" for i, r, x in ROWS), encoding="utf-8")
    done = CliRunner().invoke(cli, [command, str(path), *words])
    said = [*done.output.splitlines(), *(str(done.exception).splitlines() if done.exception else [])]
    assert not [line for line in said if PYTHON.search(line)]


CALLS = {
    "cohen": lambda ann: raters.agreement(ann, "cohen"),
    "split": lambda ann: raters.krr(ann, k=9, method="split"),
    "icc": lambda ann: raters.icc(ann),
    "gaussian": lambda ann: raters.consensus(ann, model="gaussian"),
    "sets": lambda ann: raters.multilabel(ann),
    "sample": lambda ann: raters.calibrate(ann, ann, sample="any"),
    "fold": lambda ann: raters.Fold.load("nothing.fold"),
    "plan": lambda ann: raters.plan(ann, target=2),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_python_refuses_names_no_option_of_the_command_line(call: str) -> None:
    with pytest.raises((raters.RatersError, OSError, ValueError)) as refused:
        CALLS[call](raters.read(ROWS, scale="nominal"))
    assert not TYPED.search(str(refused.value))


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_the_report_of_a_script_names_no_option_of_the_command_line(scale: str) -> None:
    rows = [(i, r, "abc".index(x) + 1) for i, r, x in ROWS]
    text = raters.report(raters.read(rows, scale=scale), resamples=50).text()
    assert not [line for line in text.splitlines() if TYPED.search(line)]
