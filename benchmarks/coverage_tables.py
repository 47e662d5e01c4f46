"""The tables of docs/coverage.md from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Cells = Sequence[dict[str, Any]]
LOW, HIGH = 0.90, 0.99
SHOWN = 3
"""Rows of the tables that show where something is worst; ``--results FILE`` has every row."""


def page(whole: dict[str, Any], methods: Sequence[str]) -> str:
    """Everything between the two marks of the page."""
    cells: Cells = whole["cells"]
    error = float(np.sqrt(0.95 * 0.05 / whole["studies"]))
    said = (
        f"{len(cells)} designs{_of(whole)} drawn by seed {whole['seed']}, {whole['studies']:,} studies each,"
        f" {whole['resamples']:,} replicates; a share of .95 has a standard error of {error:.3f}. CPU time"
        f" {whole['cpu'] / 60:.0f} minutes. Studies in which every label is the same have no coefficient; they are"
        f" {np.mean([c['undefined'] for c in cells]):.1%} of all and are left out."
    )
    parts = [
        said,
        "## The targets",
        targets(cells),
        "## Every method on the same draws",
        by_method(cells, methods),
        "## By kind of scale",
        grouped(cells, lambda c: c["kind"]),
        "## By items",
        grouped(cells, lambda c: c["items"]),
        "## Where the default still fails",
        failing(cells),
        "## Half and twice the imaginary item",
        moved(whole["sensitivity"]),
        "## Smaller grids",
        smaller(whole["smaller"]),
        "## Differences where there is none",
        without_difference(whole["nulls"]),
        "## Every table of two labels by two raters",
        enumerated(whole["exact"]),
        "## Beside other packages",
        beside_peers(whole["peers"]),
        "## Cost",
        cost(whole["cost"]),
        "## Where the default holds least",
        hardest(cells, methods),
    ]
    return "\n\n".join(parts)


def _of(whole: dict[str, Any]) -> str:
    """A run that was stopped early says so."""
    return f" (the first of {whole['asked']})" if len(whole["cells"]) < whole["asked"] else ""


def _holds(cells: Cells, j: int) -> Any:
    return np.array([c["holds"][j] for c in cells])


def targets(cells: Cells) -> str:
    """What the default was to reach, and what it reached."""
    h, below = _holds(cells, 0), np.array([c["below"][0] for c in cells])
    inside = np.mean((h >= LOW) & (h <= HIGH))
    boot = _holds(cells, 1)
    fine = [c for c, b in zip(cells, boot, strict=True) if 0.93 <= b <= 0.97]
    ratio = float(np.mean([c["width"][0] / c["width"][1] for c in fine])) if fine else np.nan
    rows = [
        ("designs within .90 to .99", "nine in ten", f"{inside:.0%}"),
        ("least coverage", ".85 or more", f"{h.min():.3f}"),
        ("mean coverage", ".94 to .96", f"{h.mean():.3f}"),
        (
            "designs with the truth below the lower limit in more than 6 % of studies",
            "none",
            f"{int((below > 0.06).sum())} of {len(cells)}",
        ),
        ("the same on the mean", "6 % or less", f"{below.mean():.1%}"),
        (
            "width over the bootstrap's where that holds (.93 to .97)",
            "1.15 or less",
            f"{ratio:.2f} ({len(fine)} designs)",
        ),
    ]
    return "\n".join(["| | wanted | measured |", "| --- | --- | ---: |", *(f"| {a} | {b} | {c} |" for a, b, c in rows)])


def _row(cells: Cells, j: int) -> str:
    h = _holds(cells, j)
    inside, below = np.mean((h >= LOW) & (h <= HIGH)), np.mean([c["below"][j] for c in cells])
    return f"{h.mean():.3f} | {h.min():.3f} | {inside:.0%} | {below:.1%}"


def by_method(cells: Cells, methods: Sequence[str]) -> str:
    lines = ["| interval | mean | least | within .90 to .99 | truth below |", "| --- | ---: | ---: | ---: | ---: |"]
    return "\n".join([*lines, *(f"| {m} | {_row(cells, j)} |" for j, m in enumerate(methods))])


def grouped(cells: Cells, key: Any) -> str:
    lines = [
        "| | designs | default: mean, least | bootstrap: mean, least |",
        "| --- | ---: | ---: | ---: |",
    ]
    for value in sorted({key(c) for c in cells}):
        some = [c for c in cells if key(c) == value]
        first, boot = _holds(some, 0), _holds(some, 1)
        shown = f"{value:,}" if isinstance(value, int) else value
        lines.append(
            f"| {shown} | {len(some)} | {first.mean():.3f}, {first.min():.3f} | {boot.mean():.3f}, {boot.min():.3f} |"
        )
    return "\n".join(lines)


def failing(cells: Cells, most: int = 20) -> str:
    out = sorted((c for c in cells if not LOW <= c["holds"][0] <= HIGH), key=lambda c: c["holds"][0])
    if not out:
        return "No design of this run lies outside .90 to .99."
    lines = ["| design | true value | default | truth below | bootstrap |", "| --- | ---: | ---: | ---: | ---: |"]
    shown = out[:most]
    lines += [
        f"| {c['words']} | {c['true']:.2f} | {c['holds'][0]:.3f} | {c['below'][0]:.3f} | {c['holds'][1]:.3f} |"
        for c in shown
    ]
    return "\n".join(lines)


def moved(rows: Cells) -> str:
    far = {m: max(abs(x) for r in rows for x in r[m]) for m in ("0.5", "2")}
    low, high = (pick(r["width"] for r in rows) for pick in (min, max))
    return (
        f"Mean change of the two limits in {len(rows)} designs (alpha, two labels at 95 % and 5 %, three raters; mean"
        f" widths {low:.3f} to {high:.3f}): at most {far['0.5']:.3f} with half the item, {far['2']:.3f} with twice."
    )


def smaller(rows: Cells) -> str:
    lines = [
        "Shares that hold the truth; of a band, shares in which it is too high (5 % stated).",
        "",
        "| what | default | bootstrap |",
        "| --- | ---: | ---: |",
        *(f"| {r['what']} | {r['default']:.3f} | {_number(r['other'])} |" for r in rows),
    ]
    return "\n".join(lines)


def without_difference(rows: Cells) -> str:
    """Nulls rejected by `compare`, the most of each kind first."""
    said = [
        f"Of {len([r for r in rows if r['paired'] == paired])} designs {words}, p is below .05 in"
        f" {_range(rows, paired)} of studies"
        for paired, words in ((True, "on the same items"), (False, "on different items"))
    ]
    lines = [
        ". ".join(said) + f"; 8 % at the most is wanted. The {SHOWN} designs in which it is most often:",
        "",
        "| design | studies | default | bootstrap |",
        "| --- | ---: | ---: | ---: |",
    ]
    most = sorted(rows, key=lambda r: -r["default"])[:SHOWN]
    lines += [f"| {r['what']} | {r['studies']} | {r['default']:.3f} | {_number(r['other'])} |" for r in most]
    return "\n".join(lines)


def _range(rows: Cells, paired: bool) -> str:
    found = [r["default"] for r in rows if r["paired"] == paired]
    return f"{min(found):.1%} to {max(found):.1%}, {float(np.mean(found)):.1%} on the mean,"


def enumerated(rows: Cells) -> str:
    lines = [
        (
            "No studies are drawn: each table that n items can show has its interval and its probability. True values"
            f" of alpha from .05 to .99 in steps; coverage goes up and down with them. The {SHOWN} rows with the most values held in under .90:"
        ),
        "",
        (
            "| items | coefficient | rarer label | mean | least | true alpha there | true values held in under .90 |"
            " truth below at the most |"
        ),
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {r['items']} | {r['coefficient']} | {r['margin']:g} | {r['mean']:.3f} | {r['least']:.3f} | {r['at']:.2f} |"
        f" {r['under']:.0%} | {r['below']:.1%} |"
        for r in sorted(rows, key=lambda r: -r["under"])[:SHOWN]
    ]
    return "\n".join(lines)


def beside_peers(rows: Cells) -> str:
    """Each package's own interval, called as it is, on the same studies."""
    packages = {peer: [r for r in rows if r["peer"] == peer] for peer in dict.fromkeys(r["peer"] for r in rows)}
    ends = [min(own, key=lambda r: r[side]) for own in packages.values() for side in ("default", "other")]
    least = [r for i, r in enumerate(ends) if r not in ends[:i]]
    lines = [
        "A study for which a package gives no interval counts as one that it fails to hold. For each package, the"
        " design that the default holds least, and the one that the package does:",
        "",
        "| package | design | true | studies | default | theirs | truth below: default | theirs |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {r['peer']} | {r['what']} | {r['true']:.2f} | {r['studies']} | {r['default']:.2f} | {r['other']:.2f} |"
        f" {r['default below']:.2f} | {r['other below']:.2f} |"
        for r in least
    ]
    return "\n".join(lines)


def cost(rows: Cells) -> str:
    least, most, long = (f(rows, key=lambda r: r[k]) for f, k in ((min, "ratio"), (max, "ratio"), (max, "auto")))
    return (
        f"CPU time of the default over that of the percentile bootstrap, 2,000 replicates each: {least['ratio']:.2f}"
        f" ({least['what']}) to {most['ratio']:.2f} ({most['what']}). The longest of {len(rows)}: {long['what']},"
        f" {long['auto'] * 1e3:.0f} ms."
    )


def _number(x: float) -> str:
    return f"{x:.3f}" if np.isfinite(x) else "-"


def hardest(cells: Cells, methods: Sequence[str]) -> str:
    head = "| design | true | " + " | ".join(methods) + " | undefined |"
    lines = [head, "| --- |" + " ---: |" * (len(methods) + 2)]
    for c in sorted(cells, key=lambda c: c["holds"][0])[:SHOWN]:
        shown = [f"{x:.3f}" if LOW <= x <= HIGH else f"**{x:.3f}**" for x in c["holds"]]
        lines.append(f"| {c['words']} | {c['true']:.2f} | " + " | ".join(shown) + f" | {c['undefined']:.1%} |")
    return "\n".join(lines)
