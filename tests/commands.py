"""The command line as tests run it."""

import subprocess
import sys

FAST = ("--resamples", "200", "--no-explain")


def shell(*args, code="from raters.cli import main; main()"):
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=120, check=False)
