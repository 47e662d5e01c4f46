"""Save a fit to one file: numpy arrays and a JSON header, without pickles."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from raters.annotations import Annotations
from raters.errors import DataError, UsageError, brief, listed
from raters.models.base.fit import Choice, Draws, FittedModel, HardItems, Mixture, Start
from raters.models.base.votes import Votes
from raters.models.choosing.stacked import ends_of, of_others, stacked
from raters.models.families.spec import Problem, Settings, Task, Vote
from raters.models.fitting import em
from raters.models.fitting.fit import from_run, voted
from raters.models.held_out.tempering import like
from raters.notes.note import from_json, in_json
from raters.writing import refuse_existing, write_whole

SCHEMA = 1
OF_MIXTURE = ("weights", "shares", "ease", "wins")
"""The arrays of a mixture."""
RATIO, FREE = 500, 1 << 30
"""How many times its size a saved fit may unpack to, above this many bytes."""


def save(c: FittedModel, path: str | PathLike[str], *, force: bool = False) -> None:
    """Write the whole fit: votes, posterior, parameters, starts, draws."""
    target = Path(path)
    if target.suffix != ".npz":
        raise UsageError(f"{target}: a fit is saved as .npz; for other formats, write the table from to_columns().")
    refuse_existing(target, force)
    try:
        text = json.dumps(_header(c), default=_plain)
    except TypeError as error:
        raise UsageError(f"the names of items, raters and labels cannot be written as JSON ({error}).") from None
    out = io.BytesIO()
    np.savez_compressed(out, header=np.frombuffer(text.encode(), dtype=np.uint8), **_arrays(c))
    write_whole(target, out.getvalue(), force)


def _header(c: FittedModel) -> dict[str, Any]:
    """All of a fit that is not an array."""
    v = c.votes
    return {
        "schema": SCHEMA,
        "model": c.model,
        "items": v.items,
        "raters": v.raters,
        "labels": v.labels,
        "ordered": v.ordered,
        "start": c.start,
        "starts": [asdict(s) for s in c.starts],
        "converged": c.converged,
        "reason": c.reason,
        "notes": in_json(c.notes)["notes"],
        "shape": list(v.table.shape),
        "power": c.power,
        "hard": None if c.hard is None else asdict(c.hard),
        "mixture": None if c.mixture is None else {k: x for k, x in vars(c.mixture).items() if k not in OF_MIXTURE},
        "choice": None if c.choice is None else asdict(c.choice),
        "settings": {k: x for k, x in vars(c.settings).items() if k != "priors"},
        "priors": list(c.settings.priors),
        "params": list(c.params),
        "draws": (
            None
            if c.uncertainty is None
            else {
                "method": c.uncertainty.method,
                "matched": c.uncertainty.matched,
                "notes": in_json(c.uncertainty.notes)["notes"],
            }
        ),
    }


def _arrays(c: FittedModel) -> dict[str, Any]:
    """The arrays of a fit, by the names that they have in the file."""
    v = c.votes
    arrays: dict[str, Any] = {
        "posterior": c.posterior,
        "data": v.table.data,
        "indices": v.table.indices,
        "indptr": v.table.indptr,
        "trace": np.array(c.trace),
        "log_likelihoods": np.array(c.log_likelihoods),
        **{f"param_{k}": x for k, x in c.params.items()},
        **{f"prior_{i}": x for i, x in enumerate(c.settings.priors.values())},
    }
    if c.gold is not None:
        arrays["gold"] = c.gold
    if c.decided is not None:
        arrays["decided"] = c.decided
    if c.mixture is not None:
        arrays |= {f"mixture_{name}": getattr(c.mixture, name) for name in OF_MIXTURE}
    if (d := c.uncertainty) is not None:
        parts = {"values": d.values, "rhat": d.rhat, "ess": d.ess}
        arrays |= {f"draws_{part}_{k}": x for part, table in parts.items() for k, x in table.items()}
        if d.posterior is not None:
            arrays["draws_posterior"] = d.posterior
    return arrays


def load(path: str | PathLike[str]) -> FittedModel:
    """Read a fit that :meth:`FittedModel.save` wrote."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as got:
            _bounded(path, got)
            a: dict[str, Any] = dict(got)
        h = json.loads(a.pop("header").tobytes().decode())
    except DataError:
        raise
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path} is not a saved consensus ({type(error).__name__}).") from None
    if h.get("schema") != SCHEMA:
        raise DataError(f"{path} was saved by another version of raters (schema {h.get('schema')}).")
    if "given_data" in a:
        raise DataError(
            f"{path} was saved by a version of raters that left out labels of some raters. Fit the labels again."
        )
    table = sparse.csr_array((a["data"], a["indices"], a["indptr"]), tuple(h["shape"]))
    votes = Votes(_names(h["items"]), _names(h["raters"]), _names(h["labels"]), table, ordered=h.get("ordered", False))
    priors = {name: a[f"prior_{i}"] for i, name in enumerate(_names(h["priors"]))}
    return FittedModel(
        h["model"],
        votes,
        a["posterior"],
        {k: a[f"param_{k}"] for k in h["params"]},
        tuple(a["trace"].tolist()),
        tuple(a["log_likelihoods"].tolist()),
        h["start"],
        tuple(Start(**s) for s in h["starts"]),
        h["converged"],
        h["reason"],
        a.get("gold"),
        Settings(**h["settings"], priors=priors),
        _draws(h, a),
        from_json(h.get("notes", h.get("warnings"))),
        h.get("power", 1.0),
        a.get("decided"),
        _choice(h.get("choice")),
        None if h.get("hard") is None else HardItems(**h["hard"]),
        _mixture(h.get("mixture"), a),
    )


def _bounded(path: Any, got: Any) -> None:
    """Refuse a small file that unpacks to a very large size: it is not a fit."""
    size = sum(part.file_size for part in got.zip.infolist())
    packed = sum(part.compress_size for part in got.zip.infolist())
    if size > FREE and size > RATIO * packed:
        raise DataError(f"{path}: {packed:,} bytes unpack to {size:,}, so this is not a saved consensus.")


def _mixture(h: dict[str, Any] | None, a: dict[str, Any]) -> Mixture | None:
    if h is None:
        return None
    made: dict[str, Any] = {k: _names(x) if isinstance(x, list) else x for k, x in h.items()}
    return Mixture(**made, **{name: a[f"mixture_{name}"] for name in OF_MIXTURE})


def _choice(h: dict[str, Any] | None) -> Choice | None:
    if h is None:
        return None
    return Choice(h["model"], h["why"])  # earlier versions wrote more


def _draws(h: dict[str, Any], a: dict[str, Any]) -> Draws | None:
    if h["draws"] is None:
        return None
    parts = {
        part: {k.removeprefix(f"draws_{part}_"): x for k, x in a.items() if k.startswith(f"draws_{part}_")}
        for part in ("values", "rhat", "ess")
    }
    about = h["draws"]
    return Draws(
        about["method"],
        parts["values"],
        a.get("draws_posterior"),
        parts["rhat"],
        parts["ess"],
        about["matched"],
        from_json(about.get("notes", about.get("warnings"))),
    )


def _names(values: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(x) if isinstance(x, list) else x for x in values)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot be saved")


Array = NDArray[Any]


def predict(c: FittedModel, ann: Annotations | Votes) -> FittedModel:
    """The posterior of new items, with the raters as fitted."""
    votes = _same_labels(c, ann if isinstance(ann, Votes) else Votes.of(ann))
    votes = votes.recoded(votes.items, tuple(dict.fromkeys((*c.raters, *votes.raters))))
    if c.mixture is not None:
        ends_of(c.params)  # one that was saved by an earlier version says why it cannot
    row, params = c.definition, carried(c, votes)
    if c.mixture is not None:
        return replace(of_others(c, votes, params), choice=c.choice)
    if isinstance(row.method, Vote):
        return replace(like(c, voted(row, row.method, votes, None, c.settings, params)), choice=c.choice)
    expected, total = row.expect(Task.of(votes, None, c.settings), params)
    found = FittedModel(
        c.model,
        votes,
        row.posterior(expected),
        params,
        log_likelihoods=(total,),
        reason="predicted, not fitted",
        settings=c.settings,
    )
    return replace(like(c, found), choice=c.choice)


def update(c: FittedModel, ann: Annotations | Votes) -> FittedModel:
    """Fit old and new annotations together, starting from the old fit."""
    new = _same_labels(c, ann if isinstance(ann, Votes) else Votes.of(ann))
    if c.numeric and new.labels != c.votes.labels:
        values = sorted({*c.votes.labels, *new.labels})
        votes = c.votes.relabelled(values).joined(new.relabelled(values))
    else:
        votes = c.votes.joined(new)
    gold = None
    if c.gold is not None:
        gold = np.full(votes.n_items, np.nan if c.numeric else -1, dtype=c.gold.dtype)
        gold[: len(c.gold)] = c.gold
    row = c.definition
    if c.mixture is not None:
        return replace(stacked(votes, gold, c.settings), choice=c.choice)
    if isinstance(row.method, Vote):
        return replace(like(c, voted(row, row.method, votes, gold, c.settings)), choice=c.choice)
    problem, params = Problem(row, Task.of(votes, gold, c.settings)), carried(c, votes)
    fit = em.run(problem, problem.expect(params)[0], params, within=problem.within, name="update")
    return replace(like(c, from_run(problem, c.settings, fit, "update")), choice=c.choice)


def carried(c: FittedModel, votes: Votes) -> dict[str, Array]:
    """The parameters for these votes: known raters as fitted, unknown ones as the average, new items as typical."""
    row, params = c.definition, dict(c.params)
    known = {name: i for i, name in enumerate(c.raters)}
    at = np.array([known.get(name, -1) for name in votes.raters])
    if row.unknown_raters and (at < 0).any():
        stranger = votes.raters[int(np.flatnonzero(at < 0)[0])]
        raise DataError(
            f"rater {brief(stranger)} was not in the data that the model was fitted to: {row.unknown_raters}"
        )
    weight = c.votes.per_rater.sum(1)
    for name in (x for x in row.by_rater if x in params):
        value = params[name]
        instead = row.stand_ins.get(name)
        average = np.average(value, axis=0, weights=weight) if instead is None else params[instead]
        params[name] = np.concatenate([value, average[None]])[at]  # -1 is the last: the average
    seen = {name: i for i, name in enumerate(c.items)} if row.by_item else {}
    where = np.array([seen.get(name, -1) for name in votes.items])
    for name in row.by_item:
        params[name] = np.append(params[name], params[name].mean())[where]
    return params


def _same_labels(c: FittedModel, votes: Votes) -> Votes:
    """The votes coded with the fit's labels, which must include all of theirs."""
    if votes.labels == c.votes.labels:
        return votes
    if c.numeric:
        return votes
    odd = [x for x in votes.labels if x not in c.votes.labels]
    used = votes.per_rater.sum(0)
    odd = [x for x in odd if used[votes.labels.index(x)] > 0]
    if odd:
        raise DataError(
            f"label {odd[0]!r} was not in the data that the model was fitted to ({listed(c.votes.labels)}). Fit again"
            " with all labels."
        )
    return votes.relabelled(c.votes.labels)
