"""A model in another package joins by an entry point."""

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import numpy as np
from raters.models.families import voting
from raters.models.base.probabilities import rows_to_one
from raters.models.families.spec import Vote

MODEL = voting.model(
    Vote(lambda task: {"seen": np.ones(task.votes.n_raters)}, lambda params, votes: params["seen"][votes.rater_of],
         rows_to_one, "counted elsewhere"),
    name="elsewhere", title="Elsewhere", rater="a share", reference="", by_rater=("seen",),
    sampler="nothing is drawn here.", certainty="share",
)
"""
USE = """
import raters
ann = raters.examples.demo()
c = raters.consensus(ann, "elsewhere")
assert c.reason == "counted elsewhere" and c.posterior.shape == (200, 3)
assert (c.posterior == c.votes.shares()).all() and len(c.predict(ann).labels) == 200
assert "elsewhere" in raters.models.MODELS and raters.information(c)[0].value > 0
try:
    raters.consensus(ann, "elsewhere", uncertainty="posterior")
except raters.UsageError as error:
    assert str(error) == "nothing is drawn here."
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "tiny_model.py").write_text(CODE)
    about = tmp_path / "tiny_model-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[raters.models]\nelsewhere = tiny_model:MODEL\n")
    return tmp_path


def run(path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    here = [str(path), *(p for p in sys.path if p)]
    code = f"import sys; sys.path[:0] = {here!r}; "
    return subprocess.run([sys.executable, "-c", code + args[0]], capture_output=True, text=True, check=False)


def test_a_model_of_another_package_is_one_of_the_models(package: Path) -> None:
    done = run(package, f"exec({USE!r})")
    assert done.returncode == 0, done.stderr


def test_the_command_line_knows_it(package: Path) -> None:
    done = run(package, "sys.argv = ['raters', 'consensus', '--help-all']; from raters.cli import main; main()")
    assert "elsewhere" in done.stdout, done.stderr
