"""What other packages add: objects they name under an entry point, by group."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from raters.errors import RatersWarning


@cache
def registered(group: str) -> dict[str, Any]:
    """Every object that an installed package registered under this group, by name; looked for once.

    A package says so in its pyproject.toml::

        [project.entry-points."raters.coefficients"]
        my_kappa = "my_package:MY_KAPPA"

    What does not load is left out with a warning, and everything else goes on. Of two packages that give one name, the
    first by the name of the package counts, so that the order of installation never changes a figure.

    >>> registered("raters.nothing_is_registered_here")
    {}
    """
    found: dict[str, Any] = {}
    for point in sorted(entry_points(group=group), key=lambda p: (p.name, package_of(p), p.value)):
        if point.name in found:
            _warn(point, group, "another package already gave that name")
            continue
        try:
            found[point.name] = point.load()
        except Exception as error:  # someone else's code: it may raise anything
            _warn(point, group, f"{type(error).__name__}: {error}")
    return found


def package_of(point: EntryPoint) -> str:
    """The package that an entry point comes from."""
    return point.dist.name if point.dist is not None else ""


def _warn(point: EntryPoint, group: str, why: str) -> None:
    warnings.warn(
        f"{point.name!r} of the package {package_of(point) or '(unnamed)'!r} ({group}) is left out: "
        f"{' '.join(why.split())}. Update the package, or uninstall it.",
        RatersWarning,
        stacklevel=3,
    )
