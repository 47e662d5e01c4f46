"""Known labels in a column of the table: the report says how often settled labels are right, and learns nothing from
them.
"""

import numpy as np

import raters


def rows(gold: bool = True, right: float = 0.8) -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    return [
        {"item": i, "rater": f"r{j}", "label": "ab"[truth[i] if rng.random() < right else 1 - truth[i]]}
        | ({"gold": "ab"[truth[i]] if i >= 5 else "c" if i else None} if gold else {})
        for i in range(60)
        for j in range(5)
    ]


def test_the_report_checks_labels_against_a_gold_column() -> None:
    made = raters.report(raters.read(rows(), scale="nominal"), resamples=200).section("trust")
    assert "Against the 55 gold labels in column 'gold', which were not used to fit the model" in made.answer
    tables = {t.name: t for t in made.tables()}
    assert {"gold_calibration", "gold_models", "gold_raters"} <= tables.keys()
    assert sum(row[1] for row in tables["gold_calibration"].rows) == 55 and len(tables["gold_raters"].rows) == 5  # type: ignore[misc]
    assert any("4 items with a gold label that no rater used" in str(b) for b in made.blocks)
    without = raters.report(raters.read(rows(gold=False), scale="nominal"), resamples=200).section("trust")
    assert "gold labels in column" not in without.answer
    certainty = [next(t for t in s.tables() if t.name == "certainty").rows for s in (made, without)]
    assert certainty[0] == certainty[1]  # nothing was learned


def test_the_verdict_says_how_many_settled_labels_are_right_before_all_labels() -> None:
    made = raters.report(raters.read(rows(right=0.92), scale="nominal"), resamples=200)
    text = " ".join(str(made.html()).split())
    assert "Settled does not mean right: of the " in text
    settled, all_ = (
        text.index("settled labels that have a gold label"),
        text.index("of all 55 labels that have a gold label"),
    )
    assert settled < all_
