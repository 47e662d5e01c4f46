"""What does not fold to few patterns is refused before it fills the memory."""

from dataclasses import replace

import pytest

import raters
from raters.items import folding as row_limit


def test_many_labels_beyond_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    ann = raters.simulate.labels(60, 3, 60, seed=1).annotations()
    huge = replace(ann, n_items=10**9, n_annotations=5 * 10**9)
    monkeypatch.setattr(row_limit, "memory_limit", lambda engine: 2e9)
    with pytest.raises(
        raters.UsageError, match=r"60 labels do not fold to few patterns.*about 600\.0 GB, but the limit is 2\.0 GB"
    ):
        raters.agreement(huge, interval=None)
    with pytest.raises(raters.UsageError, match="3 raters with 60 labels do not fold"):
        raters.agreement(huge, "conger", interval=None)
    assert raters.agreement(ann, interval=None).value > 0


def test_few_labels_are_no_matter_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_limit, "memory_limit", lambda engine: 1.0)
    ann = replace(raters.simulate.labels(60, 3, 3, seed=1).annotations(), n_annotations=10**12)
    assert raters.per_label(ann, interval=None)[0].value > 0
