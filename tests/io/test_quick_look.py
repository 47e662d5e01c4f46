"""Text that is used as it is: the quick look sees what the thorough one sees, or leaves it to that."""

import io
from pathlib import Path

import numpy as np
import pytest

from raters.errors import DataError
from raters.io.sources import local

PIECES = ("a", "item,rater", "\n", "\r\n", "%", '"', ",", "é", "标", "\U0001f600", "\ufeff", "x" * 9)
WRONG = (b"\0", b"\xff", b"\xc3", b"\xe6\xa0")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_quick_look_never_passes_what_the_thorough_one_refuses(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "CHUNK", 16)  # so that characters and lines cross the ends of chunks
    rng = np.random.default_rng(0)
    passed = refused = 0
    for _ in range(1000):
        parts = [rng.choice(PIECES).encode() for _ in range(rng.integers(1, 30))]
        if rng.random() < 0.3:
            parts.insert(int(rng.integers(0, len(parts) + 1)), WRONG[rng.integers(len(WRONG))])
        data = b"".join(parts)
        quick = local.quick_look(io.BytesIO(data), encoding)
        try:
            thorough = local.look_through(io.BytesIO(data), None, encoding, "x")
        except DataError:
            assert quick is None
            refused += 1
            continue
        if quick is not None:
            assert quick.marks == thorough.marks and thorough.length <= 16
            passed += 1
    assert passed > 10 and refused > 100


def test_a_fault_is_still_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"item,rater,label\n" + b"q,r,x\n" * 400_000 + b"q,r,\0\n")
    with pytest.raises(DataError, match="line 400002: a NUL byte"), local.plain_text(path, "utf-8", False):
        pass
