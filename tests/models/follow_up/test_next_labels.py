"""What to label next: every choice against all of them, and the search against the long road."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from published import snow
from small_crowds import coin, crowd

import raters
from raters.errors import UsageError
from raters.models import consensus
from raters.models.base.fit import HardItems
from raters.models.base.probabilities import bits, expected_bits, mutual
from raters.models.base.settled_vote import Variety, next_vote
from raters.models.base.votes import Votes
from raters.models.follow_up import next_labels as next
from raters.models.follow_up.next_labels import crowd as crowd_matrix
from raters.models.held_out.hard_items import alpha, if_easy, with_hard_items

HARD = HardItems(0.0, 0.3, 2.0)


@pytest.mark.parametrize("by", ["item", "pair", "new"])
def test_the_search_is_exact_however_little_is_looked_at(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theta = np.stack([coin(a, 3) for a in (0.95, 0.8, 0.6, 0.5, 0.34)])
    table, _ = crowd(theta, 300, share=0.5, seed=9)
    c = consensus(table, "one_coin", start="votes")
    monkeypatch.setattr(next, "CELLS", 7 * theta.size)  # seven items at once
    looked: list[int] = []
    plain = next.expected_bits
    monkeypatch.setattr(next, "expected_bits", lambda q, m: looked.append(len(q)) or plain(q, m))  # type: ignore[func-returns-value]
    found = raters.next_labels(c, 8, ask=by)
    if by == "pair":
        best = best_pairs(c)
        assert [r.bits for r in found] == pytest.approx([x for x, _, _ in best[:8]])
        assert [(r.item, r.rater) for r in found][:3] == [(i, f"r{j}") for _, i, j in best[:3]]
    else:
        value = bits_of_items(c, by)
        assert [r.bits for r in found] == pytest.approx(sorted(value, reverse=True)[:8])
        assert [r.item for r in found][:2] == np.argsort(-value, kind="stable")[:2].tolist()
    if by == "item":
        assert sum(looked) < 150  # the limit by the mean rater spares half the items and more
        assert (expected_bits(c.posterior, c.confusion) <= bits(c.posterior)[:, None] + 1e-12).all()


def best_pairs(c: raters.results.Consensus) -> list[tuple[float, int, int]]:
    """(bits, item, rater): the best pairs, one for each item."""
    every = expected_bits(c.posterior, next.careful(c))  # (item, rater)
    given = {(int(i), int(j)) for i, j in zip(c.votes.item_of, c.votes.rater_of, strict=True)}
    free = [(every[i, j], i, j) for i, j in np.ndindex(every.shape) if (i, j) not in given]
    rows, done = [], set[int]()
    for row in sorted(free, key=lambda r: -r[0]):
        if row[1] not in done:
            rows.append(row)
            done.add(row[1])
    return rows


def bits_of_items(c: raters.results.Consensus, by: str) -> np.ndarray:
    """Bits that a label of each item tells: by a rater as they come, or by a new one."""
    if by == "new":
        return expected_bits(c.posterior, next.crowd(c))
    return expected_bits(c.posterior, c.confusion) @ (c.votes.per_rater.sum(1) / c.votes.n_annotations)


def test_expected_bits_are_the_mean_fall_of_entropy() -> None:
    rng = np.random.default_rng(1)
    q, theta = rng.dirichlet(np.ones(3), 5), rng.dirichlet(np.ones(3), 3)
    for i in range(5):
        p = q[i] @ theta
        after = sum(p[y] * float(bits(q[i] * theta[:, y] / p[y])) for y in range(3))
        assert float(expected_bits(q, theta)[i]) == pytest.approx(float(bits(q[i])) - after)


@pytest.mark.parametrize("by", ["item", "pair", "new"])
def test_next_labels_against_all_of_them(by: str, demo: raters.results.Consensus) -> None:
    found = raters.next_labels(demo, n=7, ask=by)
    everything = raters.next_labels(demo, n=200, ask=by)
    assert [r.item for r in found] == [r.item for r in everything][:7]
    values = [r.bits for r in everything]
    assert values == sorted(values, reverse=True) and values[-1] >= 0
    if by == "pair":
        given = {(demo.items[i], demo.raters[j]) for i, j in zip(demo.votes.item_of, demo.votes.rater_of, strict=True)}
        assert all((r.item, r.rater) not in given for r in everything)
        row = found[0]
        q = demo.posterior[demo.where(row.item)]
        free = [j for j, name in enumerate(demo.raters) if (row.item, name) not in given]
        assert row.bits == pytest.approx(max(float(expected_bits(q[None], next.careful(demo)[j])[0]) for j in free))


def test_next_labels_stops_and_spares(demo: raters.results.Consensus) -> None:
    assert not raters.next_labels(demo, 1).stop
    assert raters.next_labels(demo, 1, share=0.8).stop
    only = raters.next_labels(demo, 50, ask="pair", who=["dev"])
    assert {r.rater for r in only} == {"dev"}
    with pytest.raises(UsageError, match="no rater 'zoe'"):
        raters.next_labels(demo, 1, who=["zoe"])
    with pytest.raises(UsageError, match="is not known"):
        raters.next_labels(demo, 1, ask="page")


def test_few_lucky_labels_do_not_draw_all_requests() -> None:
    rng = np.random.default_rng(5)
    votes, truth = crowd(np.stack([coin(0.93)] * 2 + [coin(0.75)] * 6), 300, share=0.6, seed=4)
    lucky = rng.choice(300, 12, replace=False)
    more = Votes.of_codes(
        [*votes.item_of, *lucky],
        [*votes.rater_of, *[8] * 12],
        [*votes.label_of, *truth[lucky]],
        labels=votes.labels,
        items=votes.items,
        raters=[*votes.raters, "lucky"],
    )
    c = consensus(more, "dawid_skene")
    plain = expected_bits(c.posterior, c.confusion)
    assert plain.mean(0).argmax() == 8  # by the estimate, the one without an error yet
    asked = [row.rater for row in raters.next_labels(c, 50, ask="pair")]
    assert asked.count("lucky") < 25
    low = mutual(next.careful(c), c.prevalence)
    assert (low <= mutual(c.confusion, c.prevalence) + 1e-9).all() and low[8] < low[0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n": "ten"}, "n='ten' is not a whole number"),
        ({"per_item": 0}, "per_item=0 is not a whole number of 1 or more"),
        ({"n": -1}, "n=-1 is not a whole number of 0 or more"),
        ({"share": "all"}, "share='all' is not a number"),
        ({"share": 1.5}, "use shares between 0 and 1"),
        ({"who": "dev"}, "who='dev' is not a list"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused(given: dict[str, Any], said: str, demo: raters.results.Consensus) -> None:
    with pytest.raises(UsageError, match=said):
        raters.next_labels(demo, **{"n": 5, **given})


@pytest.mark.shared
def test_requests_on_rte_do_not_all_go_to_a_rater_with_few_labels(data_dir: Path) -> None:
    ann, _ = snow(data_dir, "rte")
    c = raters.consensus(ann)
    given = dict(zip(c.raters, c.votes.per_rater.sum(1), strict=True))
    asked = [row.rater for row in raters.next_labels(c, 50, ask="pair")]
    assert np.median([given[r] for r in asked]) >= 200


def divided(seed: int = 0) -> Votes:
    """Half of the raters' items are easy; on a third of all, raters divide whatever the truth is, and these have many
    labels already.
    """
    rng = np.random.default_rng(seed)
    n, j = 150, 12
    truth, hard = rng.integers(0, 2, n), np.arange(n) < 50
    right = np.where(hard[:, None], rng.random((n, j)) < rng.uniform(0.35, 0.65, n)[:, None], rng.random((n, j)) < 0.9)
    label = np.where(right, truth[:, None], 1 - truth[:, None])
    given = rng.random((n, j)) < np.where(hard, 0.9, 0.3)[:, None]
    item, rater = np.nonzero(given)
    return Votes.of_codes(item, rater, label[given], labels=range(2), items=range(n))


def test_items_that_divide_people_are_not_asked_for_again_and_again() -> None:
    """Under a vote the doubt of six to five is as large as that of one to one, but one more label settles little of
    it.
    """
    c = consensus(divided(), "majority", tempering="held_out")
    for ask in ("item", "pair", "new"):
        found = raters.next_labels(c, 50, ask=ask)
        assert np.mean([row.item < 50 for row in found]) <= 0.1, ask
    plain = consensus(divided(), "one_coin", start="votes")
    assert np.mean([row.item < 50 for row in raters.next_labels(plain, 50)]) > 0.25  # a model without hard items


def test_hard_items_count_by_the_chance_that_they_are_not() -> None:
    c = consensus(divided(), "one_coin", start="votes")
    own = replace(c, posterior=with_hard_items(c, HARD), hard=HARD)
    q, w = if_easy(own, HARD)
    assert q == pytest.approx(c.posterior, abs=1e-6)
    found = raters.next_labels(own, 1, ask="new")
    at = own.where(found[0].item)
    over = Variety(alpha(own.votes, 2.0)[None], np.ones(1), own.votes.counts.sum(0), 150)
    told = w[at, 2] * next_vote(own.votes.counts, over)[at]
    assert found[0].bits == pytest.approx(expected_bits(q[[at]], crowd_matrix(own))[0] * w[at, 0] + told)
    assert "probably hard" in found.note and "probably hard" in str(found) and found.to_dict()["note"]
    assert raters.next_labels(c, 1).note.startswith("Settled here means the probability under one_coin as published")


def test_one_more_vote_by_simulation() -> None:
    """The expected fall of the entropy of the winner, by drawing shares."""
    rng, a, n = np.random.default_rng(0), np.array([1.2, 0.8]), np.array([2.0, 1.0])
    over = Variety(a[None], np.ones(1), n, 1)
    share = rng.beta(a[0] + n[0], a[1] + n[1], 400_000)
    first = rng.random(len(share)) < share
    wins = [float(np.mean(share[at] > 0.5)) for at in (first | True, first, ~first)]
    h = [float(bits(np.array([p, 1 - p]))) for p in wins]
    expected = h[0] - first.mean() * h[1] - (1 - first.mean()) * h[2]
    assert next_vote(n[None], over)[0] == pytest.approx(expected, abs=0.004)
