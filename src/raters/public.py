"""Public names that are imported when first used, so that ``raters --help`` does not wait for scipy and DuckDB."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, str], modules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a module.

    ``homes``: where names live, as module -> names; ``modules``: modules that are shown as well.

    >>> show, _, names = lazy("raters.results", {"raters.estimate": "Estimate EstimateTable"})
    >>> names, show("Estimate").__module__
    (['Estimate', 'EstimateTable'], 'raters.estimate')
    """
    home = {name: module for module, names in homes.items() for name in names.split()}
    every = sorted([*home, *modules.split()])

    def show(name: str) -> Any:
        if name not in every:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name) if name in home else import_module(f"{package}.{name}")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*(name for name in vars(sys.modules[package]) if name.startswith("__")), *every})

    return show, names, every
