"""The page on exports says what the registry says."""

from tool_table import PAGE, filled

from raters.io.exports.registry import TOOLS


def test_the_tables_are_those_of_the_registry():
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page, "run python tests/tool_table.py"


def test_every_tool_says_how_to_export_and_what_its_figure_is():
    for tool in TOOLS.own.values():
        assert tool.how.endswith(".") and tool.agreement.endswith(".")
    assert sum(not tool.verified for tool in TOOLS.own.values()) == 4
