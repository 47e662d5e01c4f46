"""raters and crowd-kit side by side: time for one EM iteration and peak memory of annotation models.

    python benchmarks/consensus.py [--sizes 100000,1000000] [--models dawid_skene,glad] [--dry]

Both get the same arrays of item, rater and label (2,000 raters, 5 labels, 5 labels an item) and run in their own
environment and process, with one thread. An iteration is timed as the difference between a long run and a short one, so
that reading and starting do not count; neither may stop early. The peak is the largest resident memory less what it
was with the data loaded. What follows a fit is timed for raters alone. The tables go to docs/benchmarks-consensus.md
unless --dry.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from datetime import date
from typing import Any

from environments import HERE, python_of, versions

PAGE = HERE.parent / "docs" / "benchmarks-consensus.md"
RATERS, LABELS = 2000, 5
ITERATIONS = {
    "dawid_skene": (1, 6),
    "one_coin": (1, 6),
    "glad": (1, 3),
    "mace": (1, 3),
    "wawa": (0, 1),
    "majority": (0, 1),
}
"""A short and a long run; a vote has no iterations, and is timed as a whole."""
SIZES = {
    "dawid_skene": (100_000, 1_000_000, 10_000_000),
    "one_coin": (100_000, 1_000_000, 10_000_000),
    "glad": (100_000,),
    "mace": (100_000,),
    "wawa": (100_000, 1_000_000),
    "majority": (100_000, 1_000_000),
}
FOLLOWING = (100_000, 1_000_000, 3_000_000)


def draw(n: int) -> dict[str, Any]:
    """Labels of raters who are right 40 to 95 times in 100."""
    import numpy as np

    rng = np.random.default_rng(0)
    truth = rng.integers(0, LABELS, n // 5)
    skill = rng.uniform(0.4, 0.95, RATERS)
    item = np.repeat(np.arange(n // 5), 5)
    rater = (rng.integers(0, RATERS, n // 5)[:, None] + np.arange(5) * 397).ravel() % RATERS
    wrong = (truth[item] + rng.integers(1, LABELS, n)) % LABELS
    label = np.where(rng.random(n) < skill[rater], truth[item], wrong)
    return {"item": item, "rater": rater, "label": label}


def ours(model: str, data: dict[str, Any], rounds: int) -> None:
    from raters.models import consensus
    from raters.models.base.votes import Votes

    votes = Votes.of_codes(data["item"], data["rater"], data["label"], labels=range(LABELS))
    if rounds:
        consensus(votes, model, start="votes", tolerance=0, max_iter=rounds)


def theirs(model: str, data: Any, rounds: int) -> None:
    from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote, OneCoinDawidSkene, Wawa

    if not rounds:
        return
    if model == "glad":
        GLAD(n_iter=rounds, tol=-1e300).fit(data)
    elif model == "mace":
        MACE(n_restarts=1, n_iter=rounds).fit(data)
    elif model in ("wawa", "majority"):
        (Wawa if model == "wawa" else MajorityVote)().fit_predict_proba(data)
    else:
        (DawidSkene if model == "dawid_skene" else OneCoinDawidSkene)(n_iter=rounds, tol=-1e300).fit(data)


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(program: str, model: str, n: int) -> None:
    """In the program's own process: seconds for an iteration, MiB on top."""
    data: Any = draw(1000)
    if program == "crowd-kit":
        import pandas

    for size in (1000, n):  # the first call imports and warms up
        data = draw(size)
        if program == "crowd-kit":
            data = pandas.DataFrame({"task": data["item"], "worker": data["rater"], "label": data["label"]})
        before = peak()
        times = []
        few, many = ITERATIONS[model]
        warm = () if model in ("glad", "mace") else (few,) if few else (many,)
        for rounds in (*warm, few, many):  # the first touches fresh memory
            start, spent = time.perf_counter(), time.process_time()
            (ours if program == "raters" else theirs)(model, data, rounds)
            times.append((time.perf_counter() - start, time.process_time() - spent))
    each, cpu = ((b - a) / (many - few) for a, b in zip(*times[-2:], strict=True))
    sys.stdout.write(json.dumps({"iteration": each, "cpu": cpu, "memory": peak() - before}) + "\n")


def follow(n: int) -> None:
    """In a process of its own: processor seconds of a fit and of what follows it."""
    import raters
    from raters.models import consensus
    from raters.models.base.votes import Votes

    data = draw(n)
    votes = Votes.of_codes(data["item"], data["rater"], data["label"], labels=range(LABELS))
    c = consensus(votes, start="votes")
    steps = {
        "Dawid-Skene from one start, to convergence": lambda: consensus(votes, start="votes"),
        "one-coin": lambda: consensus(votes, "one_coin", start="votes"),
        "hierarchical": lambda: consensus(votes, "hierarchical", start="votes"),
        "`information`": lambda: raters.information(c),
        '`next_labels(ask="item")`': lambda: raters.next_labels(c),
        '`next_labels(ask="pair")`': lambda: raters.next_labels(c, ask="pair"),
        "`predict` on as many labels": lambda: c.predict(votes),  # type: ignore[arg-type]
        "`why` of an item": lambda: c.why(3),
        "`to_columns`": lambda: c.to_columns(),
    }
    took = {}
    for name, step in steps.items():
        start = time.process_time()
        step()
        took[name] = time.process_time() - start
    sys.stdout.write(json.dumps(took) + "\n")


def restarts() -> None:
    """Ten starts on a table like one word of Passonneau and Carpenter: 1,000 items by 25 labels, 7 senses."""
    import numpy as np

    from raters.models import consensus
    from raters.models.base.votes import Votes

    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(7), (200, 7)) + 0.08 * rng.random((200, 1, 1)) * np.eye(7)  # hard: many iterations
    truth = rng.choice(7, 1000, p=np.arange(1, 8) / 28)
    item, rater = np.repeat(np.arange(1000), 25), rng.integers(0, 200, 25_000)
    share = (theta / theta.sum(-1, keepdims=True))[rater, truth[item]]
    label = (share.cumsum(1) < rng.random((25_000, 1))).sum(1).clip(max=6)
    votes = Votes.of_codes(item, rater, label, labels=range(7))
    start = time.process_time()
    c = consensus(votes, "dawid_skene")
    took = {
        "seconds": time.process_time() - start,
        "starts": len(c.starts),
        "rounds": sum(s.iterations for s in c.starts),
    }
    sys.stdout.write(json.dumps(took) + "\n")


def measured(program: str, *what: object) -> dict[str, float] | None:
    command = [python_of(program), str(HERE / "consensus.py"), *map(str, what)]
    env = {**os.environ, "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    got = subprocess.run(command, capture_output=True, text=True, env=env)
    if got.returncode:
        sys.stderr.write(got.stderr[-400:] + "\n")
        return None
    found: dict[str, float] = json.loads(got.stdout.splitlines()[-1])
    return found


def following() -> list[str]:
    """What follows a fit, by size."""
    found = [measured("raters", "follow", n) or {} for n in FOLLOWING]
    rows = [f"| {name} | " + " | ".join(f"{x.get(name, float('nan')):.2f}" for x in found) + " |" for name in found[0]]
    ten = measured("raters", "restarts")
    said = (
        f"{ten['starts']:.0f} starts, {ten['rounds']:.0f} iterations in all: {ten['seconds']:.2f} s."
        if ten
        else "failed."
    )
    return [
        "## Functions that use a fit",
        "",
        (
            "CPU seconds of `raters` on the same kind of labels (2,000 raters, 5 labels on the scale). Fits run to"
            " convergence; with fewer labels"
        ),
        "per rater, they take more iterations. If raters gave few labels, `information` simulates blind raters.",
        "",
        "| | " + " | ".join(f"{n:,} labels" for n in FOLLOWING) + " |",
        "|---|" + "---|" * len(FOLLOWING),
        *rows,
        "",
        (
            "Dawid-Skene on 1,000 items with 25 labels each, from 200 raters on a scale of 7 labels (the size of one"
            f" word in Passonneau and Carpenter): {said}"
        ),
        "",
    ]


def page(rows: list[str], more: list[str]) -> str:
    about = versions("raters", "numpy", "scipy") | versions("crowd-kit", "crowd-kit", "pandas")
    with_versions = ", ".join(f"{k} {v}" for k, v in about.items())
    return "\n".join(
        [
            "# Benchmarks: annotation models",
            "",
            (
                "This page compares one EM iteration of `raters` with one of crowd-kit (for votes, the whole"
                " computation) on the same labels (2,000 raters, 5 labels on the scale, 5 labels per item),"
            ),
            "and the memory that each needs in addition to the data. `benchmarks/consensus.py` writes it;",
            (
                f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()},"
                f" {with_versions}."
            ),
            "",
            (
                "Each figure is from a single run with one thread. The load average of the machine at the end was"
                f" {os.getloadavg()[2]:.1f} over 15 minutes;"
            ),
            "with other work running, the ratio of CPU times is more accurate than that of elapsed times.",
            "",
            (
                "| model | labels | raters, s | crowd-kit, s | times faster (elapsed) | times faster (CPU) | raters,"
                " MiB | crowd-kit, MiB | memory ratio |"
            ),
            "|---|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            "For votes, the whole computation is timed, for `raters` including the encoding of the labels.",
            "",
            *more,
        ]
    )


def main() -> None:
    match sys.argv[1:]:
        case ["run", program, model, n]:
            return run(program, model, int(n))
        case ["follow", n]:
            return follow(int(n))
        case ["restarts"]:
            return restarts()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes")
    parser.add_argument("--models", default=",".join(ITERATIONS))
    parser.add_argument("--dry", action="store_true", help="print, and write no page")
    args = parser.parse_args()
    rows = []
    for model in args.models.split(","):
        for n in map(int, args.sizes.split(",")) if args.sizes else SIZES[model]:
            a, b = (measured(program, "run", program, model, n) for program in ("raters", "crowd-kit"))
            if a is None:
                continue
            cells = [model, f"{n:,}", f"{a['iteration']:.4f}"]
            if b is None:
                cells += ["failed", "-", "-", f"{a['memory']:.0f}", "failed", "-"]
            else:
                cells += [
                    f"{b['iteration']:.3f}",
                    f"{b['iteration'] / a['iteration']:.0f}",
                    f"{b['cpu'] / a['cpu']:.0f}",
                ]
                cells += [f"{a['memory']:.0f}", f"{b['memory']:.0f}", f"{a['memory'] / max(b['memory'], 1):.2f}"]
            rows.append("| " + " | ".join(cells) + " |")
            sys.stdout.write(rows[-1] + "\n")
            sys.stdout.flush()
    if not args.dry:
        PAGE.write_text(page(rows, following()), encoding="utf-8")


if __name__ == "__main__":
    main()
