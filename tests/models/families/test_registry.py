"""One registry of models: every fact is in the row, nobody compares names, and what cannot be done says why."""

import ast
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raters
from raters import models
from raters.errors import RatersError, UsageError
from raters.models.families.registry import MODELS, model_named, names
from raters.scales import Scale

ROOT = Path(raters.__file__).parent
ROWS = [(f"i{i}", f"r{j}", (i + (j * i % 5 == 3)) % 3) for i in range(24) for j in range(4) if (i + j) % 6]
OFFERS: dict[str, Callable[[raters.results.Consensus, Path], Any]] = {
    "labels": lambda c, p: c.labels,
    "confusion": lambda c, p: c.confusion,
    "accuracy": lambda c, p: c.accuracy,
    "confusion_interval": lambda c, p: c.confusion_interval(),
    "predict": lambda c, p: c.predict(table()),
    "update": lambda c, p: c.update(table()),
    "why": lambda c, p: str(c.why("i1")),
    "information": lambda c, p: raters.information(c),
    "next_labels": lambda c, p: raters.next_labels(c, 3),
    "evaluate": lambda c, p: raters.evaluate(c.labels, c),
    "columns": lambda c, p: c.to_columns(),
    "adjudication": lambda c, p: models.adjudication(c),
    "save": lambda c, p: c.save(p / "fit.npz"),
    "text": lambda c, p: str(c),
    "posterior": lambda c, p: raters.consensus(table(), c.model, uncertainty="posterior", draws=8),
    "bootstrap": lambda c, p: raters.consensus(table(), c.model, uncertainty="bootstrap", draws=3),
    "compare": lambda c, p: models.compare_models(table(), [c.model], folds=2),
    "classifier": lambda c, p: models.ConsensusClassifier(c.model).fit(MATRIX).predict(MATRIX),
    "gold": lambda c, p: raters.consensus(table(), c.model, gold={"i0": 1}),
    "priors": lambda c, p: raters.consensus(table(), c.model, priors={"r0": np.ones((3, 3))}),
}
MATRIX = np.array([[0, 0, 1], [1, 1, 1], [2, 2, 0], [0, 0, 0]])


def table() -> raters.Annotations:
    return raters.read(ROWS, scale="nominal", labels=[0, 1, 2])


@pytest.fixture(scope="module", params=list(MODELS))
def fitted(request: pytest.FixtureRequest) -> raters.results.Consensus:
    return raters.consensus(table(), request.param)


@pytest.mark.parametrize("offer", OFFERS)
def test_everything_works_or_says_why_it_cannot(offer: str, fitted: raters.results.Consensus, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            OFFERS[offer](fitted, tmp_path)
        except RatersError as error:
            said = str(error)
            assert said.endswith(".") and "\n" not in said
            return
    if offer == "save":
        back = models.load(tmp_path / "fit.npz")
        assert type(back) is raters.results.Consensus and back.labels == fitted.labels


def refused(fitted: raters.results.Consensus, tmp_path: Path) -> set[str]:
    found = set()
    for name, offer in OFFERS.items():
        try:
            offer(fitted, tmp_path)
        except RatersError:
            found.add(name)
    return found


def test_only_these_cannot(fitted: raters.results.Consensus, tmp_path: Path) -> None:
    """So that a refusal does not spread unseen."""
    row, cannot = fitted.definition, refused(fitted, tmp_path)
    expected = set() if row.takes_priors else {"priors"}
    if not row.likelihood:
        expected |= {"why", "next_labels"}
    if isinstance(row.sampler, str):
        expected |= {"posterior"}
    if row.numbers:
        expected |= {"confusion", "accuracy", "confusion_interval", "information", "evaluate", "adjudication"}
        expected |= {"compare", "classifier"}
    assert cannot == expected


def test_results_keep_their_public_type() -> None:
    c = raters.consensus(table(), "majority")
    assert type(c) is raters.results.Consensus and type(c.predict(table())) is raters.results.Consensus
    assert type(c.update(table())) is raters.results.Consensus and repr(c).startswith("<Consensus majority: 24 items")


def test_rows_are_whole() -> None:
    for name, row in MODELS.items():
        assert row.name == name and row.title and row.rater
        assert all(x == x.strip() for x in (row.title, row.rater, row.reference))
    with pytest.raises(UsageError, match=r"model='wavy' is not known\. Use one of 'majority'"):
        model_named("wavy")
    assert set(names(numbers=True)) | set(names(numbers=False)) == set(MODELS)


def test_nobody_compares_the_name_of_a_model() -> None:
    """Aggregates of kRR have the name majority too: theirs are another registry. A scale is called ordinal, as a model
    is.
    """
    for path in ROOT.rglob("*.py"):
        if path.is_relative_to(ROOT / "reliability"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
                assert not (set(MODELS) - set(Scale)) & {x for x in texts if isinstance(x, str)}, (
                    f"{path}:{node.lineno}"
                )


def test_the_documentation_has_a_row_for_each_in_their_order() -> None:
    text = (ROOT.parents[1] / "docs" / "models.md").read_text(encoding="utf-8").split("## The models")[1]
    rows = [line.split("`")[1] for line in text.split("\n\n")[1].splitlines() if line.startswith("| `")]
    assert rows == list(MODELS)
