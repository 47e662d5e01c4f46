"""Ranks from votes: figures of evalica, choix and statsmodels, ranks together, parts, and the forms of votes."""

import choix
import evalica
import numpy as np
import pytest

import raters
from raters.judges.ranking import votes_in
from raters.judges.strengths import fit_strengths

TIES = """i1 4 A C t,i1 5 A B t,i2 8 C B 2,i2 3 A D 1,i3 7 D A 1,i3 4 B D 1,i4 2 B A t,i4 1 B C 2,i5 3 C A t,i5 5 C B 2,i6 1 B C 1,i6 4 C D 1,i7 1 B D 2,
i7 3 B C 2,i8 6 D C t,i8 8 A D 2,i9 7 B C 1,i9 2 A D t,i10 3 B D 2,i10 7 A B t,i11 3 A C t,i11 7 C D 2,i12 2 C B 1,i12 3 B D t,i13 8 C A 2,i13 7 C D t,
i14 3 D C 2,i14 2 D A 2,i15 6 C B 1,i15 2 B D 2,i16 7 A C 1,i16 1 B D 2,i17 7 B D 1,i17 1 D C 1,i18 3 C B 2,i18 2 D C 2,i19 4 C B 2,i19 1 B D 1,i20 3 D B 1,
i20 6 B A 2"""
NONE = """i1 2 A B 1,i1 5 A B 1,i2 6 A B 1,i2 4 A B 1,i3 4 A C 2,i3 5 C B 1,i4 6 B C 2,i4 2 C B 2,i5 2 C B 1,i5 3 A B 2,i6 5 C B 2,i6 3 A C 2,i7 3 B C 2,i7 2 B A 1,
i8 4 C A 1,i8 5 A B 1,i9 6 C B 2,i9 2 C B 2,i10 3 A B 2,i10 4 C A 1,i11 6 C A 2,i11 5 B C 2,i12 3 A B 1,i12 5 B C 1,i13 1 A B 1,i13 5 C A 1,i14 1 A C 1,
i14 4 C B 2,i15 3 C A 2,i15 2 B C 1,i16 6 B A 1,i16 3 A C 1,i17 6 A B 1,i17 4 B C 1,i18 6 B A 2,i18 4 B C 2"""


def rows(text):
    outcome = {"1": "first", "2": "second", "t": "tie"}
    parts = [v.split() for v in text.replace("\n", "").split(",")]
    return [{"item": i, "rater": f"r{r}", "a": a, "b": b, "winner": outcome[w]} for i, r, a, b, w in parts]


@pytest.mark.parametrize(
    ("text", "strengths", "errors"),
    [
        (TIES, {"A": 0.4410757437096693, "B": -0.1644660655192302, "C": -0.32945292316939745, "D": 0.052843244978958336},
         {("A", "B"): (0.6782634645213734, 0.6306968330087765), ("B", "C"): (0.6185604073034975, 0.7283175500722233)}),
        (NONE, {"A": 0.24118442077684255, "B": -0.15383603555302722, "C": -0.08734838522381533},
         {("A", "B"): (0.43559978825623186, 0.3666413409303089), ("A", "C"): (0.5447530367145296, 0.4447045408963894)}),
    ],
)  # fmt: skip
def test_figures_of_evalica_choix_and_a_clustered_glm(text, strengths, errors):
    """Evalica's newman (nu = 2 v), choix without ties; errors without the factor G / (G - 1)."""
    votes = rows(text)
    found = raters.rank(votes)
    assert {e.name: e.value for e in found} == pytest.approx(strengths, abs=1e-7)
    items, people = (len({v[k] for v in votes}) for k in ("item", "rater"))
    for (a, b), (by_item, by_rater) in errors.items():
        wanted = max(by_item * np.sqrt(items / (items - 1)), by_rater * np.sqrt(people / (people - 1)))
        e = next(c for c in found.contrasts if {*c.name.split(" - ")} == {a, b})
        assert e.se == pytest.approx(wanted, abs=1e-6)


def test_evalica_and_choix_themselves():
    x, y, w = zip(*((r["a"], r["b"], {"first": evalica.Winner.X, "second": evalica.Winner.Y, "tie": evalica.Winner.Draw}[r["winner"]]) for r in rows(TIES)), strict=True)  # fmt: skip
    scores = np.log(evalica.newman(x, y, w, tolerance=1e-12, limit=10000).scores)
    found = raters.rank(rows(TIES))
    assert (scores - scores.mean()).to_dict() == pytest.approx({e.name: e.value for e in found}, abs=1e-4)
    won = [(r["a"], r["b"]) if r["winner"] == "first" else (r["b"], r["a"]) for r in rows(NONE)]
    others = choix.opt_pairwise(3, [("ABC".index(x), "ABC".index(y)) for x, y in won], tol=1e-12)
    assert {e.name: e.value for e in raters.rank(rows(NONE))} == pytest.approx(
        dict(zip("ABC", others - others.mean(), strict=True)), abs=1e-6
    )


def simulated(seed, strengths=(0.8, 0.3, 0.0, -1.1), raters_=10, votes=300, spread=0.5):
    rng = np.random.default_rng(seed)
    own, n = rng.normal(0, spread, (raters_, len(strengths))), len(strengths)
    made = []
    for i in range(votes):
        a, b = rng.choice(n, 2, replace=False)
        r = int(rng.integers(raters_))
        d = strengths[a] + own[r, a] - strengths[b] - own[r, b]
        p = np.exp([d / 2, -d / 2, -0.5])
        made.append({"item": i // 2, "rater": r, "a": f"s{a}", "b": f"s{b}", "winner": ("first", "second", "tie")[rng.choice(3, p=p / p.sum())]})  # fmt: skip
    return made


def test_ranks_hold_together_and_no_error_is_zero():
    right = 0
    for seed in range(20):
        found = raters.rank(simulated(seed))
        assert all(c.se > 0.05 for c in found.contrasts) and all(e.se > 0.05 for e in found)
        right += all(
            found[f"s{i}"].details["rank_low"] <= i + 1 <= found[f"s{i}"].details["rank_high"] for i in range(4)
        )
    assert right >= 19


def test_systems_that_nobody_compared_are_ranked_apart():
    joined = simulated(1) + [{**v, "a": f"x{v['a']}", "b": f"x{v['b']}"} for v in simulated(2, votes=200)]
    found = raters.rank(joined)
    assert [len(p) for p in found.parts] == [4, 4] and {n.code for n in found.notes} == {"parts_apart"}
    assert found[found.parts[1][0]].details["rank_low"] == 1 and "ranked apart" in found.sentence


def test_votes_in_the_usual_forms(tmp_path):
    plain = [("A", "B", "A"), ("B", "A", "tie"), ("A", "B", "B"), ("B", "A", "A")]
    wanted = ["first", "tie", "second", "second"]
    arena = {
        "A": {"A": "model_a", "B": "model_b", "tie": "tie (bothbad)"},
        "B": {"B": "model_a", "A": "model_b", "tie": "tie"},
    }
    path = tmp_path / "votes.jsonl"
    path.write_text("\n".join(f'{{"question_id": {i}, "model_a": "{a}", "model_b": "{b}", "winner": "{arena[a][w]}", "judge": "x{i % 2}"}}' for i, (a, b, w) in enumerate(plain)))  # fmt: skip
    votes, unnamed, _ = votes_in(path)
    assert [v[4] for v in votes] == wanted and not unnamed and {v[1] for v in votes} == {"x0", "x1"}
    for names in (
        ("a", "b", "winner"),
        ("first", "second", "vote"),
        ("left", "right", "preference"),
        ("System A", "System B", "Winner"),
    ):
        votes, unnamed, _ = votes_in([dict(zip(names, v, strict=True)) for v in plain])
        assert [v[4] for v in votes] == wanted and unnamed
    votes, _, _ = votes_in([{"winner": "A", "loser": "B"}, {"winner": "B", "loser": "A"}])
    assert [(v[2], v[3], v[4]) for v in votes] == [("A", "B", "first"), ("B", "A", "first")]
    votes, _, _ = votes_in([{"x": "A", "y": "B", "z": "B"}], first="x", second="y", won="z")
    assert votes[0][4] == "second"


PLAIN = (("gpt", "llama", "first"), ("llama", "gpt", "tie"), ("gpt", "llama", "second"), ("llama", "gpt", "first"))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (("system_1", "system_2", "preference"), ("1", "2", "tie")),
        (("Model A", "Model B", "Winner"), ("Model A", "Model B", "Both good")),
        (("modelA", "modelB", "verdict"), ("A>>B", "B>A", "A=B")),
        (("option1", "option2", "better"), ("A is much better", "B is slightly better", "about the same")),
        (("response_a_model", "response_b_model", "chosen"), ("response_a", "response_b", "no preference")),
        (("generator_1", "generator_2", "preference"), ("1.0", "2.0", "tie")),
        (("left", "right", "vote"), ("Left", "slightly prefer right", "neither")),
    ],
)
def test_other_names_of_columns_and_strengths_of_preference(columns, words):
    said = dict(zip(("first", "second", "tie"), words, strict=True))
    table = [{"score_a": 1, "score_b": 2, **dict(zip(columns, (a, b, said[w]), strict=True))} for a, b, w in PLAIN]
    votes, _, lost = votes_in(table)
    assert [v[2:] for v in votes] == list(PLAIN) and lost == 0


def test_a_column_of_0_and_1_for_each_outcome():
    made = [{"id": i, "model_a": a, "model_b": b, "prompt": "p", "response_a": f"x{i}", "response_b": f"y{i}", **{f"winner_{k}": int(w == o) for k, o in
            (("model_a", "first"), ("model_b", "second"), ("tie", "tie"))}} for i, (a, b, w) in enumerate(PLAIN)]  # fmt: skip
    votes, _, _ = votes_in(made)
    assert [v[2:] for v in votes] == list(PLAIN) and [v[0] for v in votes] == [0, 1, 2, 3]


def test_rows_without_a_winner_are_said():
    found = raters.rank([*rows(TIES), {"item": "z", "rater": "r1", "a": "A", "b": "B", "winner": None}])
    assert found.votes == len(rows(TIES)) and "1 row without a winner is no vote" in str(found)


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ([{"a": "A", "b": "B", "winner": "C"}], "row 1: the winner 'C' in column 'winner' is neither 'A', 'B'"),
        ([{"a": "A", "b": "B", "winner": -1}], "Numbers of a scale do not say which end is which system"),
        ([{"a": "A", "b": "B", "winner": "A<B"}], "row 1: the winner 'A<B'"),
        ([{"a": "A", "b": "A", "winner": "A"}], "compares 'A' with itself"),
        ([{"a": "A", "b": "B", "winner": None}], "there are no votes"),
        ([{"a": "A", "b": "B"}], "no column looks like the winner"),
        ([{"x": "A", "y": "B", "winner": "A"}], "no columns look like two systems"),
        ([{"a": "A", "b": "B", "winner": "A"}] * 9, "no finite strength for"),
    ],
)
def test_one_clear_line(votes, said):
    with pytest.raises(raters.RatersError, match=said):
        raters.rank(votes)


@pytest.mark.parametrize(
    ("how", "said"),
    [({"prior": -1.0}, "prior=-1.0 is not"), ({"prior": np.nan}, "prior=nan is not"), ({"first": "a", "second": "a", "won": "winner"}, "two roles"),
     ({"item": "winner", "won": "winner"}, "two roles"), ({"first": "z"}, "no column 'z'")],
)  # fmt: skip
def test_options_that_cannot_be(how, said):
    with pytest.raises(raters.RatersError, match=said):
        raters.rank(rows(TIES), **how)


def test_a_prior_ranks_a_system_that_always_wins():
    found = raters.rank([{"item": i, "rater": i % 3, "a": "A", "b": "B", "winner": "A"} for i in range(9)], prior=1.0)
    assert found["A"].value > found["B"].value == -found["A"].value
    assert fit_strengths([(v["item"], v["rater"], v["a"], v["b"], v["winner"]) for v in rows(TIES)]).tie == pytest.approx(0.6809061024698689, abs=1e-6)  # fmt: skip
