"""What the library says of a table, by the section of the report that rests on it."""

import math
import re
import statistics
from collections import Counter

import numpy as np

import raters
from raters.agree.agreement import item_rows, per_rater
from raters.agree.camps import camps, split_items
from raters.agree.label_use import label_use
from raters.errors import RatersError
from raters.items import cooccurrence, fold

END = re.compile(r"(?<=[.!?])\s+(?=[A-Z'\"(])")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:\s?%)?(?!\w)")
OPTIONS = {"resamples": 60, "seed": 3}
CONSTANTS = (0.667, 0.8, 0.99, 0.95, 0.05, 0.025, 1.0, 0.0, 0.01, 0.5, 2.0, 3.0, 5.0)
"""Limits of rules, levels of tests, ends of scales, and numbers of raters or labels that a method needs."""
FIELDS = ("value", "low", "high", "observed", "expected", "n_items", "n_annotations", "n_raters", "level")


def of(estimates):
    return [float(getattr(e, x)) for e in estimates for x in FIELDS if getattr(e, x) is not None]


def sentences(section):
    """The answer and the notes of a section of a report, sentence by sentence."""
    return [one for text in (section.answer, *section.notes()) for one in END.split(text) if one]


def numbers(text):
    """The numbers that a text states, as written and as values (percentages as shares); names in quotes are left
    aside.
    """
    found = []
    for match in NUMBER.finditer(QUOTED.sub(lambda m: "_" * len(m.group()), text)):
        written = match.group().rstrip(",")
        value = float(written.replace(",", "").rstrip("% "))
        found.append((written, value / 100 if written.endswith("%") else value))
    return found


def stated(text):
    return [value for _, value in numbers(text)]


def attempted(call):
    """What a call gives; nothing where the library refuses the table, as the report says then."""
    try:
        return call()
    except RatersError:
        return ()


def counts(ann):
    low, mean, high = ann.used.per_item
    return [ann.n_items, ann.n_raters, len(ann.labels), ann.used.n_annotations, low, mean, high, len(ann.members)]


def of_reasons(ann):
    why = raters.explain(ann, **OPTIONS)
    found = [why.largest, *(x for r in why.reasons for x in stated(r.text))]
    return [*found, *of([e for r in why.reasons for e in (r.estimate, r.together) if e is not None])]


def of_agreement(ann):
    table = raters.agreement_table(ann, **OPTIONS)
    found = [*of(table), *of_reasons(ann), *(e.observed / e.expected for e in table if e.expected > 0)]
    found += of(attempted(lambda: raters.per_label(ann, **OPTIONS))) if ann.scale == "nominal" else []
    return found + (of(attempted(lambda: raters.icc(ann))) if ann.scale in ("ordinal", "interval") else [])


def of_aggregate(ann, ks):
    here = round(ann.used.per_item[1])
    curve = attempted(lambda: raters.krr_curve(ann, ks=ks, **OPTIONS))
    found = [*of(curve), here, *(e.details["k"] for e in curve), *(e.details["k"] * ann.n_items for e in curve)]
    found += [(e.details["k"] - here) * ann.n_items for e in curve]
    found += [x for e in curve for w in e.warnings for x in stated(w)]
    found += [e.details.get("drawing_error", 0.0) for e in curve] + [4 * e.details.get("draws", 0) for e in curve]
    return found + (of([raters.krr(ann, here, aggregate="mean", **OPTIONS)]) if ann.scale == "ordinal" else [])


def of_items(ann):
    """Where people disagree: pairs of labels, unanimous items, and items that split by camp or group."""
    rows = item_rows(ann)
    several = rows.r >= 2
    unanimous = int(((np.diff(rows.items.counts.indptr) == 1) & several).sum())
    found = [unanimous, int(several.sum()), unanimous / several.sum()]
    if ann.scale in ("nominal", "ordinal"):
        pairs = cooccurrence(fold(ann)[None])
        off = np.triu(pairs, 1)
        found += [(pairs / pairs.sum(1, keepdims=True)).tolist(), (off / max(off.sum(), 1)).tolist()]
    found += [
        e.value for column in ann.extras for e in attempted(lambda c=column: raters.agreement(ann, by=c, interval=None))
    ]
    return [*found, *(float(x) for x in ann.labels if isinstance(x, (int, float)))]


def of_raters(ann):
    against = per_rater(ann, **OPTIONS)
    found = [*of(against), statistics.median(e.value for e in against), *(1 - e.observed for e in against)]
    found += [statistics.median(1 - e.observed for e in against), *of_camps(ann)]
    flags = Counter(flagged(ann).values())
    found += [sum(flags.values()), *beyond(flags.values())]
    found += beyond([len(label_use(ann, seed=3).named)]) if ann.scale in ("nominal", "ordinal") else []
    return [*found, *beyond([len(raters.explain(ann, **OPTIONS).raters)])]


def flagged(ann):
    """The annotation model's finding for each rater that it found something of."""
    if ann.scale not in ("nominal", "ordinal") or ann.n_raters < 3:
        return {}
    found = raters.information(raters.consensus(ann, seed=3), seed=3)
    return {e.name: e.details["flags"] for e in found if e.details.get("flags")}


def beyond(named, shown=(3, 4)):
    """How many more there are where only the first few are named."""
    return [n - k for n in named for k in shown]


def of_camps(ann):
    groups = camps(ann, 3) if ann.scale in ("nominal", "ordinal") and ann.n_raters > 2 else None
    if groups is None:
        return []
    use = label_use(ann, seed=3)
    at = {str(r): i for i, r in enumerate(use.raters)}
    rows = [use.counts[[at[r] for r in camp]].sum(0) for camp in groups.camps]
    return [
        *groups.within,
        groups.between,
        groups.p,
        *((x / x.sum()).tolist() for x in rows),
        *splits(ann, groups.camps),
    ]


def of_usage(ann):
    use = label_use(ann, seed=3)
    found = [use.given.tolist(), use.expected.tolist(), len(use.named), len(use.raters), *beyond([len(use.named)])]
    others = {*map(str, raters.explain(ann, **OPTIONS).raters), *flagged(ann)} - {str(use.raters[i]) for i in use.named}
    return [*found, *beyond([len(others)]), *of_camps(ann)]


def of_model(ann):
    fit = raters.consensus(ann, seed=3)
    sure, votes = fit.certainty, fit.votes.counts
    shares = [float(np.mean(sure >= 0.99)), float(np.mean(sure < 0.8))]
    found = [*shares, 1 - sum(shares), int((sure < 0.99).sum()), min(100, int((sure < 0.99).sum()))]
    settled = [fit.labels[i] for i, p in zip(fit.items, sure, strict=True) if p >= 0.99]
    found += [*Counter(fit.labels.values()).values(), *(settled.count(label) for label in ann.labels)]
    found += [fit.votes.n_annotations]
    found += [int(((votes == votes.max(1, keepdims=True)).sum(1) > 1).sum()), len(fit.starts), fit.modes]
    found += [s.items_differ for s in fit.starts]
    texts = [
        *fit.warnings,
        *((fit.choice.why,) if fit.choice else ()),
    ]
    clear = (votes == votes.max(1, keepdims=True)).sum(1) == 1
    other = clear & (votes.argmax(1) != fit.codes)
    overruled, halves = int(other.sum()), int((votes.max(1) * 2 > votes.sum(1))[other].sum())
    found += split_and_settled(ann, {str(i) for i, p in zip(fit.items, sure, strict=True) if p >= 0.99})
    return [*found, overruled, halves, int(clear.sum()), *(x for text in texts for x in stated(text)), *of_camps(ann)]


def split_and_settled(ann, settled):
    """How many of the items that split exactly by camp or group are settled."""
    there = camps(ann, 3) if ann.n_raters > 2 else None
    groups = [there.camps] if there is not None else []
    found = [split_items(ann, g) for g in (*groups, ("abc", "def"))]
    return [sum(i in settled for i in x.items) for x in found if x is not None]


def splits(ann, groups):
    found = split_items(ann, groups)
    return [] if found is None else [len(found.items), found.compared, found.by_chance, *(n for _, n in found.ways)]


def of_numbers(ann):
    fit = raters.consensus(ann, seed=3)
    spread = [float(np.sqrt(fit.params["spread"][0])), float(np.median(fit.posterior[:, 1]))]
    return [*spread, *stated(fit.choice.why), *(x for w in fit.warnings for x in stated(w))]


def of_sets(ann):
    found = raters.multilabel(ann, **OPTIONS)
    uses = Counter(str(m) for label, n in label_counts(ann) for m in label for _ in range(n))
    return [
        *of(found),
        *of(found.per_label),
        *(1 - e.expected for e in found),  # the room that chance leaves
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


def known(kind, ann, ks):
    """The figures that each section may state; the steps and the first screen draw on all of them."""
    found = {"data": []}
    if kind == "sets":
        found["sets"] = of_sets(ann)
    else:
        found |= {
            "agreement": of_agreement(ann),
            "aggregate": of_aggregate(ann, ks),
            "where": of_items(ann),
            "raters": of_raters(ann),
        }
        found["agreement"] += of_usage(ann) if ann.scale == "nominal" else []
    if ann.scale in ("nominal", "ordinal"):
        found["usage"] = of_usage(ann)
    if kind in ("likert", "pools", "hs_brexit", "dices", "demo"):
        found["trust"] = of_model(ann)
        found["where"] += of_camps(ann)
    if kind == "numbers":
        found["trust"] = of_numbers(ann)
    if kind == "pools":
        found["pools"] = of_pools(ann)
        found["where"] += splits(ann, ("abc", "def"))
    flat = {key: [*values, *counts(ann), *CONSTANTS] for key, values in found.items()}
    flat["next"] = [x for values in flat.values() for x in values]
    return {
        key: np.array([x for part in values for x in np.ravel(part) if math.isfinite(x)])
        for key, values in flat.items()
    }
