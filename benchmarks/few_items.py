"""What models that are used as published state on few items, and how much of it is right.

    python benchmarks/few_items.py [--repeats 10]        # a table in Markdown, half a minute

Three or five raters, each right with a probability drawn around .75, give all items one of two labels.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import raters
from raters.models.base.votes import Votes

MODELS = ("dawid_skene", "one_coin", "hierarchical", "mace", "glad")
ADJUSTED = {"dawid_skene, held_out": {"model": "dawid_skene", "tempering": "held_out"}, "auto": {"model": "auto"}}
SIZES = ((4, 3), (4, 5), (10, 3), (10, 5), (40, 3), (40, 5))


def table(rng: np.random.Generator, n: int, j: int) -> tuple[Votes, np.ndarray]:
    truth = rng.integers(0, 2, n)
    skill = np.clip(rng.normal(0.75, 0.1, j), 0.5, 0.98)
    label = np.where(rng.random((n, j)) < skill, truth[:, None], 1 - truth[:, None])
    item, rater = np.divmod(np.arange(n * j), j)
    return Votes.of_codes(item, rater, label.ravel(), labels=range(2)), truth


def stated(how: dict[str, str], n: int, j: int, repeats: int) -> str:
    """Mean probability stated, share right; and of the labels stated at .99, their share and how many are right."""
    rng, found = np.random.default_rng(1), []
    for _ in range(repeats):
        votes, truth = table(rng, n, j)
        c = raters.consensus(votes, start="votes", **how)  # type: ignore[arg-type]
        found.append(np.stack([c.certainty, c.codes == truth]))
    said, right = np.concatenate(found, 1)
    at = said >= 0.99
    sure = f"{at.mean():.2f}: {right[at].mean():.2f}" if at.any() else "none"
    return f"{said.mean():.2f}, {right.mean():.2f}; {sure}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    lines = ["| | " + " | ".join(f"{n} items, {j} raters" for n, j in SIZES) + " |", "|---|" + "---|" * len(SIZES)]
    for name, how in ({m: {"model": m} for m in MODELS} | ADJUSTED).items():
        lines.append(f"| {name} | " + " | ".join(stated(how, n, j, repeats) for n, j in SIZES) + " |")
    print("\n".join(lines))  # noqa: T201


if __name__ == "__main__":
    main()
