"""Annotation models as a newcomer meets them: files out and back, wrong gold, small tables, odd input."""

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raters
from raters import models, writing
from raters.cli import main
from raters.errors import DataError, UsageError
from raters.models.families.dawid_skene import rows_to_one
from raters.models.fitting.fit import _better
from raters.models.votes import Votes

ROWS = [(f"i{i}", f"r{j}", "abc"[(i + (i * j) % 4 // 3) % 3]) for i in range(30) for j in range(4)]


@pytest.fixture(scope="module")
def demo() -> raters.Consensus:
    return raters.consensus(raters.examples.demo())


def read(rows: Any, **options: Any) -> raters.Annotations:
    return raters.read(rows, **({"scale": "nominal"} | options))


# -- files


def test_a_fit_is_written_beside_and_renamed(demo: raters.Consensus, tmp_path: Path, monkeypatch: Any) -> None:
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


def test_a_broken_fit_is_refused_in_one_line(demo: raters.Consensus, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_sheet_comes_back_as_spreadsheets_write_it(separator: str, demo: raters.Consensus, tmp_path: Path) -> None:
    sheet = models.adjudication(demo)
    sheet["answer"][0], sheet["answer"][1] = "neutral", " positive "
    path = tmp_path / "sheet.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=separator)
        writer.writerow(sheet)
        writer.writerows(zip(*sheet.values(), strict=True))
    gold = models.read_answers(path, demo)
    assert gold == {sheet["item"][0]: "neutral", sheet["item"][1]: "positive"}
    c = raters.consensus(raters.examples.demo(), gold=gold)
    assert all(c.labels[item] == label for item, label in gold.items())


@pytest.mark.parametrize(
    "content, says",
    [
        (b"item,answer\nreview 001,caf\xe9\n", "UTF-8"),
        (b"item,answer\nreview 001,negative\nreview 001,positive\n", "two answers"),
        (b'item,answer\n"review 001,negative\n', "line"),
        (b"other,answer\nreview 001,negative,more\n", "no columns"),
        (b"item,answer\nreview 001," + b"x" * 200_000 + b"\n", "line"),
    ],
)
def test_a_bad_sheet_is_refused(content: bytes, says: str, demo: raters.Consensus, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=says):
        models.read_answers(path, demo)


def test_labels_with_blanks_and_formulas_come_back(tmp_path: Path) -> None:
    names = {"a": "yes ", "b": "=cmd|' /C calc'!A0", "c": "-1"}
    c = raters.consensus(read([(f"={i}", r, names[x]) for i, r, x in ROWS]))
    sheet = models.adjudication(c, threshold=1.01)
    sheet["answer"] = sheet["label"]
    path = tmp_path / "sheet.csv"
    path.write_text(models.to_csv(sheet))
    assert not any(line.startswith(("=", "-", "@", "+")) for line in path.read_text().splitlines())
    assert models.read_answers(path, c) == c.labels


# -- the command line


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n" + "".join(",".join(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def run(monkeypatch: Any, capsys: Any) -> Any:
    def call(*args: Any) -> tuple[Any, str, str]:
        monkeypatch.setattr(sys, "argv", ["raters", *map(str, args)])
        code: Any = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        got = capsys.readouterr()
        return code, got.out, got.err

    return call


@pytest.mark.parametrize(
    "args, says",
    [
        (["--threshold", "99"], "--threshold 99 is not a probability"),
        (["--threshold", "nan"], "not a probability"),
        (["-o", "x.csv", "--raters", "./x.csv"], "name the same file"),
        (["--seed", "-1"], "--seed"),
        (["--gold", "sheet.csv"], "no answers yet"),
        (["--model", "gaussian", "--compare"], "--compare is for labels"),
        (["--model", "gaussian", "--adjudicate", "x.csv"], "--adjudicate is for labels"),
    ],
)
def test_options_that_cannot_be_had_stop_before_the_work(
    run: Any, table: Path, args: list[str], says: str, monkeypatch: Any
) -> None:
    monkeypatch.chdir(table.parent)
    Path("sheet.csv").write_text("item,answer,label\ni1,,a\n")
    code, out, err = run("consensus", table, *args)
    assert code == 2 and out == "" and err.count("\n") == 1 and says in err
    assert not Path("x.csv").exists()


def test_numbers_have_no_table_of_bits_and_no_head_of_one(run: Any, tmp_path: Path) -> None:
    data = tmp_path / "n.csv"
    data.write_text("item,rater,label\n" + "".join(f"{i},{r},{i + r / 10}\n" for i in range(8) for r in range(3)))
    for format_ in ("text", "markdown"):
        code, out, _ = run("consensus", data, "--model", "gaussian", "--scale", "interval", "--format", format_)
        assert code == 0 and "observed" not in out and "---" not in out and "\n\n\n" not in out
        assert out.startswith("The gaussian model") and "8 items, 3 raters" in out


def test_gold_numbers_need_not_be_among_the_labels(run: Any, tmp_path: Path) -> None:
    data, gold, out = tmp_path / "n.csv", tmp_path / "g.csv", tmp_path / "out.csv"
    data.write_text("item,rater,label\n" + "".join(f"{i},{r},{i + r / 10}\n" for i in range(8) for r in range(3)))
    gold.write_text("item,label\n3,3.0625\n")
    code, _, _ = run("consensus", data, "--model", "gaussian", "--scale", "interval", "--gold", gold, "-o", out)
    assert code == 0
    found = {row["item"]: row for row in csv.DictReader(out.read_text().splitlines())}
    assert float(found["3"]["value"]) == 3.0625 and float(found["3"]["sd"]) == 0
    gold.write_text("item,label\n3,much\n")
    code, _, err = run("consensus", data, "--model", "gaussian", "--scale", "interval", "--gold", gold)
    assert code == 2 and "'much'" in err and "not a number" in err


# -- gold


def test_a_wrong_gold_label_that_exchanges_labels_is_said(demo: raters.Consensus) -> None:
    ann = raters.examples.demo()
    item = demo.items[0]
    c = raters.consensus(ann, gold={item: "positive"})  # all but one call it otherwise
    assert np.mean([c.labels[x] != demo.labels[x] for x in c.items]) > 0.7
    assert any("or a gold label is wrong" in w for w in c.warnings)
    right = raters.consensus(ann, gold={item: demo.labels[item]})
    assert right.labels == demo.labels and right.warnings == ()
    assert "1 of 2 gold items are not among the items" in str(
        raters.consensus(ann, gold={item: demo.labels[item], "elsewhere": "neutral"})
    )


def test_gold_of_a_vote_is_certain(demo: raters.Consensus) -> None:
    item = demo.items[0]
    c = raters.consensus(raters.examples.demo(), "majority", gold={item: "positive"})
    assert c.labels[item] == "positive" and c.certainty[0] == 1 and c.entropy[0] == 0
    assert c.certainty[1:] == pytest.approx(c.votes.shares()[1:].max(1))


def test_why_says_what_is_gold_and_what_nobody_labelled() -> None:
    c = raters.consensus(raters.examples.demo(), gold={"review 001": "negative"}, items=["new"])
    assert c.why("review 001").gold and "given as gold" in str(c.why("review 001"))
    assert "nobody labelled this item" in str(c.why("new")) and not c.why("new").gold


@pytest.mark.parametrize("gold", [{0: "abc"}, {0: None}, {0: float("inf")}, {0: True}])
def test_gold_numbers_are_numbers(gold: Any) -> None:
    ann = raters.read([(i, r, float(i + r)) for i in range(6) for r in range(3)], scale="interval")
    with pytest.raises(DataError, match="is not a number"):
        raters.consensus(ann, "gaussian", gold=gold)


# -- small tables


def test_labels_exchanged_at_no_cost_are_called_as_raters_call_them() -> None:
    # "c" is given once: without a reason to, no start may call it the truth of what all raters call "b"
    given = ["bcc", "bcb", "bbb", "bbb", "abb"]
    rows = [(i, j, x) for i, labels in enumerate(given) for j, x in enumerate(labels)]
    for seed in range(4):
        c = raters.consensus(read(rows, labels=["a", "b", "c"]), seed=seed)
        assert c.labels[2] == c.labels[3] == "b"
        assert c.objective == pytest.approx(max(s.objective for s in c.starts), abs=1e-5)


def test_a_better_objective_wins_and_equal_ones_go_by_the_votes() -> None:
    from raters.models.fitting.em import Fit

    def end(objective: float, q: Any) -> Fit:
        return Fit({}, np.array(q), (objective,), (objective,), True, "")

    shares = np.array([[1.0, 0.0], [0.0, 1.0]])
    good, swapped = [[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]
    assert _better(end(-5.0, swapped), end(-5.1, good), shares)
    assert not _better(end(-5.0 + 1e-12, swapped), end(-5.0, good), shares)
    assert _better(end(-5.0 - 1e-12, good), end(-5.0, swapped), shares)
    assert not _better(end(-5.0, good), end(-5.0, good), shares)


# -- why, held-out labels, information


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin", "hierarchical", "mace", "glad"])
def test_contributions_sum_to_the_log_posterior(model: str) -> None:
    c = raters.consensus(read([*ROWS, ROWS[0]], duplicates="keep"), model, smoothing=0.05)
    for i, item in enumerate(c.items):
        logs = np.log(c.prevalence) + sum(np.array(x.logs) for x in c.why(item).contributions)
        p = np.exp(logs - logs.max())
        assert p / p.sum() == pytest.approx(c.posterior[i], abs=1e-9)


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin"])
def test_why_without_smoothing_has_a_rival(model: str) -> None:
    c = raters.consensus(read([(i, j, "ab"[i % 2]) for i in range(20) for j in range(3)]), model, smoothing=0)
    found = c.why(0)
    assert (found.label, found.rival) == ("a", "b") and 0 < found.log_odds < np.inf
    assert all(0 < x.weight < np.inf for x in found.contributions)


def test_held_out_labels_of_hierarchical_are_predicted_by_probabilities_that_sum_to_one() -> None:
    votes = Votes.of(read(ROWS))
    whole = raters.consensus(votes, "hierarchical", start="votes")
    cells = np.arange(len(votes.table.data))
    found = models.uses.diagnostics.held_out("hierarchical", votes, votes, {"start": "votes"})[:, 0]
    theta = rows_to_one(whole.params["counts"])
    p = np.einsum("ck,ckl->cl", whole.posterior[votes.item_of], theta[votes.rater_of])
    assert p.sum(1) == pytest.approx(1)
    assert np.exp(found) == pytest.approx(p[cells, votes.label_of])


def test_an_interval_of_bits_holds_its_estimate_and_has_a_width() -> None:
    ann = read([(i, j, "ab"[i % 2]) for i in range(20) for j in range(3)])
    for model in ("majority", "dawid_skene", "one_coin", "hierarchical", "mace", "glad"):
        for e in raters.information(raters.consensus(ann, model)):
            assert e.low <= e.value <= e.high and e.low < 0.9


def test_bits_of_an_expert_with_few_labels_are_held_by_their_interval() -> None:
    """98 % right, 30 items whose truth is known: 95 % intervals hold the true .86 bits in 9 of 10 tables at least."""
    theta = np.array([[0.98, 0.02], [0.02, 0.98]])
    true = float(models.entropy.mutual(theta, np.array([0.5, 0.5])))
    rng, held = np.random.default_rng(0), []
    truth = np.arange(30) % 2
    for _ in range(12):
        label = truth[:, None] ^ (rng.random((30, 10)) > 0.98)
        item, rater = np.nonzero(label >= 0)
        votes = Votes.of_codes(item, rater, label[item, rater], labels=(0, 1))
        c = raters.consensus(votes, gold=dict(enumerate(truth.tolist())), start="votes")
        held += [e.low <= true <= e.high for e in raters.information(c)]
    assert np.mean(held) > 0.9


# -- bad calls


def test_bad_calls_are_one_line(demo: raters.Consensus) -> None:
    ann = raters.examples.demo()
    for options, says in (
        ({"max_iter": 0}, "max_iter=0"),
        ({"restarts": -1}, "restarts=-1"),
        ({"uncertainty": "posterior", "draws": 0}, "draws=0"),
        ({"seed": -1}, "seed=-1"),
        ({"priors": 3}, "priors=int"),
    ):
        with pytest.raises(UsageError, match=says):
            raters.consensus(ann, **options)
    calls: list[tuple[Any, str]] = [
        (lambda: raters.consensus([("a", "r", "x")]), "needs annotations"),  # type: ignore[arg-type]
        (lambda: demo.confusion_interval(95), "level=95"),
        (lambda: raters.information(demo, level=95), "level=95"),
        (lambda: raters.next_labels(demo, raters=[]), "raters="),
        (lambda: raters.next_labels(demo, share=95), "share=95"),
        (lambda: raters.evaluate(demo, demo.labels), "not a consensus"),  # type: ignore[arg-type]
    ]
    for call, says in calls:
        with pytest.raises(UsageError, match=says):
            call()


def test_a_consensus_on_numbers_refuses_what_is_for_labels() -> None:
    c = raters.consensus(
        raters.read([(i, r, float(i + r)) for i in range(6) for r in range(3)], scale="interval"), "gaussian"
    )
    for call in (lambda: c.entropy, c.confusion_interval, lambda: models.prevalences(c), lambda: models.overlap(c, {})):
        with pytest.raises(UsageError, match="gaussian"):
            call()


def test_evaluate_refuses_what_is_no_probability_and_says_why_a_loss_is_infinite(demo: raters.Consensus) -> None:
    item = demo.items[0]
    for answer, says in (
        ([np.nan] * 3, "do not sum to 1"),
        ([0.5, 0.5], "neither a label nor 3 probabilities"),
        ({"negative": "much"}, "not a number"),
    ):
        with pytest.raises(DataError, match=says):
            raters.evaluate({item: answer}, demo)
    loss = raters.evaluate({x: [1, 0, 0] for x in demo.items}, demo)["log_loss"]
    assert loss.value == np.inf and "log loss is infinite: on 200 items" in loss.warnings[0]


def test_the_classifier_keeps_kinds_of_labels_and_refuses_unknown_ones() -> None:
    made = models.ConsensusClassifier("majority").fit([[1, 1], ["1", "1"], [2, 2]])
    assert made.classes_.tolist() == [1, 2, "1"] and made.predict([[1, 1], ["1", "1"]]).tolist() == [1, "1"]
    with pytest.raises(DataError, match="was not there"):
        models.ConsensusClassifier("majority").fit([["a", "b"], ["b", "b"]]).predict([["c", "c"]])
    with pytest.raises(UsageError, match="y has 1 labels for 2 items"):
        models.ConsensusClassifier().fit([["a", "b"], ["b", "b"]], ["a"])


def test_the_classifier_knows_what_pandas_calls_missing() -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"r1": ["a", "b", pd.NA], "r2": ["a", "b", "b"]})
    assert models.ConsensusClassifier("majority").fit(table).predict(table).tolist() == ["a", "b", "b"]


def test_a_matrix_for_each_rater_from_few_labels_is_called_too_sure() -> None:
    """40 raters, 30 labels each, 6 labels: of what Dawid-Skene calls certain too little is right, and it says so."""
    rng = np.random.default_rng(0)
    truth, rows = rng.integers(0, 6, 400), []
    for i, z in enumerate(truth):
        right = rng.beta(4, 2)
        rows += [(i, int(r), int(z if rng.random() < right else rng.integers(0, 6))) for r in rng.permutation(40)[:3]]
    ann = raters.read(rows, scale="nominal")
    found = {}
    for model in ("dawid_skene", "hierarchical", "one_coin"):
        c = raters.consensus(ann, model)
        sure = c.posterior.max(1) >= 0.99
        at = np.array([truth[int(i)] for i in c.items])
        found[model] = float(np.mean(np.array(c.label_names)[c.posterior.argmax(1)][sure].astype(int) == at[sure]))
        assert any("too sure" in w for w in c.warnings) == (model == "dawid_skene")
    assert found["dawid_skene"] < 0.9 < found["hierarchical"] < found["one_coin"]
