"""Where ``read`` looks for exports. The readers are imported only if there is a path to inspect."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

from raters.errors import NoColumn, NotInFile, UsageError
from raters.io.questions import NoSuchQuestion


def tool_export(source: Any, question: str | None, keep: str | Iterable[str], encoding: str, by_hand: bool) -> Any:
    """The export of a labelling tool; None if no tool is recognised and the source may be a plain table."""
    found = None
    if isinstance(source, str | PathLike | list | tuple) and not by_hand:
        from raters.io.exports.recognising import from_export, is_source, refuse_folder

        if is_source(source):
            found = from_export(source, question, keep, encoding)
            if found is None:
                refuse_folder(source)
    return found


def only_for_exports(question: str | None, keep: Any) -> None:
    """Raise if ``question=`` or ``keep=`` was given for a source to which they do not apply."""
    from raters.io.exports.recognising import refuse_choice

    refuse_choice(question, keep)


@contextmanager
def explained(source: Any, columns: tuple[Any, ...]) -> Iterator[None]:
    """If the columns of a file are not recognised, the error also states that no export was recognised."""
    try:
        yield
    except UsageError as error:
        if isinstance(error, NoSuchQuestion) or not isinstance(source, str | PathLike) or None not in columns:
            raise
        from raters.io.exports.recognising import not_recognised

        said = f"{error} {not_recognised()}"
        if isinstance(error, NotInFile):
            raise NotInFile(error.option, said) from None
        raise (NoColumn(error.role, said) if isinstance(error, NoColumn) else UsageError(said)) from None
