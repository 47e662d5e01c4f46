"""Bangdiwala (1985); Munoz & Bangdiwala (1997): B, plain and weighted by bands. Figures of vcd 1.4-11, vcdExtra and
irrCAC.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tables import ask, same, square

import raters
from raters.agree.explaining import explain
from raters.errors import UsageError

TABLES = {
    "SexualFun": ((7, 7, 2, 3), (2, 8, 3, 7), (1, 5, 4, 9), (2, 8, 9, 14)),
    "MS Winnipeg": ((38, 5, 0, 1), (33, 11, 3, 0), (10, 14, 5, 6), (3, 7, 3, 10)),
    "MS New Orleans": ((5, 3, 0, 0), (3, 11, 4, 0), (2, 13, 3, 4), (1, 2, 4, 14)),
    "mammograms": ((34, 10, 2, 0), (6, 8, 8, 2), (2, 5, 4, 12), (0, 1, 2, 14)),
    "abstractors": ((13, 0, 0), (0, 20, 7), (0, 4, 56)),
    "Agresti 1992": ((22, 2, 2, 0), (5, 7, 14, 0), (0, 2, 36, 0), (0, 1, 17, 10)),
}
B = {
    "SexualFun": (".1464624", ".4981723", ".6957088", ".5287667", ".0425857"),
    "MS Winnipeg": (".2720979", ".7380812", ".8258287", ".6742339", ".0507755"),
    "MS New Orleans": (".2853659", ".8223126", ".8719964", ".7178862", ".0744818"),
    "mammograms": (".4272076", ".8366481", ".8989658", ".7716786", ".0720709"),
    "abstractors": (".8059604", ".9514901", ".9514901", ".9029802", ".0544947"),
    "Agresti 1992": (".4925945", ".9059414", ".9294915", ".8167348", ".0562210"),
}
"""B; with vcd's default weights; with quadratic weights; with linear weights; irrCAC's standard error of B."""


def bands(*w, q):
    """Weights of bands as a matrix of labels; 0 past the last."""
    w = [*w, *[0.0] * q]
    return [[w[abs(i - j)] for j in range(q)] for i in range(q)]


@pytest.mark.parametrize("name", TABLES)
def test_figures(name):
    ann, q = square(*TABLES[name]), len(TABLES[name])
    default = bands(1, 1 - 1 / (q - 1) ** 2, q=q)
    for weights, printed in zip((None, default, "quadratic", "linear"), B[name], strict=False):
        e = raters.agreement(ann, "bangdiwala", weights=weights, interval=None)
        assert same(e.value, printed), weights
    table = np.array(TABLES[name])
    plain = raters.agreement(ann, "bangdiwala", interval="delta")
    n = table.sum()
    assert plain.observed == pytest.approx(np.trace(table) / n)
    assert plain.expected == pytest.approx(table.sum(0) @ table.sum(1) / n**2)
    assert same(raters.agreement(ann, "bangdiwala", interval="delta", se="gwet").se, B[name][-1])
    assert same(plain.se * ((n - 1) / n) ** 0.5, B[name][-1])


def loops(rows, labels, w):
    """The definition on (item, rater, label), one label each: from the table of items with both, cell by cell."""
    by_item = {}
    for item, rater, label in rows:
        by_item.setdefault(item, {})[rater] = label
    one, two = sorted({r for _, r, _ in rows})
    pairs = [(labels.index(x[one]), labels.index(x[two])) for x in by_item.values() if len(x) == 2]
    q = len(labels)
    n = {(a, b): pairs.count((a, b)) for a in range(q) for b in range(q)}

    def ring(k, b):
        if b < 0:
            return 0
        near = [label for label in range(q) if abs(label - k) <= b]
        return sum(n[label, k] for label in near) * sum(n[k, label] for label in near)

    possible = sum(sum(1 for a, _ in pairs if a == k) * sum(1 for _, b in pairs if b == k) for k in range(q))
    area = sum(w(b, q) * (ring(k, b) - ring(k, b - 1)) for k in range(q) for b in range(q))
    return area / possible if possible else float("nan")


BANDS = {
    "identity": lambda b, q: float(b == 0),
    "linear": lambda b, q: 1 - b / (q - 1),
    "quadratic": lambda b, q: 1 - b**2 / (q - 1) ** 2,
    "radical": lambda b, q: 1 - (b / (q - 1)) ** 0.5,
    "ordinal": lambda b, q: 1 - b * (b + 1) / (q * (q - 1)),
}


@settings(max_examples=60)
@given(
    st.integers(2, 4).flatmap(
        lambda q: st.lists(st.tuples(*[st.sampled_from([*range(q), None])] * 2), min_size=2, max_size=9)
    ),
    st.sampled_from(list(BANDS)),
)
def test_against_loops_over_the_cells(cells, weights):
    """Labels are spaced unevenly: only their positions count."""
    labels = [0, 1, 4, 9]
    rows = [(f"i{i}", "xy"[j], labels[v]) for i, pair in enumerate(cells) for j, v in enumerate(pair) if v is not None]
    assume(any(None not in pair for pair in cells))
    e = ask(rows, labels, "bangdiwala", "ordinal", weights=weights)
    assert e.value == pytest.approx(loops(rows, labels, BANDS[weights]), abs=1e-12, nan_ok=True)
    assert e.warnings or e.value == e.value


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_every_interval(weights):
    ann = square(*(tuple(4 * n for n in row) for row in TABLES["MS Winnipeg"]))
    found = {
        m: raters.agreement(ann, "bangdiwala", weights=weights, interval=m, seed=1)
        for m in ("delta", "jackknife", "bootstrap", "bca")
    }
    se = found["delta"].se
    for e in found.values():
        assert 0 < e.low < e.value < e.high < 1
        assert (e.low, e.high) == pytest.approx((found["delta"].low, found["delta"].high), abs=0.25 * se)


def test_the_delta_method_is_the_influence_of_the_paper():
    table = np.array(TABLES["SexualFun"])
    p = table / table.sum()
    r, c = p.sum(1), p.sum(0)
    b = (np.diag(p) ** 2).sum() / (r @ c)
    influence = (2 * np.diag(np.diag(p)) - b * (c[:, None] + r[None, :])) / (r @ c)
    influence -= (p * influence).sum()
    n = table.sum()
    assert raters.agreement(square(*TABLES["SexualFun"]), "bangdiwala", interval="delta").se == pytest.approx(
        np.sqrt((p * influence**2).sum() / (n - 1)), rel=1e-12
    )


def test_slices_labels_pairs_and_bands():
    rows = [
        {"item": f"{t}{i}", "rater": r, "label": v, "topic": t}
        for t, pairs in (("p", ("aa", "ab", "bb", "cb")), ("q", ("aa", "bb", "cc", "ca")))
        for i, pair in enumerate(pairs)
        for r, v in zip("xy", pair, strict=True)
    ]
    ann = raters.read(rows, scale="nominal")
    by = raters.agreement(ann, "bangdiwala", by="topic", interval=None)
    # p: squares 1 + 1 + 0 over 2 * 1 + 1 * 3 + 1 * 0; q: squares 1 + 1 + 1 over 1 * 2 + 1 * 1 + 2 * 1
    assert [e.value for e in by] == pytest.approx([2 / 5, 3 / 5])
    a = raters.per_label(ann, "bangdiwala", interval=None)["a"]
    # a against the rest: 2 and 4 of 8 agree; margins 3 and 5 by 3 and 5
    assert a.value == pytest.approx((2**2 + 4**2) / (3 * 3 + 5 * 5))
    (pair,) = raters.per_pair(ann, "bangdiwala", interval=None)
    assert pair.value == pytest.approx(raters.agreement(ann, "b", interval=None).value)
    with pytest.raises(UsageError, match="bangdiwala has no value for a single item"):
        raters.per_item(ann, "bangdiwala")


def test_what_it_does_not_take_says_so():
    three = raters.read([[1, 1, 2], [2, 2, 2]], layout="wide", scale="nominal")
    with pytest.raises(UsageError, match=r"compares two raters, but there are 3 .*no accepted form"):
        raters.agreement(three, "bangdiwala")
    two = square(*TABLES["abstractors"])
    with pytest.raises(UsageError, match=r"by their distance in positions, but ratio weights .*linear, quadratic"):
        raters.agreement(two, "bangdiwala", weights="ratio")
    with pytest.raises(UsageError, match="takes weights=, not distance="):
        raters.agreement(two, "bangdiwala", distance="interval")
    many = raters.read([[float(i), float(i)] for i in range(400)], layout="wide", scale="interval")
    with pytest.raises(UsageError, match="400 are too many"):
        raters.agreement(many, "bangdiwala", weights="linear", interval=None)
    assert raters.agreement(many, "bangdiwala", interval=None).value == 1


def test_raters_who_share_no_label_have_an_area_of_zero_and_no_band():
    ann = square((0, 3, 0), (0, 0, 2), (4, 0, 0))
    assert raters.agreement(ann, "bangdiwala", interval=None).value == 0
    nothing = square((0, 3), (0, 0))
    e = raters.agreement(nothing, "bangdiwala")
    assert np.isnan(e.value) and "no label was used by both raters" in e.warnings[0]
    assert not explain(ann, "bangdiwala", interval="delta").bands
