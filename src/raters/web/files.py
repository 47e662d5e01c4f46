"""The files that the page knows: named on the command line, or dropped, by an id that only the server gives."""

from __future__ import annotations

import asyncio
import json
import re
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from raters.errors import DataError
from raters.web.decisions import Log, data_folder, log_of
from raters.web.worker import AT_ONCE, IDLE, Worker
from raters.words import printable
from raters.writing import private_folder, write_whole

MOST_FILES, MOST_MEMBERS, MOST_UNPACKED = 50, 1000, 1 << 32
"""Files dropped at once; members of an archive, and the bytes that they unpack to."""
LABELS = (
    ("overview", "Overview"),
    ("where", "Where"),
    ("raters", "Raters"),
    ("items", "Items"),
    ("consensus", "Consensus"),
    ("judges", "Judges"),
    ("adjudicate", "Adjudicate"),
)
SPANS = (("spans", "Spans"),)
QUESTIONS = (("questions", "Questions"),)
"""The views of labels, of spans, and of a file with several questions."""
MOST_RECENT = 12
NAME = re.compile(r"[^\w .()\[\]+@,-]")


@dataclass
class Opened:
    """A file, or several that are read as one."""

    id: str
    name: str
    paths: tuple[Path, ...]
    named: bool
    """Whether it was named on the command line, and so is listed again."""
    worker: Worker
    log: Log
    verdict: str = ""
    figure: str = ""
    used: float = 0.0
    spans: bool = False
    several: bool = False
    """What the file holds, once it is known: spans, several questions."""
    stamp: tuple[tuple[int, int], ...] = ()
    """Of what was read: a file that changed on the disk is read again."""

    def tabs(self, question: str) -> tuple[tuple[str, str], ...]:
        """The views that there are."""
        if self.spans:
            return SPANS
        return (*(QUESTIONS if self.several else ()), *(LABELS if question or not self.several else ()))


@dataclass
class Files:
    """All of them. What was dropped lies in a private folder, which is removed when the server ends."""

    folder: Path = field(default_factory=private_folder)
    opened: dict[str, Opened] = field(default_factory=dict)
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    clock: int = 0

    def add(self, paths: Iterable[Path], named: bool) -> Opened:
        """A file by its id; the same content again is the same file, with its decisions."""
        paths = tuple(paths)
        whole = digest(paths)
        there = next((o for o in self.opened.values() if o.id.startswith(whole[:8]) and o.named == named), None)
        if there is not None and there.paths == paths:
            return there
        name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
        id_ = f"{whole[:8]}{token_hex(4)}"
        worker = Worker(tuple(map(str, paths)), name, self.room)
        self.opened[id_] = Opened(id_, name, paths, named, worker, log_of(paths, whole, named))
        return self.opened[id_]

    def get(self, id_: str) -> Opened | None:
        """A file that is about to be looked at; tables of those not looked at for long leave memory."""
        found = self.opened.get(id_)
        if found is not None:
            self.clock += 1
            found.used = self.clock
            stamp = tuple((x.st_mtime_ns, x.st_size) for x in (p.stat() for p in found.paths if p.exists()))
            if found.stamp not in ((), stamp):  # views of two contents would be mixed
                found.worker.stop()
                found.worker.made.clear()
            found.stamp = stamp
            idle = sorted(self.opened.values(), key=lambda o: -o.used)[IDLE:]
            for o in idle:
                if not o.worker.busy:
                    o.worker.stop()
        return found

    async def receive(self, uploads: Iterable[Any]) -> Opened:
        """What the browser sent, under the names that it gave, made harmless."""
        place = self.folder / token_hex(8)
        place.mkdir(mode=0o700)
        paths: list[Path] = []
        for n, upload in enumerate(uploads):
            if n >= MOST_FILES:
                raise DataError(f"more than {MOST_FILES} files at once. Put them in one zip archive.")
            path = place / safe_name(upload.filename or "", {p.name for p in paths})
            with path.open("xb") as out:
                while chunk := await upload.read(1 << 20):
                    out.write(chunk)
            path.chmod(0o600)
            check_archive(path)
            paths.append(path)
        if not paths:
            raise DataError("no file was chosen.")
        return self.add(sorted(paths), named=False)

    def forget(self) -> None:
        """Forget every file, also those of earlier times; decisions stay where they are."""
        recent_file().unlink(missing_ok=True)
        for o in self.opened.values():
            o.worker.stop()
        self.opened.clear()

    def stop(self) -> None:
        """End every process, for good."""
        for o in self.opened.values():
            o.worker.ended = True
            o.worker.stop()


def recent_file() -> Path:
    """Where the list of recent files is kept: paths that were named on the command line, and what was found; no label."""
    return data_folder() / "recent.json"


def remembered() -> dict[str, dict[str, str]]:
    """The files of earlier times that are still there, the last first, by an id of which the path cannot be made."""
    try:
        rows = json.loads(recent_file().read_bytes())
        there = [x for x in rows if Path(x["path"]).is_file()]
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return {sha256(x["path"].encode()).hexdigest()[:16]: x for x in there}


def remember(o: Opened) -> None:
    """Put a file that was named on the command line on top of the list; what was dropped is not kept."""
    if not o.named or len(o.paths) != 1 or not o.paths[0].is_file():
        return
    row = {"path": str(o.paths[0]), "name": o.name, "found": o.figure}
    rows = [row, *(x for x in remembered().values() if x["path"] != row["path"])]
    with suppress(OSError):
        recent_file().parent.mkdir(parents=True, exist_ok=True)
        write_whole(recent_file(), json.dumps(rows[:MOST_RECENT]).encode(), force=True, private=True)


def safe_name(given: str, taken: set[str]) -> str:
    """A file's name without a path, without what a file system or a terminal takes for more than a letter.

    >>> safe_name("../../etc/passwd", set()), safe_name("a\\x1b[2J<b>.csv", set()), safe_name("", set())
    ('passwd', 'a_[2J_b_.csv', 'file')
    """
    last = re.split(r"[\\/]", printable(given))[-1]
    name = NAME.sub("_", last).strip(" .")[-100:] or "file"
    return name if name not in taken else f"{len(taken)}-{name}"


def check_archive(path: Path) -> None:
    """Refuse an archive that would unpack to too much, before anything of it is unpacked."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise DataError(f"{path.name} is a damaged archive.") from error
    if len(members) > MOST_MEMBERS:
        raise DataError(f"{path.name} holds {len(members):,} files; at most {MOST_MEMBERS:,} are read.")
    size = sum(m.file_size for m in members)
    if size > MOST_UNPACKED:
        raise DataError(f"{path.name} unpacks to {size >> 20:,} MB; at most {MOST_UNPACKED >> 20:,} MB are read.")


def digest(paths: Iterable[Path]) -> str:
    """A hash of the content, by which decisions are found again; of a folder, of its path."""
    found = sha256()
    for path in paths:
        if path.is_file():
            with path.open("rb") as file:
                while chunk := file.read(1 << 20):
                    found.update(chunk)
        else:
            found.update(str(path.resolve()).encode())
    return found.hexdigest()
