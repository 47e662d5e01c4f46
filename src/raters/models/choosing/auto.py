"""``model="auto"``: sets blind raters aside, counts copies once, chooses the model by held-out labels, and checks the
choice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.models.base.fit import Candidate, Choice, FittedModel, HardItems, noted
from raters.models.base.votes import Votes
from raters.models.choosing import choose, few_labels
from raters.models.choosing.camps import MOST_RATERS as MOST_IN_CAMPS
from raters.models.choosing.camps import camps
from raters.models.choosing.camps import note as of_camps
from raters.models.choosing.contradicted import note as of_sides
from raters.models.choosing.contradicted import sides
from raters.models.choosing.copies import MOST_RATERS, Alike, both_counted, copies, counted_once, identical
from raters.models.choosing.copies import notes as of_copies
from raters.models.choosing.doubts import doubts
from raters.models.choosing.hard_items import note as of_hard_items
from raters.models.choosing.held_out import Fold
from raters.models.choosing.numbers import fit_numbers
from raters.models.choosing.predictive import note as of_check
from raters.models.choosing.predictive import predictive_checks
from raters.models.choosing.tempering import calibrated
from raters.models.choosing.too_little import nothing_to_choose, too_few_items, too_rare
from raters.models.families import dawid_skene, hierarchical, one_coin, voting
from raters.models.families.registry import MODELS, too_large
from raters.models.families.spec import EM, Model, Settings, Vote
from raters.models.fitting.checks import about_raters, check_call, check_table, prior_matrices
from raters.models.fitting.fit import SMALL, fit
from raters.models.fitting.gold import compared
from raters.models.rater_quality.evidence import evidence
from raters.models.rater_quality.skill import beside_blind, discoveries
from raters.notes.note import Note, codes

AUTO = "auto"
VOTE = voting.MODEL.name
MOST_SCREENED = 2_000_000
"""Largest number of annotations for which raters are screened for copies and for labels without information."""
MOST_CELLS = 200_000
"""Largest number of cells in all confusion matrices for which raters are screened: the screening simulates blind raters
in each cell.
"""
BEYOND_DOUBT = 1e-9
"""A rater whose labels are this improbable for a blind rater needs no simulation."""


def auto(
    ann: Annotations | Votes, *, items: Sequence[Any] = (), drawn: bool = False, of_set: bool = False, **options: Any
) -> FittedModel:
    """Fit the model that the data favour, with posteriors that say how settled each label is.

    ``drawn``: the caller will draw the model's parameters, so a vote cannot be chosen. ``of_set``: whether sets contain
    one label.
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
        found = calibrated(fit(ann, VOTE, items=items, **_of_vote(options)))
        return said_of_raters(replace(found, choice=Choice(VOTE, why)), votes)
    alike = identical(votes) if votes.n_annotations <= MOST_SCREENED else Alike()
    blind, same, kept = set_aside(votes, options, alike)
    asked: dict[str, Any] = {
        "ordered": isinstance(ann, Annotations) and ann.scale.ranks,
        "priors": bool(options.get("priors")),
        "drawn": drawn,
    }
    tried = choose.entries(kept, prevalence=options.get("prevalence"), **asked)
    untried = (*not_screened(votes), *choose.not_tried(kept, **asked))
    found = chosen(kept, tried, blind, same, untried, options)
    if blind or same:
        found = replace(found, given=votes)
    said = (*of_copies(votes, same), *found.notes, *both_counted(votes, same, alike))
    return said_of_raters(replace(found, notes=said), votes)


def said_of_raters(c: FittedModel, votes: Votes) -> FittedModel:
    """Where raters gave too little to learn from, the vote is chosen; this adds what a model of raters would report
    about that.
    """
    if not isinstance(c.definition.method, Vote) or votes.raters == (None,):
        return c
    more = about_raters(votes, c.gold, c.settings, one_coin.MODEL.least_labels)
    have = codes(c.notes)
    return noted(c, *(note for note in more if note.code not in have))


def _of_vote(options: Mapping[str, Any]) -> dict[str, Any]:
    return {k: x for k, x in options.items() if k != "priors"}


def set_aside(
    votes: Votes, options: Mapping[str, Any], alike: Alike | None = None
) -> tuple[tuple[Any, ...], tuple[tuple[Any, Any], ...], Votes]:
    """Raters whose labels carry no information, copies, and the votes without their labels; ``alike``: who agrees
    throughout, if already known.
    """
    if votes.n_annotations > MOST_SCREENED:
        return (), (), votes
    same = copies(votes, alike)
    once = counted_once(votes, same)
    if votes.n_raters * votes.n_labels**2 > MOST_CELLS:
        return (), same, once
    blind = blind_raters(once, options.get("gold"), int(options.get("seed", 0)))
    if not blind.any():
        return (), same, once
    return (
        tuple(votes.raters[j] for j in np.flatnonzero(blind)),
        same,
        once.kept(np.where(blind[once.rater_of], 0, once.table.data)),
    )


def not_screened(votes: Votes) -> tuple[Note, ...]:
    """The checks of raters for which a table is too large."""
    if votes.n_annotations > MOST_SCREENED:
        return (Note("not_screened", {"most": MOST_SCREENED}),)
    said = []
    if votes.n_raters * votes.n_labels**2 > MOST_CELLS:
        sizes = {"n_raters": votes.n_raters, "labels": votes.n_labels}
        said.append(Note("not_screened_for_information", sizes))
    if votes.n_raters > MOST_RATERS:
        said.append(Note("not_screened_for_copies", {"n_raters": votes.n_raters}))
    return tuple(said)


def blind_raters(votes: Votes, gold: Mapping[Any, Any] | None, seed: int) -> Any:
    """(rater,): whose labels carry no information; nobody if they would make up half of all labels."""
    row = one_coin.MODEL if too_large(votes) else hierarchical.MODEL
    c = fit(votes, row.name, gold=gold, **choose.FAST)
    blind, _ = no_information(c, 0.05, np.random.default_rng(seed))
    given = votes.per_rater.sum(1)
    return blind & (given[blind].sum() <= given.sum() / 2)


def no_information(c: FittedModel, rate: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """(rater,): raters with evidence that their labels carry no information; and raters whose labels carry some."""
    tried = compared(c.votes) & (c.votes.n_labels > 1)
    p = beside_blind(c, rng, BEYOND_DOUBT)[2]
    informed = np.zeros(len(p), bool)
    informed[tried] = discoveries(p[tried], rate)
    rest = tried & ~informed
    if not rest.any():
        return rest, informed
    # Where raters have few labels, setting aside a few honest ones leaves items with tied votes, and the answer falls
    # below the vote of all.
    return rest & evidence(c).beyond_doubt, informed


def chosen(
    votes: Votes,
    tried: Sequence[choose.Entry],
    blind: tuple[Any, ...],
    same: tuple[tuple[Any, Any], ...],
    untried: tuple[Note, ...],
    options: dict[str, Any],
) -> FittedModel:
    """The model that predicts best, or the vote if that model fails a check."""
    row = one_coin.MODEL
    settings = Settings(
        options.get("smoothing", 0.01),
        seed=options.get("seed", 0),
        priors=prior_matrices(options.get("priors"), votes, row),
    )
    part, gold = choose.sample(votes), options.get("gold")
    dealt = choose.deal(part, settings)
    kept: choose.Fits = {}
    candidates = choose.compare(part, tried, settings, gold=gold, dealt=dealt, kept=kept)
    best = choose.simplest(candidates, float(np.median(votes.per_rater.sum(1))))
    more = {} if choose.is_vote(best.model) else {"prevalence": best.prevalence}
    given = options if MODELS[best.model].takes_priors else _of_vote(options)
    likely = MODELS[best.model].likelihood
    power, hard = best.power, None
    if likely:
        entry = choose.Entry(MODELS[best.model], best.prevalence)
        power, hard = choose.tempered(part, entry, settings, gold=gold, dealt=dealt, kept=kept)
    doubted = likely and any(isinstance(e.model.method, Vote) for e in tried)
    against: tuple[Note, ...] = ()
    for start in starts(votes, MODELS[best.model], options) if doubted else (options.get("start", "best"),):
        found = calibrated(fit(votes, best.model, **{**given, **more, "start": start}), power, hard=hard)
        if doubted and (against := doubts(found)):
            break
    checks = tuple(
        of_check(found, x, all_counted=not (blind or same)) for x in predictive_checks(found)[:1] if x.says_something
    )
    if doubted and not against:
        against = two_camps(votes, gold) or contradicted(part, entry, settings, gold, dealt, kept, power, hard)
    if against:
        found = calibrated(fit(votes, VOTE, **_of_vote(options)))
    choice = Choice(
        found.model,
        reason(replace(best, power=power), hard, candidates, against, part, votes),
        candidates,
        best.model,
        against,
        blind,
        same,
        checks,
        untried,
    )
    return noted(replace(found, choice=choice), *notes(choice), *few_labels.note(found))


def starts(votes: Votes, row: Model, options: Mapping[str, Any]) -> tuple[str, ...]:
    """From where a model is fitted: from the votes first where many starts would follow.

    A fit from there that fails a check is not searched for better ones, which took most of the time: on 8 real tables
    and in 19 of 70 simulated crowds it failed, and the best of all starts failed as well on each of them.
    """
    start, method = options.get("start", "best"), row.method
    many = start == "best" and options.get("restarts") is None and votes.n_annotations <= SMALL
    return ("votes", start) if many and isinstance(method, EM) and method.start is None else (start,)


def two_camps(votes: Votes, gold: Mapping[Any, Any] | None) -> tuple[Note, ...]:
    """Why no model of raters is used if two camps each make the same errors; empty if there are no camps."""
    if gold or too_large(votes) or votes.n_raters > MOST_IN_CAMPS:
        return ()
    found = camps(fit(votes, hierarchical.MODEL.name, **choose.FAST))
    return () if found is None else (of_camps(found),)


def contradicted(
    votes: Votes,
    entry: choose.Entry,
    settings: Settings,
    gold: Mapping[Any, Any] | None,
    dealt: Sequence[Fold],
    kept: choose.Fits,
    power: float,
    hard: HardItems | None,
) -> tuple[Note, ...]:
    """Why a model that overrules majorities is not used if held-out labels side with these; empty if they do not."""
    if gold:
        return ()
    found = sides(choose.fitted(votes, entry, settings, gold, dealt, kept), power, hard)
    return (of_sides(found),) if found.against else ()


def reason(
    best: Candidate,
    hard: HardItems | None,
    candidates: tuple[Candidate, ...],
    against: tuple[Note, ...],
    part: Votes,
    votes: Votes,
) -> str:
    """Which model and why, in whole sentences."""
    title = MODELS[best.model].title
    vote = next((c for c in candidates if c.model == VOTE), None)
    of = "" if part is votes else f" (choice made on {part.n_items:,} of {votes.n_items:,} items)"
    if best.model == candidates[0].model:
        said = f"{title} predicts held-out labels best of {len(candidates)} candidates{of}"
    else:
        ahead = MODELS[candidates[0].model].title
        said = (
            f"{title} is the simplest model within one standard error of {ahead}, which predicts held-out labels"
            f" best{of}"
        )
        if best.behind > best.se:
            said = (
                f"{title} is kept because {ahead}, which predicts held-out labels best{of}, gives them only"
                f" {math.expm1(best.behind):.1%} more probability"
            )
    if vote is not None and vote.model != best.model:
        gain = math.expm1(best.score - vote.score)
        said += (
            f": it gives a held-out label {abs(gain):.0%} {'more' if gain >= 0 else 'less'} probability than the vote"
            " does, on average"
        )
    said += "."
    if best.power < 1:
        said += (
            f" Each label counts for {best.power:g} of one, because that predicts held-out labels best: raters make the"
            " same errors, or little is known about each rater."
        )
    if hard is not None:
        said += few_labels.sentence(hard) if hard.assumed else f" {of_hard_items(hard)}."
    if against:
        return f"The answer is the majority vote. {said} That model is not used, because {against[0]}."
    return said


def notes(choice: Choice) -> tuple[Note, ...]:
    """Whose labels were not counted, and why the best model is not used."""
    blind = [Note("no_information_not_counted", {"raters": choice.blind})] if choice.blind else []
    model = {"model": MODELS[choice.best].title}
    return (*blind, *(Note(f"rejected_{x.code}", {**model, **x.facts}) for x in choice.against))
