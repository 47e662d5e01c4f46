"""Several tasks at once, one row each, sharing what raters have in common; sets of labels, each label a task."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from published import word

import raters
from raters.cli import cli
from raters.errors import UsageError
from raters.models.base.votes import Votes
from raters.models.tasks import carries_over, consensus_of_tasks


def tasks(seed: int, same: bool, n_tasks: int = 4) -> tuple[dict[str, Votes], dict[str, np.ndarray]]:
    """Sixty items of three labels, by fifteen raters who are as good in every task, or not."""
    rng = np.random.default_rng(seed)
    made, truths, skill = {}, {}, rng.uniform(0.5, 0.97, 15)
    for t in range(n_tasks):
        k, good = 2 + t % 2, skill if same else rng.uniform(0.5, 0.97, 15)
        truth, item = rng.integers(0, k, 60), np.repeat(np.arange(60), 3)
        rater = np.concatenate([rng.choice(15, 3, replace=False) for _ in range(60)])
        wrong = (truth[item] + rng.integers(1, k, 180)) % k
        label = np.where(rng.random(180) < good[rater], truth[item], wrong)
        made[f"q{t}"] = Votes.of_codes(item, rater, label, labels=range(k), items=range(60), raters=range(15))
        truths[f"q{t}"] = truth
    return made, truths


def test_skills_that_carry_over_are_told_from_those_that_do_not() -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(40):
        skill = rng.uniform(0, 1, 15)
        same = {t: {r: (12.0, skill[r] + rng.normal(0, 0.25)) for r in range(15)} for t in range(4)}
        other = {t: {r: (12.0, rng.uniform(0, 1)) for r in range(15)} for t in range(4)}
        found.append((carries_over(same), carries_over(other)))
    power, false = np.mean(found, 0)
    assert power > 0.9 and false <= 0.15
    assert not carries_over({"a": {1: (5.0, 0.5)}})


def test_sharing_helps_where_tasks_have_few_labels() -> None:
    """On the mean: by eight tables of this kind .015, with a standard error of .008; single tables go either way."""
    gain = []
    for seed in (0, 1):
        votes, truth = tasks(seed, same=True)
        found = consensus_of_tasks(votes)
        assert found.shared == tuple(votes) and list(found) == list(votes)
        alone = {name: raters.consensus(v) for name, v in votes.items()}
        gain += [np.mean(found[t].codes == truth[t]) - np.mean(alone[t].codes == truth[t]) for t in votes]
    assert np.mean(gain) > 0


def test_a_table_with_a_row_for_each_task() -> None:
    rows = [(f"{t}{i}", r, "ab"[(i + (r == "x")) % 2], t) for t in ("one", "two") for i in range(12) for r in "wxyz"]
    ann = raters.read(
        {k: list(x) for k, x in zip(("item", "rater", "label", "topic"), zip(*rows, strict=True), strict=True)}
    )
    found = raters.consensus(ann, by="topic")
    columns = found.to_columns()
    assert columns["topic"] == ["one", "two"] and columns["votes_per_item"] == [4.0, 4.0]
    assert found["one"].votes.n_items == 12 and len(found.items_columns()["topic"]) == 24
    assert found.votes_per_item() == {"topic": ["one", "two"], "votes": [4, 4], "items": [12, 12]}
    assert found.to_dict()["rows"][0]["topic"] == "one" and "2 tasks" in str(found)
    with pytest.raises(KeyError, match="did you mean"):
        found["on"]
    for bad, said in (({"by": "rater"}, "one rater"), ({"by": "topic", "gold": {"one1": "a"}}, "gold")):
        with pytest.raises(UsageError, match=said):
            raters.consensus(ann, **bad)  # type: ignore[call-overload]


def test_questions_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    lines = [f"{i},{r},{'yn'[(i + (r == 'c')) % 2]},{q}" for q in ("q1", "q2") for i in range(8) for r in "abc"]
    path.write_text("item,rater,label,question\n" + "\n".join(lines))
    found = raters.consensus(path, by="question")
    assert list(found) == ["q1", "q2"] and found["q1"].votes.n_annotations == 24
    out = CliRunner().invoke(cli, ["consensus", str(path), "--by", "question", "-o", str(tmp_path / "gold.csv")])
    assert out.exit_code == 0 and "2 tasks" in out.output
    assert (tmp_path / "gold.csv").read_text().startswith("question,item,label")
    refused = CliRunner().invoke(cli, ["consensus", str(path), "--by", "question", "--next", "5"])
    assert refused.exit_code == 2 and "one task" in refused.output


@pytest.mark.shared
def test_words_in_one_call(data_dir: Path) -> None:
    words = {name: word(data_dir, name) for name in ("add-v", "ask-v")}
    table = consensus_of_tasks(words, "majority", by="word").to_columns()
    assert table["word"] == ["add-v", "ask-v"]
    assert table["items"] == [len({*raters.models.consensus(a, "majority").items}) for a in words.values()]


def test_sets_are_decided_label_by_label(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    truth = [{x for x in "abc" if rng.random() < 0.5} or {"a"} for _ in range(60)]
    rows = []
    for i, there in enumerate(truth):
        for r in range(6):
            given = {x for x in "abc" if (x in there) == (rng.random() < 0.9)} or {"b"}
            rows.append((i, r, ";".join(sorted(given))))
    path = tmp_path / "sets.csv"
    path.write_text("item,rater,label\n" + "\n".join(f"{i},{r},{x}" for i, r, x in rows))
    ann = raters.read(path, scale="sets", sep=";")
    found = raters.consensus(ann)
    sets = found.labels  # item -> frozenset
    assert (
        np.mean([sets[i] == there for i, there in zip(found.items, (truth[int(i)] for i in found.items), strict=True)])
        > 0.85
    )
    assert found.certainty.shape == (60,) and found.label_certainty.shape == (60, 3)  # type: ignore[attr-defined]
    assert (found.certainty <= found.label_certainty.min(1) + 1e-12).all()  # type: ignore[attr-defined]
    assert {row["label"] for row in found.rows()} == {"a", "b", "c"} and "present or not" in str(found)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="gold"):
        raters.consensus(ann, gold={0: "a"})
    out = CliRunner().invoke(cli, ["consensus", str(path), "--scale", "sets", "--sep", ";", "--format", "csv"])
    assert out.exit_code == 0 and out.output.startswith("item,label,certainty")


def test_a_label_on_few_items_is_decided_by_the_vote() -> None:
    """A word that 13 of 20 chose in one text of 42: nothing shows how raters differ, and a model would call it
    certain.
    """
    rng = np.random.default_rng(3)
    rows = []
    for i in range(42):
        for at, r in enumerate(rng.permutation(40)[:20]):
            often = {"verb"} if rng.random() < 0.2 + 0.6 * (i % 2) else set()
            rare = {f"word {i}"} if at < (13 if i == 0 else 20 * (i < 3)) else set()
            rows.append((i, int(r), often | rare))
    found = raters.consensus(raters.read(rows, scale="sets"))
    one = found.per_label["word 0"]
    assert one.model == "majority" and one.choice.why.startswith("Raters gave the label on 1 item, too few")
    assert one.labels[0] and 0.6 < one.certainty[one.where(0)] < 0.95
    assert found.per_label["verb"].mixture is not None  # on 42 items, models are tried
    assert found.warnings == (
        (
            "3 of 4 labels were given, or left out, on fewer than 10 items: decided by the vote, because this does not"
            " show how raters differ"
        ),
    )
    assert not raters.consensus(raters.read(rows, scale="sets"), "majority").warnings


def test_several_tasks_and_sets_ignore_no_option_and_say_what_was_assumed(tmp_path) -> None:
    path = tmp_path / "tasks.csv"
    rows = [f"{t}{i},{r},{1 + (i + (r == 'x')) % 3},{t}" for t in ("one", "two") for i in range(12) for r in "wxyz"]
    path.write_text("\n".join(["item,rater,label,task", *rows]))
    asked = ["consensus", str(path), "--by", "task", "--model", "majority"]
    text = CliRunner().invoke(cli, asked)
    assert text.exit_code == 0 and "read as ordinal" in text.output.splitlines()[0]
    told = json.loads(CliRunner().invoke(cli, [*asked, "--format", "json"]).stdout)
    assert "read as ordinal" in told["assumed"][0]["text"]
    assert "read as ordinal" in CliRunner().invoke(cli, [*asked, "--format", "csv"]).stderr
    sets = tmp_path / "sets.csv"
    sets.write_text("item,rater,label\n1,a,x;y\n1,b,x\n2,a,y\n2,b,y;x\n")
    of_sets = ["consensus", str(sets), "--scale", "sets", "--sep", ";"]
    for one in (asked, of_sets):
        for more in (["--threshold", ".9"], ["--format", "markdown"]):
            done = CliRunner().invoke(cli, [*one, *more])
            assert done.exit_code == 2 and "applies to one task" in done.output + done.stderr


def test_two_files_of_one_name_are_two_tasks(tmp_path) -> None:
    """The second took the place of the first without a word."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "word.csv").write_text("item,rater,label\n1,x,no\n1,y,no\n2,x,yes\n2,y,no\n")
    files = [str(tmp_path / folder / "word.csv") for folder in ("a", "b")]
    done = CliRunner().invoke(cli, ["consensus", *files, "--by", "file", "--model", "majority"])
    assert done.exit_code == 0 and all(name in done.output for name in files)
