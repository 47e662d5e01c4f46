"""``model="auto"``: several predictive models of an item's labels, weighted by how well they predict held-out items;
the vote where there is too little to learn from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.models.base.fit import Choice, FittedModel, noted
from raters.models.base.votes import Votes
from raters.models.choosing.mixture import title
from raters.models.choosing.remarks import remarks
from raters.models.choosing.stacked import stacked
from raters.models.choosing.too_little import nothing_to_choose, too_few_items, too_rare
from raters.models.families import dawid_skene, one_coin, voting
from raters.models.families.spec import Settings, Vote
from raters.models.fitting.checks import about_raters, check_call, check_table, notes_of, prior_matrices
from raters.models.fitting.fit import fit
from raters.models.fitting.gold import gold_codes
from raters.models.held_out.numbers import fit_numbers
from raters.models.held_out.tempering import calibrated
from raters.notes.note import codes

AUTO = "auto"
VOTE = voting.MODEL.name


def auto(
    ann: Annotations | Votes, *, items: Sequence[Any] = (), drawn: bool = False, of_set: bool = False, **options: Any
) -> FittedModel:
    """The mixture of models that predicts held-out items best, with posteriors that say how settled each label is.

    ``drawn``: the caller will draw the model's parameters, so a vote cannot be the answer. ``of_set``: whether sets
    contain one label.
    """
    check_call(ann, **options)
    votes = ann if isinstance(ann, Votes) else Votes.of(ann, items)
    if isinstance(ann, Annotations) and ann.scale.numbers and ann.numeric:
        return fit_numbers(ann, votes, items, options)
    if options.get("start") == "paper":
        why = "The start of Passonneau and Carpenter is one of Dawid-Skene."
        return replace(fit(votes, dawid_skene.MODEL.name, **options), choice=Choice(dawid_skene.MODEL.name, why))
    check_table(ann, votes, voting.MODEL)
    few = "" if drawn else too_few_items(votes, options) or (too_rare(votes) if of_set else "")
    if why := nothing_to_choose(ann, votes, options) or few:
        found = calibrated(fit(ann, VOTE, items=items, **{k: x for k, x in options.items() if k != "priors"}))
        return said_of_raters(replace(found, choice=Choice(VOTE, why)), votes)
    settings = Settings(
        options.get("smoothing", 0.01),
        options.get("prevalence") == "uniform",
        seed=int(options.get("seed", 0)),
        priors=prior_matrices(options.get("priors"), votes, dawid_skene.MODEL),
    )
    gold = gold_codes(options["gold"], votes) if options.get("gold") else None
    found = stacked(votes, gold, settings, progress=options.get("progress"))
    found = replace(found, choice=choice(found))
    return noted(found, *remarks(found), *notes_of(found, options.get("gold")))


def choice(c: FittedModel) -> Choice:
    """What was mixed, and the share of each model."""
    m = c.mixture
    if m is None:
        return Choice(c.model, c.reason)
    order = np.argsort(-m.weights, kind="stable")
    mixed = ", ".join(f"{title(m.models[i])} {m.weights[i]:.0%}" for i in order)
    of = f", of a part of {m.part:,} items" if m.part else ""
    why = f"{len(m.models)} models of an item's labels, weighted by how well they predict held-out items{of}: {mixed}."
    gain = math.expm1(m.gain)
    why += f" Together they give a held-out label {abs(gain):.0%} {'more' if gain >= 0 else 'less'} probability than the vote does."
    return Choice(c.model, why)


def said_of_raters(c: FittedModel, votes: Votes) -> FittedModel:
    """Where raters gave too little to learn from, the vote is the answer; this adds what a model of raters would report
    about that.
    """
    if not isinstance(c.definition.method, Vote) or votes.raters == (None,):
        return c
    more = about_raters(votes, c.gold, c.settings, one_coin.MODEL.least_labels)
    have = codes(c.notes)
    return noted(c, *(note for note in more if note.code not in have))
