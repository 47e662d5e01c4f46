"""No file is so long that its subject has to be searched for."""

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LIMIT = 300
FOLDERS = ("src", "tests", "benchmarks")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_file_is_over_300_lines(folder: str) -> None:
    files = [path for path in (REPOSITORY / folder).rglob("*.py") if not {".envs", ".venv"} & set(path.parts)]
    assert files
    lines = {str(path.relative_to(REPOSITORY)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    long = {path: n for path, n in lines.items() if n > LIMIT}
    assert not long, f"split by subject what has more than {LIMIT} lines: {long}"
