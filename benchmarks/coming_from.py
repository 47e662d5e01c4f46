"""The figures of crowd-kit on docs/coming-from.md: `python benchmarks/coming_from.py` prints them.

crowd-kit runs in an environment of its own on the table of `raters.examples.demo()`; the page compares the labels with
ours.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from environments import python_of

import raters

SNIPPET = """
import sys
import numpy as np
import pandas as pd
from crowdkit.aggregation import MACE, GLAD, DawidSkene, MajorityVote, Wawa, ZeroBasedSkill
frame = pd.read_csv(sys.argv[1]).rename(columns={"item": "task", "rater": "worker"})
np.random.seed(0)
for model in (MajorityVote(), Wawa(), ZeroBasedSkill(), DawidSkene(n_iter=100), MACE(random_state=0), GLAD()):
    try:
        found = model.fit_predict(frame[["task", "worker", "label"]])
    except AttributeError as error:
        print(type(model).__name__, "fails:", str(error).split(".")[0])
        continue
    print(type(model).__name__, *(f"{label}:{n}" for label, n in found.value_counts().sort_index().items()), "|",
          ",".join(found.sort_index().astype(str)))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "demo.csv")
        raters.examples.demo().to_frame().to_csv(table, index=False)
        ran = subprocess.run(
            [python_of("crowd-kit"), "-W", "ignore", "-c", SNIPPET, str(table)],
            check=False,
            capture_output=True,
            text=True,
        )
    if ran.returncode:
        raise RuntimeError(ran.stderr[-800:])
    names = {
        "MajorityVote": "majority",
        "Wawa": "wawa",
        "ZeroBasedSkill": "zero_based_skill",
        "DawidSkene": "dawid_skene",
        "MACE": "mace",
        "GLAD": "glad",
    }
    for line in ran.stdout.splitlines():
        if "fails:" in line:
            sys.stdout.write(line + "\n")
            continue
        counts, labels = line.split(" | ")
        kind, *shares = counts.split()
        ours = raters.consensus(raters.examples.demo(), names[kind])
        given = dict(zip(sorted(ours.labels), labels.split(","), strict=True))
        same = sum(given[item] == label for item, label in ours.labels.items())
        sys.stdout.write(f"{kind} {' '.join(shares)} the same label as ours: {same} of {len(given)}\n")


if __name__ == "__main__":
    main()
