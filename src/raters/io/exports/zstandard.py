"""Members of a zip that are compressed with Zstandard, which Python's zipfile does not support before 3.14; DuckDB decompresses them."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import duckdb

from raters.engines.duckdb import connect
from raters.io.sources.local import literal
from raters.writing import brief_folder

ZSTANDARD = 93
"""The number of the compression method in a zip."""
LOCAL = struct.Struct("<4s5H3L2H")
"""The header before a member: its last two numbers are the lengths of a name and of extra fields."""
LONGEST_LINE = 1 << 28


def unpacked_zstd(path: Path, member: zipfile.ZipInfo, limit: int) -> bytes:
    """The bytes of a member. Its declared size is trusted only up to ``limit``."""
    if member.file_size > limit:
        raise OSError(f"{member.filename} would unpack to {member.file_size:,} bytes")
    with path.open("rb") as file:
        file.seek(member.header_offset)
        *_, name, extra = LOCAL.unpack(file.read(LOCAL.size))
        file.seek(name + extra, 1)
        packed = file.read(member.compress_size)
    with brief_folder() as folder:
        copy = folder.joinpath("member.zst")
        copy.write_bytes(packed)
        try:
            lines = (
                connect()
                .execute(
                    "SELECT line FROM read_csv(?, columns={'line': 'VARCHAR'}, auto_detect=false, header=false, delim='\x1f', quote='', "
                    f"escape='', compression='zstd', max_line_size={LONGEST_LINE}, buffer_size={2 * LONGEST_LINE}, parallel=false)",
                    [literal(copy)],
                )
                .fetchall()
            )
        except duckdb.Error as error:
            raise OSError(
                f"not compressed with Zstandard, contrary to its header ({str(error).splitlines()[0][:80]})"
            ) from None
    return "\n".join(line or "" for (line,) in lines).encode()
