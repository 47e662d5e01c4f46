"""Writes docs/benchmarks-consensus.md: crowds and tables with known labels, and time and memory beside crowd-kit.

    python benchmarks/consensus.py [--only draws stability held_out crowds parts constants speed following] [--crowds DIR] [--draws 1] [--seeds 2]
        [--peers OneCoin DawidSkene MACE GLAD] [--sizes 100000,1000000] [--models dawid_skene,glad] [--dry]

Each table is one part; parts that are not asked for stay as the page has them. ``--crowds``: a folder with further crowds and real tables (see
stacking.py), which ``draws`` needs.

Speed: both programs get the same arrays of item, rater and label (2,000 raters, 5 labels, 5 labels an item) and run in their own environment and process,
with one thread. An iteration is timed as the difference between a long run and a short one, so that reading and starting do not count; neither may stop
early. The peak is the largest resident memory less what it was with the data loaded. What follows a fit is timed for raters alone.
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


def of_following() -> list[str]:
    """What follows a fit, by size."""
    found = [measured("raters", "follow", n) or {} for n in FOLLOWING]
    ten = measured("raters", "restarts")
    said = f"{ten['starts']:.0f} starts, {ten['rounds']:.0f} iterations: {ten['seconds']:.2f} s" if ten else "failed"
    return [
        "| | " + " | ".join(f"{n:,} labels" for n in FOLLOWING) + " |",
        "|---|" + "---|" * len(FOLLOWING),
        *(f"| {x} | " + " | ".join(f"{y.get(x, float('nan')):.2f}" for y in found) + " |" for x in found[0]),
        "",
        f"Dawid-Skene on 1,000 items with 25 labels each, 200 raters, 7 labels (one word of Passonneau and Carpenter): {said}.",
    ]


def of_speed(args: argparse.Namespace) -> list[str]:
    """One iteration of each model, in both programs."""
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
    return [
        "| model | labels | raters, s | crowd-kit, s | times faster (elapsed) | times faster (CPU) | raters, MiB | crowd-kit, MiB | memory ratio |",
        "|---|---|---|---|---|---|---|---|---|",
        *rows,
    ]


def of_part(part: str, args: argparse.Namespace) -> list[str] | None:
    """The lines of a part; None if it needs crowds from elsewhere."""
    import stacking

    if part == "speed":
        return of_speed(args)
    if part == "following":
        return of_following()
    if part == "held_out":
        return stacking.of_draws({n: [f(s) for s in range(4 * args.seeds)] for n, f in stacking.HELD_OUT.items()})
    if part == "draws":
        if not args.crowds:
            return None
        designs, real = (stacking.of_draws(x) for x in stacking.given(args.crowds, 100))
        return [*designs, "", *real]
    if part == "stability":
        return stacking.of_stability(*stacking.lists_of(args.crowds)) if args.crowds else None
    own: Any = {name: [design(s) for s in range(args.seeds)] for name, design in stacking.DESIGNS.items()}
    groups = [own, *(stacking.given(args.crowds, args.draws) if args.crowds else ())]
    if part == "crowds":
        return stacking.of_crowds(groups, args.peers)
    return (stacking.of_parts if part == "parts" else stacking.of_constants)(groups)


ABOUT = "{date}, {machine}, {cores} cores, Python {python}, {versions}; load average {load:.1f}"
SECTIONS = {
    "draws": """## Consensus by stacking

[`model="auto"`](models.md#which-model-modelauto), with all draws of 22 designs and 12 real tables by someone else, which are not part of this repository. Of dices and brexit, the truth is the majority of hidden
votes. In a bin with fewer than 300 labels nothing is said. `difficulty` has 7 % of items that mislead everybody: by the winner of a very large vote, its .8 to .95 is +.003.""",
    "stability": "### Stability and time",
    "held_out": """### Other crowds

The components were chosen while looking at the tables above. Of these kinds, the ordered ones were looked at while the ordinal component got lines of each rater's own; the others were tried once, when all had been chosen, and nothing was changed for them. Ordered labels are read as such.""",
    "crowds": """### Beside other models

Accuracy and mean log score of the truth; our own crowds, and one draw of each crowd and table from elsewhere. A model of crowd-kit that takes more than five minutes for all of them is left out.""",
    "parts": """### What each part is worth

Each part left out, for all crowds and tables; overstated: what is stated minus what is right, at .8 and more.""",
    "constants": "### Constants at half and twice their value\n\nOn our own crowds, and where named on those from elsewhere.",
    "tried": """### What was tried, and what was given up

- Ordered scales: with a shift and a spread of all lines a rater (as `ordinal`, when named), raters who move each line were overstated by .11 to .15, since Dawid-Skene predicted items better; with lines of their own, whose covariance is learned, and labels as uncertain as the
  crowd's lines, by -.01. The density of places is learned: without, the log score is -.64 instead of -.61 where few items lie in the middle. Two raters are still overstated by .05 to .1.
- Without one-coin, real tables gain (log score -.297 instead of -.300, bluebirds .898 instead of .852) and designs lose (-.291 instead of -.289, raters who turn labels round .006 to .010, 1,000 items by 200 raters are understated by .06 instead of .05): it stays, and bluebirds
  is given up.
- Where items do not differ in difficulty, labels are understated by .05 to .1 at .6 to .95: five labels an item cannot tell such a crowd from one whose items do, and real tables are of the second kind. Without ease, those are overstated by .03.
- Dawid-Skene's rows drawn around what the rater's other rows suggest, in place of one-coin and Dawid-Skene: forty labels -.447 to -.398, but where the smaller camp is right .037 is lost, and real tables have -.304 instead of -.301 (one draw each).
- Truths of items from the folds, by parameters that have not seen them: no better stated.
- Half as many strengths to average over (13 instead of 25): 20 lines less, a tenth slower, and strengths jump.""",
    "speed": """## Time and memory

One EM iteration of `raters` and of crowd-kit (for votes, the whole computation, for `raters` including the encoding of the labels) on the same labels (2,000 raters, 5 labels on the scale, 5 labels per item), and the memory that each needs in addition to the data. Each figure is from
a single run with one thread; with other work running, the ratio of CPU times is more accurate than that of elapsed times. crowd-kit's Wawa fails with the scikit-learn that it installs (1.9.1).""",
    "following": """## Functions that use a fit

CPU seconds of `raters` on the same kind of labels. Fits run to convergence; with fewer labels per rater, they take more iterations. If raters gave few labels, `information` simulates blind raters.""",
}
"""What the page says of each part, in its order; ``tried`` has no table."""


def kept(part: str, text: str) -> str:
    """What the page has of a part: its table, with a line that says when it was measured."""
    begin, end = f"<!-- generated by consensus.py: {part} -->", f"<!-- end of {part} -->"
    return text.partition(begin)[2].partition(end)[0].strip("\n")


def page(made: dict[str, str], old: str) -> str:
    """The whole page: new tables, and old ones where none are new."""
    out = [
        "# Benchmarks: annotation models",
        "",
        "`benchmarks/consensus.py` writes this page; each table says when it was measured.",
    ]
    for part, text in SECTIONS.items():
        out += ["", text]
        if part != "tried":
            out += [
                "",
                f"<!-- generated by consensus.py: {part} -->",
                "",
                made.get(part) or kept(part, old),
                "",
                f"<!-- end of {part} -->",
            ]
    return "\n".join([*out, ""])


def main() -> None:
    match sys.argv[1:]:
        case ["run", program, model, n]:
            return run(program, model, int(n))
        case ["follow", n]:
            return follow(int(n))
        case ["restarts"]:
            return restarts()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = [part for part in SECTIONS if part != "tried"]
    parser.add_argument(
        "--only", nargs="*", choices=tables, default=tables, help="none: the text alone is written anew"
    )
    parser.add_argument("--crowds", default="", help="a folder with further crowds and tables")
    parser.add_argument(
        "--draws", type=int, default=1, help="draws of each of them beside other models, and of parts and constants"
    )
    parser.add_argument("--seeds", type=int, default=2, help="draws of our own crowds")
    parser.add_argument(
        "--peers", nargs="*", default=["OneCoin", "DawidSkene", "MACE", "GLAD"], help="crowd-kit's models"
    )
    parser.add_argument("--sizes")
    parser.add_argument("--models", default=",".join(ITERATIONS))
    parser.add_argument("--dry", action="store_true", help="print, and write no page")
    args = parser.parse_args()
    made = {}
    for part in args.only:
        if (lines := of_part(part, args)) is None:
            continue
        about = versions("raters", "numpy", "scipy")
        about |= versions("crowd-kit", "crowd-kit", "pandas") if part in ("crowds", "speed") else {}
        said = ABOUT.format(
            date=date.today(),
            machine=platform.machine(),
            cores=os.cpu_count(),
            python=platform.python_version(),
            versions=", ".join(f"{k} {v}" for k, v in about.items()),
            load=os.getloadavg()[2],
        )
        made[part] = "\n".join([*lines, "", f"Measured {said}."])
        sys.stdout.write(f"{made[part]}\n\n")
        sys.stdout.flush()
    if not args.dry:
        PAGE.write_text(page(made, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
