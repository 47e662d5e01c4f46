"""``raters agree --paper``: one table ready to paste."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raters.cli.options import put, stop
from raters.cli.progress import working
from raters.cli.questions import each_question

ENDINGS = {".tex": "latex", ".md": "markdown", ".html": "html", ".csv": "csv", ".txt": "text"}
NO_PLACE = ("by", "group", "within", "per", "against", "fail_under")
"""Options that would change the figures and do not fit into the table."""


def write_paper(
    file: Path | list[Path], format_: str, output: Path | None, force: bool, options: dict[str, Any], given: Any
) -> None:
    """The table of a paper, in the requested format or the one that the file name implies; ``given``: the options of agreement."""
    from raters.errors import UsageError
    from raters.reporting.paper_table import PAPER_FORMATS, paper_of_questions, paper_table

    for name in NO_PLACE:
        if options.get(name):
            raise UsageError(
                f"--paper and --{name.replace('_', '-')} cannot be combined: the table for a paper has one row for each label "
                "or question. Omit one of them."
            )
    ending = ENDINGS.get(output.suffix.lower()) if output is not None and format_ == "text" else None
    form = ending or format_
    if form not in PAPER_FORMATS:
        stop(f"--paper has no format {form}; choose one of {', '.join(PAPER_FORMATS)}.")
    with working("computing agreement"):
        anns = dict(each_question(file, options))
        if len(anns) > 1:
            made = paper_of_questions(anns, options["coefficient"], **given)
        else:
            made = paper_table(next(iter(anns.values())), options["coefficient"], **given)
    put(PAPER_FORMATS[form](made), output, force)
