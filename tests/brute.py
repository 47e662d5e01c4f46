"""Every coefficient from its paper's definition, in plain loops over pairs: slow, and shares no code with raters.

A table is a list of (item, rater, label); labels are numbers, or positions 1..q. A comparison is a function of two
labels: agreement (1 for equal labels) or a distance (0 for equal labels).
"""

import math
from collections import defaultdict
from itertools import combinations, permutations

NAN = math.nan


# ---- weights: Gwet (2014), Handbook of Inter-Rater Reliability, chapter 3 ----


def weight(name, labels, period=None):
    """Agreement of two labels as a dictionary; ``labels``: all numbers on the scale."""
    low, high = min(labels), max(labels)
    order = sorted(labels)

    def distance(a, b):
        d = abs(a - b)
        if name == "identity":
            return float(a != b)
        if name == "linear":
            return d
        if name == "quadratic":
            return d**2
        if name == "radical":
            return math.sqrt(d)
        if name == "ordinal":
            return math.comb(abs(order.index(a) - order.index(b)) + 1, 2)
        if name == "ratio":
            return 0.0 if a + b == 0 else ((a - b) / (a + b)) ** 2
        if name == "circular":
            return math.sin(math.pi * d / (period or high - low + 1)) ** 2
        if name == "bipolar":
            return 0.0 if d == 0 else d**2 / ((a + b - 2 * low) * (2 * high - a - b))
        raise ValueError(name)

    # Gwet scales ratio weights by the distance of the two ends, which is the largest
    most = max(distance(a, b) for a in labels for b in labels)
    return {(a, b): 1 - distance(a, b) / most if most > 0 else 1.0 for a in labels for b in labels}


# ---- Krippendorff's distances ----


def delta(scale, labels, period=None):
    """The distance of a scale, ordinal aside: Krippendorff (2004), chapter 11."""
    around = period or max(labels) - min(labels) + 1

    def distance(a, b):
        if scale == "nominal":
            return float(a != b)
        if scale == "interval":
            return (a - b) ** 2
        if scale == "ratio":
            return 0.0 if a + b == 0 else ((a - b) / (a + b)) ** 2
        if scale == "circular":
            return math.sin(math.pi * (a - b) / around) ** 2
        raise ValueError(scale)

    return {(a, b): distance(a, b) for a in labels for b in labels}


def ordinal_delta(pairable, labels):
    """(sum of the counts from c to k, less half of both ends)^2, ``pairable``: the labels that count."""
    order = sorted(labels)
    n = {k: pairable.count(k) for k in order}

    def distance(a, b):
        i, j = sorted((order.index(a), order.index(b)))
        return (sum(n[k] for k in order[i : j + 1]) - (n[a] + n[b]) / 2) ** 2

    return {(a, b): distance(a, b) for a in labels for b in labels}


# ---- the table ----


def by_item(rows):
    items = defaultdict(list)
    for item, rater, label in rows:
        items[item].append((rater, label))
    return items


def cells(rows):
    """item -> rater -> labels."""
    found = defaultdict(lambda: defaultdict(list))
    for item, rater, label in rows:
        found[item][rater].append(label)
    return found


def mean(values):
    values = list(values)
    return math.fsum(values) / len(values) if values else NAN


def between(xs, ys, k):
    """Mean comparison of a label from xs with a label from ys."""
    return mean(k[a, b] for a in xs for b in ys)


def corrected(observed, expected, perfect):
    room = perfect - expected
    return NAN if math.isnan(room) or abs(room) < 1e-12 else (observed - expected) / room


def item_agreement(labels, k):
    """Mean over ordered pairs of different annotations of one item."""
    return mean(k[labels[a], labels[b]] for a, b in permutations(range(len(labels)), 2))


# ---- labels against labels ----


def observed_by_label(rows, k):
    return mean(item_agreement([v for _, v in found], k) for found in by_item(rows).values() if len(found) >= 2)


def shares(rows, labels, pooled=False):
    """Mean over items of the item's label shares; pooled: over all annotations."""
    if pooled:
        return {k: mean(float(v == k) for _, _, v in rows) for k in labels}
    found = by_item(rows).values()
    return {k: mean(mean(float(v == k) for _, v in item) for item in found) for k in labels}


def percent(rows, labels, k, perfect=1.0):
    observed = observed_by_label(rows, k)
    return observed, 0.0, corrected(observed, 0.0, perfect)


def fleiss(rows, labels, k, perfect=1.0, pooled=False):
    pi = shares(rows, labels, pooled)
    expected = math.fsum(k[a, b] * pi[a] * pi[b] for a in labels for b in labels)
    observed = observed_by_label(rows, k)
    return observed, expected, corrected(observed, expected, perfect)


def gwet(rows, labels, k, perfect=1.0, pooled=False):
    pi, q = shares(rows, labels, pooled), len(labels)
    total = math.fsum(k[a, b] for a in labels for b in labels)
    expected = total / (q * (q - 1)) * math.fsum(p * (1 - p) for p in pi.values()) if q > 1 else NAN
    observed = observed_by_label(rows, k)
    return observed, expected, corrected(observed, expected, perfect)


def brennan_prediger(rows, labels, k, perfect=1.0):
    expected = mean(k[a, b] for a in labels for b in labels)
    observed = observed_by_label(rows, k)
    return observed, expected, corrected(observed, expected, perfect)


def krippendorff(rows, labels, k, perfect=1.0):
    """``k=None``: the ordinal distance, from the pairable labels."""
    bags = [[v for _, v in found] for found in by_item(rows).values() if len(found) >= 2]
    every = [v for bag in bags for v in bag]
    if k is None:
        k, perfect = ordinal_delta(every, labels), 0.0
    n = len(every)
    if not n:
        return NAN, NAN, NAN
    pairs = [k[bag[a], bag[b]] / (len(bag) - 1) for bag in bags for a, b in permutations(range(len(bag)), 2)]
    observed = math.fsum(pairs) / n
    expected = math.fsum(k[every[a], every[b]] for a, b in permutations(range(n), 2)) / (n * (n - 1))
    return observed, expected, corrected(observed, expected, perfect)


# ---- raters against raters ----


def raters_of(rows):
    return sorted({rater for _, rater, _ in rows})


def labels_of(rows, rater):
    return [v for _, r, v in rows if r == rater]


def conger(rows, labels, k, perfect=1.0):
    each = [
        mean(between(item[g], item[h], k) for g, h in permutations(item, 2))
        for item in cells(rows).values()
        if len(item) >= 2
    ]
    observed = mean(each)
    expected = mean(between(labels_of(rows, g), labels_of(rows, h), k) for g, h in permutations(raters_of(rows), 2))
    return observed, expected, corrected(observed, expected, perfect)


def cohen(rows, labels, k, perfect=1.0):
    """Two raters; an item with several labels of a rater weighs by its number of labels."""
    g, h = raters_of(rows)
    shared = [item for item in cells(rows).values() if len(item) == 2]
    size = [len(item[g]) + len(item[h]) for item in shared]
    together = math.fsum(n * between(item[g], item[h], k) for n, item in zip(size, shared, strict=True))
    observed = together / sum(size) if shared else NAN
    expected = between(labels_of(rows, g), labels_of(rows, h), k)
    return observed, expected, corrected(observed, expected, perfect)


def pairs_of_raters(rows, k):
    """(observed, expected) of every two raters on the items that both labelled; an item weighs one."""
    for g, h in combinations(raters_of(rows), 2):
        shared = [item for item in cells(rows).values() if g in item and h in item]
        if shared:
            observed = mean(between(item[g], item[h], k) for item in shared)
            yield observed, mean(between(one[g], other[h], k) for one in shared for other in shared)


def light(rows, labels, k, perfect=1.0):
    found = list(pairs_of_raters(rows, k))
    kappas = [corrected(o, e, perfect) for o, e in found]
    return mean(o for o, _ in found), mean(e for _, e in found), mean(x for x in kappas if not math.isnan(x))


def hubert(rows, labels, k, perfect=1.0):
    found = list(pairs_of_raters(rows, k))
    observed, expected = mean(o for o, _ in found), mean(e for _, e in found)
    return observed, expected, corrected(observed, expected, perfect)


def between_groups(rows, labels, k, perfect=1.0):
    """Alpha where a group counts as one rater whose label is drawn from those it gave: the mean over all draws."""
    found = [list(item.values()) for item in cells(rows).values() if len(item) >= 2]
    every = [cell for item in found for cell in item]
    n = len(every)
    observed = math.fsum(between(x, y, k) / (len(item) - 1) for item in found for x, y in permutations(item, 2)) / n
    expected = mean(between(every[a], every[b], k) for a, b in permutations(range(n), 2))
    return observed, expected, corrected(observed, expected, perfect)


COEFFICIENTS = {
    "percent": percent,
    "cohen": cohen,
    "conger": conger,
    "light": light,
    "hubert": hubert,
    "scott": fleiss,
    "fleiss": fleiss,
    "krippendorff": krippendorff,
    "gwet": gwet,
    "brennan_prediger": brennan_prediger,
    "iota": conger,
}
