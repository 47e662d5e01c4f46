"""Published figures stay as they are, or the changelog says why."""

import json

import pytest
from golden import FILE, figures

SAID = (
    "a published figure has changed. If that is meant, put a row into the table 'Figures that changed' of CHANGELOG.md "
    "with the reason, then run python tests/golden.py"
)


def test_published_figures_hold():
    kept, now = json.loads(FILE.read_text(encoding="utf-8")), figures()
    assert kept.keys() == now.keys(), SAID
    for name, row in kept.items():
        for before, after in zip(row, now[name], strict=True):
            assert (before is None) == (after is None), (SAID, name)
            assert before is None or after == pytest.approx(before, abs=1e-8), (SAID, name)
