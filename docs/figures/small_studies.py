"""Draws docs/images/small-studies.svg: thirty items without a disagreement, by the bootstrap and with one imaginary
item.

python docs/figures/small_studies.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from raters.agree.agreement_spec import request
from raters.agree.estimating import estimate
from raters.items import Items
from raters.scales import Kernel

FILE = Path(__file__).parent.parent / "images" / "small-studies.svg"
STUDIES = (("no disagreement", (15, 0, 15)), ("1 disagreement", (15, 1, 14)), ("3 disagreements", (14, 3, 13)))
LEFT, RIGHT, LOWEST = 190, 690, 0.5


def limits(counts: tuple[int, int, int], method: str) -> tuple[float, float, float]:
    weight = np.array(counts, float)
    at = weight > 0
    rows = sparse.csr_array(np.array([[2.0, 0], [1, 1], [0, 2]])[at])
    e = estimate(
        request("krippendorff", interval=method),
        Items(weight[at], rows, ("no", "yes"), n_raters=2),
        Kernel("identity", 1.0, total=2.0),
    )
    return e.low, e.value, e.high


def x(value: float) -> float:
    return LEFT + (value - LOWEST) / (1 - LOWEST) * (RIGHT - LEFT)


def main() -> None:
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 300" font-family="sans-serif" font-size="13" role="img">',
        "<title>30 items, two raters: the bootstrap and one imaginary item</title>",
        '<rect width="720" height="300" fill="white"/>',
    ]
    for tick in np.arange(LOWEST, 1.01, 0.1):
        lines += [
            f'<line x1="{x(tick):.0f}" x2="{x(tick):.0f}" y1="40" y2="262" stroke="#ddd"/>',
            f'<text x="{x(tick):.0f}" y="280" text-anchor="middle" fill="#555">{tick:.1f}</text>',
        ]
    lines.append(
        '<text x="20" y="24" font-weight="bold">30 items, two raters, two labels: alpha and its 95 % interval</text>'
    )
    y = 62
    for name, counts in STUDIES:
        lines.append(f'<text x="20" y="{y + 12}" fill="#222">{name}</text>')
        for method, colour, word in (("bootstrap", "#b35806", "bootstrap"), ("auto", "#2166ac", "one imaginary item")):
            low, value, high = limits(counts, method)
            lines += [
                f'<line x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="4"/>',
                f'<circle cx="{x(value):.1f}" cy="{y}" r="5" fill="{colour}"/>',
                f'<text x="{min(x(low), 560) - 8:.1f}" y="{y + 4}" text-anchor="end" fill="{colour}" font-size="11">{word} {low:.2f} to {high:.2f}</text>',
            ]
            y += 24
        y += 22
    FILE.write_text("\n".join([*lines, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()
