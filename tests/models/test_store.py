"""A fit goes to a file and comes back; a broken file is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_crowds import coin, crowd

import raters
from raters import models, writing
from raters.errors import DataError, UsageError
from raters.models import consensus


def test_a_fit_is_written_beside_and_renamed(demo: raters.results.Consensus, tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "fit.npz"
    demo.save(path)
    before = path.read_bytes()

    def broken(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "replace", broken)
    with pytest.raises(UsageError, match="cannot write"):
        demo.save(path, force=True)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    with pytest.raises(UsageError, match="cannot write"):
        demo.save(tmp_path / "no such folder" / "fit.npz")


def test_a_broken_fit_is_refused_in_one_line(demo: raters.results.Consensus, tmp_path: Path) -> None:
    path = tmp_path / "fit.npz"
    demo.save(path)
    whole = path.read_bytes()
    for content in (b"", whole[: len(whole) // 2], whole[:200] + bytes([whole[200] ^ 255]) + whole[201:]):
        path.write_bytes(content)
        with pytest.raises(DataError, match="not a saved consensus"):
            models.load(path)
    np.save(tmp_path / "a.npy", np.ones(3))
    with pytest.raises(DataError, match="not a saved consensus"):
        models.load(tmp_path / "a.npy")


def test_saved_draws_and_gold_come_back(tmp_path: Path) -> None:
    votes, _ = crowd(np.stack([coin(0.85)] * 4), 80)
    c = consensus(votes, gold={0: 1}, uncertainty="posterior", draws=40, priors={"r0": np.eye(2)})
    c.save(tmp_path / "a.npz")
    back = models.load(tmp_path / "a.npz")
    assert back.uncertainty is not None and c.uncertainty is not None
    assert np.array_equal(back.uncertainty.values["confusion"], c.uncertainty.values["confusion"])
    assert back.labels[0] == 1 and np.array_equal(back.settings.priors["r0"], np.eye(2))
    (tmp_path / "b.npz").write_bytes(b"nothing")
    with pytest.raises(DataError, match="not a saved consensus"):
        models.load(tmp_path / "b.npz")
