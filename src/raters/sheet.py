"""Cells for spreadsheets."""


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula: a leading quote before = + - @ tab and return.

    >>> harmless("=1+1"), harmless("yes")
    ("'=1+1", 'yes')
    """
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
