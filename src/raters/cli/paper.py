"""``raters agree --paper``: the table for a paper, or its figure, as text or as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raters.cli import of_spans
from raters.cli.options import put, refuse, stop
from raters.cli.questions import each_question
from raters.cli.terminal import working
from raters.options import given_to
from raters.options.declared import Comparing

ENDINGS = {".tex": "latex", ".md": "markdown", ".html": "html", ".csv": "csv", ".txt": "text"}
NO_PLACE = ("by", "group", "within", "per", "against", "fail_under")
"""Options that would change the figures and do not fit into the table."""
WORDS = ("labelling", "coding")
"""Fields of research, by whose words the table is written."""


def write_paper(
    file: Path | list[Path], format_: str, output: Path | None, force: bool, options: dict[str, Any]
) -> None:
    """The table of a paper, in the requested format or the one that the file name implies."""
    from raters.errors import UsageError
    from raters.reporting.handed_on import PAPER_FILES
    from raters.reporting.paper_table import PAPER_FORMATS
    from raters.writing import write_whole

    for name in NO_PLACE:
        if options.get(name):
            raise UsageError(
                f"--paper and --{name.replace('_', '-')} cannot be combined: the table for a paper has one row for each"
                " label or question. Omit one of them."
            )
    ending = output.suffix.lower() if output is not None and format_ == "text" else ""
    if ending and ending not in (*ENDINGS, *PAPER_FILES):
        stop(f"--paper writes {', '.join((*ENDINGS, *PAPER_FILES))}; {output} ends in none of them.")
    form = ENDINGS.get(ending, format_)
    if form not in PAPER_FORMATS:
        stop(f"--paper has no format {form}; choose one of {', '.join(PAPER_FORMATS)}.")
    with working("computing agreement"):
        made = _made(file, options)
    if output is not None and ending in PAPER_FILES:
        refuse(output, force)
        write_whole(output, PAPER_FILES[ending](made), force)
        return
    put(PAPER_FORMATS[form](made), output, force)


def _made(file: Path | list[Path], options: dict[str, Any]) -> Any:
    """The table, of one question or of several."""
    from raters.reporting.paper_methods import with_methods
    from raters.reporting.paper_table import FIELDS, paper_of_questions, paper_table
    from raters.spans.units import Spans

    given, chosen, words = given_to(Comparing, options), options["coefficient"], FIELDS[options["words"]]
    anns = dict(each_question(file, options))
    if any(isinstance(ann, Spans) for ann in anns.values()):
        return of_spans.paper(anns, {**options, **given})
    if len(anns) > 1:
        made = paper_of_questions(anns, chosen, words=words, **given)
    else:
        made = paper_table(next(iter(anns.values())), chosen, words=words, **given)
    return with_methods(made, anns, words)
