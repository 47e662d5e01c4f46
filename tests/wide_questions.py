"""A wide file of several variables, as coders keep it: a column for each variable and coder, a headline, and notes."""

from pathlib import Path

import numpy as np

TONES = ("negative", "neutral", "positive")
CODERS = ("Anna", "Ben", "Carla")


def write_press(folder: Path, n: int = 40, third: bool = False) -> Path:
    """``press.csv``: tone in words and quality from 1 to 5 (and topic in words), by three coders, with a few gaps."""
    rng = np.random.default_rng(3)
    variables = ["tone", "quality", *(["topic"] if third else [])]
    head = ["id", "headline", *(f"{v}_{c}" for v in variables for c in CODERS), "notes"]
    lines = [",".join(head)]
    for i in range(n):
        tone, quality, topic = rng.integers(3), rng.integers(1, 6), rng.integers(4)
        cells = [TONES[tone if rng.random() < 0.8 else rng.integers(3)] for _ in CODERS]
        cells += [str(int(np.clip(quality + rng.choice([-1, 0, 1], p=[0.2, 0.6, 0.2]), 1, 5))) for _ in CODERS]
        if third:
            cells += [["sport", "city", "art", "law"][topic if rng.random() < 0.9 else rng.integers(4)] for _ in CODERS]
        if i == 7:
            cells[1] = ""
        note = {3: "unclear", 9: "check again", 20: "satire?"}.get(i, "")
        lines.append(",".join([f"A{i:03d}", f'"Council debates plan {i}, again"', *cells, note]))
    path = folder / "press.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
