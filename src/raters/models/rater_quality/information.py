r"""How many bits a rater's label carries about the truth, and who carries none.

.. math:: I_j = \sum_{kl} \pi_k \theta_{jkl} \log_2 \frac{\theta_{jkl}}{p_{jl}}, \qquad p_{jl} = \sum_k \pi_k \theta_{jkl}

The bits count, not the accuracy: someone who always reverses labels in the same way carries as much as an expert.
"No information found" is reported only on evidence against a rater: their labels carry no more information than those
of a blind rater with as many labels
(false discovery rate over raters; :mod:`raters.models.rater_quality.skill`), *and* few honest raters of this crowd
would score as low on the same items (:mod:`raters.models.rater_quality.evidence`). "Carries information" is reported if
one of two tests excludes a blind rater; others have too few labels to tell. For all tests a rater's labels are compared
with the posterior from the others' labels alone.

Passonneau & Carpenter (2014), section 2.2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from raters.charts.of_results import estimate_chart
from raters.errors import UsageError
from raters.estimate import Estimate, EstimateTable
from raters.models.base.fit import FittedModel
from raters.models.base.probabilities import bits, mutual, rows_to_one, tails
from raters.models.checking.diagnostics import Pair, residual_pairs
from raters.models.fitting.gold import compared, covered
from raters.models.rater_quality.evidence import MOST_LABELS, RISING, Evidence, evidence
from raters.models.rater_quality.skill import CELLS, GRID, Skills, beside_blind, discoveries
from raters.notes.note import Note
from raters.options import asks
from raters.options.declared import Seed

Array = NDArray[Any]
METHOD = "skill"
NONE = "no information found"
PRINTED = 5e-5
"""A limit below this is printed as 0.0000."""


def skill_bits(known: Skills, prevalence: Array, level: float) -> tuple[Array, Array]:
    """(rater,): the bits to be expected, over what is known of the skill, and those at its upper limit.

    >>> import raters
    >>> from raters.models.rater_quality.skill import skills
    >>> c = raters.consensus(raters.examples.demo(), "dawid_skene")
    >>> value, high = skill_bits(skills(c), c.prevalence, 0.95)
    >>> bool((value <= high).all())
    True
    """
    each = np.stack([_bits(np.full(len(known.habit), x), known.habit, prevalence) for x in GRID], -1)  # (rater, skill)
    value = (known.posterior * each).sum(1)
    return value, np.maximum(_bits(_upper(known, level), known.habit, prevalence), value)


def _bits(skill: Array, habit: Array, prevalence: Array) -> Array:
    theta = skill[:, None, None] * np.eye(len(prevalence)) + (1 - skill)[:, None, None] * habit[:, None, :]
    return np.asarray(np.maximum(mutual(theta, prevalence), 0))


def _upper(known: Skills, level: float) -> Array:
    """(rater,): the upper limit of the skill, with two equal tails; between two skills of the grid, drops are straight
    lines.
    """
    drop = 2 * (known.log_likelihood.max(1, keepdims=True) - known.log_likelihood)  # (rater, skill)
    most = float(chdtri(1, 1 - level))
    last = np.where(drop <= most, np.arange(len(GRID)), 0).max(1)
    each, after = np.arange(len(drop)), np.minimum(last + 1, len(GRID) - 1)
    steep = np.maximum(drop[each, after] - drop[each, last], 1e-12)
    return np.asarray(GRID[last] + (GRID[after] - GRID[last]) * np.clip((most - drop[each, last]) / steep, 0, 1))


def still_counted(c: FittedModel, raters: tuple[Any, ...]) -> tuple[Note, ...]:
    """Why the labels of these raters count although no information was found in them."""
    code = "named_model_counts_all" if c.mixture is None else "some_by_chance"
    return (Note(code, {"raters": raters}),) if raters else ()


MORE = 1.5
"""A rater who cannot be judged is asked for at least this many times the labels given so far."""


@dataclass(frozen=True)
class Findings:
    """One entry for each rater."""

    known: Evidence
    given: Array
    """(rater, label): their labels."""
    seen: Array
    """Bits by the others' labels; ``null``: the 95 % quantile of a blind rater's; ``p``: how often a blind rater would
    have as many.
    """
    null: Array
    p: Array
    chance: Array
    """How often the rater would be right by chance."""
    tried: Array
    """Whether anything can be said."""
    blind: Array
    """No information found."""
    unclear: Array
    contrary: Array
    """Not found to carry information; the labels may be reversed."""
    hostile: Array
    """Found to carry information; the labels may be reversed."""
    constant: Array
    needed: Array


def findings(c: FittedModel, rate: float, rng: np.random.Generator) -> Findings:
    """What is found about every rater."""
    seen, null, p = beside_blind(c, rng)
    tried = compared(c.votes) & (c.votes.n_labels > 1)  # nothing can be said about the others
    if c.gold is not None:
        tried |= covered(c.votes, c.gold)
    given, known = c.votes.per_rater, evidence(c)
    constant = ((given > 0).sum(1) == 1) & (given.sum(1) >= 2)
    # Who labels only items of one kind, and always in the same way, may seem to know what others know.
    informed, agrees, contradicts, rises = (
        _found(x, tried, rate) & ~constant for x in (p, known.above_chance, known.below_chance, known.rising)
    )
    contradicts &= known.rising > RISING
    blind = tried & ~informed & ~agrees & ~contradicts & known.named
    unclear = tried & ~(informed | agrees | rises | contradicts | blind)
    chance = np.einsum("k,rkl->rl", c.prevalence, c.confusion) @ c.prevalence
    wrong = (c.accuracy < chance) & (mutual(c.confusion, c.prevalence) > 0) & (known.rising > RISING)
    needed = np.maximum(np.minimum(known.needed, MOST_LABELS), np.where(unclear, MORE * given.sum(1), 0))
    return Findings(
        known,
        given,
        seen,
        null,
        p,
        chance,
        tried,
        blind,
        unclear,
        (blind | unclear) & known.contrary & ~constant,
        ~blind & (contradicts | (informed & wrong)),
        constant,
        needed,
    )


def _found(p: Array, tried: Array, rate: float) -> Array:
    """(rater,): discoveries among the raters who can be tested."""
    found = np.zeros(len(p), bool)
    found[tried] = discoveries(p[tried], rate)
    return found


DRAWS = 400
JEFFREYS = 0.5
"""Added to every count for intervals: without it, a rater who has made no error yet has an interval of zero width."""
COPY = 0.5
"""A pair is a near-copy if it closes this share of the gap from expected to full agreement."""


@dataclass(frozen=True, repr=False)
class Information(EstimateTable):
    """One estimate for each rater, in bits per label, best first; and which raters stand out."""

    entropy: float = 0.0
    """Bits in the truth before any label: no rater can carry more."""
    doubt: float = 0.0
    """Mean entropy of the items' posteriors, in bits."""
    spammers: tuple[Any, ...] = ()
    """Raters whose labels carry no information: there is evidence against them, not just a lack of evidence for
    them.
    """
    too_few: tuple[Any, ...] = ()
    """Raters with too few labels to decide; ``details["needed"]`` says how many labels are needed."""
    adversaries: tuple[Any, ...] = ()
    """Raters whose labels carry information, but agree with the answer less often than by chance: the labels may be
    reversed.
    """
    constant: tuple[Any, ...] = ()
    """Raters who always gave the same label."""
    copies: tuple[Pair, ...] = ()
    """Pairs that agree more than their confusion matrices allow."""
    by_pool: EstimateTable = field(default_factory=lambda: EstimateTable(()))
    """Bits per label by pool, if pools were given."""
    notes: tuple[Note, ...] = ()
    """Warnings."""

    def plot(self, *, axis: str | None = None) -> Any:
        """Bits per label of every rater with their intervals, as an Altair chart."""
        rows = [replace(e, title="") for e in self]
        return estimate_chart(rows, "rater", axis or "bits per label").altair()


def _check(c: Any, interval: str | None, resamples: int) -> None:
    """Refuse models without information about labels, and unknown options."""
    if not isinstance(c, FittedModel):
        raise UsageError(
            f"information takes a fitted model, and this is {type(c).__name__}: information(raters.consensus(ann))."
        )
    if c.numeric:
        raise UsageError(
            "information applies to labels; a model of numbers has its parameters for each rater in .params."
        )
    if interval not in ("auto", None):
        raise UsageError(
            f"interval={interval!r} is not 'auto' or None; other intervals come with consensus(uncertainty=)."
        )
    if resamples < 2:
        raise UsageError(f"resamples={resamples} are too few; {DRAWS} is usual.")


@asks()
def information(
    c: FittedModel,
    *,
    pools: Mapping[Any, Any] | None = None,
    cost: Mapping[Any, float] | float | None = None,
    interval: str | None = "auto",
    level: float = 0.95,
    resamples: int = DRAWS,
    rate: float = 0.05,
    seed: Seed = 0,
) -> Information:
    """Rank raters by the information in their labels (in bits), with their accuracy.

    ``pools``: rater -> pool, for bits by pool. ``cost``: the price of a label, one for all or by pool, for bits per
    unit of cost. ``rate``: the false discovery rate for declaring that a rater's labels carry information.
    ``interval``: ``"auto"`` (from the draws of
    the fit if it has any, otherwise from ``resamples`` Dirichlet draws), or None.

    >>> import raters
    >>> found = information(raters.consensus(raters.examples.demo()))
    >>> found[-1].name, len(found)
    ('dev', 5)
    """
    _check(c, interval, resamples)
    rng = np.random.default_rng(seed)
    value = mutual(c.confusion, c.prevalence)
    low, high, spec = limits(c, value, level, rng, resamples)
    if interval is None:
        low, high, spec = np.full(len(value), np.nan), np.full(len(value), np.nan), None
    found = findings(c, rate, rng)
    known, given, blind, unclear, constant = found.known, found.given, found.blind, found.unclear, found.constant
    contrary, hostile = found.contrary, found.hostile
    skill, skill_high = known.skills.value, known.skills.high
    labelled = np.bincount(c.votes.rater_of, minlength=c.votes.n_raters)
    flags = [_flags(*map(bool, row)) for row in zip(blind, contrary | hostile, constant, strict=True)]
    model_bits, low = value, np.where(blind | unclear, np.minimum(low, 0), low)
    alone = (blind | unclear) & ~contrary  # the bits of reversed labels are no matter of skill
    by_skill, most = skill_bits(known.skills, c.prevalence, level)
    value, high = np.where(alone, by_skill, value), np.where(alone & ~np.isnan(high), most, high)
    flat = high - low < 1e-12  # one label: nothing could differ
    low, high = np.where(flat, np.nan, low), np.where(flat, np.nan, high)
    order = np.argsort(-value, kind="stable")
    rows = [
        Estimate(
            str(c.raters[j]),
            float(value[j]),
            float(low[j]),
            float(high[j]),
            level=level,
            interval=METHOD if spec and alone[j] else spec,
            n_items=int(labelled[j]),
            n_raters=1,
            n_annotations=int(given[j].sum()),
            title=f"bits per label of {c.raters[j]}",
            notes=(Note("no_variation"),) if flat[j] else (),
            coefficient="information",
            details={
                "accuracy": float(c.accuracy[j]),
                "bits_by_model": float(model_bits[j]),
                "chance_accuracy": float(found.chance[j]),
                "bits_by_others": float(found.seen[j]),
                "null_95": float(found.null[j]),
                "p": float(found.p[j]),
                "skill": float(skill[j]),
                "skill_high": float(skill_high[j]),
                "honest_as_low": float(known.tail[j]),
                "blind": float(known.blind[j]),
                "needed": _rounded(found.needed[j]),
                "flags": flags[j],
                "verdict": _verdict(
                    bool(found.tried[j]),
                    not unclear[j],
                    bool(blind[j]),
                    bool(contrary[j] | hostile[j]),
                    bool(low[j] < PRINTED),
                    found.needed[j],
                ),
            },
        )
        for j in order
    ]
    spammers = tuple(c.raters[j] for j in order[::-1] if blind[j])
    return Information(
        tuple(rows),
        float(bits(c.prevalence)),
        float(np.mean(c.entropy[c.votes.per_item > 0])),
        spammers,
        tuple(c.raters[j] for j in order if unclear[j]),
        tuple(c.raters[j] for j in order if hostile[j]),
        tuple(c.raters[j] for j in order if constant[j]),
        tuple(pair for pair in residual_pairs(c, rate=0.01) if pair.excess >= COPY),
        _by_pool(c, value, pools, cost),
        (
            *_sides(int(hostile.sum()), len(order), c.gold is not None),
            *still_counted(c, spammers),
        ),
        of="rater",
    )


def _sides(hostile: int, n: int, gold: bool) -> tuple[Note, ...]:
    """Two camps that contradict each other fit equally well with their roles switched."""
    if gold or hostile * 4 < n:
        return ()
    return (Note("two_sides", {"n": hostile, "n_raters": n}),)


def _verdict(tried: bool, informed: bool, blind: bool, contrary: bool, from_zero: bool, needed: float) -> str:
    """The finding about a rater, in words."""
    if not (tried or blind):
        return "shares no item with another rater"
    if blind:
        said = [NONE]
    elif informed:
        said = ["carries information", *(["how much is open, so the interval begins at 0"] if from_zero else [])]
    else:
        about = "over" if needed >= MOST_LABELS else "about"
        said = [f"too few labels to decide (needs {about} {_rounded(needed):,})"]
    return "; ".join(
        [*said, *(["agrees with the others less than chance would, so the labels may be reversed"] if contrary else [])]
    )


def _rounded(n: float) -> int:
    """Rounded to two digits, since it is a rough figure."""
    n = max(float(n), 1.0)
    unit = 10 ** max(int(np.log10(n)) - 1, 0)
    return int(np.ceil(n / unit) * unit)


def _flags(spammer: bool, contrary: bool, constant: bool) -> str:
    names = (
        (NONE, spammer),
        ("labels may be reversed", contrary),
        ("constant", constant),
    )
    return ", ".join(name for name, held in names if held)


def limits(
    c: FittedModel, value: Array, level: float, rng: np.random.Generator, draws: int = DRAWS
) -> tuple[Array, Array, str | None]:
    """Limits from the draws of the fit if there are any; else from Dirichlet draws around the expected counts.

    The latter are centred on the estimate, so that the bias of the draws does not add to that of the estimate.
    """
    tail = tails(level)
    if c.uncertainty is not None and "confusion" in c.uncertainty.values:
        d = c.uncertainty.values
        found = mutual_draws(d["confusion"], d["prevalence"])
        low, high = np.quantile(found, tail, axis=0)
        return low, high, c.uncertainty.method
    k = c.votes.n_labels
    low, high = np.empty(len(value)), np.empty(len(value))
    step = max(1, CELLS // (draws * k * k))
    for j in range(0, len(value), step):
        shape = np.maximum(c.expected_counts[j : j + step], 0) + JEFFREYS
        drawn = mutual(rows_to_one(rng.standard_gamma(shape, (draws, *shape.shape))), c.prevalence)
        drawn += value[j : j + step] - drawn.mean(0)
        low[j : j + step], high[j : j + step] = np.quantile(drawn, tail, axis=0)
    top = max(float(bits(c.prevalence)), 0.0)
    return np.clip(np.minimum(low, value), 0, top), np.clip(np.maximum(high, value), 0, top), "dirichlet"


def mutual_draws(confusion: Array, prevalence: Array) -> Array:
    """(draw, rater)"""
    return np.stack([mutual(theta, share) for theta, share in zip(confusion, prevalence, strict=True)])


def _by_pool(
    c: FittedModel, value: Array, pools: Mapping[Any, Any] | None, cost: Mapping[Any, float] | float | None
) -> EstimateTable:
    """Bits per label by pool, all labels weighted equally; with a price, bits per unit of money."""
    if pools is None and cost is None:
        return EstimateTable(())
    pool_of = pools or {}
    names = [pool_of.get(r, "all" if pools is None else None) for r in c.raters]
    code = {name: at for at, name in enumerate(dict.fromkeys(names))}
    where = np.array([code[name] for name in names])
    weight = c.votes.per_rater.sum(1)
    labels, told, raters = (np.bincount(where, w, len(code)).tolist() for w in (weight, weight * value, None))
    rows = []
    for pool, n, total, many in zip(code, labels, told, raters, strict=True):
        each = total / n if n else np.nan
        price = cost.get(pool) if isinstance(cost, Mapping) else cost
        more = {} if price is None else {"cost_per_label": price, "cost_per_bit": price / each if each else np.nan}
        rows.append(
            Estimate(
                str(pool),
                each,
                n_raters=many,
                n_annotations=int(n),
                coefficient="information",
                title=f"bits per label of {pool}",
                details=more,
            )
        )
    return EstimateTable(tuple(rows), of="pool")
