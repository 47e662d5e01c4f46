"""Full Bayes by Hamiltonian Monte Carlo (NumPyro): the extra ``raters[bayes]``.

Each model is one function of the votes. The true labels are summed out item by item, so labels may be missing in any
pattern. Chains start at the best mode of EM; true labels are matched between chains before they are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raters.annotations import Annotations
from raters.errors import UsageError, listed
from raters.models.base.fit import Draws, FittedModel, Start
from raters.models.base.votes import Votes
from raters.models.fitting.fit import fit as fit_mode
from raters.models.uncertainty.sampling import Chain, together

Array = NDArray[Any]


def _extra() -> tuple[Any, Any, Any, Any]:
    try:
        import jax
        import jax.numpy as jnp
        import numpyro
        import numpyro.distributions as dist
    except ImportError:
        raise ImportError("full Bayes needs NumPyro: pip install 'raters[bayes]'") from None
    return jax, jnp, numpyro, dist


def dawid_skene(
    votes: Votes,
    gold: Array | None = None,
    smoothing: float = 0.01,
    prior: Array | None = None,
    prior_items: Array | None = None,
) -> None:
    r"""Dawid-Skene with Dirichlet priors: Figure 1 of Passonneau & Carpenter (2014).

    .. math:: \pi \sim \mathrm{Dirichlet}(\beta), \quad \theta_{jk} \sim \mathrm{Dirichlet}(\alpha_k), \quad
        z_i \sim \pi, \quad y_n \sim \theta_{j[n] z[i[n]]}

    with :math:`\beta = \alpha_k` = 1 + ``smoothing`` for every label, plus counts from earlier projects (``prior``,
    ``prior_items``): the posterior whose mode EM finds and from which Gibbs sampling draws.
    """
    _, jnp, numpyro, dist = _extra()
    k = votes.n_labels
    before = np.full((votes.n_raters, k, k), 1 + smoothing) + (0 if prior is None else prior)
    share = _prevalence(k, smoothing, prior_items)
    theta = numpyro.sample("confusion", dist.Dirichlet(jnp.asarray(before)).to_event(2))
    _sum_out(votes, gold, share, jnp.log(theta)[votes.rater_of, :, votes.label_of])


def hierarchical(votes: Votes, gold: Array | None = None, smoothing: float = 0.01) -> None:
    """Figure 1 of Passonneau & Carpenter (2014) with raters drawn from the crowd, as its section 2.2.3 suggests.

    Logits of a rater's rows are normal around the crowd's, which are higher on the diagonal.

    Carpenter (2008), Multilevel Bayesian models of categorical data annotation; Paun et al. (2018), TACL 6, 571-585.
    """
    jax, jnp, numpyro, _ = _extra()
    share = _prevalence(votes.n_labels, smoothing)
    theta = numpyro.deterministic("confusion", jax.nn.softmax(_logits(votes), -1))
    _sum_out(votes, gold, share, jnp.log(theta)[votes.rater_of, :, votes.label_of])


def item_difficulty(votes: Votes, gold: Array | None = None, smoothing: float = 0.01) -> None:
    """``hierarchical`` with a random effect for each item, which lowers the logit of the true label.

    Figure 1 of Passonneau & Carpenter (2014) with the random effect that its section 2.2.3 calls more realistic; Paun
    et al. (2018), ItemDiff. ``confusion`` is that of an item of difficulty 0, the typical one.
    """
    jax, jnp, numpyro, dist = _extra()
    share = _prevalence(votes.n_labels, smoothing)
    logits = _logits(votes)
    numpyro.deterministic("confusion", jax.nn.softmax(logits, -1))
    spread = numpyro.sample("difficulty_spread", dist.HalfNormal(1.0))
    raw = numpyro.sample("difficulty_raw", dist.Normal(jnp.zeros(votes.n_items), 1.0).to_event(1))
    hard = numpyro.deterministic("difficulty", spread * raw)
    each = logits[votes.rater_of] - hard[votes.item_of][:, None, None] * jnp.eye(votes.n_labels)  # (cell, true, given)
    given = jnp.take_along_axis(jax.nn.log_softmax(each, -1), votes.label_of[:, None, None], -1)[..., 0]
    _sum_out(votes, gold, share, given)


def _prevalence(k: int, smoothing: float, prior_items: Array | None = None) -> Any:
    _, jnp, numpyro, dist = _extra()
    before = np.full(k, 1 + smoothing) + (0 if prior_items is None else prior_items)
    return numpyro.sample("prevalence", dist.Dirichlet(jnp.asarray(before)))


def _logits(votes: Votes) -> Any:
    """(rater, true, given): the crowd's logits, plus each rater's deviation from them."""
    _, jnp, numpyro, dist = _extra()
    k = votes.n_labels
    crowd = numpyro.sample("crowd", dist.Normal(2.0 * jnp.eye(k), 1.0).to_event(2))
    spread = numpyro.sample("spread", dist.HalfNormal(jnp.ones((k, k))).to_event(2))
    raw = numpyro.sample("raw", dist.Normal(jnp.zeros((votes.n_raters, k, k)), 1.0).to_event(3))
    return crowd + spread * raw


def _sum_out(votes: Votes, gold: Array | None, share: Any, cells: Any) -> None:
    """Add the log-likelihood with the true labels summed out, except those of gold items, which are fixed; keep their
    posterior.
    """
    jax, jnp, numpyro, _ = _extra()
    scores = jnp.log(share) + jax.ops.segment_sum(cells * votes.table.data[:, None], votes.item_of, votes.n_items)
    if gold is not None:
        other = (gold >= 0)[:, None] & (gold[:, None] != np.arange(votes.n_labels))
        scores = jnp.where(other, -jnp.inf, scores)
    numpyro.deterministic("posterior", jax.nn.softmax(scores, -1))
    numpyro.factor("labels", jax.scipy.special.logsumexp(scores, -1).sum())


MODELS: Mapping[str, Callable[..., None]] = {
    "dawid_skene": dawid_skene,
    "hierarchical": hierarchical,
    "item_difficulty": item_difficulty,
}
SHAPE = "dawid_skene"
"""The model of a result, whichever model produced it: matrices and a prevalence."""


def takes_priors(model: str) -> bool:
    """Whether a model accepts counts from elsewhere."""
    return "prior" in signature(MODELS[model]).parameters


WATCHED = ("prevalence", "accuracy", "difficulty_spread")
DRAWS = 1000
KEPT = ("prevalence", "confusion", "difficulty", "difficulty_spread")


def bayes(
    ann: Annotations | Votes,
    model: str = "dawid_skene",
    *,
    gold: Mapping[Any, Any] | None = None,
    draws: int | None = None,
    warmup: int = 500,
    chains: int = 2,
    seed: int = 0,
    **fit: Any,
) -> FittedModel:
    """Draw from the posterior; the result is a consensus at the posterior means, with the draws in ``.uncertainty``.

    ``model``: ``dawid_skene``, ``hierarchical`` or ``item_difficulty``. ``draws`` is the total number kept (1,000);
    ``warmup`` is for each chain. ``fit``: what :func:`raters.consensus` takes for the Dawid-Skene fit at which the
    chains start, and its ``smoothing`` and ``priors`` apply to the Bayesian model too (``priors`` only for
    ``dawid_skene``).

    The consensus holds matrices and a prevalence, whichever model produced them: its ``.model`` is ``dawid_skene``, so
    that ``predict``, ``why`` and ``information`` work on it.
    """
    if model not in MODELS:
        raise UsageError(f"model={model!r} is not among the models of full Bayes. Use one of {listed(MODELS)}.")
    if fit.get("prevalence") == "uniform":
        raise UsageError(
            "prevalence='uniform' does not apply to full Bayes, which learns the prevalence. Use"
            " uncertainty='posterior'."
        )
    if fit.get("priors") is not None and not takes_priors(model):
        raise UsageError(f"model={model!r} takes no priors here; {listed(filter(takes_priors, MODELS))} does.")
    _extra()
    mode = fit_mode(ann, gold=gold, seed=seed, **fit)
    if mode.votes.n_labels < 2:
        raise UsageError(
            "there is only one label, so nothing can be sampled. Declare the labels of the scale: read(..., labels=)."
        )
    given: dict[str, Any] = {"gold": mode.gold, "smoothing": mode.settings.smoothing}
    if takes_priors(model):
        given |= {"prior": mode.task.prior, "prior_items": mode.task.prior_items}
    got, diverged = _drawn(model, mode, given, -(-(DRAWS if draws is None else draws) // chains), warmup, chains, seed)
    return _result(mode, model, got, diverged)


def _drawn(
    model: str, mode: FittedModel, given: dict[str, Any], each: int, warmup: int, chains: int, seed: int
) -> tuple[dict[str, Array], int]:
    """Name -> (chain, draw, ...), and the number of divergent draws."""
    jax, jnp, _, _ = _extra()
    from numpyro.infer import MCMC, NUTS, init_to_value

    near = 0.98 * mode.confusion + 0.02 / mode.votes.n_labels  # away from the edge of the simplex
    start = {"prevalence": 0.98 * mode.prevalence + 0.02 / mode.votes.n_labels, "confusion": near}
    logs = np.log(near.mean(0))
    start["crowd"] = logs - logs.mean(1, keepdims=True)
    kernel = NUTS(MODELS[model], init_strategy=init_to_value(values={k: jnp.asarray(x) for k, x in start.items()}))
    sampler = MCMC(
        kernel, num_warmup=warmup, num_samples=each, num_chains=chains, chain_method="sequential", progress_bar=False
    )
    sampler.run(jax.random.PRNGKey(seed), mode.votes, **given)
    got = {k: np.asarray(x, dtype=float) for k, x in sampler.get_samples(group_by_chain=True).items()}
    return got, int(np.asarray(sampler.get_extra_fields()["diverging"]).sum())


def _result(mode: FittedModel, model: str, got: dict[str, Array], diverged: int) -> FittedModel:
    kept = [name for name in KEPT if name in got]
    runs = [Chain({n: got[n][c] for n in kept}, got["posterior"][c].mean(0)) for c in range(len(got["posterior"]))]
    also = f"{diverged} draws diverged: intervals may be too narrow; increase warmup=" if diverged else ""
    found: Draws = together("bayes", runs, mode.posterior, WATCHED, also)
    posterior = np.asarray(found.posterior)
    params = {name: found.values[name].mean(0) for name in ("prevalence", "confusion")}
    reason = f"{model} by NUTS: {len(runs)} chains of {got['posterior'].shape[1]} draws"
    differ = int((posterior.argmax(1) != mode.posterior.argmax(1)).sum())
    only = Start(model, float("nan"), float("nan"), len(found.values["prevalence"]), True, reason, differ)
    return FittedModel(
        SHAPE,
        mode.votes,
        posterior,
        params,
        start=model,
        starts=(only,),
        reason=reason,
        gold=mode.gold,
        settings=mode.settings,
        uncertainty=found,
        notes=(*mode.notes, *found.notes),
    )
