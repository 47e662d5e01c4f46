"""Two camps of raters who make the same errors: how often they are found, and how ``auto`` compares with the vote and with the model that it would take.

    python benchmarks/camps.py [cue|experts|independent] [--crowds 6]

``cue``: some of 12 raters follow a cue, right half of the time, on a share of the items. ``experts``: half of them are lured on a fifth of the items, and the others are right more
often elsewhere, too. ``independent``: nobody makes the same errors. 400 items, two labels; a table in Markdown, about a minute of processor time each.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
from settled import wins

import raters
from raters.models.choosing.camps import camps
from raters.models.choosing.choose import FAST
from raters.models.fitting.fit import fit
from raters.models.votes import Votes

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
    return Votes.of_codes(
        item, rater, np.where(right, truth[:, None], 1 - truth[:, None]).ravel(), labels=range(2)
    ), truth


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
    else:
        for skill in (0.6, 0.7, 0.8, 0.9):
            yield f"independent, right in {skill:.0%}", {"skills": (skill, skill)}


def row(name: str, how: dict[str, object], crowds: int, only_found: bool) -> str:
    found, gaps = 0, []
    for seed in range(crowds):
        votes, truth = crowd(seed, **how)  # type: ignore[arg-type]
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
    parser.add_argument("part", nargs="?", default="cue", choices=("cue", "experts", "independent"))
    parser.add_argument("--crowds", type=int, default=6)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| | camps found | `auto` less vote | the favoured model less vote |\n|---|---|---|---|")  # noqa: T201
    for name, how in designs(asked.part):
        print(row(name, how, asked.crowds, asked.part == "independent"), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
