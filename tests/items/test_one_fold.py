"""The large table is folded once: whatever asks the same question of it gets the answer that is kept."""

import numpy as np
import pytest

import raters
from raters import examples
from raters.agree.agreement_spec import request
from raters.annotations import Kept
from raters.engines.duckdb import DuckDBEngine
from raters.items import fold, items_by_name
from raters.models.base.votes import Votes


@pytest.fixture
def queries(monkeypatch):
    """Every SQL text that runs, in order."""
    seen = []
    run = DuckDBEngine.query
    monkeypatch.setattr(
        DuckDBEngine, "query", lambda self, sql, **tables: (seen.append(sql), run(self, sql, **tables))[1]
    )
    return seen


def demo_file(tmp_path):
    got = examples.demo().engine.query("SELECT item, rater, label, topic FROM annotations ORDER BY row")
    path = tmp_path / "demo.csv"
    rows = zip(*(got[name].tolist() for name in got), strict=True)
    path.write_text("\n".join([",".join(got), *(",".join(row) for row in rows)]) + "\n")
    return path


@pytest.mark.parametrize("command, most", [(["agree"], 11), (["report", "--format", "text"], 25)])
def test_a_command_asks_each_distinct_question_once(tmp_path, queries, capsys, command, most):
    from raters.cli import cli

    name, *options = command
    path = demo_file(tmp_path)
    queries.clear()
    cli([name, str(path), *options], standalone_mode=False)
    assert "alpha is 0.4" in capsys.readouterr().out
    assert 0 < len(queries) <= most
    folds = [sql for sql in queries if "AS items FROM" in sql]
    assert len(folds) == len(set(folds))


def test_the_second_fold_of_a_kind_is_the_first(queries):
    ann = examples.demo()
    first = fold(ann)[None]
    n = len(queries)
    assert fold(ann)[None] is first
    raters.agreement(ann, "fleiss", interval=None)
    raters.krr(ann, k=2, interval=None)
    assert len(queries) == n


def test_other_labels_or_another_rule_for_repeats_are_another_fold():
    rows = [("a", "x", "no"), ("a", "x", "yes"), ("a", "y", "no"), ("b", "x", "yes"), ("b", "y", "yes")]
    ann = raters.read(rows, duplicates="first")
    first = fold(ann)[None]
    last = fold(raters.read(ann, duplicates="last"))[None]
    assert first.n_annotations == last.n_annotations == 4
    assert (first.weight @ first.counts).tolist() == [2, 2] and (last.weight @ last.counts).tolist() == [1, 3]
    wider = raters.read(ann, labels=["yes", "maybe", "no"])
    assert fold(wider)[None].labels == ("yes", "maybe", "no")
    assert (fold(wider)[None].weight @ fold(wider)[None].counts).tolist() == [2, 0, 2]


def test_votes_and_items_by_name_are_the_same_cells(queries):
    ann = examples.demo()
    votes = Votes.of(ann)
    n = len(queries)
    names, items = items_by_name(ann, "rater")
    assert len(queries) == n and tuple(names) == votes.items and items.groups == votes.raters
    assert (items.counts != votes.table).nnz == 0


def test_one_estimate_of_the_whole_table_wherever_it_is_shown():
    ann = examples.demo()
    one = raters.agreement(ann, resamples=50)
    assert raters.explain(ann, resamples=50).estimate is one
    assert raters.agreement(ann, resamples=51) is not one
    own = raters.agreement(ann, "fleiss", weights=np.eye(3), interval=None)
    assert own.value == raters.agreement(ann, "fleiss", interval=None).value


def test_the_oldest_answers_go_where_there_is_no_room():
    kept, made = Kept(), []

    def ask(key, size):
        return kept.once(key, None, lambda: (made.append(key), key)[1], lambda _: size, room=10)

    for key, size in (("a", 4), ("b", 4), ("a", 4), ("c", 4), ("b", 4), ("a", 4), ("d", 100), ("d", 100)):
        assert ask(key, size) == key
    assert made == ["a", "b", "c", "a", "d"]


def test_requests_that_are_alike_are_equal():
    assert request("fleiss", seed=1) == request("fleiss", seed=1)
    assert hash(request("fleiss", seed=1)) == hash(request("fleiss", seed=1))
