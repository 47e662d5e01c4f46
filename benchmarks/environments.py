"""A virtual environment for each peer, with the versions pinned in requirements-<peer>.txt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ENVS = HERE / ".envs"


def python_of(peer: str) -> str:
    """The interpreter of a peer, its environment made when it is missing or its requirements have changed."""
    if peer == "raters":
        return sys.executable
    home, wanted = ENVS / peer, HERE / f"requirements-{peer}.txt"
    python, stamp = home / "bin" / "python", home / ".installed"
    if stamp.exists() and stamp.read_text() == wanted.read_text():
        return str(python)
    sys.stderr.write(f"making the environment of {peer}\n")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "-r", str(wanted)]
    subprocess.run(pip, check=True)
    stamp.write_text(wanted.read_text())
    return str(python)


def versions(peer: str, *packages: str) -> dict[str, str]:
    """The versions of packages as a peer's environment has them."""
    ask = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
    got = subprocess.run([python_of(peer), "-c", ask, *packages], check=True, capture_output=True, text=True)
    return dict(zip(packages, got.stdout.split(), strict=True))
