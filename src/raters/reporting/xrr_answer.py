"""The answers of ``raters xrr``: two pools, and several pairs in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from raters.reliability.xrr.result import CrossReliability, in_short
from raters.reliability.xrr.xrr import CrossTable
from raters.reporting.answer import Answer, Grid
from raters.reporting.short_table import limits, value_of
from raters.reporting.table_answer import DEFAULT_MORE, table_answer

USUAL = ("kappa_x", "irr_x", "irr_y", "normalized", "difference")
"""What a short text shows of two pools."""


def only_in_one(r: CrossReliability) -> list[str]:
    """Items of one pool alone, which the kappa between the pools cannot use."""
    if not (r.n_only_x or r.n_only_y):
        return []
    x, y = r.pools
    return [f"{r.n_shared:,} shared items; {r.n_only_x:,} only in {x} and {r.n_only_y:,} only in {y} are not compared."]


def xrr_answer(result: CrossReliability | CrossTable, about: Any, lead: str, lines: Sequence[str]) -> Answer:
    """``lead``: the sentence; ``lines``: what was asked for besides."""
    if isinstance(result, CrossReliability):
        rows = [e for e in result.estimates if e.name in USUAL]
        left = len(result.estimates) - len(rows)
        more = ([f"--all ({left} more)"] if left else []) + ["--why", *DEFAULT_MORE]
        left_out = only_in_one(result)
        found = table_answer(about, rows, in_short(result), [*left_out, *lines], more=more)
        return replace(found, details=(*found.details, lead))
    pairs = [(f"{'' if r.slice is None else f'{r.slice}: '}{r.pools[0]} v. {r.pools[1]}", r) for r in result]
    shown = tuple(
        (name, *(value_of(e, e.value) for e in (r.kappa_x, r.irr_x, r.irr_y)), value_of(r.normalized, r.normalized.value),
         limits(r.normalized))
        for name, r in pairs
    )  # fmt: skip
    head = ("", "between", "within 1st", "within 2nd", "normalised", "95% interval")
    every = [replace(e, name=f"{name}: {e.name}") for name, r in pairs for e in (r.kappa_x, r.normalized)]
    found = table_answer(about, every, lead, lines, grids=(Grid(head, shown),), more=("--all", *DEFAULT_MORE))
    said = [f"{name}: {r.sentence}" for name, r in pairs]
    matrices = []
    if len(result.slices) == 1:
        for what, title in (
            ("kappa_x", "Kappa between the pools, IRR on the diagonal:"),
            ("normalized", "Normalised:"),
        ):
            matrices += [title, *str(result.matrix(what)).splitlines()]
    return replace(found, details=(*found.details, *said, *matrices))
