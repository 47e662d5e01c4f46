"""Where ``read`` asks for exports. The readers are imported when there is a path to look at, and not before."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

from raters.errors import NotInFile, UsageError
from raters.io.questions import NoSuchQuestion


def tool_export(source: Any, question: str | None, keep: str | Iterable[str], encoding: str, by_hand: bool) -> Any:
    """What a labelling tool exported; None where no tool is recognised, and a plain table may be meant."""
    found = None
    if isinstance(source, str | PathLike | list | tuple) and not by_hand:
        from raters.io.exports.recognising import from_export, is_source, refuse_folder

        if is_source(source):
            found = from_export(source, question, keep, encoding)
            if found is None:
                refuse_folder(source)
    return found


def only_for_exports(question: str | None, keep: Any) -> None:
    """Raise where ``question=`` or ``keep=`` was given and the source has nothing that they could choose."""
    from raters.io.exports.recognising import refuse_choice

    refuse_choice(question, keep)


@contextmanager
def explained(source: Any, columns: tuple[Any, ...]) -> Iterator[None]:
    """Where the columns of a file do not tell what they are, the error also says that no export was recognised."""
    try:
        yield
    except UsageError as error:
        if isinstance(error, NoSuchQuestion) or not isinstance(source, str | PathLike) or None not in columns:
            raise
        from raters.io.exports.recognising import not_recognised

        said = f"{error} {not_recognised()}"
        raise (NotInFile(error.option, said) if isinstance(error, NotInFile) else UsageError(said)) from None
