"""The ordinal model: a typed table with known parameters, recovery, and the laws of every EM."""

import numpy as np
import pytest

import raters
from raters.models.base.votes import Votes
from raters.models.families import ordinal
from raters.models.families.spec import Task
from raters.models.held_out.choose import at_power

TABLE = [[1, 2, 1], [2, 2, 3], [4, 3, 4], [3, 3, 2], [1, 1, 2], [4, 4, 4], [2, 3, 3], [3, None, 4]]
PARAMS = {
    "thresholds": np.array([-1.0, 0.0, 1.0]), "shift": np.array([0.0, 0.3, -0.2]), "scale": np.array([1.0, 0.8, 1.2]),
    "precision": np.array([1.5, 1.0, 2.0]), "prevalence": np.full(4, 0.25),
}  # fmt: skip


def typed() -> Votes:
    rows = [(i, j, y - 1) for i, row in enumerate(TABLE) for j, y in enumerate(row) if y is not None]
    return Votes.of_codes(*zip(*rows, strict=True), labels=(1, 2, 3, 4))


def crowd(
    seed: int, n_items: int = 400, n_raters: int = 8, k: int = 5
) -> tuple[Votes, np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(n_items)
    beta = np.linspace(-1.2, 1.2, k - 1)
    true = {
        "shift": rng.normal(0, 0.4, n_raters),
        "scale": np.exp(rng.normal(0, 0.2, n_raters)),
        "precision": np.exp(rng.normal(0.7, 0.4, n_raters)),
    }
    item, rater = np.nonzero(rng.random((n_items, n_raters)) < 0.7)
    noise = rng.standard_normal(len(item)) / true["precision"][rater]
    cut = true["shift"][rater][:, None] + true["scale"][rater][:, None] * beta
    label = (z[item] + noise > cut.T).sum(0)
    return Votes.of_codes(item, rater, label, labels=range(1, k + 1)), (z[:, None] > beta).sum(1), true


def test_likelihood_and_posterior_of_the_typed_table() -> None:
    q, log_likelihood = ordinal.expect(Task(typed()), PARAMS)
    assert log_likelihood == pytest.approx(-27.923773, abs=2e-6)
    assert q[0] == pytest.approx([0.8120647978, 0.1876740242, 0.0002611777, 3.207e-10], abs=2e-7)
    assert q[7] == pytest.approx([6.857909611e-07, 0.01050230779, 0.5297476754, 0.459749331], abs=2e-7)


def test_parameters_are_recovered_and_the_objective_never_falls() -> None:
    votes, truth, true = crowd(1)
    c = raters.consensus(votes, "ordinal", start="votes", tolerance=1e-8)
    assert np.corrcoef(c.params["shift"], true["shift"])[0, 1] > 0.9
    assert np.corrcoef(np.log(c.params["precision"]), np.log(true["precision"]))[0, 1] > 0.8
    vote = np.mean(votes.counts.argmax(1) == truth)
    assert np.mean(c.codes == truth) > vote
    assert min(np.diff(c.trace)) > -1e-6
    assert c.confusion.sum(-1) == pytest.approx(1) and c.confusion.shape == (8, 5, 5)


def test_the_loop_leaves_labels_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The M step needs the places of items alone; from their labels it gives the same."""
    votes, _, _ = crowd(4, 60, 5, 4)
    task = Task(votes)
    params = ordinal.maximise(task, votes.shares(), None)
    (places, inside), (q, outside) = ordinal.within(task, params), ordinal.expect(task, params)
    assert inside == outside
    for name, x in ordinal.maximise(task, places, params).items():
        assert (x == ordinal.maximise(task, q, params)[name]).all()
    seen = []
    regions = ordinal.regions
    monkeypatch.setattr(ordinal, "regions", lambda beta: (seen.append(1), regions(beta))[1])
    c = raters.consensus(votes, "ordinal", max_iter=9)
    assert len(c.trace) == 9 and len(seen) == 1
    assert c.posterior == pytest.approx(ordinal.expect(Task(votes, smoothing=0.01), c.params)[0], abs=1e-12)
    seen.clear()
    at_power(c, 0.5)  # what it predicts follows from the places as well
    assert not seen


def test_the_step_of_the_thresholds_is_the_one_by_all_chances() -> None:
    """A threshold moves two labels alone, so the information is tridiagonal; here it comes from all chances."""
    votes, _, true = crowd(5, 50, 4, 5)
    own, beta = np.stack([true["shift"], np.log(true["scale"]), np.log(true["precision"])], -1), np.linspace(-1, 1, 4)
    centre = ordinal.threshold_centres(votes)
    n = np.asarray(votes.columns @ ordinal.nodes(Task(votes), votes.shares(), None, beta)).reshape(4, 5, -1)
    p, density, _ = ordinal.slopes(own, beta)
    moved = np.zeros((4, *p.shape))
    for c in range(4):
        moved[c, :, c] = np.exp(own[:, 1:].sum(1))[:, None] * density[:, c]
        moved[c, :, c + 1] = -moved[c, :, c]
    gradient, curve = ordinal.scoring(n, np.maximum(p, 1e-12), moved)
    move = np.linalg.solve(curve.sum(0) + np.eye(4), gradient.sum(0) - (beta - centre))
    assert ordinal.thresholds_step(own, n, beta, centre) == pytest.approx(beta + move, abs=1e-12)


def test_two_labels_leave_the_scale_alone() -> None:
    votes, _, _ = crowd(2, 150, 5, 2)
    assert (raters.consensus(votes, "ordinal", start="votes", tolerance=1e-7).params["scale"] == 1).all()


def test_auto_uses_the_order_of_an_ordinal_scale() -> None:
    votes, _, _ = crowd(3, 200, 8, 5)
    rows = [
        (int(i), int(j), votes.labels[k]) for i, j, k in zip(votes.item_of, votes.rater_of, votes.label_of, strict=True)
    ]
    c = raters.consensus(raters.read(rows, scale="ordinal", labels=list(votes.labels)))
    assert c.mixture is not None and "ordinal" in c.mixture.models
    assert not raters.information(c).spammers
    nominal = raters.consensus(raters.read(rows, scale="nominal", labels=list(votes.labels)))
    assert nominal.mixture is not None and "ordinal" not in nominal.mixture.models
