"""The tour as a notebook: `python docs/_ext/tour_notebook.py` writes docs/tour.ipynb from docs/tour.py."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[1] / "tour.py"


def cells() -> list[tuple[str, str]]:
    """(kind, source) of every cell of the script."""
    parts = re.split(r"^# %%(.*)\n", SCRIPT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = []
    for mark, text in zip(parts[::2], parts[1::2], strict=True):
        kind = "markdown" if "markdown" in mark else "code"
        source = text.strip("\n")
        found.append((kind, re.sub(r"^# ?", "", source, flags=re.MULTILINE) if kind == "markdown" else source))
    return found


def notebook() -> dict[str, Any]:
    """In version 4 of the format, without outputs: they are made where it is opened."""
    made = [
        {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": source.splitlines(keepends=True)}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for i, (kind, source) in enumerate(cells())
    ]
    spec = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return {"cells": made, "metadata": spec, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    SCRIPT.with_suffix(".ipynb").write_text(json.dumps(notebook(), indent=1) + "\n", encoding="utf-8")
