"""Options that were renamed in 0.2: the old name still works, and a line on standard error gives the new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

OLD: Mapping[str, Mapping[str, str]] = {
    "agree": {"--per category": "--per label"},
    "krr": {"--draws": "--replications"},
    "multilabel": {"--coders": "--who", "--weights": "--order-weights"},
    "plan": {"--certainty": "--settled"},
}


def renamed(command: str, args: Sequence[str]) -> list[str]:
    """A line for each old name that was used.

    >>> renamed("krr", ["labels.csv", "--draws=5"])
    ['--draws is now called --replications; the old name works until the next minor version.']
    """
    given = {arg.split("=", 1)[0] for arg in args}
    given |= {f"{one} {two}" for one, two in pairwise(args)}
    given |= {arg.replace("=", " ", 1) for arg in args}
    return [
        f"{old} is now called {new}; the old name works until the next minor version."
        for old, new in OLD.get(command, {}).items()
        if old in given
    ]
