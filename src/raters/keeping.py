"""Answers cached with the object they describe, up to a size limit."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Answer = TypeVar("Answer")
ROOM = 50_000_000
"""Largest total size of the answers cached with a table, in numbers."""


class Kept:
    """Cached answers of an engine; the oldest are dropped when the cache is full."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[Any, int, Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """The cache is empty after pickling, because its keys are object identities."""
        return Kept, ()

    def held(self, key: Hashable) -> Any:
        return self._answers[key][0] if key in self._answers else None

    def once(
        self, key: Hashable, about: Any, answer: Callable[[], Answer], size: Callable[[Answer], int], room: int = ROOM
    ) -> Answer:
        """The cached answer under this key, computed now if it is missing."""
        if key in self._answers:
            found: Answer = self._answers[key][0]
            return found
        made = answer()
        self._answers[key] = (made, size(made), about)
        while len(self._answers) > 1 and sum(n for _, n, _ in self._answers.values()) > room:
            del self._answers[next(iter(self._answers))]
        return made
