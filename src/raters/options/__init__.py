"""Options are declared once: Python's keywords, their checks and help, and the command line derive from the rows."""

from raters.options.option import asks, check_options, check_passed_on, filled, given_to

__all__ = ["asks", "check_options", "check_passed_on", "filled", "given_to"]
