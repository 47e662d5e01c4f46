"""Full Bayes without its extra: one line that says how to install it. NumPyro itself is not among the test packages."""

import sys

import pytest

import raters
from raters.errors import UsageError
from raters.models.bayes import MODELS, bayes


def test_the_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpyro", None)
    for model in MODELS:
        with pytest.raises(ImportError, match=r"pip install 'raters\[bayes\]'"):
            bayes(raters.examples.demo(), model)


def test_an_unknown_model_is_refused_before_anything_else() -> None:
    with pytest.raises(UsageError, match="Use one of 'dawid_skene', 'hierarchical', 'item_difficulty'"):
        bayes(raters.examples.demo(), "mace")
