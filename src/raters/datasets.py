"""Public data sets, fetched on request and cached; nothing is downloaded otherwise.

A file is kept in the cache (``RATERS_CACHE``, else ``~/.cache/raters``). Its checksum is recorded at the first fetch
and verified from then on, so that the same figures always come from the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, listed, warn
from raters.io.read import read
from raters.writing import write_whole

TIMEOUT = 60.0
MOST_BYTES = 1 << 28
PLACES = ("Budapest", "KualaLumpur", "Mexico")


@dataclass(frozen=True)
class Source:
    """Where a data set lives."""

    page: str
    """The page that describes the files and their licence."""
    urls: tuple[str, ...]
    """The addresses of the files, with the commit if it is known, so that their content cannot change."""
    paper: str
    sha256: tuple[str, ...] = ()
    """The checksum of each file, if it is known; otherwise the first fetch is trusted and later fetches are compared
    with it.
    """


SOURCES: Mapping[str, Source] = {
    "irep": Source(
        "https://github.com/google-research-datasets/replication-dataset",
        (
            "https://raw.githubusercontent.com/google-research-datasets/replication-dataset/master/IREP_data_release.csv",
        ),
        "Wong, Paritosh & Aroyo (2021), Cross-replication Reliability, ACL",
    ),
    "wordsim_replications": Source(
        "https://github.com/google-research-datasets/wordsim-replications",
        (
            "https://raw.githubusercontent.com/google-research-datasets/wordsim-replications/main/replication1.csv",
            "https://raw.githubusercontent.com/google-research-datasets/wordsim-replications/main/replication2.csv",
        ),
        "Wong & Paritosh (2022), k-Rater Reliability, ACL",
    ),
}


def cache() -> Path:
    """The folder of fetched files."""
    given = os.environ.get("RATERS_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "raters"


def fetch(name: str, *, again: bool = False, sha256: Sequence[str] | None = None) -> list[Path]:
    """The files of a data set, from the cache or from the address in its paper; ``again=True`` fetches them again.

    ``sha256``: the checksum that each file must have, if you know it. If neither you nor this release does, a warning
    says so, and the checksum is that of the first fetch; a file that differs from it is an error.
    """
    if name not in SOURCES:
        raise UsageError(f"unknown data set {name!r}: choose one of {', '.join(SOURCES)}.")
    source = SOURCES[name]
    pins = tuple(sha256 or source.sha256) or ("",) * len(source.urls)
    if len(pins) != len(source.urls):
        raise UsageError(f"sha256: {len(pins)} checksums for the {len(source.urls)} files of {name!r}.")
    if not all(pins) and any(again or not _place(name, url).exists() for url in source.urls):
        warn(
            f"no checksum of the published files of {name!r} is known, so the first download is trusted; compare it"
            " with a source of your own, and pass it as sha256=[...] from then on"
        )
    return [_kept(name, url, pinned, again) for url, pinned in zip(source.urls, pins, strict=True)]


def _place(name: str, url: str) -> Path:
    return cache() / name / url.rsplit("/", 1)[-1]


def _kept(name: str, url: str, pinned: str, again: bool) -> Path:
    path = _place(name, url)
    folder = path.parent
    fresh = again or not path.exists()
    content = _download(name, url, path) if fresh else path.read_bytes()
    record = path.with_name(path.name + ".sha256")
    found = _verified(path, content, pinned, record)
    folder.mkdir(parents=True, exist_ok=True)
    if fresh:
        write_whole(path, content, force=True)
    if not record.exists():
        write_whole(record, f"{found}  {path.name}\n".encode())
    return path


def _download(name: str, url: str, path: Path) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
            content: bytes = answer.read(MOST_BYTES + 1)
    except (urllib.error.URLError, TimeoutError, OSError) as error:
        why = getattr(error, "reason", None) or error
        raise DataError(
            f"cannot fetch {url} ({why}). Without a network, obtain the file from {SOURCES[name].page} and save it as"
            f" {path}, or pass its path: raters.datasets.{name}(...)."
        ) from None
    if len(content) > MOST_BYTES:
        raise DataError(f"{url} has more than {MOST_BYTES:,} bytes, so it is not the expected file. Nothing was kept.")
    return content


def _verified(path: Path, content: bytes, pinned: str, record: Path) -> str:
    """Compare the checksum with the published one, or with that of the first fetch."""
    found = hashlib.sha256(content).hexdigest()
    if pinned and found != pinned:
        raise DataError(
            f"{path.name} is not the published file (sha256 {found[:12]}..., should be {pinned[:12]}...). Nothing was"
            " kept; fetch it again, or obtain it from the address in its paper."
        )
    known = record.read_text(encoding="utf-8").split()[0] if record.exists() else found
    if known != found:
        raise DataError(
            f"{path} is not the file that was first fetched (sha256 {found[:12]}..., was {known[:12]}...). "
            f"If you expect the change, delete {record.name} next to it."
        )
    return found


def irep(path: str | Path | None = None, *, pools: Sequence[str] | None = None) -> Annotations:
    """The IRep data: facial expressions judged by several pools; one row for each (item, rater, expression).

    Labels are 0 and 1; the columns ``platform`` (the city) and ``expression`` say what was judged and where. The
    paper's Table 5 is ``raters.xrr(irep(), pool="platform", by="expression", irr="cohen")``.

    The paper analyses three cities; the file also has a fourth platform, "International", and 32 columns of labels.
    ``pools``: the platforms to keep, such as ``raters.datasets.PLACES``, the paper's three; all by default.

    ``path``: the published file, if you already have it: ``item_id, platform, rater`` (1 or 2, the first or second
    rater in a city), then one column of 0 and 1 for each expression.
    """
    at = Path(path) if path is not None else fetch("irep")[0]
    head, rows = _csv(at)
    names = [name.strip().strip('"').lower() for name in head]
    if names[:3] != ["item_id", "platform", "rater"] or len(names) < 4:
        raise DataError(
            f"{at}: expected the columns item_id, platform, rater and one for each label; found {listed(head, 5)}."
        )
    cells = np.array(rows, dtype=object)
    try:
        label = cells[:, 3:].astype(np.int8)
    except ValueError:
        raise DataError(f"{at}: a label is not 0 or 1. The labels are the columns after rater.") from None
    if pools is not None:
        there = list(dict.fromkeys(cells[:, 1].tolist()))
        unknown = [p for p in pools if p not in there]
        if unknown or not len(pools):
            raise UsageError(f"pools={list(pools)!r}: the platforms of {at.name} are {listed(there)}.")
        kept = np.isin(cells[:, 1].astype(str), list(pools))
        cells, label = cells[kept], label[kept]
    n, k = label.shape
    who = np.array([f"{city} {rater}" for city, rater in cells[:, 1:3]], dtype=object)
    item = _whole(cells[:, 0])
    columns = {
        "item": np.repeat(item, k),
        "rater": np.repeat(who, k),
        "label": label.ravel().astype(np.int64),
        "platform": np.repeat(cells[:, 1], k),
        "expression": np.tile(np.array(names[3:], dtype=object), n),
    }
    return read(
        columns,
        item="item",
        rater="rater",
        label="label",
        scale="nominal",
        labels=[0, 1],
        duplicates="keep",
    )


def wordsim_replications(paths: Sequence[str | Path] | None = None) -> tuple[Annotations, Annotations]:
    """Two replications of WordSim-353: 13 ratings, 0 to 10, of each pair of words.

    ``paths``: the two files, if you already have them: two columns of words, then one for each rating (a column of
    means is ignored). An item is a pair of words in lower case, in alphabetical order.
    """
    files = [Path(p) for p in paths] if paths is not None else fetch("wordsim_replications")
    if len(files) != 2:
        raise UsageError(f"wordsim_replications takes two files, one for each replication; got {len(files)}.")
    first, second = (_wordsim(path, i) for i, path in enumerate(files, 1))
    return first, second


def _wordsim(path: Path, replication: int) -> Annotations:
    head, rows = _csv(path)
    means = [i for i, name in enumerate(head) if i >= 2 and "mean" in name.lower()]
    ratings = [i for i in range(2, len(head)) if i not in means]
    if not ratings:
        raise DataError(f"{path}: expected two columns of words, then one for each rating; found {listed(head, 5)}.")
    found: list[tuple[str, str, float]] = []
    seen: dict[str, int] = {}
    for row in rows:
        pair = " ".join(sorted(word.strip().lower() for word in row[:2]))
        seen[pair] = seen.get(pair, 0) + 1
        item = pair if seen[pair] == 1 else f"{pair} ({seen[pair]})"
        for i in ratings:
            if row[i].strip():
                try:
                    found.append((item, f"{replication}/{head[i]}", float(row[i])))
                except ValueError:
                    raise DataError(f"{path}: {row[i]!r} of the pair {pair!r} is not a rating.") from None
    return read(found, scale="interval")


def _csv(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            # the published header of IRep has a stray quote; no cell of these files holds a comma
            head, *rows = csv.reader(file, quoting=csv.QUOTE_NONE)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {error}.") from None
    for at, row in enumerate(rows, 2):
        if len(row) != len(head):
            raise DataError(f"{path}: line {at} has {len(row)} cells, the header {len(head)}.")
    return head, rows


def _whole(column: Any) -> Any:
    """Item names as whole numbers, if all of them are."""
    try:
        return column.astype(np.int64)
    except ValueError:
        return column
