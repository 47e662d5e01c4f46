"""Writing files completely or not at all, privately where needed; rows as CSV."""

from __future__ import annotations

import atexit
import csv
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from types import SimpleNamespace
from typing import Any

from raters.errors import UsageError
from raters.words import csv_cell, printable

if sys.platform != "win32":
    import fcntl

FOLDER = re.compile(r"raters-[0-9a-f]{16}\.tmp")
MARK = "made-by-raters"


def held(number: int) -> None:
    """Lock an open file or folder until this process ends; does nothing if the system has no such locks."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)  # a process that cleans up holds it only for a moment


def remove_abandoned(path: Path) -> None:
    """Remove one of our files or folders if no running process holds it. If locks do not work, nothing is removed."""
    if sys.platform == "win32":
        return
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if os.fstat(number).st_uid != os.getuid():
            return
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    except OSError:
        return
    finally:
        os.close(number)


def private_folder() -> Path:
    """A private folder for this process, removed when it ends or when the next process starts."""
    sweep_folders(Path(tempfile.gettempdir()))
    folder, number = _made()
    atexit.register(_removed, folder, number, os.getpid())
    return folder


@contextmanager
def brief_folder() -> Iterator[Path]:
    """The same, as a context manager."""
    folder, number = _made()
    try:
        yield folder
    finally:
        _removed(folder, number, os.getpid())


def _made() -> tuple[Path, int]:
    """A new private folder, locked and marked as ours."""
    folder = Path(tempfile.gettempdir(), f"raters-{token_hex(8)}.tmp")
    folder.mkdir(mode=0o700)
    number = -1
    if sys.platform != "win32":
        number = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
        held(number)
    folder.joinpath(MARK).touch(mode=0o600)
    return folder, number


def _removed(folder: Path, number: int, process: int) -> None:
    """Remove it, unless this is a forked child, which does not own it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
    if number >= 0:
        with suppress(OSError):
            os.close(number)


def sweep_folders(home: Path) -> None:
    """Remove folders of processes that were killed."""
    with suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            if FOLDER.fullmatch(entry.name) and _ours(Path(entry.path)):
                remove_abandoned(Path(entry.path))


def _ours(folder: Path) -> bool:
    """A private folder with our mark."""
    with suppress(OSError):
        about = folder.lstat()
        private = stat.S_ISDIR(about.st_mode) and stat.S_IMODE(about.st_mode) == 0o700
        return private and folder.joinpath(MARK).is_file()
    return False


PART = re.compile(r"\.raters-[0-9a-f]{16}\.part")
FINISHED: list[Path] = []
"""Files that this process has written, to be reported if it is stopped between two of them."""
KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def refuse_existing(path: Path, force: bool, inputs: Iterable[Path] = ()) -> Path:
    """The path to write to, with links resolved; an error if writing there is not allowed. An existing file is
    overwritten only on request, and only a regular file that is not one of the ``inputs``.
    """
    try:
        target = Path(os.path.realpath(path))
        found = target.lstat() if os.path.lexists(target) else None
        if found is None and path.is_symlink():
            raise UsageError(
                f"{path} is a link to {target}, which does not exist. Remove the link, or choose another name."
            )
        if found is None:
            return target
        kind = next((word for is_, word in KINDS if is_(found.st_mode)), None)
        if kind is not None:
            raise UsageError(
                f"{path} is {kind}, but only regular files can be written. Choose another file; without -o the output"
                " goes to standard output."
            )
        if any(_same(target, given) for given in inputs):
            raise UsageError(f"{path} is an input file and would be overwritten. Choose another name.")
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise _unwritable(path, error) from None
    if not force:
        raise UsageError(f"{path} exists already; pass force=True to overwrite it, or another name.")
    return target


def _same(target: Path, given: Path) -> bool:
    with suppress(OSError, ValueError):
        return os.path.samefile(target, given)
    return False


def _unwritable(path: Path, error: OSError | ValueError) -> UsageError:
    """The system's message for a file that cannot be written; the name is shortened, since it may be too long."""
    name = str(path) if len(str(path)) <= 200 else f"{str(path)[:200]}..."
    return UsageError(f"cannot write {printable(name)}: {getattr(error, 'strerror', None) or error}.")


def write_whole(path: Path, content: bytes, force: bool = False, private: bool = False) -> Path:
    """Write everything or nothing: the content goes to a temporary file that is then renamed, so that the file is never
    incomplete.

    A file that is replaced keeps its mode and its owner; ``private``: only the owner may read it.
    """
    with filled(path, force, private) as (_, number), os.fdopen(number, "wb", closefd=False) as file:
        file.write(content)
    return path


@contextmanager
def filled(path: Path, force: bool = False, private: bool = False) -> Iterator[tuple[Path, int]]:
    """The temporary file to be filled, by its name (for a database that writes it) and by its number, and moved into
    place at the end.
    """
    target = refuse_existing(path, force)
    try:
        before = target.stat() if target.exists() else None
        sweep(target.parent)
        with _part(target.parent) as (beside, number):
            yield beside, number
            _settle(number, before, private)
            _rename(beside, target, force)
            FINISHED.append(path)
    except FileExistsError:
        raise UsageError(f"{path} was just created by another program; nothing was written.") from None
    except OSError as error:
        raise _unwritable(path, error) from None


@contextmanager
def _part(folder: Path) -> Iterator[tuple[Path, int]]:
    """A new private temporary file with an unpredictable name, removed afterwards."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    beside = folder / f".raters-{secrets.token_hex(8)}.part"
    number = os.open(beside, flags, 0o600)
    held(number)
    if os.fstat(number).st_nlink == 0:  # removed by a cleanup just before it was locked
        os.close(number)
        beside = folder / f".raters-{secrets.token_hex(8)}.part"
        number = os.open(beside, flags, 0o600)
    try:
        yield beside, number
    finally:
        # normally already renamed; remove the name before the lock, so that no cleanup removes a file in use
        beside.unlink(missing_ok=True)
        os.close(number)


def _settle(number: int, before: os.stat_result | None, private: bool) -> None:
    """The mode of the replaced file, of any new file, or of a file that only the owner may read."""
    if not hasattr(os, "fchmod"):
        return
    if before is not None:
        with suppress(PermissionError):  # only root can change the owner
            os.fchown(number, before.st_uid, before.st_gid)
    mode = 0o600 if private else stat.S_IMODE(before.st_mode) if before is not None else 0o666 & ~_umask()
    os.fchmod(number, mode)


def _umask() -> int:
    """The user's umask, which the system reveals only while setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _rename(beside: Path, target: Path, force: bool) -> None:
    """Move the file into place; without ``force`` only if nothing exists there, even as of this moment."""
    if not force:
        try:
            os.link(beside, target)
            return
        except FileExistsError:
            raise
        except OSError:  # no hard links on this file system
            if target.exists():
                raise FileExistsError from None
    os.replace(beside, target)


def sweep(folder: Path) -> None:
    """Remove temporary files that a killed process left between writing and renaming."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                remove_abandoned(Path(entry.path))


def csv_text(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV with a header: None is an empty cell, lists are joined by ``; ``, and no cell is a formula.

    >>> csv_text(["item", "note"], [("q1", "=1+1"), ("q2", None), ("q3", ["a", "b"])])
    "item,note\\nq1,'=1+1\\nq2,\\nq3,a; b\\n"
    """
    lines: list[str] = []
    # cells with a line-end character are quoted, because many readers treat a lone carriage return as a line end
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    writer.writerow([_cell(name) for name in names])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


def _cell(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        value = "; ".join(map(str, value))
    return csv_cell(value) if isinstance(value, str) else "" if value is None else value
