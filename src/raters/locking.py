"""Cleaning up files and folders that a killed process left behind; a lock that ends with its process marks those in use."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

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
    _sweep(Path(tempfile.gettempdir()))
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


def _sweep(home: Path) -> None:
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
