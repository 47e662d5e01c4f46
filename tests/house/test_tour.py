"""The tour runs from top to bottom, and the notebook is the script."""

import json
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

from tour_notebook import cells, notebook, page  # noqa: E402


def test_the_notebook_is_the_script():
    assert json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8")) == notebook()


def test_the_page_is_the_script_and_draws_its_charts():
    assert (DOCS / "tour.md").read_text(encoding="utf-8") == page()
    assert page().count("```{picture}") == sum(source.endswith(".plot()") for _, source in cells()) >= 4


def test_the_tour_runs_and_its_charts_draw(capsys):
    scope: dict = {}
    charts = 0
    for kind, source in cells():
        if kind == "code":
            *first, last = source.splitlines()
            exec(compile("\n".join(first), "tour", "exec"), scope)
            if last.endswith(".plot()"):
                charts += bool(eval(last, scope).to_dict())
            else:
                exec(compile(last, "tour", "exec"), scope)
    assert charts >= 4 and "Krippendorff" in capsys.readouterr().out
