"""Figures of the house, for whoever wants to judge: ``make house``. Nothing here is a test, and nothing has a limit."""

from __future__ import annotations

import inspect
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS / "house"), str(TESTS)]
import test_layers  # noqa: E402
import test_scales  # noqa: E402
from deciders import in_folder  # noqa: E402

ROOT = test_layers.ROOT


def figures() -> Iterator[tuple[str, str]]:
    """What is counted, and the count."""
    import raters

    texts = {path: path.read_text(encoding="utf-8") for path in test_layers.FILES}
    lines = [line for text in texts.values() for line in text.splitlines()]
    own = [p for p, text in texts.items() if p.name != "__init__.py" or len(text.splitlines()) > 1]
    yield "modules, those of one line apart", f"{len(own):,}"
    yield "lines of src/raters, formatted", f"{len(lines):,}"
    yield "lines over 120 characters", f"{sum(len(line) > 120 for line in lines):,}"
    yield "`fmt: skip`, all on tables of data", f"{sum('# fmt: skip' in line for line in lines):,}"
    yield "modules that one other imports", f"{single_importers():,}"
    yield "decisions by a sentence", f"{sum(1 for _ in in_folder(ROOT)):,}"
    yield "comparisons with a scale's name", f"{comparisons():,}"
    yield "public names of `raters`", f"{len(raters.__all__):,}"
    counts = {name: n for name in raters.__all__ if (n := parameters(getattr(raters, name))) is not None}
    most = max((name for name in counts if name != "read"), key=lambda name: counts[name])
    yield "parameters of public functions, median", f"{statistics.median(counts.values()):g}"
    yield "the most, `read` apart", f"{counts[most]} (`{most}`)"


def single_importers() -> int:
    """How many modules are imported by exactly one other."""
    by: Counter[str] = Counter()
    for name, path in test_layers.MODULES.items():
        by.update({other for _, other in test_layers.within(path)} - {name, ""})
    return sum(n == 1 for n in by.values())


def comparisons() -> int:
    """How many expressions compare with the name of a scale."""
    return len(test_scales.found() - set(test_scales.OTHER_WORDS))


def parameters(function: object) -> int | None:
    """How many parameters a public function has; None if it is not a function."""
    return len(inspect.signature(function).parameters) if inspect.isfunction(function) else None


if __name__ == "__main__":
    for what, count in figures():
        print(f"{what:45} {count}")
    for file, line, text in in_folder(Path(ROOT)):
        print(f"  decides by a sentence: {file}:{line}: {text}")
