"""Every number in every sentence of reports on other kinds of data: each is a figure of the library, computed here by another call."""

import gzip
import json
import math
import statistics
from collections import Counter

import numpy as np
import pytest

import raters
from raters.agree.camps import camps
from raters.agree.label_use import label_use
from raters.agree.slices import item_rows, per_rater
from raters.agree.split_items import split_items
from raters.errors import RatersError
from raters.items import cooccurrence, fold
from raters.reporting.stated import NUMBER, QUOTED

OPTIONS = {"resamples": 60, "seed": 3}
CONSTANTS = (0.667, 0.8, 0.99, 0.95, 0.05, 0.025, 1.0, 0.0, 0.01, 0.5, 2.0, 3.0, 5.0)
"""Limits of rules, levels of tests, ends of scales, and numbers of raters or labels that a method needs."""
FIELDS = ("value", "low", "high", "observed", "expected", "n_items", "n_annotations", "n_raters", "level")


def rng(seed):
    return np.random.default_rng(seed)


def likert():
    draws, worth = rng(5), rng(6).normal(size=40)
    rows = [
        (f"i{i}", f"r{j}", int(np.clip(round(3 + 1.2 * q + 0.9 * draws.normal()), 1, 5)))
        for i, q in enumerate(worth)
        for j in range(4)
    ]
    return raters.read(rows, scale="ordinal")


def numbers():
    draws, worth = rng(7), rng(8).normal(size=30)
    rows = [
        (f"i{i}", f"r{j}", round(50 + 10 * q + 4 * draws.normal() + j, 1))
        for i, q in enumerate(worth)
        for j in range(3)
    ]
    return raters.read(rows, scale="interval")


def sets():
    draws = rng(9)
    rows = [
        (f"i{i}", r, [x for k, x in enumerate("xyz") if draws.random() < (0.8 if (i + k) % 3 == 0 else 0.2)] or ["x"])
        for i in range(40)
        for r in "abc"
    ]
    return raters.read(rows, scale="sets")


def pools():
    draws = rng(10)
    columns = {"item": [], "rater": [], "label": [], "pool": []}
    for i in range(60):
        for r in "abcdef":
            there = i % 5 == 0 or (r in "def" and i % 6 == 1)
            wrong = draws.random() < 0.05
            row = (f"i{i}", r, "hate" if there != wrong else "not", "old" if r in "abc" else "new")
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    return raters.read(columns, scale="nominal")


def three():
    return raters.read([(1, "a", "x"), (1, "b", "x"), (2, "a", "y"), (2, "b", "x"), (3, "a", "y"), (3, "b", "y")])


def hs_brexit(folder):
    rows = []
    for part in ("train.json.gz", "dev.json", "test.json"):
        file = folder / "lewidi-2023" / "HS-Brexit" / f"HS-Brexit_{part}"
        told = json.loads(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_text())
        for key, x in told.items():
            given = zip(x["annotators"].split(","), x["annotations"].split(","), strict=True)
            rows += [(f"{part[:2]}{key}", who, "hate" if label == "1" else "no") for who, label in given]
    return raters.read(rows, scale="nominal")


def of(estimates):
    return [float(getattr(e, x)) for e in estimates for x in FIELDS if getattr(e, x) is not None]


def stated(text):
    found = []
    for x in NUMBER.findall(QUOTED.sub("", text)):
        value = float(x.replace(",", "").rstrip("% "))
        found.append(value / 100 if x.endswith("%") else value)
    return found


def attempted(call):
    """What a call gives; nothing where the library refuses the table, as the report says then."""
    try:
        return call()
    except RatersError:
        return ()


def counts(ann):
    low, mean, high = ann.used.per_item
    here = round(mean)
    found = [ann.n_items, ann.n_raters, len(ann.labels), ann.used.n_annotations, low, mean, high, len(ann.members)]
    return [*map(float, found), here // 2, here, float(len(ann.labels))]


def of_categories(ann):
    fit, use = raters.consensus(ann, seed=3), label_use(ann, seed=3)
    pairs = cooccurrence(fold(ann)[None])
    sure, votes = fit.certainty, fit.all_votes.counts
    found = [*of(raters.information(fit, seed=3)), (pairs / pairs.sum(1, keepdims=True)).tolist()]
    off = np.triu(pairs, 1)
    found += [(off / off.sum()).tolist(), float(np.mean(sure >= 0.99)), float(np.mean(sure < 0.8))]
    found += [1 - found[-1] - found[-2], use.given.tolist(), use.expected.tolist(), len(use.named), len(use.raters)]
    found += [int((sure < 0.99).sum()), min(100, int((sure < 0.99).sum())), list(Counter(fit.labels.values()).values())]
    codes = {str(x): int((np.asarray(list(fit.labels.values())) == x).sum()) for x in fit.labels.values()}
    settled = Counter(str(fit.labels[i]) for i, p in zip(fit.items, sure, strict=True) if p >= 0.99)
    found += [list(codes.values()), list(settled.values())]
    found += [int(((votes == votes.max(1, keepdims=True)).sum(1) > 1).sum()), len(fit.starts), fit.modes]
    found += [s.items_differ for s in fit.starts]
    found += [
        x for text in (fit.choice.why, *fit.choice.checks, *fit.choice.untried, *fit.warnings) for x in stated(text)
    ]
    clear = (votes == votes.max(1, keepdims=True)).sum(1) == 1
    overruled = int((clear & (votes.argmax(1) != fit.codes)).sum())
    found += [overruled, overruled / ann.n_items]
    groups = camps(ann, 3)
    if groups is not None:
        found += [*groups.within, groups.between, groups.p]
        found += camp_shares(ann, use, groups)
    return found


def camp_shares(ann, use, groups):
    at = {str(r): i for i, r in enumerate(use.raters)}
    return [
        (use.counts[[at[r] for r in camp]].sum(0) / use.counts[[at[r] for r in camp]].sum()).tolist()
        for camp in groups.camps
    ]


def splits(ann, groups):
    found = split_items(ann, groups)
    return [] if found is None else [len(found.items), found.compared, found.by_chance, *(n for _, n in found.ways)]


def of_singles(ann):
    """What holds of every kind but sets."""
    against, rows = per_rater(ann, **OPTIONS), item_rows(ann)
    several = rows.r >= 2
    unanimous = int(((np.diff(rows.items.counts.indptr) == 1) & several).sum())
    found = [*of(raters.agreement_table(ann, **OPTIONS)), *of(against)]
    found += [statistics.median(e.value for e in against), *(1 - e.observed for e in against)]
    found += [
        statistics.median(1 - e.observed for e in against),
        unanimous,
        int(several.sum()),
        unanimous / several.sum(),
    ]
    why = raters.explain(ann, **OPTIONS)
    found += [why.largest, *(x for r in why.reasons for x in stated(r.text))]
    found += [x for r in why.reasons if r.estimate is not None for x in of([r.estimate])]
    here = round(ann.used.per_item[1])
    ks = sorted({1, 3, 5, 9, 15, 25, here, 2 * here})
    curve = attempted(lambda: raters.krr_curve(ann, ks=ks, **OPTIONS))
    found += [*of(curve), *(float(e.details["k"]) for e in curve), *(e.details["k"] * ann.n_items for e in curve)]
    found += [(e.details["k"] - here) * ann.n_items for e in curve]
    found += [x for e in curve for w in e.warnings for x in stated(w)]
    if ann.scale == "ordinal":
        found += of([raters.krr(ann, here, aggregate="mean", **OPTIONS)])
    if ann.scale in ("ordinal", "interval"):
        found += of(attempted(lambda: raters.icc(ann)))
    return found


def of_numbers(ann):
    fit = raters.consensus(ann, seed=3)
    given = [*(float(x) for x in ann.labels), *stated(fit.choice.why)]
    spread = [float(np.sqrt(fit.params["spread"][0])), float(np.median(fit.posterior[:, 1]))]
    return [*spread, *given, *(x for w in fit.warnings for x in stated(w))]


def of_sets(ann):
    found = raters.multilabel(ann, **OPTIONS)
    uses = Counter(str(m) for label, n in label_counts(ann) for m in label for _ in range(n))
    return [
        *of(found),
        *of(found.per_label),
        *uses.values(),
        10.0,
        *(x for e in found for w in e.warnings for x in stated(w)),
    ]


def label_counts(ann):
    got = ann.engine.query("SELECT label, count(*) AS n FROM annotations GROUP BY label")
    called = dict(zip(ann.keys.tolist(), ann.labels, strict=True))
    return [(called[k], int(n)) for k, n in zip(got["label"].tolist(), got["n"].tolist(), strict=True)]


def of_pools(ann):
    found = raters.xrr_table(ann, pool="pool", **OPTIONS)
    names = ("irr_x", "irr_y", "kappa_x", "normalized", "difference", "rho")
    rows = [getattr(r, name) for r in found for name in names]
    less = [-x for r in found for x in (r.difference.value, r.difference.low, r.difference.high)]
    tests = [x for r in found if r.test is not None for x in stated(str(r.test))]
    return [*of(rows), *less, *tests, *splits(ann, ("abc", "def")), *(x for r in found for x in stated(r.sentence))]


def known(kind, ann):
    found = [*counts(ann), *CONSTANTS]
    found += of_sets(ann) if kind == "sets" else of_singles(ann)
    if kind in ("likert", "pools", "hs_brexit"):
        found += of_categories(ann)
    if kind == "hs_brexit":
        found += splits(ann, camps(ann, 3).camps)
    if kind == "numbers":
        found += of_numbers(ann)
    if kind == "pools":
        found += of_pools(ann)
    return np.array([x for part in found for x in np.ravel(part) if math.isfinite(x)])


KINDS = {f.__name__: f for f in (likert, numbers, sets, pools, three)}


@pytest.mark.parametrize("kind", [*KINDS, pytest.param("hs_brexit", marks=pytest.mark.shared)])
def test_every_number_of_every_sentence_is_the_librarys(kind, request):
    ann = hs_brexit(request.getfixturevalue("data_dir")) if kind == "hs_brexit" else KINDS[kind]()
    made = raters.report(ann, **OPTIONS)
    figures, unknown, seen = known(kind, ann), [], 0
    for section in json.loads(made.json())["sections"]:
        for sentence in [] if section["absent"] else section["sentences"]:
            for number in sentence["numbers"]:
                seen += 1
                digits = len(number["text"].rstrip("% ").partition(".")[2]) + 2 * number["text"].endswith("%")
                if not (np.abs(figures - number["value"]) <= 0.5000001 * 10.0**-digits).any():
                    unknown.append((section["key"], number["text"], sentence["text"]))
    assert seen > (10 if kind in ("three", "sets") else 25)
    assert not unknown, unknown
    for line in made.verdict.lines[1:]:
        for x in stated(line):
            assert (np.abs(figures - x) < 0.0051).any(), (x, line)
