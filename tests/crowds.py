"""Labels drawn from each annotation model, with the parameters they were drawn from."""

from typing import Any

import numpy as np

from raters.models.base.votes import Votes

MODELS = ("dawid_skene", "hierarchical", "one_coin", "mace", "glad", "gaussian")
Truth = dict[str, np.ndarray]


def crowd(
    model: str, rng: np.random.Generator, n_items: int = 300, n_raters: int = 15, k: int = 3, share: float = 0.6
) -> tuple[Votes, Truth]:
    """Votes of a crowd as the model says, and the true parameters by name; ``share`` of the annotations are there.

    Beside the parameters: ``truth`` (item,), the true labels, or numbers.
    """
    item, rater = np.nonzero(rng.random((n_items, n_raters)) < share)
    label, true = DRAW[model](rng, item, rater, n_items, n_raters, k)
    names: Any = range(k)
    if model == "gaussian":
        names, label = np.unique(label.round(2), return_inverse=True)
        names = names.tolist()
    return Votes.of_codes(item, rater, label, labels=names, items=range(n_items), raters=range(n_raters)), true


def categorical(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (np.cumsum(p, 1) < rng.random((len(p), 1))).sum(1)


def matrices(rng: np.random.Generator, item: Any, rater: Any, n_items: int, n_raters: int, k: int) -> tuple[Any, Truth]:
    prevalence = rng.dirichlet(np.full(k, 5.0))
    rows = [rng.dirichlet(1 + 7 * np.eye(k)[z], n_raters) for z in range(k)]
    theta, truth = np.stack(rows, 1), rng.choice(k, n_items, p=prevalence)
    label = categorical(theta[rater, truth[item]], rng)
    return label, {"confusion": theta, "prevalence": prevalence, "truth": truth}


def coins(rng: np.random.Generator, item: Any, rater: Any, n_items: int, n_raters: int, k: int) -> tuple[Any, Truth]:
    accuracy, truth = rng.uniform(0.35, 0.95, n_raters), rng.integers(0, k, n_items)
    right = rng.random(len(item)) < accuracy[rater]
    return np.where(right, truth[item], other(truth[item], k, rng)), {"accuracy": accuracy, "truth": truth}


def habits(rng: np.random.Generator, item: Any, rater: Any, n_items: int, n_raters: int, k: int) -> tuple[Any, Truth]:
    trust, habit = rng.uniform(0.2, 0.9, n_raters), rng.dirichlet(np.full(k, 2.0), n_raters)
    truth = rng.integers(0, k, n_items)
    knows = rng.random(len(item)) < trust[rater]
    label = np.where(knows, truth[item], categorical(habit[rater], rng))
    return label, {"trust": trust, "habit": habit, "truth": truth}


def abilities(
    rng: np.random.Generator, item: Any, rater: Any, n_items: int, n_raters: int, k: int
) -> tuple[Any, Truth]:
    ability, ease = rng.normal(1, 0.7, n_raters), rng.normal(1, 1, n_items)
    truth = rng.integers(0, k, n_items)
    odds = np.exp(np.clip(ability[rater] * np.exp(ease)[item], -50, 50))
    right = rng.random(len(item)) < odds / (1 + odds)
    return np.where(right, truth[item], other(truth[item], k, rng)), {"ability": ability, "ease": ease, "truth": truth}


def biases(rng: np.random.Generator, item: Any, rater: Any, n_items: int, n_raters: int, k: int) -> tuple[Any, Truth]:
    bias, deviation = rng.normal(0, 1, n_raters), rng.uniform(0.3, 1.5, n_raters)
    bias -= bias.mean()
    truth = rng.normal(5, 2, n_items)
    label = truth[item] + bias[rater] + deviation[rater] * rng.standard_normal(len(item))
    return label, {"bias": bias, "variance": deviation**2, "truth": truth}


def other(label: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Any of the other labels."""
    return (label + rng.integers(1, k, len(label))) % k


DRAW = dict(zip(MODELS, (matrices, matrices, coins, habits, abilities, biases), strict=True))
