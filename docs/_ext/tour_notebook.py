"""The tour as a notebook and as a page: `python docs/_ext/tour_notebook.py` writes docs/tour.ipynb and docs/tour.md
from docs/tour.py.
"""

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


INTRODUCTION = """This page is made from `docs/tour.py`; `docs/tour.ipynb` is the same as a notebook. What you see below is what the code printed and drew when the
documentation was built. The notebook is stored without outputs, so that changes to it can be reviewed: run it to see them. A test runs it from
top to bottom and draws every chart.
"""


def page() -> str:
    """The tour as a page whose code is run, with what it prints and draws."""
    parts, title = [], ""
    for kind, source in cells():
        if kind == "markdown":
            title = source.split("\n")[0].lstrip("# ")
            parts.append(source.replace("\n", f"\n\n{INTRODUCTION}\n", 1) if not parts else source)
        elif source.endswith(".plot()"):
            *first, last = source.splitlines()
            parts.append("\n".join(["```{picture}", f":alt: {title}", "", *first, f"chart = {last}", "```"]))
        else:
            parts.append(f"```{{run-python}}\n:lines: 30\n\n{source}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    SCRIPT.with_suffix(".ipynb").write_text(json.dumps(notebook(), indent=1) + "\n", encoding="utf-8")
    SCRIPT.with_suffix(".md").write_text(page(), encoding="utf-8")
