"""A report on a large table: whole figures from every annotation, the rest from a part, which the first line says."""

import numpy as np
import pytest

import raters
from raters.agree import hard_items
from raters.items.subsets import part_of
from raters.reporting import context


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "WHOLE", 1_000)
    monkeypatch.setattr(context, "PART", 600)


def test_the_first_line_says_what_was_drawn(small_limits: None) -> None:
    ann = raters.simulate.labels(400, 5, 3, seed=3).annotations()
    made = raters.report(ann, resamples=100)
    part = part_of(ann, 600)
    assert made.not_used.startswith("Sampled: of 2,000 annotations")
    assert f"{part.n_annotations:,}, which are all labels of {part.n_items:,} of 400 items" in made.not_used
    assert f"of {part.n_items:,} items drawn at random" in made.section("trust").answer
    whole = raters.agreement(ann, resamples=100)
    assert f"{whole.value:.2f}" in made.section("agreement").answer
    assert "2,000 annotations with" in made.section("data").answer


def test_gold_labels_come_along(small_limits: None) -> None:
    drawn = raters.simulate.labels(400, 5, 3, seed=3)
    columns = {**drawn.columns(), "gold": [str(drawn.truth[i - 1]) for i in drawn.item]}
    made = raters.report(raters.read(columns, scale="nominal"), resamples=100)
    assert "gold labels in column 'gold'" in made.section("trust").answer


def test_a_small_table_is_not_drawn_from() -> None:
    assert "Sampled" not in raters.report(raters.examples.demo(), resamples=100).not_used


def test_items_are_drawn_whole_and_by_name() -> None:
    ann = raters.simulate.labels(300, 4, 2, seed=0).annotations()
    part, again = part_of(ann, 400), part_of(raters.read(ann.to_columns(), scale="nominal"), 400)
    assert part.per_item == (4, 4.0, 4)
    assert set(part.to_columns()["item"]) == set(again.to_columns()["item"])
    assert 60 < part.n_items < 140
    assert part_of(ann, 400) is part


def test_numbers_of_many_values(small_limits: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hard_items, "MANY_ITEMS", 100)
    rng = np.random.default_rng(0)
    rows = [(i, f"r{j}", round(20 * rng.normal() + i % 60)) for i in range(260) for j in range(5)]
    made = raters.report(raters.read(rows, scale="interval"), interval=None)
    assert "Coefficients that tell raters apart (Conger, Light, ...) are left out" in made.not_used
    assert "conger" not in str(made.section("agreement").details).lower()
    assert any("counted in those drawn at random" in str(block) for block in made.section("where").blocks)
