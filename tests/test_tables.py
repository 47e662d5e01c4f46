"""Every function takes whatever read takes."""

import pandas
import pytest

import raters

ROWS = [(f"i{i}", f"r{j}", (i * 7 + (i * j) % 5 // 4) % 3, "ab"[j % 2]) for i in range(30) for j in range(4)]
FRAME = pandas.DataFrame(ROWS, columns=["doc", "worker", "answer", "pool"])
NAMED = {"item": "doc", "rater": "worker", "label": "answer", "scale": "nominal"}
ANN = raters.read(FRAME, **NAMED)
NUMBERS = {**NAMED, "scale": "interval"}
CALLS = {
    "agreement": (lambda x, **k: raters.agreement(x, interval=None, **k), NAMED),
    "agreement_table": (lambda x, **k: raters.agreement_table(x, interval=None, **k), NAMED),
    "per_label": (lambda x, **k: raters.per_label(x, interval=None, **k), NAMED),
    "per_rater": (lambda x, **k: raters.per_rater(x, interval=None, **k), NAMED),
    "per_pair": (lambda x, **k: raters.per_pair(x, interval=None, **k), NAMED),
    "per_item": (lambda x, **k: raters.per_item(x, **k), NAMED),
    "compare": (lambda x, **k: raters.compare(x, x, interval=None, **k), NAMED),
    "explain": (lambda x, **k: raters.explain(x, interval="delta", **k), NAMED),
    "krr": (lambda x, **k: raters.krr(x, 1, interval=None, **k), NAMED),
    "krr_curve": (lambda x, **k: raters.krr_curve(x, [1, 2], interval=None, **k), NAMED),
    "xrr": (lambda x, **k: raters.xrr(x, pool="pool", interval=None, **k), NAMED),
    "xrr_table": (lambda x, **k: raters.xrr_table(x, pool="pool", interval=None, **k), NAMED),
    "icc": (lambda x, **k: raters.icc(x, **k), NUMBERS),
    "kendall_w": (lambda x, **k: raters.kendall_w(x, interval=None, **k), NUMBERS),
    "ccc": (lambda x, **k: raters.ccc(x, interval=None, **k), NUMBERS),
    "bland_altman": (lambda x, **k: raters.bland_altman(x, who=["r0", "r1"], **k), NUMBERS),
    "plan": (lambda x, **k: raters.plan(x, resamples=50, interval="delta", **k), NAMED),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_frame_a_file_and_rows_give_what_annotations_give(name, tmp_path):
    call, columns = CALLS[name]
    path = tmp_path / "labels.csv"
    FRAME.to_csv(path, index=False)
    want = [e.value for e in estimates(call(raters.read(FRAME, **columns)))]
    for source in (FRAME, path, str(path), FRAME.to_dict("records")):
        got = [e.value for e in estimates(call(source, **columns))]
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


def test_by_columns_of_the_usual_names_nothing_need_be_said():
    usual = FRAME.rename(columns={"doc": "item", "worker": "rater", "answer": "label"})
    with pytest.warns(raters.RatersWarning, match="ordinal"):  # whole numbers, and nothing was said
        assert raters.agreement(usual, interval=None).weights == "ordinal"
    assert raters.agreement(usual, interval=None, scale="nominal").value == raters.agreement(ANN, interval=None).value


def test_annotations_may_be_declared_again():
    assert raters.agreement(ANN, interval=None, scale="ordinal").weights == "ordinal"
    with pytest.raises(raters.UsageError, match="read the source again"):
        raters.agreement(ANN, item="doc")


def test_consensus_and_report_take_a_frame():
    c = raters.consensus(FRAME, start="votes", **NAMED)
    assert c.labels == raters.consensus(ANN, start="votes").labels
    assert c.predict(FRAME, **NAMED).labels == c.labels
    assert raters.evaluate(FRAME, c, interval=None, **NAMED)["accuracy"].value == pytest.approx(
        raters.evaluate(ANN, c)["accuracy"].value
    )
    assert raters.report(FRAME, resamples=50, **NAMED).data["n_items"] == 30


def test_both_tables_are_read():
    half = FRAME[FRAME.pool == "a"], FRAME[FRAME.pool == "b"]
    x, y = (raters.read(part, **NAMED) for part in half)
    assert (
        raters.xrr(*half, names=["a", "b"], interval=None, **NAMED).kappa_x.value
        == raters.xrr(x, y, interval=None).kappa_x.value
    )
