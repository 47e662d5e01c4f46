"""A coefficient, weights and a distance of another package: one row each, and they work everywhere."""

import json
import os
import subprocess
import sys

import pytest

import raters
from raters.coefficients import REGISTRY, Coefficient, coefficient
from raters.errors import RatersWarning, UsageError
from raters.plugins import Registry, registered
from raters.scales import DISTANCES, WEIGHTS, LabelComparison

CODE = '''
import numpy as np
from raters.coefficients import Coefficient, Parts
from raters.coefficients.base import safe_divide
from raters.scales import LabelComparison


def half_chance(s, k, q):
    """Agreement beyond one half."""
    return Parts(safe_divide(s.agree, s.paired), 0 * s.paired + 0.5, k.perfect, k.unit)


HALF = Coefficient("half_chance", "Half chance", half_chance, ("paired", "agree"), "Nobody 2026", synonyms=("hc",),
                   one_label=1, takes_distance=False)
TAKEN = Coefficient("fleiss", "Not Fleiss", half_chance, ("paired", "agree"), "")
CUBIC = LabelComparison("cubic", lambda x: 1 - np.abs(x[:, None] - x) ** 3 / np.ptp(x) ** 3)
FOURTH = LabelComparison("fourth", lambda x: (x[:, None] - x) ** 4)
'''
ENTRIES = """
[raters.coefficients]
half_chance = tiny_raters:HALF
fleiss = tiny_raters:TAKEN
other_name = tiny_raters:HALF
number = tiny_raters:CODE_THAT_IS_NOT_THERE

[raters.weights]
cubic = tiny_raters:CUBIC

[raters.distances]
fourth = tiny_raters:FOURTH
no_row = json:dumps
"""


def install(folder, code=CODE, entries=ENTRIES):
    """A package as pip leaves it: a module, and a dist-info folder with its entry points."""
    (folder / "tiny_raters.py").write_text(code)
    info = folder / "tiny_raters-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-raters\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entries)


def forget():
    registered.cache_clear()
    for rows in (REGISTRY, WEIGHTS, DISTANCES):
        rows.__dict__.pop("_more", None)
    sys.modules.pop("tiny_raters", None)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield tmp_path
    forget()


TABLE = [[1, 1, 2], [2, 2, 2], [3, 3, 1], [1, 1, 1], [2, 3, 2]]


def said(read):
    with pytest.warns(RatersWarning) as caught:
        read()
    return " | ".join(str(w.message) for w in caught)


def test_ours_are_there_without_a_look_at_other_packages(tiny):
    assert REGISTRY["fleiss"].title == "Fleiss' kappa"
    assert "_more" not in REGISTRY.__dict__ and "tiny_raters" not in sys.modules


def test_what_is_broken_is_said_and_what_is_not_works(tiny):
    words = said(lambda: list(REGISTRY))
    for part in (
        "'fleiss' (raters.coefficients) of another package was skipped: raters already has 'fleiss'",
        "'other_name' (raters.coefficients) of another package was skipped: its row has the name 'half_chance'",
        "'number' (raters.coefficients) of another package was skipped: AttributeError",
    ):
        assert part in words
    assert "'no_row' (raters.distances) of another package was skipped: it is not a LabelComparison" in said(
        lambda: list(DISTANCES)
    )
    assert REGISTRY["fleiss"].title == "Fleiss' kappa" and "half_chance" in REGISTRY
    assert list(WEIGHTS)[-1] == "cubic" and list(DISTANCES)[-1] == "fourth"


def test_it_works_as_ours_do(tiny):
    said(lambda: (list(REGISTRY), list(DISTANCES)))
    ann = raters.read(TABLE, layout="wide", scale="interval")
    for name in ("half_chance", "hc", "Half-chance"):
        e = raters.agreement(ann, name, interval="delta", weights="identity")
        assert e.name == "half_chance" and e.value == pytest.approx((e.observed - 0.5) / 0.5) and e.se > 0
    assert "half_chance" in [e.name for e in raters.agreement_table(ann, interval=None)]
    x = [1.0, 2.0, 3.0]
    one = raters.agreement(ann, "fleiss", weights="cubic", interval=None)
    other = raters.agreement(ann, "fleiss", weights=[[1 - abs(a - b) ** 3 / 8 for b in x] for a in x], interval=None)
    assert one.value == pytest.approx(other.value) and one.weights == "cubic"
    far = raters.agreement(ann, distance="fourth", interval=None)
    assert far.value == pytest.approx(
        raters.agreement(ann, distance=[[(a - b) ** 4 for b in x] for a in x], interval=None).value
    )


def test_it_works_on_the_command_line(tmp_path):
    install(tmp_path)
    table = tmp_path / "labels.csv"
    rows = [f"q{i},{'abc'[j]},{v}" for i, row in enumerate(TABLE) for j, v in enumerate(row)]
    table.write_text("\n".join(["item,rater,label", *rows]) + "\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = ["agree", str(table), "-c", "hc", "--weights", "cubic", "--format", "json", "--scale", "interval"]
    done = subprocess.run(
        [sys.executable, "-c", "from raters.cli import main; main()", *command],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (e,) = json.loads(done.stdout)["estimates"]
    assert e["name"] == "half_chance" and e["weights"] == "cubic" and e["value"] == pytest.approx(2 * e["observed"] - 1)
    assert "skipped" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("row", REGISTRY.values(), ids=lambda row: row.name)
def test_every_name_and_synonym_finds_its_row(row):
    for name in (row.name, row.title, *row.synonyms):
        assert coefficient(name) is row
        assert coefficient(name.upper().replace(" ", "-")) is row


def test_no_synonym_belongs_to_two():
    names = [name for row in REGISTRY.values() for name in (row.name, *row.synonyms)]
    assert len(names) == len(set(names))


def test_an_unknown_name_is_met_with_the_nearest():
    with pytest.raises(
        UsageError, match=r"unknown coefficient 'kripendorf': choose one of percent, .*mean 'krippendorff'\?"
    ):
        coefficient("kripendorf")
    with pytest.raises(UsageError, match=r"unknown coefficient 'zzz': choose one of [^?]*$"):
        coefficient("zzz")


def test_a_registry_is_a_mapping():
    rows = Registry((REGISTRY["fleiss"],), "raters.nothing", Coefficient)
    assert dict(rows) == {"fleiss": REGISTRY["fleiss"]} and len(rows) == 1 and "cohen" not in rows
    assert repr(rows) == "Registry(fleiss)" and isinstance(WEIGHTS["linear"], LabelComparison)
