"""A fuzzer of readers and of the command line: broken files of every format, and what may come of them.

One input is one file, made from a seed: a table that is written right, then damaged or not. What may come of it: a
table with as many rows as were written, where nothing was damaged; an error of ours; never anything else, and never
nothing for long. Run by ``make fuzz`` (``RATERS_FUZZ=100000`` inputs), and by a few hundred in the tests.
"""

from __future__ import annotations

import faulthandler
import gzip
import json
import os
import random
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from click.testing import CliRunner
from fuzz_inputs import DAMAGE, EXACT, FORMATS, ODD, WRITERS, damaged, repacked, table, zipped
from made_exports import EXPORTS
from made_layouts import ASKED, FILES, N
from made_other_words import FILES as OTHER_WORDS

import raters
from raters.errors import RatersError
from raters.io.readings.reading import InDoubt

LAYOUTS = {
    **FILES,
    **{name: ("a.csv", text) for name, text in (*ASKED.items(), *OTHER_WORDS.items())},
}
HANG = 60
"""Seconds of the processor that one input may take."""
MEMORY = 6 << 30
"""Bytes of memory that ``make fuzz`` may take: what asks for more fails, and is found."""
QUICK = ["--interval", "none"]
COMMANDS = (
    *[["agree", *QUICK, *more] for more in (
        ["--no-explain"], ["--per", "rater", "--format", "csv"], ["--layout", "wide"], ["--scale", "sets", "--sep", ";"],
        ["--layout", "counts"], ["--encoding", "utf-16"], ["--anonymize", "--key", "KEY"], ["--all", "--format", "latex"],
        ["--per", "item", "--format", "markdown"], ["--raters", "rows", "--layout", "wide", "--format", "json"],
        ["--layout", "contingency"],
    )] * 12,
    ["consensus", "--model", "majority", "--format", "json"], ["look"], ["look"], ["convert", "-o", "OUT", "--force"],
    ["krr", "--k", "2", "--resamples", "20"], ["xrr", "--pool", "rater", "--resamples", "20"], ["plan"],
    ["multilabel", "--resamples", "20"], ["judge", "--judge", "r1"], ["report", "-o", "PAGE", "--force"],
)  # fmt: skip


def one(seed: int, folder: Path) -> tuple[str, str]:
    """Make one file and read it: what came of it (``read refused``, or what must not be), and about what."""
    rng = random.Random(seed)
    how = rng.choice(DAMAGE)
    start = time.process_time()
    if seed % 5 == 0:
        about, path, check = made_export(seed, how, rng, folder)
    elif seed % 5 == 2 and rng.random() < 0.4:
        return one_layout(seed, rng, folder)
    elif seed % 5 == 1 and rng.random() < 0.4:
        about, path, check = made_nested(seed, how, rng, folder)
    else:
        about, path, check = made_table(seed, how, rng, folder)
    try:
        return outcome(path, check, rng), about
    except Exception as error:
        return f"FOREIGN {type(error).__name__}: {' '.join(str(error).split())[:200]}", about
    finally:
        path.unlink(missing_ok=True)
        if time.process_time() - start > HANG:
            raise TimeoutError(about)


class Check:
    """What is known of an input that was not damaged: how many rows it has, and whether it must be read."""

    def __init__(self, rows: int | None = None, must: bool = False, question: str | None = None) -> None:
        self.rows, self.must, self.question = rows, must, question


def made_table(seed: int, how: str, rng: random.Random, folder: Path) -> tuple[str, Path, Check]:
    """A table in some format."""
    format_ = rng.choice(FORMATS)
    kind = format_.split(".")[0]
    names, rows = table(rng)
    content = WRITERS[kind](names, rows, rng)
    if kind in ("xlsx", "ods") and rng.random() < 0.7:
        content = repacked(content, how, rng)
    else:
        content = damaged(content, how, rng)
    if format_.endswith(".gz"):
        content = gzip.compress(content, 1)
        content = damaged(content, rng.choice(("none", "flip", "cut")), rng) if how != "none" else content
    path = folder / f"f{seed}.{format_}"
    path.write_bytes(content)
    simple = names == ["item", "rater", "label"] and all(is_plain(c) for row in rows for c in row)
    counted = how == "none" and (
        simple or (kind in EXACT and names[:3] == ["item", "rater", "label"] and "" not in names)
    )
    return (
        f"seed {seed}, {format_}, {how}",
        path,
        Check(len(rows) if counted else None, how == "none" and simple and len(rows) > 1),
    )


def is_plain(cell: object) -> bool:
    return str(cell).isalnum() and str(cell) != "1e999"


def made_export(seed: int, how: str, rng: random.Random, folder: Path) -> tuple[str, Path, Check]:
    """An export of a labelling tool, as it is or in a zip."""
    name = rng.choice(sorted(EXPORTS))
    files, question, sizes, _ = EXPORTS[name]
    file, text = rng.choice(sorted(files.items()))
    content = damaged(text.encode(), how, rng)
    path = folder / f"f{seed}-{file.rpartition('/')[2]}"
    if rng.random() < 0.15:
        path = path.with_suffix(".zip")
        content = zipped({file: content})
        content = damaged(content, rng.choice(("none", "flip", "cut")), rng) if how != "none" else content
    path.write_bytes(content)
    rows = sizes[2] if how == "none" and len(files) == 1 else None
    return f"seed {seed}, {name}, {how}", path, Check(rows, False, question)


def made_nested(seed: int, how: str, rng: random.Random, folder: Path) -> tuple[str, Path, Check]:
    """Cells with the labels of several raters: lists beside lists, or labels by rater; also wide tables and counts."""
    odd, n = rng.random() < 0.5, rng.choice([3, 8, 30])

    def label() -> object:
        return rng.choice(ODD) if odd and rng.random() < 0.1 else rng.choice(["yes", "no"])

    people = ["ann", "bob", "cas"]
    given = [[label() for _ in people] for _ in range(n)]
    shape = rng.choice(["lists", "objects", "items", "wide", "rows"])
    objects: dict[str, object] = {
        "lists": [{"id": i, "annotators": people, "annotations": row} for i, row in enumerate(given)],
        "objects": [{"id": i, "annotations": dict(zip(people, row, strict=True))} for i, row in enumerate(given)],
        "items": {
            f"i{i}": {"text": "t", "annotations": dict(zip(people, row, strict=True))} for i, row in enumerate(given)
        },
        "wide": [{"id": i, **dict(zip(people, row, strict=True))} for i, row in enumerate(given)],
        "rows": [{"rater": p, **{f"Q{i}": row[j] for i, row in enumerate(given)}} for j, p in enumerate(people)],
    }
    path = folder / f"f{seed}.json"
    path.write_bytes(damaged(json.dumps(objects[shape]).encode(), how, rng))
    return f"seed {seed}, {shape}, {how}", path, Check(3 * n if how == "none" and not odd else None)


def one_layout(seed: int, rng: random.Random, folder: Path) -> tuple[str, str]:
    """A table in one of the layouts that are recognised, damaged or not, in one of the encodings that are found."""
    name, how = rng.choice(sorted(LAYOUTS)), rng.choice(DAMAGE)
    file, text = LAYOUTS[name]
    path = folder / f"f{seed}-{file}"
    encoding = rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]) if file.endswith("csv") else "utf-8"
    title = rng.choice(["", "", "A title\n", "# made by hand\n"]) if file.endswith("csv") else ""
    path.write_bytes(damaged((title + text).encode(encoding), how, rng))
    about = f"seed {seed}, {name}, {encoding}, {how}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ann = raters.read(path)
        rows = 21 if name == "a few decimal numbers" else 3 * N
        return ("WRONG rows" if how == "none" and ann.n_annotations != rows else "read"), about
    except RatersError as error:
        if broken(error):
            return "WRONG: several lines in an error", about
        return (f"WRONG refused: {error}" if how == "none" and name in FILES else "refused"), about
    except Exception as error:
        return f"FOREIGN {type(error).__name__}: {error}"[:200], about
    finally:
        path.unlink(missing_ok=True)


def broken(error: RatersError) -> bool:
    """Whether a message has more lines than are meant: one, and for each reading that is offered three."""
    lines = str(error).split("\n")
    if not isinstance(error, InDoubt):
        return len(lines) > 1
    if error.asked:
        return len(lines) != 1 + 3 * len(error.readings)
    offered = sum(bool(r.options) for r in error.readings)
    return len(lines) != 1 + (1 + 3 * offered if offered else 0)


def outcome(path: Path, check: Check, rng: random.Random) -> str:
    """What reading, or a command, makes of it."""
    if rng.random() < 0.25:
        return command(path, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ann = raters.read(path, question=check.question)
        except RatersError as error:
            if broken(error):
                return f"WRONG several lines in an error: {error!r}"
            return f"WRONG refused: {error}" if check.must else "refused"
    seen = ann.n_annotations + (0 if check.question or "-" in path.name else sum(ann.dropped.values()))
    return f"WRONG {seen} rows for {check.rows}" if check.rows is not None and seen != check.rows else "read"


def command(path: Path, rng: random.Random) -> str:
    from raters.cli import cli

    others = {
        "KEY": path.with_suffix(".key"),
        "OUT": path.with_suffix(".out.csv"),
        "PAGE": path.with_suffix(".page.html"),
    }
    chosen = rng.choice(COMMANDS)
    args = [str(others.get(a, a)) for a in chosen]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(cli, [args[0], str(path), *args[1:]], standalone_mode=False)
    for other in others.values():
        other.unlink(missing_ok=True)
    if done.exception is None or isinstance(done.exception, SystemExit | RatersError):
        return f"FOREIGN an escape was sent by {chosen[0]}" if "\x1b" in done.output else "command"
    if type(done.exception).__module__.startswith("click"):
        return "command"
    raise done.exception


def run(n: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Outcomes of n inputs, and the bad ones."""
    found: Counter[str] = Counter()
    bad: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + n):
            faulthandler.dump_traceback_later(HANG * 10, exit=True)  # a hang in another language's code ends here
            kind, about = one(seed, Path(folder))
            faulthandler.cancel_dump_traceback_later()
            found[kind.split()[0]] += 1
            if kind.split()[0] in ("FOREIGN", "WRONG"):
                bad.append(f"{about}: {kind}")
                sys.stderr.write(f"{bad[-1]}\n")
            if (seed - first + 1) % 1000 == 0:
                sys.stderr.write(f"{seed - first + 1:,} inputs: {dict(sorted(found.items()))}\n")
    return found, bad


if __name__ == "__main__":
    n, first = int(os.environ.get("RATERS_FUZZ", "100000")), int(os.environ.get("RATERS_FUZZ_FIRST", "0"))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    begun = time.monotonic()
    outcomes, bad = run(n, first)
    sys.stdout.write(
        f"{n:,} inputs from seed {first}, {time.monotonic() - begun:.0f} s: {dict(sorted(outcomes.items()))};"
        f" {len(bad)} bad\n"
    )
    sys.exit(bool(bad))
