"""What is written where: only regular files, whole, with their modes, and nothing left behind."""

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from raters import writing as locking
from raters.engines import duckdb as engine
from raters.errors import UsageError
from raters.writing import refuse_existing, write_whole


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_a_pipe_and_a_socket_and_a_folder_stay_what_they_are(tmp_path, monkeypatch):
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as heard:
        monkeypatch.chdir(tmp_path)  # addresses of sockets are short
        heard.bind("socket")
        for path in (pipe, folder, Path("socket")):
            before = path.lstat()
            with pytest.raises(UsageError, match="only regular files can be written"):
                write_whole(path, b"x", force=True)
            assert path.lstat().st_ino == before.st_ino and path.lstat().st_mode == before.st_mode


def test_a_device_stays_a_device(tmp_path):
    node = tmp_path / "node"
    try:
        os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")
    with pytest.raises(UsageError, match="is a device"):
        write_whole(node, b"x", force=True)
    assert stat.S_ISCHR(node.lstat().st_mode)


def test_a_link_is_followed_and_one_to_nothing_refused(tmp_path):
    target, link, lost = tmp_path / "target", tmp_path / "link", tmp_path / "lost"
    target.write_text("old")
    link.symlink_to(target)
    lost.symlink_to(tmp_path / "nowhere")
    write_whole(link, b"new", force=True)
    assert link.is_symlink() and target.read_text() == "new"
    with pytest.raises(UsageError, match="exists already"):
        write_whole(link, b"newer")
    with pytest.raises(UsageError, match=r"a link to .*nowhere, which does not exist"):
        write_whole(lost, b"x", force=True)
    assert names(tmp_path) == ["link", "lost", "target"]


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, kept):
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(kept)
    write_whole(path, b"new", force=True)
    assert mode(path) == kept and path.read_bytes() == b"new"


def test_new_files_have_the_mode_of_any_new_file_and_private_ones_are_private(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "open", b"x")
        write_whole(tmp_path / "key", b"x", private=True)
        write_whole(tmp_path / "open", b"y", force=True, private=True)
    finally:
        os.umask(before)
    assert mode(tmp_path / "key") == 0o600 == mode(tmp_path / "open")
    os.umask(before)
    write_whole(tmp_path / "plain", b"x")
    assert mode(tmp_path / "plain") == 0o666 & ~before


def test_what_is_read_is_not_overwritten(tmp_path):
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_text("old")
    os.link(path, link)
    for other in (path, link):
        with pytest.raises(UsageError, match="is an input file"):
            refuse_existing(other, True, [path])


def test_nobody_can_foresee_the_part_file(tmp_path, monkeypatch):
    """The name before: ``.NAME.PID.part``, and a link planted there was followed."""
    victim = tmp_path / "victim"
    victim.write_text("safe")
    (tmp_path / f".x.{os.getpid()}.part").symlink_to(victim)
    monkeypatch.setattr("raters.writing.secrets.token_hex", lambda n: "0" * 16)
    (tmp_path / f".raters-{'0' * 16}.part").symlink_to(victim)
    with pytest.raises(UsageError):  # even if they could: what is there already is not opened
        write_whole(tmp_path / "x", b"secret")
    assert victim.read_text() == "safe"


def test_a_file_that_comes_at_the_last_moment_stays(tmp_path, monkeypatch):
    path = tmp_path / "x"
    monkeypatch.setattr("raters.writing._settle", lambda *a: path.write_text("theirs"))
    with pytest.raises(UsageError, match="by another program"):
        write_whole(path, b"ours")
    assert path.read_text() == "theirs" and names(tmp_path) == ["x"]


def test_a_kill_before_the_renaming_leaves_nothing_after_the_next_write(tmp_path):
    code = (
        "import os, signal, sys; from pathlib import Path; from raters import writing\n"
        "writing._rename = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\n"
        "writing.write_whole(Path(sys.argv[1]), b'x')"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "x")], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = names(tmp_path)
    assert left.endswith(".part")
    mine = tmp_path / ".raters-notes.part"  # not a name of ours
    mine.write_text("keep")
    write_whole(tmp_path / "y", b"y")
    assert names(tmp_path) == [mine.name, "y"]


def test_the_part_file_of_a_living_process_stays(tmp_path):
    part = tmp_path / f".raters-{'a' * 16}.part"
    with part.open("wb") as file:
        locking.held(file.fileno())
        write_whole(tmp_path / "y", b"y")
        assert part.exists()
    write_whole(tmp_path / "z", b"z")
    assert not part.exists()


@pytest.mark.parametrize("name", ["n" * 300, "a\0b"])
def test_names_that_no_file_can_have(tmp_path, name):
    with pytest.raises(UsageError, match="cannot write") as error:
        write_whole(tmp_path / name, b"x")
    assert len(str(error.value)) < 400
    assert write_whole(tmp_path / ("n" * 250), b"x").exists(), "the part file's name is short"


def test_the_spill_folder_is_private_and_goes(tmp_path):
    code = (
        "import os, stat, sys, raters, tempfile, pathlib\n"
        "raters.read([('a', 'b', 'c'), ('a', 'd', 'c')], scale='nominal')\n"
        "found = [p for p in pathlib.Path(tempfile.gettempdir()).iterdir()]\n"
        "assert [stat.S_IMODE(p.stat().st_mode) for p in found] == [0o700], found\n"
        "if sys.argv[1] == 'kill': os.kill(os.getpid(), 9)"
    )
    planted = tmp_path / "raters-duckdb"  # the name before
    env = os.environ | {"TMPDIR": str(tmp_path)}
    for how, left in (("kill", 1), ("end", 0)):
        subprocess.run([sys.executable, "-c", code, how], env=env, check=how == "end")
        assert len(names(tmp_path)) == left, "what a killed process left goes when the next one starts"
    assert not planted.exists()


def test_folders_of_others_are_not_swept(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    theirs = [tmp_path / "raters-data", tmp_path / f"raters-{'0' * 16}.tmp", tmp_path / f"raters-{'1' * 16}.tmp"]
    for folder in theirs:
        folder.mkdir(mode=0o700)
    theirs[2].chmod(0o755)
    (theirs[2] / locking.MARK).touch()
    with locking.brief_folder() as ours:
        locking.sweep_folders(tmp_path)
        assert ours.exists() and all(folder.exists() for folder in theirs)
    assert not ours.exists()


def test_the_database_spills_into_the_private_folder():
    where = engine.connect().execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
    folder = Path(where).parent  # a database's own place in it
    assert locking.FOLDER.fullmatch(folder.name) and mode(folder) == 0o700
