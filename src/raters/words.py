"""Untrusted text made safe to show, for every format except JSON, which has its own escapes.

Labels, items, raters and the names of columns and files are untrusted. They must not control a terminal, change the
writing direction, run in a spreadsheet, or act as Markdown, TeX or HTML; the report's template also escapes HTML.
"""

from __future__ import annotations

import re

_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
_NUMBER = re.compile(r"-?[0-9]+[.][0-9]+( \[-?[0-9.]+, -?[0-9.]+\])?")
"""A figure with decimals, and the limits that may follow it in a table; a label such as "+1" is none."""
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def printable(text: str) -> str:
    """Untrusted text without control characters or marks that change the writing direction.

    >>> printable("ok \\x07")
    'ok �'
    """
    if text.isprintable() and _TURNING.isdisjoint(text):
        return text
    return "".join(c if c.isprintable() and c not in _TURNING else "\ufffd" for c in text)


def lines(text: str) -> str:
    """The same for text that may have several lines.

    >>> lines("one\\ntwo \\x1b[2J")
    'one\\ntwo �[2J'
    """
    return "\n".join(map(printable, text.split("\n")))


def whole(text: str) -> bool:
    """Whether text is a whole number that 64 bits hold: decimal digits, of any script.

    >>> whole("12"), whole("²"), whole("1" * 5000)
    (True, False, False)
    """
    return text.isdecimal() and len(text) < 19


def harmless(text: str) -> str:
    """Text that no spreadsheet evaluates as a formula: a leading quote before = + - @ tab and return, not before a
    number, alone or with its limits.

    >>> harmless("=1+1"), harmless("yes"), harmless("-0.03 [-0.20, 0.14]"), harmless("-1+1")
    ("'=1+1", 'yes', '-0.03 [-0.20, 0.14]', "'-1+1")
    """
    return "'" + text if text[:1] in _RUN and text and not _NUMBER.fullmatch(text) else text


def csv_cell(text: str) -> str:
    """A CSV cell without formulas or control characters; line ends stay, inside quotes.

    >>> csv_cell("=1+1"), csv_cell("a\\x1b[2J"), csv_cell("two\\nlines")
    ("'=1+1", 'a�[2J', 'two\\nlines')
    """
    if text.isprintable() and _TURNING.isdisjoint(text):
        return harmless(text)
    kept = (c if c in "\n\r\t" or (c.isprintable() and c not in _TURNING) else "\ufffd" for c in text)
    return harmless("".join(kept))


def markdown_text(text: str) -> str:
    """Text in which nothing is Markdown or HTML.

    >>> markdown_text("a|b <i> \\x1b")
    'a\\\\|b &lt;i&gt; �'
    """
    return "".join(_MARKDOWN.get(c, c) for c in printable(text))


def json_text(text: str) -> str:
    """JSON with non-ASCII letters kept, in which control characters that JSON allows are also escaped, including marks
    of writing direction.

    >>> json_text('"a\x9b2J"')
    '"a\\\\u009b2J"'
    """
    return text.translate(_CONTROLS)


_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = {n: f"\\u{n:04x}" for n in (*range(0x7F, 0xA0), 0x2028, 0x2029, *_DIRECTIONS, *range(0xD800, 0xE000))}

_MARKDOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;", **{c: "\\" + c for c in "\\`*_[]|#"}}

_TEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", **{c: "\\" + c for c in "&%$#_"}}  # fmt: skip


def tex_text(text: str) -> str:
    """Text without TeX commands; characters that pdfLaTeX cannot set become question marks.

    >>> tex_text("50%_a")
    '50\\\\%\\\\_a'
    """
    known = (c if c.isprintable() and (ord(c) < 0x250 or c in "–—‘’“”…") else "?" for c in text)
    return "".join(_TEX.get(c, c) for c in known)
