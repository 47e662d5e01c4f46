"""Where the default starts of Dawid-Skene end, beside random ones, on a table.

python benchmarks/starts.py TABLE.tsv 500
"""

from __future__ import annotations

import sys
import time

import raters


def main(path: str, random: int) -> None:
    ann = raters.read(path, scale="nominal", duplicates="keep")
    for name, options in (("default", {}), (f"{random} random starts", {"restarts": random})):
        began = time.process_time()
        c = raters.consensus(ann, "dawid_skene", **options)  # type: ignore[arg-type]
        took = time.process_time() - began
        print(f"{name}: objective {c.objective:.2f}, {len(c.starts)} starts, {took:.1f} CPU s")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500)
