"""Where the command line writes, and how it ends when it is stopped."""

import os
import signal
import stat
import subprocess
import sys

import pytest
from click.testing import CliRunner
from commands import shell

from raters.cli import cli

STOP = """
import os, signal, sys
from raters import writing
real, calls = writing._rename, []
def rename(*a):
    calls.append(a)
    if len(calls) == {at}:
        os.kill(os.getpid(), {number})
    return real(*a)
writing._rename = rename
from raters.cli import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_writing_and_renaming_leaves_nothing(tmp_path, file, number):
    there = tmp_path / "out"
    there.mkdir()
    spill = tmp_path / "tmp"
    spill.mkdir()
    code = STOP.format(number=int(number), at=1)
    args = ["agree", str(file), "-o", str(there / "x.txt"), "--resamples", "50"]
    env = os.environ | {"TMPDIR": str(spill)}
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 128 + number and done.stderr.strip() == "raters: stopped; nothing was written."
    assert list(there.iterdir()) == [] and list(spill.iterdir()) == []


def test_a_signal_between_two_files_says_which_is_written(tmp_path, file):
    code = STOP.format(number=int(signal.SIGTERM), at=2)
    args = ["consensus", str(file), "-o", "gold.csv", "--model", "majority", "--adjudicate", "sheet.csv"]
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (
        done.returncode == 128 + signal.SIGTERM and done.stderr.strip() == "raters: stopped; written before: gold.csv."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["gold.csv"]


def test_a_kill_leaves_nothing_after_the_next_start(tmp_path, file):
    there, spill = tmp_path / "out", tmp_path / "tmp"
    there.mkdir()
    spill.mkdir()
    env = os.environ | {"TMPDIR": str(spill)}
    args = ["agree", str(file), "-o", str(there / "x.txt"), "--interval", "none", "--no-explain"]
    for at, code, left in ((1, -signal.SIGKILL, 1), (0, 0, 0)):
        program = STOP.format(number=int(signal.SIGKILL), at=at)
        done = subprocess.run(
            [sys.executable, "-c", program, *args], capture_output=True, text=True, env=env, check=False
        )
        assert done.returncode == code and "Traceback" not in done.stderr
        assert len(list(spill.iterdir())) == left and len([p for p in there.iterdir() if p.suffix == ".part"]) == left
    assert [p.name for p in there.iterdir()] == ["x.txt"]


def test_the_file_that_is_read_is_not_overwritten(run, tmp_path, file):
    before = file.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(file)
    for path in (file, link):
        for command in ("agree", "consensus", "report"):
            code, _, err = run(command, file, "-o", path, "--force")
            assert code == 2 and "is an input file" in err
    other = tmp_path / "other.csv"
    other.write_bytes(before)
    code, _, err = run("agree", file, "--against", other, "-o", other, "--force")
    assert code == 2 and "is an input file" in err
    assert file.read_bytes() == before == other.read_bytes()


def test_the_key_is_not_written_over_what_is_read(run, tmp_path, file):
    key = tmp_path / "x-key.csv"
    key.write_bytes(file.read_bytes())
    code, _, err = run("report", key, "--anonymize", "-o", tmp_path / "x.html", "--force", "--resamples", "50")
    assert code == 2 and "is an input file" in err and key.read_bytes() == file.read_bytes()


def test_a_pipe_is_refused_before_the_work(run, tmp_path, file):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code, _, err = run("agree", file, "-o", pipe, "--force")
    assert code == 2 and "is a pipe" in err and stat.S_ISFIFO(pipe.lstat().st_mode)


def test_the_key_is_for_its_owner_alone(run, tmp_path, file):
    out = tmp_path / "x.txt"
    assert run("report", file, "--anonymize", "-o", out, "--resamples", "50")[0] == 0
    assert stat.S_IMODE((tmp_path / "x-key.csv").stat().st_mode) == 0o600
    assert stat.S_IMODE(out.stat().st_mode) != 0o600 or os.umask(os.umask(0o077)) == 0o077


def test_a_full_disk_is_said_in_one_line_and_leaves_nothing(tmp_path, file):
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "from raters.cli import main; main()"
    )
    done = shell("agree", str(file), "-o", str(tmp_path / "x.txt"), "--resamples", "50", code=code)
    assert done.returncode == 2 and done.stderr.startswith("raters: cannot write") and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_said_in_one_line(tmp_path, file, unbuffered):
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "from raters.cli import main; main()"
    )
    with (tmp_path / "out").open("w") as out:
        done = subprocess.run(
            [sys.executable, "-c", code, "agree", str(file), "--resamples", "50"],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 2 and done.stderr == "raters: cannot write to standard output: File too large.\n"


def test_a_closed_standard_output_is_said_in_one_line(tmp_path, file):
    code = "import sys; from raters.cli import main; main()"
    command = f'exec "$0" -c "{code}" "$@" >&-'
    args = [sys.executable, "agree", str(file), "--resamples", "50"]
    done = subprocess.run(["sh", "-c", command, *args], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("raters: standard output is closed")
    done = subprocess.run(
        ["sh", "-c", command, *args, "-o", str(tmp_path / "x")], stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 0 and done.stderr == "" and (tmp_path / "x").exists()


def test_messages_do_not_steer_the_terminal(run, tmp_path):
    code, _, err = run("agree", tmp_path / "\x1b[2Jx.csv")
    assert code == 2 and "\x1b" not in err


def test_output_names_that_are_too_long(run, tmp_path, file):
    code, _, err = run("agree", file, "-o", tmp_path / ("x" * 300))
    assert code == 2 and "File name too long" in err and len(err) < 500
    long = tmp_path / ("n" * 250 + ".csv")
    long.write_bytes(file.read_bytes())
    code, _, err = run("report", long)  # its own name for the report is longer still
    assert code == 2 and "File name too long" in err


def test_a_terminal_that_lacks_a_letter(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("item,rater,label\na,ж,ü\na,b,ü\nb,ж,ü\nb,b,o\n", encoding="utf-8")
    for unbuffered in ("", "1"):
        env = os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONUNBUFFERED": unbuffered}
        code = "from raters.cli import main; main()"
        args = [sys.executable, "-c", code, "agree", str(path), "--per", "rater", "--interval", "none"]
        done = subprocess.run(args, capture_output=True, env=env, check=False)
        assert done.returncode == 0 and b"\\u0436" in done.stdout


@pytest.fixture
def with_gaps(tmp_path):
    """Two tables, of which rows have no label."""
    paths = [tmp_path / "before.csv", tmp_path / "after.csv"]
    for path, every in zip(paths, (5, 4), strict=True):
        rows = [f"{i},r{j},{'' if (i + j) % every == 0 else 'ab'[i % 2]}" for i in range(10) for j in range(2)]
        path.write_text("\n".join(["item,rater,label", *rows]))
    return [str(path) for path in paths]


def test_what_a_csv_has_no_place_for_goes_to_standard_error(with_gaps):
    done = CliRunner().invoke(cli, ["agree", with_gaps[0], "--interval", "none", "--format", "csv"])
    assert done.stderr.startswith("raters: before.csv: Not used: 4 rows (missing label). Scale assumed: nominal")
    assert done.stderr.count("\n") == 1
    assert done.stdout.startswith("name,value")


@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex"])
def test_both_tables_say_what_was_not_used(with_gaps, form):
    given = ["agree", with_gaps[0], "--against", with_gaps[1], "--interval", "none", "--format", form]
    said = CliRunner().invoke(cli, given).stdout.split("value")[0]
    said = " ".join(said.split())
    assert "Not used of before.csv: 4 rows" in said and "Not used of after.csv: 5 rows" in said


def test_two_label_columns_each_say_what_was_not_used(tmp_path):
    path = tmp_path / "two.csv"
    rows = [f"{i},r{j},{'' if i == 1 else 'a'},{'' if i < 3 else 'b'}" for i in range(6) for j in range(2)]
    path.write_text("\n".join(["item,rater,tone,topic", *rows]))
    said = CliRunner().invoke(cli, ["agree", str(path), "--label", "tone,topic", "--interval", "none"]).stdout
    assert "Not used of tone: 2 rows (missing label). Not used of topic: 6 rows (missing label)." in " ".join(
        said.split()
    )


def test_a_report_is_written_with_its_tables_or_not_at_all(run, tmp_path):
    """A file beside it that exists stops it before the report itself is written."""
    path, out = tmp_path / "t.csv", tmp_path / "r.html"
    path.write_text(
        "item,rater,label\n" + "".join(f"q{i},{r},{(i * 7 + ord(r)) % 3}\n" for i in range(150) for r in "abc")
    )
    code, _, _ = run("report", path, "-o", out, "--resamples", "50", "--scale", "nominal")
    assert code == 0
    beside = list(tmp_path.glob("r-*.csv"))
    assert beside
    out.unlink()
    if beside:
        code, _, said = run("report", path, "-o", out, "--resamples", "50", "--scale", "nominal")
        assert code == 2 and beside[0].name[:2] in said and not out.exists()


@pytest.mark.parametrize("command", ["krr", "plan"])
def test_text_is_not_written_under_the_name_of_an_office_file(run, tmp_path, command):
    path, out = tmp_path / "t.csv", tmp_path / "x.docx"
    path.write_text("item,rater,label\n" + "".join(f"q{i},{r},{i % 2}\n" for i in range(9) for r in "ab"))
    code, _, said = run(command, path, "-o", out, "--resamples", "20")
    assert code == 2 and "no .docx file" in said and not out.exists()
