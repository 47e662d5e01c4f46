"""What follows from a fit: information, what to label next, why, checks, evaluation, in and out."""

import csv
from pathlib import Path

import numpy as np
import pytest
from confused import coin, crowd

import raters
from raters import models
from raters.errors import DataError, UsageError
from raters.models.entropy import bits, expected_bits, mutual
from raters.models.fitting.fit import consensus
from raters.models.uses.blind_raters import by_chance, by_others
from raters.models.uses.diagnostics import held_out, pair_sums
from raters.models.votes import Votes


@pytest.fixture(scope="module")
def demo() -> raters.Consensus:
    return raters.consensus(raters.examples.demo())


# -- information


def test_entropies_of_section_2_2_2() -> None:
    theta, pi = np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0.2, 0.8])
    left = float(bits(pi) - mutual(theta, pi))
    assert (round(left, 3), round(float(mutual(theta, pi)), 3)) == (0.468, 0.253)


def test_bits_of_spammers_experts_and_adversaries() -> None:
    pi = np.full(5, 0.2)
    assert float(mutual(np.full((5, 5), 0.2), pi)) == pytest.approx(0, abs=1e-12)
    assert float(mutual(np.eye(5), pi)) == pytest.approx(np.log2(5))
    assert float(mutual(np.roll(np.eye(5), 1, 1), pi)) == pytest.approx(np.log2(5))  # relabels deterministically
    assert round(float(mutual(coin(0.0, 5), pi)), 2) == 0.32  # wrong at random
    joint = np.random.default_rng(0).dirichlet(np.ones(9)).reshape(3, 3)
    share, margin = joint.sum(1), joint.sum(0)
    direct = (joint * np.log2(joint / np.outer(share, margin))).sum()
    assert float(mutual(joint / share[:, None], share)) == pytest.approx(direct)


def test_who_stands_out() -> None:
    theta = np.stack([*[coin(0.85)] * 5, coin(0.15), np.full((2, 2), 0.5), np.array([[1.0, 0.0], [1.0, 0.0]])])
    votes, _ = crowd(theta, 300)
    found = raters.information(consensus(votes))
    assert set(found.spammers) == {"r6", "r7"}
    assert found.adversaries == ("r5",)
    assert found.constant == ("r7",)
    by_name = {e.name: e for e in found}
    assert by_name["r5"].value == pytest.approx(by_name["r0"].value, abs=0.2)  # an adversary carries as much
    assert by_name["r5"].details["accuracy"] < 0.3 < by_name["r0"].details["accuracy"]
    assert all(e.low <= e.value <= e.high for e in found)
    assert [e.value for e in found] == sorted((e.value for e in found), reverse=True)


def test_spammers_by_the_null_quantile_and_not_by_an_interval() -> None:
    """Among guessers at most about the false discovery rate passes; the bits themselves are never 0."""
    theta = np.stack([*[coin(0.8, 3)] * 8, *[np.full((3, 3), 1 / 3)] * 40])
    votes, _ = crowd(theta, 500, share=0.3, seed=4)
    c = consensus(votes, start="votes")
    found = raters.information(c)
    assert {f"r{j}" for j in range(8)}.isdisjoint(found.spammers)
    assert len(found.spammers) >= 37
    assert min(e.value for e in found) > 0


def test_a_rater_against_the_others_by_plain_loops() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 4), 30, share=0.7)
    repeated = Votes.of_codes(
        [*votes.item_of, 0, 0], [*votes.rater_of, 1, 1], [*votes.label_of, 0, 2], labels=range(3), raters=votes.raters
    )
    for model in ("dawid_skene", "one_coin"):
        c = consensus(repeated, model, start="votes")
        expected = np.zeros((4, 3, 3))
        given = list(zip(repeated.item_of, repeated.rater_of, repeated.label_of, repeated.table.data, strict=True))
        for i, j, y, n in given:
            p = c.prevalence.copy()
            for i2, j2, y2, n2 in given:
                if i2 == i and j2 != j:
                    p *= c.confusion[j2, :, y2] ** n2
            expected[j, :, y] += n * p / p.sum()
        assert np.allclose(by_others(c), expected)


def test_the_null_quantile_is_that_of_a_blind_rater() -> None:
    votes, _ = crowd(np.stack([coin(0.9)] * 4), 200)
    c = consensus(votes)
    quantile, _ = by_chance(c, mutual(c.confusion, c.prevalence), np.random.default_rng(0))
    # 2 n ln 2 I is chi-squared with (K - 1)^2 = 1 degree of freedom
    assert quantile[0] == pytest.approx(3.841 / (2 * 200 * np.log(2)), rel=0.15)


def test_near_copies() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 9), 300, seed=2)
    rater, label = votes.rater_of, votes.label_of.copy()
    label[rater == 8] = label[rater == 7]
    flip = np.random.default_rng(0).random((rater == 8).sum()) < 0.05
    label[rater == 8] = np.where(flip, (label[rater == 8] + 1) % 3, label[rater == 8])
    votes = Votes.of_codes(votes.item_of, rater, label, labels=range(3), raters=votes.raters)
    found = raters.information(consensus(votes))
    assert [(p.rater, p.other) for p in found.copies] == [("r7", "r8")]


def test_pairs_by_plain_loops() -> None:
    votes, _ = crowd(np.stack([coin(0.7, 3)] * 4), 40, share=0.7)
    c = consensus(votes, start="votes")
    a, b, n, agreed, expected, spread = pair_sums(c)
    given = {(i, j): k for i, j, k in zip(votes.item_of, votes.rater_of, votes.label_of, strict=True)}
    for at in range(len(a)):
        shared = [i for i in range(40) if (i, a[at]) in given and (i, b[at]) in given]
        match = np.einsum("kl,kl->k", c.confusion[a[at]], c.confusion[b[at]])
        assert n[at] == len(shared)
        assert agreed[at] == sum(given[i, a[at]] == given[i, b[at]] for i in shared)
        assert expected[at] == pytest.approx(sum(c.posterior[i] @ match for i in shared))
        assert spread[at] == pytest.approx(sum(c.posterior[i] @ (match * (1 - match)) for i in shared))


def test_bits_by_pool_and_for_the_money(demo: raters.Consensus) -> None:
    pools = {"ana": "staff", "ben": "staff", "chi": "crowd", "dev": "crowd", "eli": "crowd"}
    found = raters.information(demo, pools=pools, cost={"staff": 0.7, "crowd": 0.05}).by_pool
    assert {e.name for e in found} == {"staff", "crowd"}
    assert found["staff"].value > found["crowd"].value
    assert found["staff"].details["cost_per_bit"] == pytest.approx(0.7 / found["staff"].value)


# -- what to label next


def test_expected_bits_are_the_mean_fall_of_entropy() -> None:
    rng = np.random.default_rng(1)
    q, theta = rng.dirichlet(np.ones(3), 5), rng.dirichlet(np.ones(3), 3)
    for i in range(5):
        p = q[i] @ theta
        after = sum(p[y] * float(bits(q[i] * theta[:, y] / p[y])) for y in range(3))
        assert float(expected_bits(q, theta)[i]) == pytest.approx(float(bits(q[i])) - after)


@pytest.mark.parametrize("by", ["item", "pair", "new"])
def test_next_labels_against_all_of_them(by: str, demo: raters.Consensus) -> None:
    found = raters.next_labels(demo, n=7, by=by)
    everything = raters.next_labels(demo, n=200, by=by)
    assert [r.item for r in found] == [r.item for r in everything][:7]
    values = [r.bits for r in everything]
    assert values == sorted(values, reverse=True) and values[-1] >= 0
    if by == "pair":
        given = {(demo.items[i], demo.raters[j]) for i, j in zip(demo.votes.item_of, demo.votes.rater_of, strict=True)}
        assert all((r.item, r.rater) not in given for r in everything)
        row = found[0]
        q = demo.posterior[demo.where(row.item)]
        free = [j for j, name in enumerate(demo.raters) if (row.item, name) not in given]
        assert row.bits == pytest.approx(max(float(expected_bits(q[None], demo.confusion[j])[0]) for j in free))


def test_next_labels_stops_and_spares(demo: raters.Consensus) -> None:
    assert not raters.next_labels(demo, 1).stop
    assert raters.next_labels(demo, 1, share=0.8).stop
    assert len(raters.next_labels(demo, 50, by="pair", per_rater=2)) <= 2 * 5
    only = raters.next_labels(demo, 50, by="pair", raters=["dev"])
    assert {r.rater for r in only} == {"dev"}
    with pytest.raises(UsageError, match="no rater 'zoe'"):
        raters.next_labels(demo, 1, raters=["zoe"])
    with pytest.raises(UsageError, match="is not known"):
        raters.next_labels(demo, 1, by="page")


# -- why


def test_why_adds_up_and_reads_off_an_overruled_vote() -> None:
    theta = np.stack([coin(0.95), coin(0.6), coin(0.6), coin(0.9)])
    votes, _ = crowd(theta, 500, seed=3)
    c = consensus(votes)
    for i in range(0, 500, 17):
        found = c.why(i)
        p = c.posterior[i]
        k, r = c.label_names.index(found.label), c.label_names.index(found.rival)
        assert found.log_odds == pytest.approx(np.log(p[k] / p[r]))
    overruled = [c.why(i) for i in range(500) if (w := c.why(i)).vote is not None and w.overruled]
    assert overruled
    assert "overrules the vote" in str(overruled[0])
    assert overruled[0].contributions[0].rater in ("r0", "r3")  # those who are worth most
    with pytest.raises(UsageError, match="no item"):
        c.why("nowhere")


@pytest.mark.parametrize("model", ["one_coin", "hierarchical", "mace", "glad"])
def test_why_of_the_other_models(model: str) -> None:
    votes, _ = crowd(np.stack([coin(0.8, 3)] * 4), 60)
    c = consensus(votes, model, start="votes")
    found = c.why(5)
    k, r = found.label, found.rival
    tolerance = 0.2 if model == "hierarchical" else 1e-6  # whose E step averages over matrices
    assert found.log_odds == pytest.approx(np.log(c.posterior[5][k] / c.posterior[5][r]), rel=tolerance, abs=1e-6)


# -- checks


def test_a_model_beats_the_vote_where_raters_differ() -> None:
    votes, _ = crowd(np.stack([coin(0.95), coin(0.9), *[coin(0.55)] * 4]), 300)
    table = models.compare_models(votes, ["dawid_skene", "one_coin"])
    assert table["dawid_skene"].details["gain_low"] > 0
    assert table["one_coin"].value > table["dawid_skene"].value  # fewer parameters, and true


def test_the_votes_prediction_is_smoothed_shares() -> None:
    train = Votes.of_codes([0, 0, 0], [0, 1, 2], [0, 0, 1], labels="abc", items=range(2), raters=range(4))
    held = Votes.of_codes([0, 1], [3, 3], [0, 2], labels="abc", items=range(2), raters=range(4))
    found = held_out("majority", train, held, {})
    assert np.exp(found[:, 0]).tolist() == pytest.approx([3 / 6, 1 / 3])


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin", "hierarchical", "mace"])
def test_held_out_labels_by_posterior_and_matrices(model: str) -> None:
    votes, _ = crowd(np.stack([coin(a, 3) for a in (0.9, 0.7, 0.5)]), 60)
    train, held = (votes.kept(np.where(votes.item_of % 3 == votes.rater_of, 1 - x, x)) for x in (1, 0))
    found = held_out(model, train, held, {"start": "votes"})
    c = consensus(train, model, start="votes")
    for (i, j, y), row in zip(zip(held.item_of, held.rater_of, held.label_of, strict=True), found, strict=True):
        p = c.posterior[i] @ c.confusion[j]
        assert row[0] == pytest.approx(np.log(p[y])) and bool(row[1]) == (p.argmax() == y)


def test_independence_holds_and_fails() -> None:
    votes, _ = crowd(np.stack([coin(0.75, 3)] * 8), 400, seed=9)
    assert len(models.residual_pairs(consensus(votes))) <= 2
    rng = np.random.default_rng(0)
    hard = rng.random(400) < 0.4  # easy items for all, hard ones for all
    guess = rng.integers(0, 3, len(votes.item_of))
    truth = rng.integers(0, 3, 400)
    bad = Votes.of_codes(
        votes.item_of, votes.rater_of, np.where(hard[votes.item_of], guess, truth[votes.item_of]), labels=range(3)
    )
    found = models.residual_pairs(consensus(bad))
    assert len(found) > 14  # of 28
    assert all(pair.observed > pair.expected for pair in found)


# -- as in the paper


def test_prevalence_three_ways_overlap_and_cost() -> None:
    theta = np.stack([np.array([[0.95, 0.05], [0.45, 0.55]])] * 7)  # biased towards label 0
    votes, truth = crowd(theta, 2000, pi=[0.5, 0.5])
    c = consensus(votes)
    table = models.prevalences(c, experts=dict(enumerate(truth.tolist())))
    assert table["raw"][0] > 0.65  # as given
    assert abs(table["model"][0] - 0.5) < abs(table["vote"][0] - 0.5) < 0.25
    assert table["experts"][0] == pytest.approx(0.5, abs=0.03)
    both = models.overlap(c, dict(enumerate(truth.tolist())))
    assert both["experts_model"] >= both["experts_vote"] and both["n_items"] == 2000
    assert models.overlap(c, {0: [int(truth[0]), 1 - int(truth[0])]})["experts_vote"] == 0.5  # a tie is shared out
    paid = models.costs(c, 0.1)
    assert paid["per_item"] == pytest.approx(0.7) and paid["per_certain_item"] > 0.7


# -- evaluation


def test_expected_accuracy_and_log_loss(demo: raters.Consensus) -> None:
    wrong = dict.fromkeys(demo.items, "neutral")
    table = raters.evaluate(wrong, demo)
    assert table["accuracy"].value == pytest.approx(demo.posterior[:, 1].mean())
    assert table["ceiling"].value == pytest.approx(demo.posterior.max(1).mean())
    assert table["accuracy"].low < table["accuracy"].value < table["accuracy"].high
    assert np.isnan(table["log_loss"].value) and "needs probabilities" in table["log_loss"].warnings[0]
    soft = {
        item: dict(zip(demo.label_names, p, strict=True)) for item, p in zip(demo.items, demo.posterior, strict=True)
    }
    best = raters.evaluate(soft, demo)
    assert best["log_loss"].value == pytest.approx(best["log_loss_floor"].value)
    hedged = raters.evaluate({item: [1 / 3] * 3 for item in demo.items}, demo)
    assert hedged["log_loss"].value == pytest.approx(np.log(3))
    assert raters.evaluate(soft, demo)["of_ceiling"].value <= 1


def test_a_system_as_annotations_and_bad_systems(demo: raters.Consensus) -> None:
    rows = [(item, "model", label) for item, label in demo.labels.items()]
    system = raters.read(rows, scale="nominal")
    assert raters.evaluate(system, demo)["of_ceiling"].value == pytest.approx(1)
    with pytest.raises(DataError, match="share no item"):
        raters.evaluate({"elsewhere": "neutral"}, demo)
    with pytest.raises(DataError, match="do not sum to 1"):
        raters.evaluate({demo.items[0]: [0.5, 0.1, 0.1]}, demo)


# -- gold, priors, predict, update, save


def adversaries(seed: int = 0) -> tuple[Votes, np.ndarray]:
    return crowd(np.stack([coin(0.9), coin(0.9), *[coin(0.1)] * 3]), 300, seed=seed)


def test_ten_gold_items_rescue_a_crowd_of_three_adversaries_in_five() -> None:
    for seed in range(3):
        votes, truth = adversaries(seed)
        fooled = consensus(votes)
        assert np.mean(fooled.codes == truth) < 0.1
        gold = {i: int(truth[i]) for i in range(10)}
        for start in ("best", "votes", "diagonal", "random"):
            c = consensus(votes, gold=gold, start=start)
            assert np.mean(c.codes == truth) > 0.95
            assert all(c.labels[i] == truth[i] for i in range(10))


def test_gold_clamps_even_an_item_that_all_raters_call_otherwise() -> None:
    votes, _ = crowd(np.stack([coin(0.9)] * 3), 50)
    c = consensus(votes, gold={7: int(1 - consensus(votes).labels[7])})
    assert c.posterior[7].max() == 1 and c.labels[7] != consensus(votes).labels[7]


def test_priors_of_raters_from_an_earlier_project() -> None:
    votes, truth = adversaries()
    earlier = consensus(votes, gold=dict(enumerate(truth.tolist())))
    new, later = adversaries(seed=9)
    few = new.rows(np.arange(40))
    assert np.mean(consensus(few).codes == later[:40]) < 0.2
    assert np.mean(consensus(few, priors=earlier).codes == later[:40]) > 0.9
    named = {"r2": [[1, 30], [30, 1]], "r3": [[1, 30], [30, 1]], "r4": [[1, 30], [30, 1]], "r0": [[30, 1], [1, 30]]}
    for model in ("dawid_skene", "one_coin", "hierarchical"):
        assert np.mean(consensus(few, model, priors=named).codes == later[:40]) > 0.9
    with pytest.raises(UsageError, match="2 x 2 table of counts"):
        consensus(few, priors={"r0": [1, 2, 3]})
    with pytest.raises(UsageError, match="takes no priors"):
        consensus(few, "mace", priors=named)


@pytest.mark.parametrize("model", ["majority", "dawid_skene", "one_coin", "hierarchical", "mace", "glad"])
def test_predict_update_save(model: str, tmp_path: Path) -> None:
    votes, truth = crowd(np.stack([coin(0.85, 3)] * 5), 200, seed=1)
    old, new = votes.rows(np.arange(120)), votes.rows(np.arange(120, 200))
    c = consensus(old, model, start="votes", ties="first")
    p = models.uses.new_data.predict(c, new)
    assert p.items == tuple(range(120, 200)) and np.mean(p.codes == truth[120:]) > 0.85
    again = models.uses.new_data.predict(c, old)
    assert np.allclose(again.posterior, c.posterior, atol=0.02)
    whole = models.uses.new_data.update(c, new)
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


def test_predict_takes_unknown_raters_for_average_ones_and_refuses_unknown_labels(demo: raters.Consensus) -> None:
    new = raters.read([("n1", "ana", "neutral"), ("n1", "zoe", "neutral"), ("n1", "ben", "negative")], scale="nominal")
    c = demo.predict(new)
    assert c.raters[-1] == "zoe" and c.labels["n1"] == "neutral"
    with pytest.raises(DataError, match="was not there when the model was fitted"):
        demo.predict(raters.read([("n1", "ana", "splendid")], scale="nominal"))


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


def test_update_of_numbers() -> None:
    ann = raters.read([(i, r, float(i + r)) for i in range(8) for r in range(3)], scale="interval")
    more = raters.read([(i, r, i + r + 0.5) for i in range(6, 12) for r in range(1, 4)], scale="interval")
    c = raters.consensus(ann, model="gaussian").update(more)
    assert len(c.items) == 12 and len(c.raters) == 4
    means = c.posterior[:, 0]
    assert means[11] > means[0]


# -- out and back


def test_columns_and_threshold(demo: raters.Consensus) -> None:
    table = demo.to_columns()
    assert list(table) == ["item", "label", "certainty", "n_labels", "entropy", *(f"p({x})" for x in demo.label_names)]
    assert len(demo.to_frame()) == 200
    strict = models.sheets.columns(demo, threshold=0.99)
    assert sum(x is None for x in strict["label"]) == int((demo.certainty < 0.99).sum()) > 0


def test_adjudication_sheet_and_back_as_gold(demo: raters.Consensus, tmp_path: Path) -> None:
    sheet = models.adjudication(demo, threshold=0.99)
    assert set(sheet["item"]) == {i for i, p in zip(demo.items, demo.certainty, strict=True) if p < 0.99}
    sheet["answer"][:3] = ["neutral", "positive", "neutral"]
    path = tmp_path / "sheet.csv"
    path.write_text(models.to_csv(sheet))
    gold = models.read_answers(path, demo)
    assert gold == dict(zip(sheet["item"][:3], ["neutral", "positive", "neutral"], strict=True))
    again = raters.consensus(raters.examples.demo(), gold=gold)
    assert all(again.labels[i] == x and again.certainty[again.where(i)] == 1 for i, x in gold.items())
    assert not set(gold) & set(models.adjudication(again)["item"])
    path.write_text("item,answer\nreview 001,splendid\n")
    with pytest.raises(DataError, match="answer 'splendid' of item 'review 001' is not one of"):
        models.read_answers(path, demo)


def test_names_that_a_spreadsheet_would_run_come_back_as_they_were(tmp_path: Path) -> None:
    rows = [("=1+1", r, k) for r, k in enumerate("aab")] + [("-x", r, k) for r, k in enumerate("bba")]
    c = raters.consensus(raters.read(rows, scale="nominal"), model="majority")
    sheet = models.adjudication(c)
    sheet["answer"] = ["b"] * 2
    path = tmp_path / "s.csv"
    path.write_text(models.to_csv(sheet))
    with path.open() as file:
        assert {row["item"] for row in csv.DictReader(file)} == {"'=1+1", "'-x"}
    assert models.read_answers(path, c) == {"=1+1": "b", "-x": "b"}


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    c = raters.consensus(raters.read([(i, r, (i + r) % 3) for i in range(9) for r in range(3)], scale="nominal"))
    path = tmp_path / "s.csv"
    path.write_text("item,answer\n4,2\n")
    assert models.read_answers(path, c) == {4: 2}


# -- as others call it


def test_scikit_learn_shape() -> None:
    votes, truth = crowd(np.stack([coin(0.8, 3)] * 6), 200)
    matrix = np.full((200, 6), None, dtype=object)
    matrix[votes.item_of, votes.rater_of] = np.array(["a", "b", "c"], dtype=object)[votes.label_of]
    matrix[::7, 2] = None
    y = np.array(["a", "b", "c"])[truth]
    for model in ("dawid_skene", "majority"):
        classifier = models.ConsensusClassifier(model=model).fit(matrix)
        assert classifier.score(matrix, y) > 0.9
        assert classifier.predict_proba(matrix).shape == (200, 3)
        assert classifier.classes_.tolist() == ["a", "b", "c"]
    assert classifier.set_params(smoothing=0.5).get_params()["smoothing"] == 0.5
    with pytest.raises(UsageError, match="no parameter 'depth'"):
        classifier.set_params(depth=3)
    with pytest.raises(UsageError, match="comes before"):
        models.ConsensusClassifier().predict(matrix)
    known = [*y[:50], *[None] * 150]
    assert models.ConsensusClassifier(start="votes").fit(matrix, known).predict(matrix)[:50].tolist() == y[:50].tolist()


def test_aggregate_of_a_table_of_codes() -> None:
    votes, _ = crowd(np.stack([coin(0.9, 3)] * 5), 150, share=0.9)
    codes = np.full((150, 5), -1)
    codes[votes.item_of, votes.rater_of] = votes.label_of
    found = models.aggregate(codes, 3)
    assert np.array_equal(found, consensus(votes, start="votes").codes)
    assert np.array_equal(models.aggregate(codes, 3, "majority", ties="first"), consensus(votes, "majority").codes)


def test_a_model_as_a_function_of_a_table_of_labels() -> None:
    votes, truth = crowd(np.stack([coin(0.9, 3)] * 5), 150)
    table = np.array(["x", "y", "z"], dtype=object)[votes.label_of.reshape(150, 5)]
    found = models.aggregator("one_coin")(table)
    assert np.mean(found == np.array(["x", "y", "z"], dtype=object)[truth]) > 0.95
