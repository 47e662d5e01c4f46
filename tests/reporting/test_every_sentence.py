"""Every number in every sentence of a report, computed again by the library."""

import json
import math
import statistics
from collections import Counter

import numpy as np
import pytest

import raters
from raters import examples
from raters.agree.camps import camps
from raters.agree.label_use import label_use
from raters.agree.slices import item_rows, per_rater
from raters.items import cooccurrence, fold
from raters.reporting.stated import NUMBER, QUOTED

OPTIONS = {"resamples": 200, "seed": 3}
CONSTANTS = (0.667, 0.8, 0.99, 0.95, 0.05, 1.0, 0.0, 0.01, 0.5, 5.0)
"""Limits of rules, levels of tests, and ends of scales."""


def of(e):
    return [
        getattr(e, x) for x in ("value", "low", "high", "observed", "expected", "n_items", "n_annotations", "level")
    ]


def stated(text):
    return [float(x.replace(",", "").rstrip("% ")) for x in NUMBER.findall(QUOTED.sub("", text))]


def settled_by_label(ann, fit):
    sure = [fit.labels[i] for i, p in zip(fit.items, fit.certainty, strict=True) if p >= 0.99]
    return [sure.count(label) for label in ann.labels]


@pytest.fixture(scope="module")
def known():
    ann = examples.demo()
    curve = raters.krr_curve(ann, ks=[1, 3, 5, 9, 10, 15, 25], **OPTIONS)
    fit, rows = raters.consensus(ann, seed=3), item_rows(ann)
    bits = raters.information(fit, seed=3)
    against, use = per_rater(ann, **OPTIONS), label_use(ann, seed=3)
    pairs = cooccurrence(fold(ann)[None])
    unanimous = int(((np.diff(rows.items.counts.indptr) == 1) & (rows.r >= 2)).sum())
    sure = fit.certainty
    found = [
        x
        for e in (*raters.agreement_table(ann, **OPTIONS), *raters.per_label(ann, **OPTIONS), *curve, *against, *bits)
        for x in of(e)
    ]
    here = round(ann.used.per_item[1])
    found += [
        here // 2,
        *((e.details["k"] - here) * ann.n_items for e in curve),
    ]  # what the data can check; labels that are missing
    found += [e.details["k"] for e in curve] + [e.details["k"] * ann.n_items for e in curve]
    found += [ann.n_items, ann.n_raters, len(ann.labels), ann.used.n_annotations, *ann.used.per_item]
    found += [
        x
        for r in raters.explain(ann, **OPTIONS).reasons
        for x in (*stated(r.text), *(of(r.estimate) if r.estimate else ()))
    ]
    found += [
        statistics.median(e.value for e in against),
        *(1 - e.observed for e in against),
        statistics.median(1 - e.observed for e in against),
    ]
    found += [(pairs / pairs.sum(1, keepdims=True)).tolist(), (np.triu(pairs, 1) / np.triu(pairs, 1).sum()).tolist()]
    found += [unanimous, int((rows.r >= 2).sum()), unanimous / int((rows.r >= 2).sum())]
    found += [
        float(np.mean(sure >= 0.99)),
        *(float(np.mean((low <= sure) & (sure < top))) for low, top in ((0.8, 0.99), (0, 0.8))),
    ]
    found += settled_by_label(ann, fit)
    found += [use.given.tolist(), use.expected.tolist(), len(use.named), len(use.raters)]
    found += [
        int((sure < 0.99).sum()),
        min(100, int((sure < 0.99).sum())),
        *stated(fit.choice.why),
        *(x for s in fit.choice.checks for x in stated(s)),
    ]
    found += [len(fit.starts), fit.modes, max((s.items_differ for s in fit.starts), default=0)]
    votes = fit.all_votes.counts
    found += [
        list(Counter(fit.labels.values()).values()),
        int(((votes == votes.max(1, keepdims=True)).sum(1) > 1).sum()),
    ]
    groups = camps(ann, 3)
    found += [] if groups is None else [*groups.within, groups.between, groups.p]
    return np.array([x for part in found for x in np.ravel(part) if math.isfinite(x)] + list(CONSTANTS))


def test_every_number_of_every_sentence_is_the_librarys(demo, known):
    unknown = []
    told = json.loads(demo.json())
    for section in told["sections"]:
        for sentence in section["sentences"]:
            for number in sentence["numbers"]:
                text = number["text"].rstrip("% ")
                digits = len(text.partition(".")[2]) + 2 * number["text"].endswith("%")
                near = np.abs(known - number["value"]) <= 0.5000001 * 10.0**-digits
                if not near.any() and not section["absent"]:
                    unknown.append((section["key"], number["text"], sentence["text"]))
    assert sum(len(s["numbers"]) for section in told["sections"] for s in section["sentences"]) > 50
    assert not unknown, unknown


def test_the_first_screen_states_the_same_numbers(demo, known):
    for line in demo.verdict.lines[1:]:
        for x in stated(line):
            assert (np.abs(known - x) < 0.0051).any() or (np.abs(known - x / 100) < 0.0051).any(), (x, line)
