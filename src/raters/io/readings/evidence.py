"""What speaks for a reading and against it: a table of rows, each of which any candidate may earn or lose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from raters.io.layouts.nested import Cells, listed_in, said_in
from raters.io.readings.candidates import ONCE, SHEET, Candidate, often, questions_in_rows
from raters.io.readings.grids import marked, one_label
from raters.io.readings.likeness import alike, among, decided_from, special, within
from raters.io.readings.names import (
    ASKED,
    IDENTITY,
    QUESTIONS,
    RATED,
    SURVEY,
    VOTES,
    form,
    head,
    key_named,
    named,
    one_person,
    words,
)
from raters.io.readings.profiles import Facts, Profile
from raters.io.table import normal

LONG, ONE, GRID, COUNTS, ROWS, OTHER = "long", "one", "grid", "counts", "rows", "other"
LABELS = (LONG, ONE, GRID)


@dataclass(frozen=True)
class Evidence:
    """One reason for a reading, or against it."""

    name: str
    points: float
    reason: str

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, "points": round(self.points, 2), "reason": self.reason}


@dataclass(frozen=True)
class Row:
    """A kind of evidence: what it weighs, for which layouts, how much of it a candidate has, and in words."""

    name: str
    weight: float
    layouts: tuple[str, ...]
    degree: Callable[[Candidate], float]
    reason: str


def kind(c: Candidate) -> str:
    """The group of layouts whose evidence applies."""
    if c.layout == "long":
        return LONG
    if c.rows:
        return ROWS
    if c.layout in ("wide", "patterns"):
        return GRID if len(c.variables) > 1 or c.marks is not None else ONE
    return COUNTS if c.layout == "counts" else OTHER


def weigh(c: Candidate) -> list[Evidence]:
    """Everything that speaks for a candidate and against it."""
    mine = kind(c)
    found = []
    for row in TABLE:
        if mine in row.layouts and abs(degree := row.degree(c)) > 1e-9:
            found.append(Evidence(row.name, row.weight * degree, row.reason))
    return found


# long tables


def rater_name(c: Candidate) -> float:
    return named(c.rater.name, "rater") if c.rater else 0.0


def unnamed(c: Candidate) -> float:
    if c.rater is None or rater_name(c) >= 0.5 or c.form[0] >= 0.3:
        return 0.0
    if c.rater.name == SHEET:
        return 0.5
    if c.rater.name.startswith("column "):
        return 0.5
    return 1.4 if c.rater.number is not None else 1.0


def called_else(c: Candidate) -> float:
    """Whether what should name raters is called as items, questions or labels are."""
    if c.rater is None or rater_name(c) >= 1:
        return 0.0
    name = c.rater.name
    other = (
        named(name, "item") >= 0.7
        or bool(QUESTIONS.fullmatch(normal(name)))
        or named(name, "label") >= 0.7
        or normal(name) in ASKED
        or c.rater.about
        or c.rater.derived
    )
    return float(other and not rater_name(c)) + 0.4 * float(other and bool(rater_name(c)) and c.rater.about)


def overlap(c: Candidate) -> float:
    return 1.0 if c.shared >= 0.3 else 0.5 if c.shared >= 0.02 else -0.5 if rater_name(c) >= 1 else -2.0


def recur(c: Candidate) -> float:
    if c.rater is None:
        return 0.0
    each = c.facts.n / max(c.rater.distinct, 1)
    return -5.0 if each < 1.5 and c.facts.n >= 8 else 0.5 if each >= 3 else 0.0


def unused_rater(c: Candidate) -> float:
    """A column called as raters are that is neither used nor an attribute of what is."""
    left = [p for p in c.left if named(p.name, "rater") == 1 and p.distinct > 1 and not p.derived and p.label_like]
    left = [p for p in left if c.layout == "long" or not alone(p, [*c.labels, p])]
    cells = c.cells
    if cells is not None and cells.named:
        left = [p for p in left if not lists_keys(c.facts, cells, p)]
    if c.layout == "long" and c.rater is not None:
        who = c.rater  # judge1 beside judge2 is a column of a rater, and names none
        left = [p for p in left if not c.facts.determines((who,), p) and (rater_name(c) < 1 or numbered_alike(who, p))]
    return float(bool(left)) * (1.6 if c.layout == "cells" else 1.0)


def numbered_alike(p: Profile, q: Profile) -> bool:
    """Whether two columns are called the same but for a number or a letter, and hold the same values."""
    return p.name.rstrip("0123456789")[:-1] == q.name.rstrip("0123456789")[:-1] and alike(p, q)


def lists_keys(facts: Facts, cells: Cells, p: Profile) -> bool:
    """Whether a column only lists the raters who are the keys of the objects beside it, as in LeWiDi's files."""
    label = facts[cells.label].column
    for row in facts.rows:
        keys, cell = {str(who) for who, _, _ in said_in(row[label]) or ()}, row[p.column]
        if not keys <= set(map(str, listed_in(cell) or [cell])):
            return False
    return True


def item_name(c: Candidate) -> float:
    return max((named(p.name, "item") for p in c.items), default=0.0)


def item_plain(c: Candidate) -> float:
    return float(item_name(c) < 0.5 and all(p.number is not None for p in c.items))


def item_else(c: Candidate) -> float:
    """Whether what should be items is called as labels or raters are, or has the values of the labels."""
    told = any(
        (named(p.name, "label") >= 0.6 and named(p.name, "item") < 0.7)
        or named(p.name, "rater") == 1
        or p.derived
        or p.about
        for p in c.items
    )
    same = any(p.number is None and not p.text and alike(p, q) for p in c.items for q in c.labels[:12])
    return float(told) + float(same)


def item_beside(c: Candidate) -> float:
    """Another column called as items are that is no attribute of the items."""
    if c.question is not None and named(c.question.name, "item") > item_name(c):
        return 1.0
    left = [p for p in c.left if named(p.name, "item") >= 0.6 and p.distinct > 1 and p.full and not p.about]
    left = [
        p
        for p in left
        if not c.facts.determines(c.items, p) and not p.key and not (c.rater and c.facts.determines((c.rater,), p))
    ]
    return float(bool(left)) if c.items else 0.0


def attributes(c: Candidate) -> float:
    """Texts and facts that belong to the item, or to the rater."""
    if c.rater is None:
        return 0.0
    some = [p for p in c.left[:20] if p.distinct > 1]
    own = [p for p in some if c.facts.determines(c.items, p) != c.facts.determines((c.rater,), p)]
    return min(len(own), 3) / 3


def label_name(c: Candidate) -> float:
    return max((named(p.name, "label") for p in c.labels), default=0.0)


def unsaid(c: Candidate) -> float:
    """No name says who rates, not even one of a person, and labels do not agree: trials of animals, say."""
    told = c.rater is None or rater_name(c) > 0 or c.form[0] >= 0.6 or c.form[1] == "capitalised words"
    return float(not told and c.agreement[1] < 2)


def few_items(c: Candidate) -> float:
    n = len(c.sizes)
    return float(n < 5 and rater_name(c) < 1) + 0.5 * float(
        c.rater is not None and n < c.rater.distinct and rater_name(c) < 1
    )


def rated(c: Candidate) -> float:
    """Models, systems or speakers with scores, or with several labels: what is rated, not who rates."""
    if c.rater is None or not ({*head(c.rater.name)} & RATED):
        return 0.0
    several = len({p.column for p in c.labels}) > 1
    return 1.0 if several or any(p.number is not None and p.distinct > 2 for p in c.labels) else 0.3


def agreeing(c: Candidate) -> float:
    alpha, z = c.agreement
    if z < 2:
        return -1.0 if alpha < -0.1 and z < -2 else -0.5 if z < 1.3 and c.facts.n >= 30 and (z or alpha) else 0.0
    high = 1.0 if alpha >= 0.4 else 0.7 if alpha >= 0.12 else 0.3 if alpha > 0.02 else 0.0
    return high * min(1.0, z / 5)


def pooled(c: Candidate) -> float:
    """Answers to several questions, in rows or on sheets, are read as one."""
    able = [(q, of) for q, of in questions_in_rows(c.facts) if q is not c.question and q is not c.rater]
    items = [{p for p in c.items if p is not q} for q, _ in able]
    same = [c.facts.once(*some) < 0.7 if some else c.layout != "long" for some in items]
    return float(any(same))


def sheet_each(c: Candidate) -> float:
    """Sheets with the same items and columns, one for each rater."""
    if c.rater is None or c.rater.name != SHEET:
        return 0.0
    return float(c.once >= ONCE) * (1.0 if c.shared > 0.5 else -1.0)


def finer(c: Candidate) -> float:
    """Another column called as items are determines both what should be items and what should be raters."""
    if c.rater is None:
        return 0.0
    able = [p for p in c.left if named(p.name, "item") >= 0.5 and not p.key]
    return float(
        any(c.facts.determines((p,), c.rater) and all(c.facts.determines((p,), q) for q in c.items) for p in able)
    )


def called_raters(c: Candidate) -> float:
    """Several columns of labels that are called as raters are: each of them is one."""
    names = [v.name for v in c.variables]
    told = 0.0 if c.question is not None or len(names) < 2 else min(1.0, max(0.0, form(names)[0] - 0.4) * 2)
    return told * float(rater_name(c) < 1)


def columns_agree(c: Candidate) -> float:
    """Columns of labels of one kind agree with each other more than the labels of an item do."""
    same = [alike(c.labels[0], p) for p in c.labels[1:]]
    if c.question is not None or sum(same) < max(1, 0.8 * len(same)):
        return 0.0
    alpha, z = among(c.facts, c.labels)
    inside_ = float(np.mean([within(c.facts, c.keys, p)[0] for p in c.labels[:12]]))
    return float(z > 5 and alpha > inside_ + 0.1 and rater_name(c) < 1)


def averages(c: Candidate) -> float:
    """Numbers that are means: thirds, or many decimals."""
    some = [p for p in c.labels if p.number is not None and not np.array_equal(p.number, np.floor(p.number))]
    digits = [max(len(w.partition(".")[2]) for w in p.written) for p in some]
    thirds = [
        d >= 2 and not np.allclose(p.number * 4, np.round(p.number * 4))
        for p, d in zip(some, digits, strict=True)
        if p.number is not None
    ]
    return sum(thirds) / len(c.labels) if c.labels else 0.0


def rater_alike(c: Candidate) -> float:
    """What should name raters has the values of the labels; numbers may be both, where items have several labels."""
    who = c.rater
    same = [p for p in c.labels if who is not None and alike(who, p) and (p.number is None or c.shared < 0.02)]
    return float(bool(same) and c.facts.n >= 8)


def reliability(c: Candidate) -> float:
    """Figures of agreement beside: the table is a result."""
    told = [
        p for p in c.facts.columns if {*words(p.name)} & {"kappa", "alpha", "agreement", "icc"} and p.number is not None
    ]
    return float(any(p.distinct > 3 and not p.whole for p in told))


def written_lists(c: Candidate) -> float:
    """Cells that are lists of what other columns hold."""
    return float(
        all(
            any("," in w and w.replace(",", "").replace(" ", "").isalnum() and len(w) < 20 for w in p.written)
            for p in c.labels
        )
    )


def balanced(c: Candidate) -> float:
    """Each item has as many labels as every other, or each rater labelled each item."""
    return 1.0 if len(c.sizes) > 4 and c.sizes.min() == c.sizes.max() > 1 else 0.0


def asked(c: Candidate) -> float:
    """A column of questions is called so, does not hold labels, and there are no more questions than items."""
    if c.question is None:
        return 0.0
    more = c.question.distinct > c.facts.together(*c.items)[1]
    labels = named(c.question.name, "rater") == 1 or c.question.derived or alike(c.question, c.labels[0])
    return (1.0 if normal(c.question.name) in ASKED else -0.3) - 0.7 * float(more) - 4.0 * float(labels)


def second(c: Candidate) -> float:
    return float(len(c.items) > 1) * (
        3.0 if any(normal(p.name) in ASKED and named(p.name, "item") < 0.8 for p in c.items) else 1.0
    )


def anonymous(c: Candidate) -> float:
    if c.layout != "long" or c.rater is not None:
        return 0.0
    return 1.0 + 0.4 * float(len(c.variables) > 1 and c.question is None)


def crossed_else(c: Candidate) -> float:
    """Without raters: another column names each row of an item, such as a time."""
    if c.rater is not None or c.layout != "long":
        return 0.0
    return float(
        any(
            c.facts.once(*c.keys, p) >= ONCE and not p.key for p in c.left if p.full and not p.continuous and not p.text
        )
    )


# a column for each rater


def whole_used(c: Candidate) -> float:
    """All columns have a role but keys, texts, facts about items, and what was computed."""
    rest = [p for p in c.left if not (p.derived or p.about or p.text or p.key or p.nested or p.dated or p.distinct < 2)]
    rest = [p for p in rest if not named(p.name, "item") and p not in c.means]
    return 1.0 if not rest else 0.5 if len(rest) == 1 and len(c.labels) > 2 else 0.0


def same_labels_left(c: Candidate) -> list[Profile]:
    own = c.labels[0]
    rest = [p for p in c.left if p.label_like and not p.derived and not p.about and p.distinct > 1 and alike(own, p)]
    return [p for p in rest if p not in c.means]


def left_agreeing(c: Candidate) -> float:
    """A column is left out that agrees with the others as these do among themselves, unless it was made of them or its
    name is in theirs: diagnosis beside doctor1_diagnosis.
    """
    least = max(0.5 * c.agreement[0], 0.05)
    made = decided_from(c.facts, [*c.labels, *(rest := same_labels_left(c))])[len(c.labels) :]
    common = set.intersection(*({*words(q.name)} for q in c.labels))
    keys = [key_named(p.name) or alone(p, [*c.labels, p]) for p in rest]
    able = [p for p, sure, key in zip(rest, made, keys, strict=True) if not key and sure < 0.5]
    able = [p for p in able if not words(p.name) or not {*words(p.name)} <= common]
    found = ([among(c.facts, (q, p)) for q in c.labels[:4]] for p in able[:4])
    return float(any(sum(a > least and z > 2 for a, z in some) > len(some) / 2 for some in found))


def left_alike(c: Candidate) -> float:
    """Columns of the same labels that are left out; those with names of the same form count double."""
    rest = same_labels_left(c)
    if c.layout == "wide" and len(c.variables) > 1:
        rest = [p for p in rest if p.name not in {v.name for v in c.variables}]
    before = {p.name[:3] for p in c.labels}
    return min(6.0, sum(2.0 if form([p.name])[0] >= 0.9 or p.name[:3] in before else 1.0 for p in rest))


def shared_labels(c: Candidate) -> float:
    first = c.variables[0].columns
    if len(first) > 40:
        return special(first)
    same = all(alike(p, q) for p, q in combinations(first, 2))
    return special(first) if same else 0.0


def key_among(c: Candidate) -> float:
    """A column called as answer keys or final labels are is among others that are not, or one called as a person is
    among others that follow another form: expert beside ann1 and ann2.
    """
    told = [key_named(p.name) for p in c.labels]
    return float((any(told) and not all(told)) or any(alone(p, c.labels) for p in c.labels))


def alone(p: Profile, group: Sequence[Profile]) -> bool:
    return one_person([q.name for q in group]) == p.name


def decided_among(c: Candidate) -> float:
    return max(decided_from(c.facts, c.labels), default=0.0)


def apart(c: Candidate) -> float:
    """No other column has these labels."""
    own = frozenset().union(*(p.values for p in c.labels))
    others = [p for p in c.left if p.label_like and not p.derived and p.values & own]
    return special(c.labels) if not others else 0.0


def ranges(c: Candidate) -> float:
    """Numbers over different ranges."""
    lows = [(p.numbers[0], p.numbers[-1]) for v in c.variables[:1] for p in v.columns if p.numbers]
    if len(lows) < len(c.variables[0].columns):
        return 0.0
    widths = [high - low for low, high in lows]
    return float(max(widths) > 2.5 * min(widths) and max(widths) > 3)


def nothing_said(c: Candidate) -> float:
    return float(c.form[0] < 0.15 and not no_header(c))


def form_of(c: Candidate) -> float:
    return c.form[0]


def item_recurs(c: Candidate) -> float:
    """A column called as items are recurs, though each row is read as an item."""
    if c.items and c.row_each:
        return 0.0
    told = [p for p in c.left if named(p.name, "item") >= 0.7 and p.full and not p.about]
    return float(any(0.02 < c.facts.once(p) < 0.5 for p in told))


def numbered_scale(c: Candidate) -> float:
    """Numbers under names that only a running number distinguishes: parts of a questionnaire, or measures repeated."""
    told = c.form[1] in ("numbers", "a name with a number each") and not no_header(c) and not c.means
    return float(told and all(p.number is not None and p.distinct > 2 for p in c.labels))


def few_rows(c: Candidate) -> float:
    """In few rows much happens by chance; only names tell."""
    return float(c.facts.n < 10 and max(rater_name(c), c.form[0]) < 0.6)


def dated_rows(c: Candidate) -> float:
    """Dates name the rows: a series in time."""
    return float(bool(c.items) and all(p.dated for p in c.items))


def no_header(c: Candidate) -> float:
    return float(
        all(p.name == f"column {i}" or p.name == str(i) for i, p in enumerate(c.facts.columns, 1))
        and len(c.labels) >= len(c.facts.columns) - 1
    )


def key_there(c: Candidate) -> float:
    if not c.items or not c.row_each or not c.items[0].name.strip():
        return 0.0
    return 1.0 if item_name(c) >= 0.5 or any(p.text for p in c.items) else 0.5


def ratings_of_one(c: Candidate) -> float:
    """Agreement of numbers by plain words may be that of two properties of one thing."""
    sure = 1.0 if c.form[1] == "capitalised words" else 0.5
    return sure * float(c.form[0] < 0.3 and all(p.number is not None for p in c.labels))


def copies(c: Candidate) -> float:
    columns = c.variables[0].columns
    same = [p for p, q in combinations(columns[:6], 2) if p.written == q.written and bool((p.codes == q.codes).all())]
    return float(bool(same) and c.form[0] < 0.6 and c.facts.n >= 8)


def far(c: Candidate) -> float:
    """Wide numbers that are hardly labels: measurements."""
    if c.form[0] >= 0.9 or any(p.number is None for p in c.labels):
        return 0.0
    wide = [not p.small and (p.distinct > 25 or p.distinct > 0.7 * p.filled) for p in c.labels]
    return float(all(wide)) * (1.0 + float(all(np.ptp(p.number) > 150 for p in c.labels if p.number is not None)))


def ordered(c: Candidate) -> float:
    """Of two columns of numbers one is never the lower, more often than by chance among so many variables: before and
    after, the lowest and the highest.
    """
    some = c.variables[:8]
    least = 8 + np.log2(len(some))
    return float(any(never_lower(p, q, least) for v in some for p, q in combinations(v.columns[:5], 2)))


def never_lower(p: Profile, q: Profile, least: float) -> bool:
    if p.number is None or q.number is None or p.distinct < 3 or q.distinct < 3:
        return False
    there = (p.codes >= 0) & (q.codes >= 0)
    off = p.number[p.codes[there]] - q.number[q.codes[there]]
    return bool((off != 0).sum() >= least and ((off >= 0).all() or (off <= 0).all()))


def avoiding(c: Candidate) -> float:
    """Columns that hold the same values and never agree in a row: the two of a pair."""
    found = [among(c.facts, v.columns) for v in c.variables[:8] if len(v.columns) == 2]
    return float(any(alpha < 0 and z < -4 for alpha, z in found))


def coarser(c: Candidate) -> float:
    """One column follows from another, with fewer values: the same in other words."""
    pairs = [pq for v in c.variables[:8] for pq in combinations(v.columns[:5], 2)]
    return float(any(follows(c, p, q) or follows(c, q, p) for p, q in pairs))


def follows(c: Candidate, p: Profile, q: Profile) -> bool:
    return 2 < q.distinct < p.distinct < 0.3 * c.facts.n and c.facts.determines((p,), q)


# raters and variables


def domains(c: Candidate) -> float:
    """Variables differ in their labels, and raters do not; the other way round counts against."""
    return inside(c) - across(c)


def inside(c: Candidate) -> float:
    if c.question is not None:
        return 0.0
    pairs = [alike(p, q) for v in c.variables for p, q in combinations(v.columns[:6], 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


def across(c: Candidate) -> float:
    pairs = [alike(p, q) for p, q in across_pairs(c)]
    return sum(pairs) / len(pairs) if pairs else 0.0


def across_pairs(c: Candidate) -> list[tuple[Profile, Profile]]:
    by_rater: dict[str, list[Profile]] = {}
    for v in c.variables:
        for who, p in zip(v.called, v.columns, strict=False):
            by_rater.setdefault(who, []).append(p)
    if c.question is not None:
        return []
    return [pair for some in by_rater.values() for pair in combinations(some[:6], 2)]


def more_within(c: Candidate) -> float:
    """Agreement within variables above that within raters."""
    if c.question is not None:
        return 0.5
    some = [among(c.facts, v.columns) for v in c.variables[:8]]
    mine = float(np.mean([a for a, _ in some]))
    pairs = across_pairs(c)[:24]
    other = [among(c.facts, pair)[0] for pair in pairs if alike(*pair)]
    beside = float(np.mean(other)) * len(other) / len(pairs) if other else 0.0
    return float(np.clip((mine - beside) * 2, -1, 1))


def one_ticked(c: Candidate) -> float:
    """Columns of ticks of which every rater has one: labels rather than variables."""
    return float(c.marks is not None and marked(c.marks) and one_label(c.marks, c.facts.rows) is not None)


def complete(c: Candidate) -> float:
    raters = {who for v in c.variables for who in v.called}
    share = len(c.labels) / max(len(raters) * len(c.variables), 1)
    return 1.0 if share == 1 else -1.0 if share < 0.6 else 0.0


# counts, rows, cells


def same_sum(c: Candidate) -> float:
    sums = np.sum([p.number[p.codes] for p in c.labels if p.number is not None], axis=0)
    common, n = np.unique(sums, return_counts=True)
    top = int(n.argmax()) if len(n) else 0
    if not len(n) or n[top] < 0.95 * len(sums) or common[top] < 2 or len(sums) < 3:
        return 0.0
    return (0.7 if len(c.labels) == 2 or len(sums) < 8 else 1.0) - 0.6 * float(common[top] == 100)


def sum_beside(c: Candidate) -> float:
    sums = np.sum([p.number[p.codes] for p in c.labels if p.number is not None], axis=0)
    for p in c.facts.columns:
        if (
            p not in c.labels
            and p.number is not None
            and p.filled == len(sums)
            and np.array_equal(p.number[p.codes], sums)
        ):
            return 0.5 if np.ptp(sums) == 0 or not often(p) else 1.0
    return 0.0


def votes(c: Candidate) -> float:
    told = [bool({*words(p.name)} & VOTES) for p in c.labels]
    return float(all(told)) * (0.7 if len(told) == 2 else 1.0)


def zeros(c: Candidate) -> float:
    return float(np.mean([0.0 in (p.numbers or ()) for p in c.labels]) > 0.6)


def part(c: Candidate) -> float:
    """Other whole numbers of the same kind are left out."""
    rest = [p for p in c.left if p.whole and not p.derived and alike(c.labels[0], p)]
    return float(bool(rest) and not sum_beside(c))


def survey(c: Candidate) -> float:
    found = [p for p in c.facts.columns if normal(p.name) in SURVEY or (p.dated and ":" in p.written[0])]
    return min(len(found), 2) / 2


def person_key(c: Candidate) -> float:
    if c.rater is None:
        return 0.0
    return max(
        named(c.rater.name, "rater"),
        float(normal(c.rater.name) in IDENTITY),
        0.6 * float(normal(c.rater.name) in SURVEY),
    )


def more_items(c: Candidate) -> float:
    return 1.0 if len(c.items) >= c.facts.n else 0.0


def question_names(c: Candidate) -> float:
    names = [p.name for p in c.items]
    stem = form(names)
    return 1.0 if stem[0] < 0 or "[" in names[0] or len({n[:3] for n in names}) == 1 else 0.0


def rows_agree(c: Candidate) -> float:
    """Agreement among raters in rows; respondents have none about the parts of a questionnaire."""
    alpha, z = c.agreement
    few = len(c.items) < 5 or c.facts.n < 3
    return 0.0 if few else float(alpha >= 0.3) if alpha >= 0.1 and z >= 2 else more_items(c) - 1


def cells_named(c: Candidate) -> float:
    if c.cells is None:
        return 0.0
    if c.cells.keys is not None or c.cells.sep is not None:
        return 0.9
    label = max(
        named(c.cells.label, "label"),
        float(normal(c.cells.label).startswith(("annot", "label", "rating", "vote", "human"))),
    )
    return max(label, 0.6) if c.cells.named or c.cells.counted else label


def is_cells(c: Candidate) -> float:
    return float(c.layout == "cells")


def as_many_raters(c: Candidate) -> float:
    """Lists of labels beside lists of raters, of the same lengths."""
    return float(c.cells is not None and c.cells.rater is not None)


def is_square(c: Candidate) -> float:
    """A square table of counts with most on its diagonal; one that is symmetric holds distances."""
    if c.layout != "contingency":
        return 0.0
    if any(p.number is None or not p.full for p in c.labels) or len(c.facts.rows) != len(c.labels):
        return 0.0
    order = {str(row[c.facts.columns[0].column]): i for i, row in enumerate(c.facts.rows)}
    cells = np.array([p.number[p.codes][[order[q.name] for q in c.labels]] for p in c.labels if p.number is not None])
    total = cells.sum()
    if total <= 0 or (len(cells) > 2 and np.array_equal(cells, cells.T)):
        return 0.0
    seen, chance = np.trace(cells) / total, float(cells.sum(0) @ cells.sum(1)) / total**2
    return 1.0 if seen - chance > 0.2 * (1 - chance) else 0.6


def is_marks(c: Candidate) -> float:
    """Ticks by columns whose names say who a rater is."""
    if c.layout != "marks" or c.marks is None:
        return 0.0
    raters, labels = form(c.marks.first)[0], form(c.marks.second)[0]
    other = [q.name for q in c.left if not (q.key or q.text or q.about or q.derived or named(q.name, "item"))]
    return min(
        1.0, 0.6 + max(0.0, raters) - max(0.0, labels) * 0.5 + 0.25 * float(not other) - 0.3 * float(len(other) > 1)
    )


def long_whole(c: Candidate) -> float:
    """Every column has a role, or belongs to items or raters."""
    rater = c.rater
    if rater is None:
        return 0.0
    rest = [p for p in c.left if p.distinct > 1 and not (p.about or p.derived or p.key)]
    return float(all(c.facts.determines(c.items, p) or c.facts.determines((rater,), p) for p in rest))


def mean_beside(c: Candidate) -> float:
    """Another column is the mean of these."""
    return float(bool(c.means))


def mean_of_raters(c: Candidate) -> float:
    """The same where these agree; of counts and marks under capitalised words, too, people compute the mean."""
    return mean_beside(c) * float(c.agreement[1] >= 2 and ratings_of_one(c) < 1)


def constant(c: Candidate) -> float:
    """Labels that are all the same show nothing."""
    return float(all(p.distinct < 2 for p in c.labels)) * (1 - rater_name(c))


def counted(c: Candidate) -> float:
    return float(c.layout == "patterns")


def only_ones(c: Candidate) -> float:
    return float(all((p.numbers or (0,))[-1] <= 1 for p in c.labels))


TABLE: tuple[Row, ...] = (
    Row("long_whole", 1, (LONG,), long_whole, "every other column belongs to the items or the raters"),
    Row("rater_named", 5, (LONG,), rater_name, "a column is called as raters are"),
    Row("rater_form", 2, (LONG,), lambda c: c.form[0], "its values have the form of people's names"),
    Row("rater_unnamed", -5, (LONG,), unnamed, "neither name nor values of a column are those of raters"),
    Row("rater_else", -3.5, (LONG,), called_else, "the column of raters is called as something else is"),
    Row("rated", -6, (LONG,), rated, "models or systems may be what is rated"),
    Row(
        "named_once",
        2.5,
        (LONG,),
        lambda c: float(c.rater is not None and c.once >= ONCE),
        "item and rater name each row once",
    ),
    Row("overlap", 2, (LONG,), overlap, "items have labels by several raters"),
    Row("raters_recur", 1, (LONG,), recur, "raters label several items"),
    Row("item_named", 2.5, (LONG,), item_name, "a column is called as items are"),
    Row("item_plain", -1.5, (LONG,), item_plain, "the name of the items says nothing"),
    Row("item_else", -3, (LONG,), item_else, "items are called as labels or raters are"),
    Row("item_beside", -1.5, (LONG,), item_beside, "another column is called as items are"),
    Row("finer", -5, (LONG,), finer, "items and raters belong to what another column names"),
    Row("item_text", 1, (LONG,), lambda c: float(any(p.text for p in c.items)), "the items are texts that recur"),
    Row("attributes", 1.5, (LONG,), attributes, "other columns belong to the items, or to the raters"),
    Row("label_named", 2, (LONG,), label_name, "a column is called as labels are"),
    Row("few_items", -2, (LONG,), few_items, "there are few items"),
    Row("unsaid", -3, (LONG,), unsaid, "no name says who rates, and labels do not agree"),
    Row("balanced", 1, (LONG,), balanced, "all items have equally many labels"),
    Row("question", 1.5, (LONG,), asked, "a column says which question a row answers"),
    Row("two_items", -1, (LONG,), second, "items need two columns"),
    Row("crossed_else", -2, (LONG,), crossed_else, "another column names each row of an item"),
    Row("anonymous", -2.5, (LONG,), anonymous, "no column says who gave a label"),
    Row("agreement", 3, LABELS, agreeing, "labels agree beyond chance"),
    Row("sheet_each", 4, (LONG,), sheet_each, "sheets have the same items and the same columns"),
    Row("pooled", -4, LABELS, pooled, "answers to several questions would be read as one"),
    Row("label_raters", -8, (LONG,), called_raters, "the columns of labels are called as raters are"),
    Row("rater_alike", -8, (LONG,), rater_alike, "the column of raters has the values of the labels"),
    Row("columns_agree", -3, (LONG,), columns_agree, "columns of labels agree more with each other than within items"),
    Row("constant", -5, (LONG,), constant, "all labels are the same"),
    Row("averages", -2.5, LABELS, averages, "the numbers are means"),
    Row("reliability", -5, (*LABELS, COUNTS), reliability, "the table holds figures of agreement"),
    Row("written_lists", -2, (ONE,), written_lists, "cells hold lists"),
    Row(
        "rater_unused",
        -5,
        (*LABELS, COUNTS, ROWS, OTHER),
        unused_rater,
        "a column called as raters are would not be used",
    ),
    Row("form", 5, (ONE, GRID), form_of, "names of columns have the form of raters' names"),
    Row("nothing_said", -1.5, (ONE, GRID), nothing_said, "no name says who a rater is"),
    Row("shared_labels", 2, (ONE,), shared_labels, "the columns share their labels"),
    Row("labels_apart", 1, (ONE,), apart, "no other column has these labels"),
    Row("whole_used", 1.5, (ONE, GRID, COUNTS), whole_used, "every other column names or describes the items"),
    Row("left_alike", -1, (ONE, GRID), left_alike, "columns with the same labels are left out"),
    Row("left_agreeing", -4, (ONE,), left_agreeing, "a column that is left out agrees with the others"),
    Row("ranges", -1.5, (ONE,), ranges, "numbers have different ranges"),
    Row("properties", -2, (ONE,), ratings_of_one, "numbers under plain words may be properties"),
    Row("copies", -3, (ONE,), copies, "one column repeats another"),
    Row("measured", -2, (ONE, GRID), far, "the numbers look measured"),
    Row("dated_rows", -3, (ONE, GRID), dated_rows, "dates name the rows"),
    Row("ordered", -4, (ONE, GRID), ordered, "of two columns one is never the lower"),
    Row("avoiding", -4, (ONE, GRID), avoiding, "columns with the same values never agree"),
    Row("coarser", -5, (ONE, GRID), coarser, "one column follows from another"),
    Row("item_recurs", -2, (ONE, GRID), item_recurs, "a column called as items are recurs"),
    Row("key_among", -4, (ONE,), key_among, "a column is called as final labels are"),
    Row("decided_among", -3, (ONE,), decided_among, "one column is what most of the others say"),
    Row("mean_beside", 2.5, (ONE,), mean_of_raters, "another column is their mean"),
    Row("counted", 3, (ONE,), counted, "a column says how often each row occurs"),
    Row("numbered_scale", -2.5, (ONE, GRID), numbered_scale, "numbers under running numbers may be a questionnaire"),
    Row("few_rows", -1.5, LABELS, few_rows, "there are few rows"),
    Row("no_header", 1.5, (ONE,), no_header, "there are only columns of one kind, without names"),
    Row("key", 1, (ONE, GRID, COUNTS), key_there, "a column names the items"),
    Row("domains", 3, (GRID,), domains, "variables differ in their labels, and raters do not"),
    Row("more_within", 2, (GRID,), more_within, "raters agree within variables"),
    Row(
        "question_in_rows",
        2,
        (GRID,),
        lambda c: float(c.question is not None),
        "a column, or the sheet, says which question a row answers",
    ),
    Row("one_ticked", -8, (GRID,), one_ticked, "every rater ticks one of the columns"),
    Row("complete", 1.5, (GRID,), complete, "every rater has every variable"),
    Row("same_sum", 5, (COUNTS,), same_sum, "nearly all rows have the same sum"),
    Row("sum_beside", 6, (COUNTS,), sum_beside, "a column is the sum of the others"),
    Row("votes", 5, (COUNTS,), votes, "columns are called as votes are"),
    Row("zeros", 1, (COUNTS,), zeros, "many counts are 0"),
    Row("mean_of_counts", -5, (COUNTS,), mean_beside, "another column is their mean"),
    Row("only_ones", -5, (COUNTS,), only_ones, "no count is above 1"),
    Row("part", -3, (COUNTS,), part, "other counts are left out"),
    Row("survey", 3, (ROWS,), survey, "a survey tool wrote the table"),
    Row("person_key", 4, (ROWS,), person_key, "rows are named by people"),
    Row("more_items", 1.5, (ROWS,), more_items, "there are more columns than rows"),
    Row("question_names", 1.5, (ROWS,), question_names, "columns are called as items of one form are"),
    Row("rows_agree", 3, (ROWS,), rows_agree, "rows agree with each other about the columns"),
    Row("cells", 8, (OTHER,), lambda c: is_cells(c) * cells_named(c), "cells hold the labels of several raters"),
    Row("beside", 12, (OTHER,), as_many_raters, "each cell has as many labels as the cell beside it has raters"),
    Row("square", 9, (OTHER,), is_square, "rows and columns have the same names"),
    Row("marks", 8, (OTHER,), is_marks, "every rater ticks one label"),
)
