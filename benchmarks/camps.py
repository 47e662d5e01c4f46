"""Two camps of raters who make the same errors: how often they are found, and how ``auto`` compares with the vote and
with the model that it would take.

    python benchmarks/camps.py [cue|experts|lines|uneven|independent] [--crowds 6]

``cue``: some of 12 raters follow a cue, right half of the time, on a share of the items. ``experts``: half of them are
lured on a fifth of the items, and the others are right more often elsewhere, too. ``lines``: raters see the same
severity and draw the line in two places, or each elsewhere; the truth is the line in the middle, or that of one half.
``uneven``: some know little, and the others fail together on hard items. ``independent``: nobody makes the same errors.
400 items, two labels; a table in Markdown, about a minute of processor time each.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
from settled import wins

import raters
from raters.models.base.votes import Votes
from raters.models.choosing.camps import camps
from raters.models.choosing.choose import FAST
from raters.models.fitting.fit import fit

N, J = 400, 12


def crowd(
    seed: int, *, followers: int = 0, cued: float = 0.0, lured: float = 0.0, skills: tuple[float, float] = (0.8, 0.8)
) -> tuple[Votes, np.ndarray]:
    """The first raters follow the cue, or are lured; ``skills``: theirs and the others'."""
    rng = np.random.default_rng(seed)
    truth, first = rng.integers(0, 2, N), np.arange(J) < (followers or J // 2)
    right = rng.random((N, J)) < np.where(first, *skills)
    right &= ~((rng.random(N) < lured)[:, None] & first & (rng.random((N, J)) < 0.8))
    follows = (rng.random(N) < cued)[:, None] & first & (rng.random((N, J)) < 0.9)
    right = np.where(follows, (rng.random(N) < 0.5)[:, None], right)
    item, rater = np.divmod(np.arange(N * J), J)
    return (
        Votes.of_codes(item, rater, np.where(right, truth[:, None], 1 - truth[:, None]).ravel(), labels=range(2)),
        truth,
    )


def of_lines(
    seed: int, *, apart: float = 1.2, spread: float = 0.2, at: float = 0.5, j: int = 10
) -> tuple[Votes, np.ndarray]:
    """One half draws the line at 0, the other at ``apart``; the truth is at a share ``at`` of the way."""
    rng = np.random.default_rng(seed)
    severity, line = rng.normal(-0.7, 1, 2 * N), np.where(np.arange(j) < j // 2, apart, 0) + rng.normal(0, spread, j)
    label = (severity[:, None] + rng.normal(0, 0.5, (2 * N, j)) > line).astype(int)
    item, rater = np.divmod(np.arange(2 * N * j), j)
    return Votes.of_codes(item, rater, label.ravel(), labels=range(2)), (severity > at * apart).astype(int)


def uneven(seed: int, *, weak: int, j: int = J, k: int = 2, each: int = J) -> tuple[Votes, np.ndarray]:
    """The first raters know little; the others know most, and fail together on hard items."""
    rng = np.random.default_rng(seed)
    truth, ease, little = rng.integers(0, k, N), rng.normal(0, 1.5, N)[:, None], np.arange(j) < weak
    right = 1 / (1 + np.exp(-np.where(little, 0.2 * (1 if k == 2 else -2) + 0.2 * ease, 2.2 + ease)))
    label = np.where(rng.random((N, j)) < right, truth[:, None], (truth[:, None] + rng.integers(1, k, (N, j))) % k)
    item, rater = np.repeat(np.arange(N), each), np.concatenate([rng.permutation(j)[:each] for _ in range(N)])
    return Votes.of_codes(item, rater, label[item, rater], labels=range(k)), truth


def designs(part: str) -> Iterator[tuple[str, dict[str, object]]]:
    if part == "cue":
        for cued in (0.15, 0.3):
            for followers in (3, 4, 5, 6, 7, 8):
                yield (
                    f"{followers} of 12 follow a cue on {cued:.0%} of the items",
                    {"followers": followers, "cued": cued},
                )
    elif part == "experts":
        for novices, experts in ((0.8, 0.95), (0.7, 0.95), (0.8, 0.9), (0.7, 0.85), (0.8, 0.85)):
            yield (
                f"experts right in {experts:.0%}, novices in {novices:.0%}, lured on 20 %",
                {"lured": 0.2, "skills": (novices, experts)},
            )
    elif part == "lines":
        for name, at in (
            ("the lower line is right", 0.0),
            ("the middle is right", 0.5),
            ("the upper line is right", 1.0),
        ):
            for j in (6, 10):
                yield f"two lines, {j} raters, {name}", {"at": at, "j": j}
        yield "each of 10 raters has a line, the middle is right", {"apart": 0.8, "spread": 0.8}
    elif part == "uneven":
        for weak in (4, 6, 8):
            yield f"{weak} of 12 know little", {"weak": weak}
        yield "8 of 20 know little, 4 labels, 6 raters an item", {"weak": 8, "j": 20, "k": 4, "each": 6}
    else:
        for skill in (0.6, 0.7, 0.8, 0.9):
            yield f"independent, right in {skill:.0%}", {"skills": (skill, skill)}


MAKE = {"lines": of_lines, "uneven": uneven}


def row(part: str, name: str, how: dict[str, object], crowds: int) -> str:
    only_found = part == "independent"
    found, gaps = 0, []
    for seed in range(crowds):
        votes, truth = MAKE.get(part, crowd)(seed, **how)  # type: ignore[operator]
        found += camps(fit(votes, "hierarchical", **FAST)) is not None
        if only_found:
            continue
        vote = wins(votes.counts, truth).mean()
        c = raters.consensus(votes)
        model = raters.consensus(
            votes, c.choice.best if c.choice and c.choice.best else "one_coin", start="votes", tempering="held_out"
        )
        gaps.append([np.mean(x.codes == truth) - vote for x in (c, model)])
    if only_found:
        return f"| {name} | {found} of {crowds} | | |"
    auto, model_gap = np.mean(gaps, 0)
    return f"| {name} | {found} of {crowds} | {auto:+.3f} | {model_gap:+.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", nargs="?", default="cue", choices=("cue", "experts", "lines", "uneven", "independent"))
    parser.add_argument("--crowds", type=int, default=6)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| | camps found | `auto` less vote | the favoured model less vote |\n|---|---|---|---|")  # noqa: T201
    for name, how in designs(asked.part):
        print(row(asked.part, name, how, asked.crowds), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
