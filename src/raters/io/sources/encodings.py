"""Detect the encoding of a text file: UTF-8, or else as the byte order mark indicates, or else Windows-1252 before Latin-1."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

AUTO = "auto"
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Longest first: a mark of UTF-32 begins as one of UTF-16 does."""
SEVERAL_BYTES = re.compile(rb"[\xc3-\xde][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""A letter encoded in UTF-8. A file that contains one is UTF-8 with an invalid sequence, not another encoding."""
UNUSED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
"""Bytes that Windows-1252 does not have."""
CUT = re.compile(rb"[\xc3-\xf4][\x80-\xbf]{0,2}\Z")
"""The first bytes of such a letter at the very end."""
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Bytes that are not text in any of these."""
CHUNK = 1 << 20


def marked(start: bytes) -> str | None:
    """The encoding that the first bytes name."""
    return next((name for mark, name in MARKS.items() if start.startswith(mark)), None)


def one_byte(file: IO[bytes]) -> str | None:
    """Windows-1252 or Latin-1 for a file that is not UTF-8; None if it is neither."""
    latin, data = False, b""
    for data in pieces(file):
        if CONTROL.search(data) or SEVERAL_BYTES.search(data):
            return None
        latin = latin or UNUSED.search(data) is not None
    if CUT.search(data):
        return None
    return "latin-1" if latin else "cp1252"


def pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a file, one chunk after the other."""
    while data := file.read(CHUNK):
        yield data


def said(encoding: str) -> str:
    """A note about the encoding that was used."""
    names = {"cp1252": "Windows-1252 (cp1252)", "latin-1": "Latin-1"}
    if encoding not in names:
        return f"the text is {encoding.upper()}, as its first bytes indicate"
    return f"the text is not UTF-8 and was read as {names[encoding]}; to change it: encoding='...' (--encoding)"
