"""A rater's bits and the finding beside them agree: both come from the others' labels."""

from dataclasses import replace

import numpy as np
import pytest
from small_crowds import coin, crowd

import raters
from raters.models import consensus
from raters.models.base.votes import Votes
from raters.models.rater_quality.evidence import evidence
from raters.models.rater_quality.information import skill_bits
from raters.models.rater_quality.skill import GRID, skills
from raters.notes.note import codes

SHARES = (*[0.85] * 10, *[0.65] * 6, *[0.5] * 5, 0.15, 0.2)


def few_labels(seed: int, labels: int = 2) -> Votes:
    """Good, weak, random and reversed raters with 15 to 60 labels each."""
    votes, _ = crowd(np.stack([coin(x, labels) for x in SHARES]), 90, share=0.35, seed=seed)
    return votes


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("model", ["auto", "one_coin", "dawid_skene"])
def test_finding_and_interval_agree(seed: int, labels: int, model: str) -> None:
    """As printed, with four digits."""
    found = raters.information(consensus(few_labels(seed, labels), model))
    for e in found:
        verdict, low = e.details["verdict"], float(f"{e.low:.4f}")
        assert e.low <= e.value <= e.high
        if not verdict.startswith("carries information"):
            assert low == 0, (e.name, verdict)
        else:
            assert (low == 0) == ("begins at 0" in verdict), (e.name, verdict)
        assert ("no information found" in verdict) == ("no information found" in e.details["flags"])


def test_upper_limits_of_random_raters_are_those_of_the_finding() -> None:
    """The model's own limits reach .4 bits with 20 labels, because the rater's labels decide open items and are then
    right; the finding says less than 75 % right.
    """
    ahead = []
    for seed in range(3):
        found = raters.information(consensus(few_labels(seed), "dawid_skene"))
        for name in found.spammers:
            e = found[str(name)]
            assert e.details["skill_high"] < 0.5 and e.high < 0.35
            ahead.append(e.details["bits_by_model"] - e.value)
    assert len(ahead) >= 3 and np.mean(ahead) > 0


def test_bits_of_a_skill() -> None:
    """With two equally common labels and no habit, skill s means (1 + s) / 2 right."""
    known = skills(consensus(few_labels(0), "one_coin"))
    n, at = len(known.habit), 20
    total = 400 * (GRID[at] ** 2 - (GRID - GRID[at]) ** 2) / 2  # a standard error of .05
    same = replace(known, habit=np.full((n, 2), 0.5), log_likelihood=np.tile(total, (n, 1)))
    value, high = skill_bits(same, np.array([0.5, 0.5]), 0.95)

    def bits(skill: float) -> float:
        right = (1 + skill) / 2
        return float(1 + right * np.log2(right) + (1 - right) * np.log2(1 - right))

    assert value[0] == pytest.approx(bits(GRID[at]), abs=0.02)
    assert high[0] == pytest.approx(bits(GRID[at] + 1.96 * 0.05), abs=0.003)


def test_who_is_counted_all_the_same_and_why() -> None:
    votes = few_labels(1)
    named = raters.information(consensus(votes, "dawid_skene"), interval=None)
    assert all("no information found" in named[str(r)].details["flags"] for r in named.spammers)
    said = next(n for n in named.notes if n.code == "named_model_counts_all")
    assert said.facts["raters"] == named.spammers  # by name
    c = consensus(votes)
    found = raters.information(c, interval=None)
    assert found.spammers and "some_by_chance" in codes(found.notes)
    assert all(found[str(r)].details["verdict"] == "no information found" for r in found.spammers)


@pytest.mark.parametrize("seed", [0, 2, 3])  # in crowd 1 the two experts agree too seldom for anyone to find them
def test_overwhelming_evidence_is_never_too_few_labels(seed: int) -> None:
    """Two experts among 18 who guess, four labels: the others' labels alone leave most items open, but their agreement
    on 50 labels each is no chance.
    """
    votes, _ = crowd(np.stack([*[coin(0.95, 4)] * 2, *[np.full((4, 4), 0.25)] * 18]), 100, share=0.5, seed=seed)
    c = consensus(votes, "mace")
    found, known = raters.information(c, interval=None), evidence(c)
    shown = [known.above_chance[j] < 1e-6 or found[str(r)].details["p"] < 1e-6 for j, r in enumerate(c.raters)]
    assert any(shown[:2])
    for r, clear in zip(c.raters, shown, strict=True):
        assert not clear or found[str(r)].details["verdict"].startswith("carries information")


def test_the_report_says_whose_labels_still_count_and_why() -> None:
    c = consensus(few_labels(1))
    found = raters.information(c, seed=0)
    assert found.spammers
    rows = [(c.votes.items[i], c.votes.raters[r], f"label {k}") for i, r, k in cells(c.votes)]
    made = raters.report(raters.read(rows, scale="nominal"), interval=None).text()
    said = " ".join(made.split())
    assert "no information found (" in said and "up to one honest rater in twenty is named by chance" in said


def cells(votes: Votes) -> zip:  # type: ignore[type-arg]
    return zip(votes.item_of, votes.rater_of, votes.label_of, strict=True)
