"""Full Bayes by Hamiltonian Monte Carlo (NumPyro): the extra ``raters[bayes]``.

Each model is one function of the votes. The true labels are summed out item by item, so labels may be missing in any
pattern. Chains start at the best mode of EM; true labels are matched between chains before they are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from raters.annotations import Annotations
from raters.errors import UsageError, listed
from raters.models.draws import Draws
from raters.models.fit import consensus
from raters.models.gibbs import Chain, aligned, effective, split_rhat
from raters.models.result import Consensus, Settings, Start
from raters.models.votes import Votes


def _extra() -> tuple[Any, Any, Any, Any]:
    try:
        import jax
        import jax.numpy as jnp
        import numpyro
        import numpyro.distributions as dist
    except ImportError:
        raise ImportError("full Bayes needs NumPyro: pip install 'raters[bayes]'") from None
    return jax, jnp, numpyro, dist


def dawid_skene(votes: Votes) -> None:
    """Dawid-Skene with Dirichlet priors: Figure 1 of Passonneau & Carpenter (2014).

    Rows of a matrix are Dirichlet with 1 for each label and 1 more for the true one, which keeps labels from switching.
    """
    _, jnp, numpyro, dist = _extra()
    k = votes.n_labels
    share = numpyro.sample("prevalence", dist.Dirichlet(jnp.ones(k)))
    prior = jnp.broadcast_to(jnp.ones((k, k)) + jnp.eye(k), (votes.n_raters, k, k))
    theta = numpyro.sample("confusion", dist.Dirichlet(prior).to_event(2))
    _sum_out(votes, jnp.log(share), jnp.log(theta)[votes.rater_of, :, votes.label_of])


def hierarchical(votes: Votes) -> None:
    """Raters drawn from the crowd: logits of a rater's rows are normal around the crowd's (Paun et al. 2018, HierD&S)."""
    jax, jnp, numpyro, dist = _extra()
    k = votes.n_labels
    share = numpyro.sample("prevalence", dist.Dirichlet(jnp.ones(k)))
    logits = _logits(votes)
    theta = numpyro.deterministic("confusion", jax.nn.softmax(logits, -1))
    _sum_out(votes, jnp.log(share), jnp.log(theta)[votes.rater_of, :, votes.label_of])


def item_difficulty(votes: Votes) -> None:
    """The same with a random effect for each item, which lowers the logit of the true label (Paun et al. 2018, ItemDiff).

    Section 2.2.3 of Passonneau & Carpenter (2014) names it as the more realistic model. ``confusion`` is that of
    a typical item.
    """
    jax, jnp, numpyro, dist = _extra()
    k = votes.n_labels
    share = numpyro.sample("prevalence", dist.Dirichlet(jnp.ones(k)))
    logits = _logits(votes)
    numpyro.deterministic("confusion", jax.nn.softmax(logits, -1))
    spread = numpyro.sample("difficulty_spread", dist.HalfNormal(1.0))
    raw = numpyro.sample("difficulty_raw", dist.Normal(jnp.zeros(votes.n_items), 1.0).to_event(1))
    hard = numpyro.deterministic("difficulty", spread * raw)
    each = logits[votes.rater_of] - hard[votes.item_of][:, None, None] * jnp.eye(k)  # (cell, true, given)
    given = jnp.take_along_axis(jax.nn.log_softmax(each, -1), votes.label_of[:, None, None], -1)[..., 0]
    _sum_out(votes, jnp.log(share), given)


def _logits(votes: Votes) -> Any:
    """(rater, true, given): the crowd's logits, higher on the diagonal, and each rater's own departure from them."""
    _, jnp, numpyro, dist = _extra()
    k = votes.n_labels
    crowd = numpyro.sample("crowd", dist.Normal(2.0 * jnp.eye(k), 1.0).to_event(2))
    spread = numpyro.sample("spread", dist.HalfNormal(jnp.ones((k, k))).to_event(2))
    raw = numpyro.sample("raw", dist.Normal(jnp.zeros((votes.n_raters, k, k)), 1.0).to_event(3))
    return crowd + spread * raw


def _sum_out(votes: Votes, share: Any, cells: Any) -> None:
    """Add the log-likelihood with the true labels summed out; keep their posterior."""
    jax, _, numpyro, _ = _extra()
    scores = share + jax.ops.segment_sum(cells * votes.table.data[:, None], votes.item_of, votes.n_items)
    total = jax.scipy.special.logsumexp(scores, -1)
    numpyro.deterministic("posterior", jax.nn.softmax(scores, -1))
    numpyro.factor("labels", total.sum())


MODELS: Mapping[str, Callable[[Votes], None]] = {
    "dawid_skene": dawid_skene,
    "hierarchical": hierarchical,
    "item_difficulty": item_difficulty,
}


def bayes(
    ann: Annotations | Votes,
    model: str = "dawid_skene",
    *,
    draws: int = 500,
    warmup: int = 500,
    chains: int = 2,
    seed: int = 0,
) -> Consensus:
    """Draw from the posterior; the result is a consensus at the posterior means, with the draws in ``.uncertainty``.

    ``model``: ``dawid_skene``, ``hierarchical`` or ``item_difficulty``. ``draws`` and ``warmup`` are for each chain.
    """
    if model not in MODELS:
        raise UsageError(f"model={model!r} is not known. Use one of {listed(MODELS)}.")
    jax, jnp, _, _ = _extra()
    from numpyro.infer import MCMC, NUTS, init_to_value

    votes = ann if isinstance(ann, Votes) else Votes.of(ann)
    mode = consensus(votes)
    near = 0.98 * mode.confusion + 0.02 / votes.n_labels  # away from the edge of the simplex
    start = {"prevalence": 0.98 * mode.prevalence + 0.02 / votes.n_labels, "confusion": near}
    start |= {"crowd": np.log(near.mean(0)) - np.log(near.mean(0)).mean(1, keepdims=True)}
    kernel = NUTS(MODELS[model], init_strategy=init_to_value(values={k: jnp.asarray(x) for k, x in start.items()}))
    sampler = MCMC(
        kernel, num_warmup=warmup, num_samples=draws, num_chains=chains, chain_method="sequential", progress_bar=False
    )
    sampler.run(jax.random.PRNGKey(seed), votes)
    return _result(votes, mode, model, {k: np.asarray(x) for k, x in sampler.get_samples(group_by_chain=True).items()})


def _result(votes: Votes, mode: Consensus, model: str, got: dict[str, Any]) -> Consensus:
    runs = [Chain(*parts) for parts in zip(got["prevalence"], got["confusion"], got["posterior"].mean(1), strict=True)]
    pairs = [aligned(run, mode.posterior) for run in runs]
    share, theta = (np.stack([getattr(run, name) for run, _ in pairs]) for name in ("prevalence", "confusion"))
    watched = {"prevalence": share, "accuracy": np.einsum("cdk,cdrkk->cdr", share, theta)}
    posterior = np.mean([run.posterior for run, _ in pairs], 0)
    values = {"prevalence": share, "confusion": theta}
    values |= {name: got[name] for name in ("difficulty", "difficulty_spread") if name in got}
    kept = Draws(
        "posterior", {name: x.reshape(-1, *x.shape[2:]) for name, x in values.items()}, posterior,
        {name: split_rhat(x) for name, x in watched.items()}, {name: effective(x) for name, x in watched.items()},
        sum(moved for _, moved in pairs),
    )  # fmt: skip
    params = {"prevalence": share.mean((0, 1)), "confusion": theta.mean((0, 1))}
    reason = f"NUTS, {share.shape[0]} chains of {share.shape[1]} draws"
    only = Start(
        model, float("nan"), float("nan"), share.shape[1], True, reason, int((posterior.argmax(1) != mode.codes).sum())
    )
    return Consensus(
        "dawid_skene", votes, posterior, params, start=model, starts=(only,), reason=reason,
        settings=Settings(), uncertainty=kept,
    )  # fmt: skip
