"""Which labels are settled?"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from raters.annotations import counted
from raters.charts.of_results import certainty_bands, certainty_chart
from raters.charts.points import intervals
from raters.estimate import shown
from raters.models.follow_up.why import assumed_items, by_label, found_again, times_found
from raters.models.result import Consensus
from raters.notes.models import TIED
from raters.notes.note import Note
from raters.reporting.advice import some_of
from raters.reporting.context import SETTLED, Context
from raters.reporting.document import Answer, Block, Cell, Share, Table, long_table, percent
from raters.reporting.findings import (
    BETWEEN,
    NOTHING,
    PREVALENCE,
    WEIGHT,
    gold_sentence,
    kind_of_reason,
    limits_of_two,
    reason,
    settled_by_side,
)

RIGHT = "Only gold labels can show whether it is right."
MOST_KEPT = 500
MOST_BIASES = 25
MOST_LABELS = 5


def trust(c: Context) -> Answer:
    """How far each item's label is settled under the model that the data favour, and where it overrules the vote."""
    fit = c.fit
    if isinstance(fit, str):
        return (
            numbers(c)
            if not isinstance(c.numbers, str)
            else Answer(
                f"No annotation model was fitted: {c.numbers if limits_of_two(c) is not None else fit}.", absent=True
            )
        )
    sure = fit.certainty[np.isfinite(fit.certainty)]
    share = float(np.mean(sure >= SETTLED))
    of = c.of_part or " of the items"
    answer = (
        f"{percent(share).capitalize()}{of} have a label that is settled at {SETTLED:.0%}."
        if (sure >= SETTLED).any()
        else (
            f"No item{c.of_part} has a label that is settled with a probability of {SETTLED:.0%}: more labels from"
            " similar raters could change each of them."
        )
    )
    answer = " ".join(filter(None, [answer, assumed_items(fit)]))
    if c.gold is not None:
        answer = f"{answer} {gold_sentence(c)}"
    rows = tuple((name, n, Share(n / len(sure))) for name, n, _ in certainty_bands(sure.tolist()))
    overruled, table = _overruled(c)
    blocks: list[Block] = [
        certainty_chart(sure.tolist()),
        *handed(fit),
        *filter(None, [by_label(fit, SETTLED)] if (sure >= SETTLED).any() else []),
        *settled_by_side(c),
        *overruled,
        *gold_blocks(c),
    ]
    details: list[Block] = [
        Table("certainty", "Items by the probability of their label", ("probability", "items", "share"), rows),
        *table,
        *(() if fit.choice is None else (fit.choice.why,)),
        *map(str, _not_repeated(fit)),
    ]
    details += _starts(c, fit)
    return Answer(answer, tuple(blocks), details=tuple(details))


def _not_repeated(fit: Consensus) -> list[Note]:
    """The notes but those that say again what stands above: how ties are broken."""
    above = {f"tied_{rule}" for rule in TIED}
    return [n for n in fit.notes if n.code not in above]


def _starts(c: Context, fit: Consensus) -> list[Block]:
    """From how many starts the model was fitted, and whether they agree."""
    if c.of_part:
        return [
            f"With more than a million annotations the model was fitted to those{c.of_part}, from one start: other"
            " solutions were not searched for, and it knows less about each rater than all labels would show, so fewer"
            " labels count as settled."
        ]
    if len(fit.starts) < 2:
        return []
    differ = max(s.items_differ for s in fit.starts)
    apart = (
        f"the others differ from it on up to {counted(differ, 'item')}"
        if differ
        else "the others give every item the same label"
    )
    alone = found_again(fit)
    more = f" {alone[0].upper()}{alone[1:]}." if times_found(fit)[0] < 2 else ""
    return [
        f"{len(fit.starts)} starts of the model reached {counted(fit.modes, 'solution')}; the best was kept, and"
        f" {apart}.{more}"
    ]


def handed(fit: Consensus) -> list[str]:
    """Which labels a user gets, where that is not said with what is settled, and how many votes are tied."""
    codes = fit.codes[fit.codes >= 0]
    n = np.bincount(codes, minlength=fit.votes.n_labels)
    order = [int(k) for k in np.argsort(-n, kind="stable") if n[k]]
    shown_ = order if len(order) <= MOST_LABELS + 1 else order[:MOST_LABELS]
    said = [f'"{fit.votes.labels[k]}" for {counted(int(n[k]), "item")}' for k in shown_]
    said += [f"{len(order) - MOST_LABELS:,} more labels"] if len(order) > len(shown_) else []
    text = [] if (fit.certainty >= SETTLED).any() else [f"The labels are {some_of(said, len(said))}."]
    tied = int(fit.votes.tied.sum())
    if not tied:
        return text
    how = (
        "the more probable of the tied labels is given" if not fit.definition.likelihood else "the model decides these"
    )
    return [*text, f"The votes of {counted(tied, 'item')} are tied; {how}."]


def gold_blocks(c: Context) -> list[Block]:
    """Accuracy of every model, and how often settled labels are right."""
    if c.gold is None:
        return []
    column, check = c.gold
    curve: list[tuple[Cell, ...]] = [(e.name, e.n_items, float(e.details["stated"]), e) for e in check.calibration]
    return [
        Table(
            "gold_calibration",
            "How far labels are settled, and how often they are right by the gold labels",
            ("settled at", "items", "stated on average", "right"),
            tuple(curve),
        ),
        Table(
            "gold_models",
            "Share of gold labels that each model is right about",
            ("model", "right"),
            tuple((e.name, e) for e in check),
        ),
        long_table(
            "gold_raters",
            "Share of gold labels that each rater is right about, those with most labels first",
            ("rater", "items", "right"),
            [(e.name, e.n_items, e) for e in check.raters],
            c.rows,
        ),
        *(f"{n}." for n in check.notes),
        *([column.left_out()] if column.left_out() else []),
    ]


_BECAUSE = {
    WEIGHT: "because it gives some raters more weight than others",
    BETWEEN: "because it gives a label that lies between those given",
    PREVALENCE: "because its label is much the more common one",
    NOTHING: "because no label was counted",
}


def _overruled(c: Context) -> tuple[list[Block], list[Block]]:
    """How many clear votes the model overrules, and which."""
    fit = c.fit
    if isinstance(fit, str):
        return [], []
    shares = fit.votes.shares()
    top = shares.max(1)
    vote = shares.argmax(1)
    clear = (np.isclose(shares, top[:, None]).sum(1) == 1) & (fit.codes >= 0)
    at = np.flatnonzero(clear & (vote != fit.codes))
    if not fit.definition.likelihood:
        return [], []
    if not len(at):
        return ["On every item without a tie, the model's label is the one given most often."], []
    order = at[np.argsort(-fit.certainty[at], kind="stable")][:MOST_KEPT]
    rows: list[tuple[Cell, ...]] = []
    scale = fit.votes.labels if c.ann.scale.ranks else ()
    kinds: Counter[str] = Counter()
    for i in order:
        item = fit.items[i]
        why = fit.why(item)
        kinds[kind_of_reason(why, scale)] += 1
        votes = ", ".join(
            f"{fit.votes.labels[k]}: {shares[i, k]:.0%}" for k in np.argsort(-shares[i])[:3] if shares[i, k] > 0
        )
        rows.append(
            (
                str(item),
                votes,
                str(fit.labels[item]),
                Share(fit.certainty[i]),
                reason(why, scale),
            )
        )
    usual, _ = kinds.most_common(1)[0]
    half = int((top[at] > 0.5).sum())
    said = (
        f"On {len(at):,} of {counted(int(clear.sum()), 'item')} without a tie, the model's label is not the one given"
        f" most often{f' (on {half:,} of them more than half of the raters gave another)' if half else ''},"
        f" {'mostly ' if len(kinds) > 1 else ''}{_BECAUSE[usual]}."
    )
    return [said], [
        long_table(
            "overruled",
            "Items on which the model's label is not the one given most often, the most settled first",
            ("item", "votes", "model says", "probability", "why"),
            rows,
            c.rows,
            len(at),
        ),
    ]


def numbers(c: Context) -> Answer:
    """Of numbers: how exact the values of the items are, with the bias and the precision of each rater."""
    if isinstance(c.numbers, str):
        return Answer(f"No annotation model was fitted: {c.numbers}.", absent=True)
    values, fit = c.numbers
    bias, deviation = fit.params["bias"], np.sqrt(fit.params["variance"])
    labels = fit.votes.per_rater.sum(1)
    order = np.argsort(-deviation, kind="stable")
    rows: list[tuple[Cell, ...]] = [
        (str(fit.raters[j]), int(labels[j]), float(bias[j]), float(deviation[j]), float(1 / deviation[j] ** 2))
        for j in order
    ]
    middle = float(np.median(values.posterior[:, 1]))
    spread = float(np.sqrt(values.params["spread"][0]))
    text = (
        f"The value of a typical item has a standard deviation of {shown(middle, 2)}, compared with a standard"
        f" deviation of {shown(spread, 2)} between items. {RIGHT}"
    )
    columns = ("rater", "labels", "bias", "standard deviation", "precision")
    caption = (
        "Each rater of numbers: bias against the raters' mean, and spread around the truth; the least precise first"
    )
    why = () if values.choice is None else (values.choice.why,)
    return Answer(
        text, (_biases(fit, order), long_table("numbers", caption, columns, rows, 8)), details=(*why, *fit.warnings)
    )


def _biases(fit: Consensus, order: Any) -> Block:
    """Each rater's bias, with one standard deviation of their labels around the truth to either side."""
    picked = [int(j) for j in order[:MOST_BIASES]]
    bias, deviation = fit.params["bias"], np.sqrt(fit.params["variance"])
    return intervals(
        [str(fit.raters[j]) for j in picked],
        [float(bias[j]) for j in picked],
        [float(bias[j] - deviation[j]) for j in picked],
        [float(bias[j] + deviation[j]) for j in picked],
        axis="label less the mean of the raters",
        name="biases",
        caption=(
            "Each rater's bias (dot), and one standard deviation of their labels around the truth (bar); the least"
            " precise first."
        ),
    )
