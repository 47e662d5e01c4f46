"""The lowest versions that pyproject.toml states are installed together, and the main things are done with them."""

import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("office", "statistics", "web")
DONE = """
import sys
from pathlib import Path

import numpy as np
import raters
import raters.web.app
import xlsxwriter

folder = Path(sys.argv[1])
rng = np.random.default_rng(0)
truth = rng.integers(0, 3, (60, 1))
given = np.where(rng.random((60, 4)) < 0.7, truth, rng.integers(0, 3, (60, 4)))
ann = raters.read(given, layout="wide", scale="nominal")
assert 0.3 < raters.agreement_table(ann)["krippendorff"].value < 0.7
assert len(raters.consensus(ann).labels) == 60
assert raters.krr(ann, k=5).value > raters.krr(ann, k=1).value
assert raters.plan(ann)["labels per item"].value > 1
numbers = raters.read(given + rng.normal(0, 0.1, given.shape), layout="wide", scale="interval")
assert raters.icc(numbers)["ICC(1)"].value > 0
report = raters.report(ann)
assert "<svg" in report.html()
rows = [f"{i},{j},{given[i, j]}" for i in range(60) for j in range(4)]
(folder / "labels.csv").write_text("item,rater,label\\n" + "\\n".join(rows) + "\\n")
assert raters.agreement(folder / "labels.csv").n_items == 60
with xlsxwriter.Workbook(str(folder / "labels.xlsx")) as book:
    sheet = book.add_worksheet()
    for at, row in enumerate([["item", "rater", "label"], *(line.split(",") for line in rows)]):
        sheet.write_row(at, 0, row)
"""
COMMANDS = (
    ["--version"],
    ["agree", "--help-all"],
    ["agree", "labels.csv", "--scale", "nominal"],
    ["agree", "labels.csv", "--scale", "nominal", "--paper", "-o", "table.xlsx"],
    ["agree", "labels.csv", "--scale", "nominal", "--paper", "-o", "table.docx"],
    ["consensus", "labels.csv", "--scale", "nominal", "-o", "gold.parquet"],
    ["agree", "labels.xlsx", "--scale", "nominal"],
    ["report", "labels.csv", "--scale", "nominal", "-o", "report.html"],
)


@pytest.mark.long("lowest versions")
def test_the_lowest_versions_that_are_stated_work(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = [*project["dependencies"], *(need for e in EXTRAS for need in project["optional-dependencies"][e])]
    assert all(need.count(">=") == 1 for need in stated)
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"

    def run(*words: str, refused: bool = False) -> None:
        clean = {k: v for k, v in os.environ.items() if k != "VIRTUAL_ENV"} | {"PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            [str(python), *words], cwd=tmp_path, env=clean, capture_output=True, text=True, check=False, timeout=900
        )
        assert (done.returncode == 2) == refused and (refused or not done.returncode), f"{words}: {done.stderr[-2000:]}"
        assert "Traceback" not in done.stderr

    run("-m", "pip", "install", "--quiet", "--only-binary", ":all:", *(need.replace(">=", "==") for need in stated))
    run("-c", DONE, str(tmp_path))
    for words in COMMANDS:
        run("-m", "raters", *words)
    run("-m", "raters", "agree", "labels.csv", "--resamples", "many", refused=True)
    assert sys.version_info >= tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
