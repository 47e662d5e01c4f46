"""What a person decided about items: a log that only grows, written through before the next item appears."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from raters.errors import DataError
from raters.writing import csv_text, held

KINDS = ("label", "skip", "none", "undo")
"""A label was chosen; left for later; no label is right; the last decision of the item is taken back."""


@dataclass(frozen=True)
class Decision:
    """One line of the log."""

    question: str
    item: str
    kind: str
    label: str = ""
    note: str = ""
    saw_votes: bool = False
    at: str = ""


@dataclass(frozen=True)
class Log:
    """The decisions on one file's items, in a file beside it or in the user's data folder."""

    path: Path

    def lines(self) -> list[Decision]:
        """Every decision as it was written; a last line that was cut off by a crash is not one."""
        if not self.path.exists():
            return []
        found = []
        for n, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], 1):
            try:
                given = json.loads(line)
                found.append(Decision(**{k: given[k] for k in given if k in Decision.__dataclass_fields__}))
            except (ValueError, TypeError) as error:
                raise DataError(f"{self.path.name}, line {n}: this is no decision. Move the file away.") from error
        return found

    def of(self, question: str) -> dict[str, Decision]:
        """The decision that stands for each item of a question."""
        stack: dict[str, list[Decision]] = {}
        for d in self.lines():
            if d.question == question:
                held_ = stack.setdefault(d.item, [])
                if d.kind != "undo":
                    held_.append(d)
                elif held_:
                    held_.pop()
        return {item: all_[-1] for item, all_ in stack.items() if all_}

    def times(self, question: str, item: str) -> int:
        """How many lines there are on an item: a page that was drawn before the last of them is out of date."""
        return sum(d.question == question and d.item == item for d in self.lines())

    def append(self, d: Decision, seen: int) -> bool:
        """Write a decision to the disk, unless another page has decided on the item since ``seen`` lines were there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            held(number)
            if self.times(d.question, d.item) != seen:
                return False
            line = json.dumps({**asdict(d), "at": d.at or now()}, ensure_ascii=False).encode() + b"\n"
            os.ftruncate(number, whole(number))
            os.write(number, line)
            os.fsync(number)
        finally:
            os.close(number)
        return True

    def csv(self, question: str) -> str:
        """Items with a label, ready for ``--gold``; skipped items are not among them."""
        rows = [(d.item, d.label, d.note, d.saw_votes, d.at) for d in self.of(question).values() if d.kind == "label"]
        return csv_text(("item", "label", "note", "saw_votes", "decided"), rows)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def whole(number: int) -> int:
    """Where the last whole line ends; what a crash cut off after it was never shown as decided."""
    size = os.fstat(number).st_size
    return os.pread(number, size, 0).rfind(b"\n") + 1


def log_of(paths: Iterable[Path], digest: str, named: bool) -> Log:
    """Beside a file that was named on the command line, otherwise in the user's data folder under the content's
    hash."""
    first = next(iter(paths))
    if named and os.access(first.parent, os.W_OK):
        return Log(first.with_name(f"{first.name}.decisions.jsonl"))
    return Log(data_folder() / f"{digest[:32]}.decisions.jsonl")


def data_folder() -> Path:
    """Where programs of this system keep what a user made with them."""
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library/Application Support"
    else:
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    return home / "raters"
