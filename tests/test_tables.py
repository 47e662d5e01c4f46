"""Every function takes whatever read takes."""

import inspect

import pandas
import pytest

import raters

ROWS = [(f"i{i}", f"r{j}", "xyz"[(i * 7 + (i * j) % 5 // 4) % 3], "ab"[j % 2]) for i in range(30) for j in range(4)]
FRAME = pandas.DataFrame(ROWS, columns=["item", "rater", "label", "pool"])
NUMBERS = FRAME.assign(label=FRAME.label.map({"x": 0.5, "y": 1.25, "z": 2.0}) + FRAME.index / 1000)
ANN = raters.read(FRAME)
CALLS = {
    "agreement": (lambda x: raters.agreement(x, interval=None), FRAME),
    "agreement_table": (lambda x: raters.agreement_table(x, interval=None), FRAME),
    "per_label": (lambda x: raters.per_label(x, interval=None), FRAME),
    "per_rater": (lambda x: raters.per_rater(x, interval=None), FRAME),
    "per_pair": (lambda x: raters.per_pair(x, interval=None), FRAME),
    "per_item": (lambda x: raters.per_item(x), FRAME),
    "compare": (lambda x: raters.compare(x, x, interval=None), FRAME),
    "explain": (lambda x: raters.explain(x, interval="delta"), FRAME),
    "krr": (lambda x: raters.krr(x, 1, interval=None), FRAME),
    "krr_curve": (lambda x: raters.krr_curve(x, [1, 2], interval=None), FRAME),
    "xrr": (lambda x: raters.xrr(x, pool="pool", interval=None), FRAME),
    "xrr_table": (lambda x: raters.xrr_table(x, pool="pool", interval=None), FRAME),
    "icc": (lambda x: raters.icc(x), NUMBERS),
    "kendall_w": (lambda x: raters.kendall_w(x, interval=None), NUMBERS),
    "ccc": (lambda x: raters.ccc(x, interval=None), NUMBERS),
    "bland_altman": (lambda x: raters.bland_altman(x, who=["r0", "r1"]), NUMBERS),
    "plan": (lambda x: raters.plan(x, resamples=50, interval="delta"), FRAME),
}


@pytest.mark.filterwarnings("ignore:pandas frame|.*labels.csv|.*rows")  # numbers on a scale that was not declared
@pytest.mark.parametrize("name", CALLS)
def test_a_frame_a_file_and_rows_give_what_annotations_give(name, tmp_path):
    call, frame = CALLS[name]
    path = tmp_path / "labels.csv"
    frame.to_csv(path, index=False)
    want = [e.value for e in estimates(call(raters.read(frame)))]
    for source in (frame, path, str(path), frame.to_dict("records")):
        got = [e.value for e in estimates(call(source))]
        assert got == pytest.approx(want, abs=1e-12, nan_ok=True)


def estimates(found):
    for name in ("estimates", "table"):
        found = getattr(found, name, found)
    return (
        [found.estimate]
        if isinstance(found, raters.results.Explanation)
        else [found]
        if isinstance(found, raters.results.Estimate)
        else list(found)
    )


def test_where_a_column_must_be_named_the_error_says_read():
    unusual = FRAME.rename(columns={"rater": "worker", "pool": "annotator"})
    named = raters.read(unusual, rater="worker")
    assert raters.agreement(named, interval=None).value == raters.agreement(ANN, interval=None).value


@pytest.mark.parametrize(
    "function", [raters.agreement, raters.krr, raters.xrr, raters.judge, raters.plan, raters.report]
)
def test_read_alone_is_told_how_to_read(function):
    for name in set(inspect.signature(raters.read).parameters) - {"source", "scale"}:
        if name not in inspect.signature(function).parameters:
            with pytest.raises(raters.UsageError, match=rf"raters\.read\(\.\.\., {name}=\.\.\.\)"):
                function(FRAME, **{name: "x"})


@pytest.mark.parametrize("source", [3, 2.5, None, object(), b"rows", True, {"a": 1}, {"a": "xyz"}, [3, 4], len, {}])
def test_what_is_no_source_is_one_clear_error(source):
    for function in (raters.read, raters.agreement, raters.krr, raters.plan, raters.consensus, raters.multilabel):
        with pytest.raises(raters.RatersError, match=r"cannot read|rows:|columns:"):
            function(source)


def test_annotations_may_be_declared_again():
    ordered = raters.read(ANN, scale="ordinal", labels=["x", "y", "z"])
    assert raters.agreement(ordered, interval=None).weights == "ordinal"
    with pytest.raises(raters.UsageError, match="read the source again"):
        raters.read(ANN, item="doc")


def test_consensus_and_report_take_a_frame():
    c = raters.consensus(FRAME, start="votes")
    assert c.labels == raters.consensus(ANN, start="votes").labels
    assert c.predict(FRAME).labels == c.labels
    assert raters.evaluate(FRAME, c, interval=None)["accuracy"].value == pytest.approx(
        raters.evaluate(ANN, c)["accuracy"].value
    )
    assert raters.report(FRAME, resamples=50).data["n_items"] == 30


def test_both_tables_are_read():
    half = FRAME[FRAME.pool == "a"], FRAME[FRAME.pool == "b"]
    found = raters.xrr(*half, names=["a", "b"], interval=None)
    assert found.kappa_x.value == raters.xrr(*map(raters.read, half), interval=None).kappa_x.value
