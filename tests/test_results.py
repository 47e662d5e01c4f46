"""Every result shows itself shortly and as HTML, gives plain values and a frame, draws itself, and slices to its own
type.
"""

import json
import random
from collections.abc import Sequence

import pytest

import raters

LABELS = ["no", "maybe", "yes"]
RNG = random.Random(1)


def moved(i, chance):
    return LABELS[(i + (RNG.random() < chance)) % 3]


ROWS = [(f"i{i}", f"r{j}", moved(i, 0.25)) for i in range(45) for j in range(4)]
FULL = {
    "item": [r[0] for r in ROWS], "rater": [r[1] for r in ROWS], "label": [r[2] for r in ROWS],
    "topic": ["ab"[int(r[0][1:]) % 2] for r in ROWS], "pool": ["xy"[int(r[1][1:]) % 2] for r in ROWS],
}  # fmt: skip
NUMBERS = [(i, r, LABELS.index(v) + RNG.random()) for i, r, v in ROWS]
SETS = [(i, r, [v, "other"] if RNG.random() < 0.3 else [v]) for i, r, v in ROWS if r in ("r0", "r1")]
WHO = [{"item": i, "rater": f"r{j}", "label": moved(i, 0.3), "side": "ab"[j % 2]} for i in range(20) for j in range(10)]
MODELS = [(f"i{i}", m, moved(i, 0.3)) for i in range(45) for m in "mn"]
ONE = [r for r in MODELS if r[1] == "m"]
FAST = {"resamples": 60}


@pytest.fixture(scope="module")
def fit():
    return raters.consensus(ROWS, "dawid_skene")


CALLS = {
    "agreement": lambda fit: raters.agreement(ROWS),
    "agreement by": lambda fit: raters.agreement(FULL, by="topic"),
    "agreement_table": lambda fit: raters.agreement_table(FULL, ["fleiss", "alpha"], by="topic"),
    "per_label": lambda fit: raters.per_label(ROWS, **FAST),
    "per_rater": lambda fit: raters.per_rater(ROWS, **FAST),
    "per_pair": lambda fit: raters.per_pair(ROWS, **FAST),
    "per_item": lambda fit: raters.per_item(ROWS),
    "compare": lambda fit: raters.compare(FULL, between="topic", **FAST),
    "explain": lambda fit: raters.explain(ROWS, **FAST),
    "bands": lambda fit: raters.bands(raters.agreement(ROWS)),
    "icc": lambda fit: raters.icc(raters.read(NUMBERS, scale="interval")),
    "kendall_w": lambda fit: raters.kendall_w(raters.read(NUMBERS, scale="interval"), **FAST),
    "ccc": lambda fit: raters.ccc(raters.read(NUMBERS, scale="interval"), **FAST),
    "bland_altman": lambda fit: raters.bland_altman(raters.read(NUMBERS, scale="interval"), who=["r0", "r1"]),
    "krr": lambda fit: raters.krr(ROWS, 2, **FAST),
    "krr_curve": lambda fit: raters.krr_curve(ROWS, [1, 2], **FAST),
    "xrr": lambda fit: raters.xrr(FULL, pool="pool", **FAST),
    "xrr by": lambda fit: raters.xrr(FULL, pool="pool", by="topic", **FAST),
    "multilabel": lambda fit: raters.multilabel(SETS, **FAST),
    "consensus": lambda fit: fit,
    "information": lambda fit: raters.information(fit),
    "next_labels": lambda fit: raters.next_labels(fit, 5),
    "evaluate": lambda fit: raters.evaluate(ONE, fit, **FAST),
    "groups": lambda fit: raters.groups(WHO, "side", least=5, permutations=9),
    "plan_systems": lambda fit: raters.plan_systems(ROWS, noise=(0.05, 0.2), ks=(1, 3)),
    "rank": lambda fit: raters.rank(
        [{"item": i, "rater": i % 7, "a": "A", "b": "B", "winner": ("A", "B", "tie", "A")[i % 4]} for i in range(40)]
    ),
    "check": lambda fit: raters.check(errors=[1, 2], checked=[50, 60], population=[500, 900]),
    "watch": lambda fit: raters.watch([[r for r in ROWS if int(r[0][1:]) % 6 == w] for w in range(6)], baseline=3),
    "evaluate, crowd": lambda fit: raters.evaluate(ONE, ROWS, **FAST),
    "plan": lambda fit: raters.plan(raters.read(NUMBERS, scale="interval"), **FAST),
    "krr by": lambda fit: raters.krr(FULL, 2, by="topic", **FAST),
    "ceiling": lambda fit: raters.ceiling(raters.read(NUMBERS, scale="interval"), **FAST),
    "krr, gold": lambda fit: raters.krr_curve(ROWS, [1, 2], gold={f"i{i}": LABELS[i % 3] for i in range(45)}, **FAST),
    "xrr, why": lambda fit: raters.xrr(FULL, pool="pool", interval=None).why(**FAST),
    "plan_replication": lambda fit: raters.plan_replication(ROWS, **FAST),
    "judge": lambda fit: raters.judge(ROWS, MODELS, **FAST),
    "judge, one": lambda fit: raters.judge(ROWS, ONE, **FAST)[0],
    "alt_test": lambda fit: raters.alt_test(ROWS, ONE, **FAST),
    "alt_test_table": lambda fit: raters.alt_test_table(ROWS, MODELS, **FAST),
    "calibrate": lambda fit: raters.calibrate([r for r in ROWS if r[1] == "r0"], ONE, sample="random", **FAST),
}
TABLES = {"load", "look", "read", "report", "soft_labels", "with_classifier", "xrr_table"}
"""Public functions whose results are plain, old, or tested at length elsewhere."""


def test_every_public_function_is_here():
    functions = {n for n in raters.__all__ if n[0].islower() and callable(getattr(raters, n))}
    known = {name.split(",")[0].split(" by")[0] for name in CALLS} | TABLES
    assert functions <= known, f"add a call of {functions - known} to CALLS"


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
@pytest.mark.parametrize("name", CALLS)
def test_what_every_result_can_do(name, fit):
    result = CALLS[name](fit)
    assert len(repr(result)) <= 200 and repr(result).startswith(f"<{type(result).__name__}")
    assert "<" in result._repr_html_() and len(str(result)) >= 20
    json.dumps(result.to_dict(), allow_nan=False)
    frame = result.to_frame()
    limits = [c for c in frame.columns if str(c) in ("low", "high", "se")]
    assert all(frame[c].dtype == float for c in limits), "a missing limit is a float nan"
    assert "$schema" in result.plot().to_dict()
    if isinstance(result, Sequence):
        assert type(result[:1]) is type(result) and len(result[:1]) == min(1, len(result))


def test_annotations_come_back_as_a_frame():
    frame = raters.read(FULL).to_frame()
    assert list(frame.columns) == ["item", "rater", "label", "topic", "pool"]
    assert frame.label.tolist() == FULL["label"] and frame.item.tolist() == FULL["item"]


@pytest.mark.filterwarnings("ignore::raters.RatersWarning")
def test_no_interval_gives_the_values_alone_everywhere(fit):
    found = raters.plan(raters.read(NUMBERS, scale="interval"), interval=None)
    assert found["labels per item"].value > 1 and found["labels per item"].low != found["labels per item"].low
    assert "no interval was requested" in str(found)
    share = raters.calibrate([r for r in ROWS if r[1] == "r0"], ONE, sample="random", interval=None)
    assert all(e.low != e.low and e.interval is None for e in share.estimates)
    made = raters.report(FULL, interval=None)
    assert all(e.low != e.low for e in made.estimates) and made.made["interval"] is None
    assert "0 to" not in made.section("agreement").answer and " nan" not in made.text()


def test_the_interval_of_a_report_is_the_one_that_was_asked_for():
    made = raters.report(ROWS, interval="delta")
    assert {e.interval for e in made.estimates if e.coefficient == "fleiss"} == {"delta"}
