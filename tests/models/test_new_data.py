"""A fit meets new items and new labels: predict and update."""

from pathlib import Path

import numpy as np
import pytest
from small_crowds import coin, crowd

import raters
from raters import models
from raters.errors import DataError, UsageError
from raters.models import consensus, saved


@pytest.mark.parametrize("model", ["majority", "dawid_skene", "one_coin", "hierarchical", "mace", "glad"])
def test_predict_update_save(model: str, tmp_path: Path) -> None:
    votes, truth = crowd(np.stack([coin(0.85, 3)] * 5), 200, seed=1)
    old, new = votes.rows(np.arange(120)), votes.rows(np.arange(120, 200))
    c = consensus(old, model, start="votes", ties="first")
    p = saved.predict(c, new)
    assert p.items == tuple(range(120, 200)) and np.mean(p.codes == truth[120:]) > 0.85
    again = saved.predict(c, old)
    assert np.allclose(again.posterior, c.posterior, atol=0.02)
    whole = saved.update(c, new)
    assert whole.items == tuple(range(200))
    fresh = consensus(votes, model, start="votes", ties="first")
    assert np.mean(whole.codes == fresh.codes) > 0.99
    if model not in ("majority", "glad"):
        assert whole.objective == pytest.approx(fresh.objective, rel=1e-4)
    c.save(tmp_path / "fit.npz")
    back = models.load(tmp_path / "fit.npz")
    assert back.labels == c.labels and back.starts == c.starts and back.settings == c.settings
    assert np.array_equal(back.posterior, c.posterior) and back.trace == c.trace
    with pytest.raises(UsageError, match="exists already"):
        c.save(tmp_path / "fit.npz")
    c.save(tmp_path / "fit.npz", force=True)


def test_predict_takes_unknown_raters_for_average_ones_and_refuses_unknown_labels(
    demo: raters.results.Consensus,
) -> None:
    new = raters.read([("n1", "ana", "neutral"), ("n1", "zoe", "neutral"), ("n1", "ben", "negative")], scale="nominal")
    c = demo.predict(new)
    assert c.raters[-1] == "zoe" and c.labels["n1"] == "neutral"
    with pytest.raises(DataError, match="was not in the data that the model was fitted to"):
        demo.predict(raters.read([("n1", "ana", "splendid")], scale="nominal"))


def test_update_of_numbers() -> None:
    ann = raters.read([(i, r, float(i + r)) for i in range(8) for r in range(3)], scale="interval")
    more = raters.read([(i, r, i + r + 0.5) for i in range(6, 12) for r in range(1, 4)], scale="interval")
    c = raters.consensus(ann, model="gaussian").update(more)
    assert len(c.items) == 12 and len(c.raters) == 4
    means = c.posterior[:, 0]
    assert means[11] > means[0]
