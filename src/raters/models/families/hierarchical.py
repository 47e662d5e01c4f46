r"""Hierarchical Dawid-Skene: the raters' confusion matrices are drawn from the crowd's.

.. math:: \theta_{jk\cdot} \sim \mathrm{Dirichlet}(\alpha_k), \qquad \alpha_{kl} \sim \mathrm{Gamma}(2, 1)

The model shrinks raters with few labels towards the average, and learns how much raters differ. The matrices are
integrated out by variational EM: :math:`q(\theta_{jk}) = \mathrm{Dirichlet}(\alpha_k + n_{jk})`, and the objective is a
lower bound of the evidence, which never falls. The "log-likelihood" reported with it is that of the E step, at
:math:`E \log \theta`. Parameters: ``prevalence``, ``crowd`` (true, given): alpha, and ``counts`` (rater, true, given):
alpha + n.

Carpenter (2008), Multilevel Bayesian models of categorical data annotation; Paun et al. (2018), TACL 6, 571-585.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from raters.models.base.probabilities import Params, expected_counts, rows_to_one
from raters.models.base.votes import Votes
from raters.models.families import dawid_skene
from raters.models.families.spec import EM, Model, Rng, Sampler, Steps, Task, counts, walk

Array = NDArray[Any]


ROUNDING = 1e-13
"""Relative loss of evidence that is rounding: rows of alpha that are where they should be need no other step."""


class Crowd(dict[str, Array]):
    """Parameters that keep what both steps need of them: E log θ, and the evidence of each row of alpha where the M
    step has computed it.
    """

    known: Array | None = None

    @cached_property
    def logs(self) -> Array:
        return mean_log(self["counts"])


def logs_of(params: Params) -> Array:
    return params.logs if isinstance(params, Crowd) else mean_log(params["counts"])


def expect(task: Task, params: Params) -> tuple[Array, float]:
    return dawid_skene.by_matrices(task, params, logs_of(params))


def maximise(task: Task, expected: Array, params: Params | None) -> Params:
    n = expected_counts(task.votes, expected)
    if task.prior is not None:
        n = n + task.prior
    k = task.votes.n_labels
    crowd = k * rows_to_one(n.sum(0) + 1) if params is None else params["crowd"]
    crowd, known = raised(crowd, n)
    made = Crowd(prevalence=task.prevalence(expected), crowd=crowd, counts=crowd + n)
    made.known = known
    return made


def penalty(task: Task, params: Params) -> Any:
    a, g = params["crowd"], params["counts"]
    n, logs = g - a, logs_of(params)
    known = params.known if isinstance(params, Crowd) and params.known is not None else evidence(a, n)
    # minus the divergence of Dirichlet(g) from Dirichlet(a), summed over raters and truths, and the prior of a
    total = float(known.sum() - np.vdot(n, logs))
    if task.prior is not None:  # earlier counts are data: their likelihood belongs to the bound
        total += float((task.prior * logs).sum())
    return total + task.prevalence_penalty(params)


def cells(params: Params, votes: Votes) -> Array:
    counts, rater = params["counts"], votes.rater_of
    if len(rater) < len(counts):  # a few items of very many raters
        counts, rater = counts[rater], np.arange(len(rater))
    return np.asarray(mean_log(counts)[rater, :, votes.label_of])


def confusion(task: Task, params: Params) -> Array:
    return rows_to_one(params["counts"])


def mean_log(shape: Array) -> Array:
    """E log θ under Dirichlet(shape), over the last axis."""
    return np.asarray(digamma(shape) - digamma(shape.sum(-1, keepdims=True)))


def raised(alpha: Array, n: Array) -> tuple[Array, Array | None]:
    """One Newton step of each row of alpha in log alpha, and its evidence; Minka's fixed point where that would not
    raise the evidence.

    ``n``: (rater, true, given). With the rater's matrix integrated out, the counts of a row are Dirichlet-multinomial.
    The Hessian is a diagonal and one outer product, so a step costs no more than its gradient.
    """
    total, sums = alpha.sum(-1), n.sum(-1)  # (true,), (rater, true)
    # one array of all arguments: most of them are few, and a call takes longer than their values
    x = np.concatenate([(alpha + n).reshape(len(n), -1), total + sums], 1)
    ends = np.concatenate([x, np.append(alpha, total)[None]])
    slopes, bends = ((f[:-1] - f[-1]).sum(0) for f in (digamma(ends), trigamma(ends)))
    k = len(alpha)
    slope = slopes[: k * k].reshape(k, k) + 1 / alpha - 1 - slopes[k * k :][:, None]
    bend = bends[: k * k].reshape(k, k) - 1 / alpha**2
    shared = -bends[k * k :]
    curve = alpha**2 * bend + alpha * slope  # (true, given): the diagonal, in log alpha
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        plain, outer = alpha * slope / curve, alpha / curve
        along = shared / (1 + shared * (alpha * outer).sum(-1))
        move = outer * (along * (alpha * plain).sum(-1))[:, None] - plain
        better = alpha * np.exp(np.clip(move, -2, 2))
        new = evidence(better, n, sums)
        before = evidence(alpha, n, sums)
        gains = new >= before - ROUNDING * np.abs(before)
    ok = (curve < 0).all(-1) & (along >= 0) & gains
    if ok.all():
        return np.asarray(better), new
    return np.where(ok[:, None], better, pooled(alpha, mean_log(alpha + n).sum(0), len(n))), None


def evidence(alpha: Array, n: Array, sums: Array | None = None) -> Array:
    """(true,): the log probability of the counts and of alpha, up to a constant; ``sums``: (rater, true), those of the
    counts.
    """
    total, sums = alpha.sum(-1), n.sum(-1) if sums is None else sums
    each = gammaln(alpha + n).sum((0, 2)) - gammaln(total + sums).sum(0)
    return np.asarray(each + len(n) * (gammaln(total) - gammaln(alpha).sum(-1)) + (np.log(alpha) - alpha).sum(-1))


def pooled(alpha: Array, logs: Array, n: int) -> Array:
    """One step of Minka's fixed point for alpha, under Gamma(2, 1): slow, but it always raises the objective.

    ``logs``: (true, given), the sum over n raters of E log θ. Solves digamma(a) - 1/(n a) = c by Newton in log a.
    """
    target = digamma(alpha.sum(-1, keepdims=True)) + (logs - 1) / n
    x = np.log(alpha)
    for _ in range(8):
        a = np.exp(x)
        off = digamma(a) - 1 / (n * a) - target
        move = np.clip(off / (a * (trigamma(a) + 1 / (n * a**2))), -2, 2)
        x = x - move
        if np.abs(move).max() < 1e-12:
            break
    return np.asarray(np.exp(np.clip(x, -30, 30)))


def trigamma(x: Array) -> Array:
    """The second derivative of log gamma for x > 0, to 1e-13: eight steps up, then the asymptotic series.

    Half the time of a fit is spent here, and scipy's polygamma, written for any order, takes several times as long.

    >>> float(trigamma(np.array(1.0)).round(12)) == round(np.pi**2 / 6, 12)
    True
    """
    both = x * (x + 7)
    part = 1 / both
    once, twice = part.copy(), part * part
    # of (x + i) (x + 7 - i): 1/(x + i)² + 1/(x + 7 - i)² = p ((2x + 7)² p - 2), from one division p
    for more in (6, 10, 12):
        part = 1 / (both + more)
        once += part
        twice += part * part
    below = (4 * both + 49) * twice - 2 * once
    x = x + 8
    y = 1 / x**2
    return np.asarray(below + 1 / x + y / 2 + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * 5 / 66)))))


def log_gamma(x: Array) -> Array:
    """The logarithm of gamma for x > 0, to 1e-13 of it: eight steps up, then Stirling's series; a quarter of the time
    that scipy's takes.

    >>> bool(abs(log_gamma(np.array(6.0)) - np.log(120)) < 1e-12)
    True
    """
    both = x * (x + 7)
    product = both * (both + 6) * (both + 10) * (both + 12)
    y = x + 8
    w = 1 / y**2
    series = 1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - w * 691 / 360360))))
    return np.asarray((y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * np.pi) + series / y - np.log(product))


def redraw(task: Task, truth: Array, params: Params, rng: Rng, steps: Steps) -> dict[str, Array]:
    """The crowd with the raters' matrices integrated out, by column and by row; then the matrices, which are
    Dirichlet.
    """
    n = counts(task, truth)
    size, k, total = len(n), task.votes.n_labels, n.sum(-1)  # (rater, true)
    logs = np.log(params["crowd"])  # (true, given)
    for at in range(k):
        rest = np.exp(logs).sum(1) - np.exp(logs[:, at])

        def column(x: Array, at: int = at, rest: Array = rest) -> Array:
            a = np.exp(x)
            whole = rest + a
            fit = size * (gammaln(whole) - gammaln(a)) - gammaln(whole + total).sum(0) + gammaln(a + n[..., at]).sum(0)
            return np.asarray(2 * x - a + fit)  # Gamma(2, 1), on the log scale

        logs[:, at] = walk(f"crowd {at}", logs[:, at], column, rng, steps)

    def row(shift: Array) -> Array:
        a = np.exp(logs + shift[:, None])
        whole = a.sum(1)
        fit = size * (gammaln(whole) - gammaln(a).sum(1)) - gammaln(whole + total).sum(0) + gammaln(a + n).sum((0, 2))
        return np.asarray((2 * (logs + shift[:, None]) - a).sum(1) + fit)

    crowd = np.exp(logs + walk("crowd", np.zeros(k), row, rng, steps)[:, None])
    return {"crowd": crowd, "confusion": rows_to_one(rng.standard_gamma(n + crowd))}


def drawn_params(task: Task, params: Params) -> Params:
    """Matrices in place of counts: given the truth they are drawn, not integrated out."""
    return {name: x for name, x in params.items() if name != "counts"} | {"confusion": confusion(task, params)}


MODEL = Model(
    name="hierarchical",
    rank=6.0,
    title="Hierarchical Dawid-Skene",
    rater="a matrix drawn from the crowd's",
    reference=(
        "Carpenter (2008), Multilevel Bayesian models of categorical data annotation; Paun et al. (2018), TACL 6,"
        " 571-585"
    ),
    method=EM(maximise, penalty),
    expect=expect,
    cells=cells,
    confusion=confusion,
    sampler=Sampler(redraw, sweeps=2, exchanges=lambda n_labels: True, expect=dawid_skene.expect, begin=drawn_params),
    dense=True,
    takes_priors=True,
    by_rater=("counts",),
    stand_ins={"counts": "crowd"},
    bootstrap_holds=86,
)
