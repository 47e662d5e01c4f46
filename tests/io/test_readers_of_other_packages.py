"""A file format of another package: one row under an entry point, and ``read`` and the command line take such files."""

import json
import os
import subprocess
import sys

CODE = '''
from raters.io.sources.files import FileFormat
from raters.io.sources.rows import from_rows


def pipes(path, options):
    """One annotation a line: item|rater|label."""
    lines = path.read_text(encoding=options.encoding).splitlines()
    return from_rows([tuple(line.split("|")) for line in lines])


PIPES = FileFormat("pipes", pipes, (".pipes",))
'''
ENTRIES = "[raters.readers]\npipes = tiny_reader:PIPES\n"


def test_a_reader_of_another_package_joins_by_an_entry_point(tmp_path):
    package = tmp_path / "package"
    info = package / "tiny_reader-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "tiny_reader.py").write_text(CODE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-reader\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    file = tmp_path / "labels.pipes"
    file.write_text("q1|ann|no\nq1|bob|yes\nq2|ann|no\nq2|bob|no\n")
    search = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])

    def agree(path):
        command = [sys.executable, "-m", "raters.cli", "agree", str(file), "--format", "json", "--interval", "none"]
        return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)

    found = agree(search)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["data"]["n_annotations"] == 4
    without = agree(os.environ.get("PYTHONPATH", ""))
    assert without.returncode == 2 and "format unknown" in without.stderr and "'parquet'" in without.stderr
