"""The program as a whole: help, what it loads, Ctrl-C."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from commands import FAST, shell

from raters.cli import COMMANDS, THREADS, cli, one_thread


def test_help_names_every_command():
    done = CliRunner().invoke(cli, ["--help"])
    assert done.exit_code == 0 and all(name in done.output for name in COMMANDS)
    for name in COMMANDS:
        page = CliRunner().invoke(cli, [name, "--help"]).output
        assert f"raters {name}" in page, "help has an example"


def test_python_dash_m_is_the_same_program():
    done = subprocess.run([sys.executable, "-m", "raters", "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("raters")


def test_help_imports_nothing_heavy():
    watch = (
        "import sys, atexit\natexit.register(lambda: print('\\nHEAVY', sorted({'scipy', 'duckdb', 'numpy', 'rich',"
        " 'pandas'} & set(sys.modules))))\nsys.argv[0] = 'raters'\nfrom raters.cli import main; main()"
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
    assert done.returncode == 1 and "\nKrippendorff's alpha" in done.stdout and "Traceback" not in done.stderr
    done = shell("agree", "none.csv")
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "then"), [({}, "1"), ({"OMP_NUM_THREADS": "4"}, None), ({"OPENBLAS_NUM_THREADS": "3"}, "3")]
)
def test_products_of_matrices_run_on_one_thread_unless_the_user_chose(monkeypatch, given, then):
    """Threads that wait for each other took more processor time than the products: a fifth of a report's."""
    for name in (*THREADS, "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "")  # so that the old value comes back
        monkeypatch.delenv(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    one_thread()
    assert os.environ.get("OPENBLAS_NUM_THREADS") == then


@pytest.mark.skipif(os.name == "nt", reason="a shell of POSIX closes standard error")
def test_an_answer_needs_no_standard_error(tmp_path):
    lines = [f"{i},{r},{'xy'[(i + (r == 'b') * (i % 3 == 0)) % 2]}" for i in range(12) for r in "abc"]
    (tmp_path / "labels.csv").write_text("item,rater,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    line = f'"{sys.executable}" -m raters agree labels.csv --resamples 50 2>&-'
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and "alpha is" in done.stdout
