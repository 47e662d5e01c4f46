"""The table of tools in docs/exports.md, made from the registry: ``python tests/tool_table.py`` writes it there."""

from pathlib import Path

from raters.io.exports.answers import REASONS
from raters.io.exports.registry import TOOLS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "exports.md"


def tools(logs: bool) -> str:
    """Every tool: how to export from it, and its own figure of agreement."""
    rows = [
        f"| {t.title}{'' if t.verified else ' *'} | {t.how} | {t.agreement} |"
        for t in TOOLS.own.values()
        if t.log == logs
    ]
    return "\n".join(["| tool | how to export | its own figure of agreement |", "|---|---|---|", *rows])


def reasons() -> str:
    """Every reason for which a row is left out."""
    return "\n".join(["| reason | meaning |", "|---|---|", *(f"| `{r}` | {text} |" for r, text in REASONS.items())])


PARTS = {"tools": tools(False), "logs": tools(True), "reasons": reasons()}


def filled(page: str) -> str:
    """The page with its tables as the registry has them."""
    for name, table in PARTS.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = page.partition(start)
        page = before + start + table + "\n" + end + rest.partition(end)[2]
    return page


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
