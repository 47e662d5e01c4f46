"""A fuzzer of readers and of the command line: broken files of every format, and what may come of them.

One input is one file, made from a seed: a table that is written right, then damaged or not. What may come of it: a table with
as many rows as were written, where nothing was damaged; an error of ours; never anything else, and never nothing for long.
Run by ``make fuzz`` (``RATERS_FUZZ=100000`` inputs), and by a few hundred in the tests.
"""

from __future__ import annotations

import contextlib
import csv
import faulthandler
import gzip
import io
import json
import os
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from click.testing import CliRunner
from made_exports import EXPORTS

import raters
from raters.errors import RatersError

HANG = 60
"""Seconds that one input may take."""
ODD = ["", " ", "\r", "\n", "\t", '"', "'", "=1+1", "\x1b[2J", "\u202e", "é", "\u2028", "a,b", "*", "$", "NaN", "nan", "null", "1e999",
       "-0", "007", "9" * 25, "9" * 5000, "<b>", "\\", "{", "[", "]", "\ufeff", "\U0001f600", "x" * 3000, "0x10", "1_000", "\x7f", "\x00"]  # fmt: skip
NAMES = [
    "item",
    "rater",
    "label",
    "Item ID",
    "worker",
    "answer",
    "",
    "*",
    "row",
    "ITEM",
    "label ",
    "é",
    "\x1b",
    "a.b",
    "annotator",
]
DAMAGE = (
    "none",
    "none",
    "none",
    "none",
    "flip",
    "cut",
    "insert",
    "repeat",
    "shuffle",
    "nul",
    "swap",
    "bytes",
    "encode",
)
FORMATS = ("csv", "csv", "tsv", "jsonl", "jsonl", "json", "parquet", "csv.gz", "jsonl.gz", "parquet.gz")
COMMANDS = (
    ["agree", "--interval", "none", "--no-explain"], ["agree", "--interval", "none", "--per", "rater", "--format", "csv"],
    ["agree", "--layout", "wide", "--interval", "none"], ["agree", "--scale", "sets", "--interval", "none", "--sep", ";"],
    ["agree", "--layout", "counts", "--interval", "none"], ["agree", "--encoding", "utf-16", "--interval", "none"],
    ["consensus", "--model", "majority", "--format", "json"], ["agree", "--anonymize", "--key", "KEY", "--interval", "none"],
)  # fmt: skip


def table(rng: random.Random) -> tuple[list[str], list[list[object]]]:
    """Names and rows; most as people write them, some as nobody would."""
    odd = rng.random() < 0.5
    names = ["item", "rater", "label"]
    if odd and rng.random() < 0.3:
        names[rng.randrange(3)] = rng.choice(NAMES)
    names += rng.sample(NAMES, rng.choice([0, 0, 0, 1, 2]))

    def cell(column: int) -> object:
        if odd and rng.random() < 0.15:
            return rng.choice(ODD)
        if column == 2:
            return rng.choice([1, 2, 3]) if odd and rng.random() < 0.3 else rng.choice(["yes", "no", "maybe"])
        return f"{'ir'[column % 2]}{rng.randrange(8)}"

    return names, [[cell(j) for j in range(len(names))] for _ in range(rng.choice([0, 1, 2, 6, 20, 60]))]


def written(names: list[str], rows: list[list[object]], format_: str, rng: random.Random) -> bytes:
    """The table in a format, by the usual writers."""
    kind = format_.split(".")[0]
    if kind in ("csv", "tsv"):
        out = io.StringIO()
        writer = csv.writer(out, delimiter="\t" if kind == "tsv" else rng.choice(",,;"), lineterminator=rng.choice(["\n", "\n", "\r\n", "\r"]),
                            quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))  # fmt: skip
        writer.writerow(names)
        writer.writerows(rows)
        content = ("\n" * (rng.random() < 0.1) + out.getvalue()).encode("utf-8-sig" if rng.random() < 0.1 else "utf-8")
    elif kind in ("jsonl", "json"):
        objects = [dict(zip(names, row, strict=True)) for row in rows]
        text = (
            json.dumps(objects)
            if kind == "json"
            else "\n".join(json.dumps(o, ensure_ascii=rng.random() < 0.5) for o in objects)
        )
        content = text.encode()
    else:
        content = parquet(names, rows)
    return content


def parquet(names: list[str], rows: list[list[object]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    unique = [f"{name}{j}" if names.index(name) != j else name for j, name in enumerate(names)]
    out = io.BytesIO()
    pq.write_table(pa.table({name: [str(row[j]) for row in rows] for j, name in enumerate(unique)}), out)
    return out.getvalue()


def damaged(content: bytes, how: str, rng: random.Random) -> bytes:
    """The same bytes after an accident."""
    data = bytearray(content)
    at = rng.randrange(len(data) + 1)
    if how == "flip" and data:
        for _ in range(rng.choice([1, 1, 5])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == "cut":
        data = data[:at]
    elif how == "insert":
        data[at:at] = rng.choice(
            [
                b'"',
                b"\r",
                b"\n\n",
                b",",
                b"{",
                b"}",
                b"\\",
                b"\xff",
                b"\xed\xa0\x80",
                b"\\ud800",
                b"NaN",
                b"1e400",
                b"\x00",
                b"[" * 2000,
            ]
        )
    elif how == "repeat":
        data[at:at] = data[at : at + rng.choice([5, 50])] * rng.choice([1, 3])
    elif how == "shuffle":
        lines = bytes(data).split(b"\n")
        rng.shuffle(lines)
        data = bytearray(b"\n".join(lines))
    elif how == "nul":
        data[at : at + 3] = b"\x00" * 3
    elif how == "swap":
        data = data[at:] + data[:at]
    elif how == "bytes":
        data = bytearray(rng.randbytes(rng.choice([1, 10, 500])))
    elif how == "encode":
        with contextlib.suppress(UnicodeError):
            data = bytearray(
                content.decode().encode(rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "utf-7"]))
            )
    return bytes(data)


def one(seed: int, folder: Path) -> tuple[str, str]:
    """Make one file and read it: what came of it (``read refused``, or what must not be), and about what."""
    rng = random.Random(seed)
    if seed % 5 == 0:
        return one_export(seed, rng, folder)
    format_, how = rng.choice(FORMATS), rng.choice(DAMAGE)
    names, rows = table(rng)
    content = damaged(written(names, rows, format_, rng), how, rng)
    if format_.endswith(".gz"):
        content = gzip.compress(content, 1)
        content = damaged(content, rng.choice(("none", "flip", "cut")), rng) if how != "none" else content
    path = folder / f"f{seed}.{format_}"
    path.write_bytes(content)
    about = f"seed {seed}, {format_}, {how}"
    start = time.monotonic()
    try:
        return outcome(path, names, rows, how, rng), about
    except Exception as error:
        return f"FOREIGN {type(error).__name__}: {' '.join(str(error).split())[:200]}", about
    finally:
        path.unlink(missing_ok=True)
        if time.monotonic() - start > HANG:
            raise TimeoutError(about)


def one_export(seed: int, rng: random.Random, folder: Path) -> tuple[str, str]:
    """An export of a labelling tool, damaged or not."""
    name, how = rng.choice(sorted(EXPORTS)), rng.choice(DAMAGE)
    files, question, sizes, _ = EXPORTS[name]
    file, text = rng.choice(sorted(files.items()))
    path = folder / f"f{seed}-{file.rpartition('/')[2]}"
    path.write_bytes(damaged(text.encode(), how, rng))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ann = raters.read(path, question=question)
        lost = how == "none" and len(files) == 1 and ann.n_annotations != sizes[2]
        return ("WRONG rows" if lost else "read"), f"seed {seed}, {name}, {how}"
    except RatersError as error:
        return ("WRONG: several lines in an error" if "\n" in str(error) else "refused"), f"seed {seed}, {name}, {how}"
    except Exception as error:
        return f"FOREIGN {type(error).__name__}: {error}"[:200], f"seed {seed}, {name}, {how}"
    finally:
        path.unlink(missing_ok=True)


def outcome(path: Path, names: list[str], rows: list[list[object]], how: str, rng: random.Random) -> str:
    """What reading, or a command, makes of it."""
    if rng.random() < 0.25:
        return command(path, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ann = raters.read(path)
        except RatersError as error:
            plain = {"item", "rater", "label"} <= set(names[:3]) and all(str(c).isalnum() for row in rows for c in row)
            if how == "none" and rows and plain and len(set(names)) == 3:
                return f"WRONG refused: {error}"
            return "refused"
    if how == "none" and "" not in names:
        seen = ann.n_annotations + sum(ann.dropped.values())
        if seen != len(rows):
            return f"WRONG {seen} rows for {len(rows)}"
    return "read"


def command(path: Path, rng: random.Random) -> str:
    from raters.cli import cli

    key = path.with_suffix(".key")
    args = [str(key) if a == "KEY" else a for a in rng.choice(COMMANDS)]
    done = CliRunner().invoke(cli, [args[0], str(path), *args[1:]], standalone_mode=False)
    key.unlink(missing_ok=True)
    if done.exception is None or isinstance(done.exception, SystemExit | RatersError):
        return "FOREIGN an escape was sent" if "\x1b" in done.output else "command"
    if type(done.exception).__module__.startswith("click"):
        return "command"
    raise done.exception


def run(n: int, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Outcomes of n inputs, and the bad ones."""
    found: Counter[str] = Counter()
    bad: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + n):
            faulthandler.dump_traceback_later(HANG * 2, exit=True)  # a hang in another language's code ends here
            kind, about = one(seed, Path(folder))
            faulthandler.cancel_dump_traceback_later()
            found[kind.split()[0]] += 1
            if kind.split()[0] in ("FOREIGN", "WRONG"):
                bad.append(f"{about}: {kind}")
    return found, bad


if __name__ == "__main__":
    n, first = int(os.environ.get("RATERS_FUZZ", "100000")), int(os.environ.get("RATERS_FUZZ_FIRST", "0"))
    begun = time.monotonic()
    outcomes, bad = run(n, first)
    sys.stdout.write("\n".join(bad[:50]) + "\n" * bool(bad))
    sys.stdout.write(
        f"{n:,} inputs from seed {first}, {time.monotonic() - begun:.0f} s: {dict(sorted(outcomes.items()))}; {len(bad)} bad\n"
    )
    sys.exit(bool(bad))
