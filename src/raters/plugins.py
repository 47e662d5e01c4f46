"""Plug-ins: objects that other packages register under entry points."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, TypeVar

from raters.errors import RatersWarning


class Named(Protocol):
    """A row of a registry."""

    @property
    def name(self) -> str: ...


Row = TypeVar("Row", bound=Named)


@cache
def registered(group: str) -> dict[str, Any]:
    """Every object that an installed package registers under this group, by name; the search runs once.

    A package registers an object in its pyproject.toml::

        [project.entry-points."raters.coefficients"]
        my_kappa = "my_package:MY_KAPPA"

    An object that does not load is skipped with a warning; everything else still works. If two packages register the
    same name, the alphabetically first package wins, so that the order of installation never changes a figure.

    >>> registered("raters.nothing_is_registered_here")
    {}
    """
    found: dict[str, Any] = {}
    for point in sorted(entry_points(group=group), key=lambda p: (p.name, package_of(p), p.value)):
        if point.name in found:
            _warn(point, group, "another package already registered that name")
            continue
        try:
            found[point.name] = point.load()
        except Exception as error:  # someone else's code: it may raise anything
            _warn(point, group, f"{type(error).__name__}: {error}")
    return found


def package_of(point: EntryPoint) -> str:
    """The package that defines an entry point."""
    return point.dist.name if point.dist is not None else ""


def _warn(point: EntryPoint, group: str, why: str) -> None:
    _left_out(point.name, group, f"{' '.join(why.split())} (package {package_of(point) or 'unnamed'})")


def _left_out(name: str, group: str, why: str) -> None:
    warnings.warn(f"the plug-in {name!r} ({group}) of another package was skipped: {why}.", RatersWarning, stacklevel=4)


class Registry(Mapping[str, Row]):
    """Rows by name: our own in their order, then those that other packages register under ``group``, in alphabetical
    order. Other packages are searched when all names are requested, or an unknown one; never at import.
    """

    def __init__(self, own: Iterable[Row], group: str, kind: type[Row]) -> None:
        self.own = {row.name: row for row in own}
        self.group, self.kind = group, kind

    @cached_property
    def _more(self) -> dict[str, Row]:
        found: dict[str, Row] = {}
        for name, row in registered(self.group).items():
            if name in self.own:
                _left_out(name, self.group, f"raters already has {name!r}; choose another name")
            elif not isinstance(row, self.kind):
                _left_out(name, self.group, f"it is not a {self.kind.__name__} but {type(row).__name__!r}")
            elif row.name != name:
                _left_out(name, self.group, f"its row has the name {row.name!r}; the two must be the same")
            else:
                found[name] = row
        return found

    def __getitem__(self, name: str) -> Row:
        return self.own[name] if name in self.own else self._more[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from self._more

    def __len__(self) -> int:
        return len(self.own) + len(self._more)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self)})"
