"""Build the wheel and the source archive, install each into a clean environment, and do the main job there.

    python .ci/packages.py [--extras statistics]

The base install, without any extra, must import, say its version, and write the report on the bundled example.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    """The output of a command; it may not see this repository's environment."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} exits with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def try_out(archive: Path, extras: str, folder: Path) -> None:
    """A clean environment with this archive: version, import, and the report; then the same with extras."""
    venv.create(folder / "env", with_pip=True)
    bin_ = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    run(bin_ / "python", "-m", "pip", "install", "--quiet", archive, cwd=folder)
    said = run(bin_ / "raters", "--version", cwd=folder).strip()
    run(bin_ / "raters", "demo", "-o", "demo.html", cwd=folder)
    size = (folder / "demo.html").stat().st_size
    run(bin_ / "python", "-c", "import raters; assert all(hasattr(raters, n) for n in raters.__all__)", cwd=folder)
    sys.stdout.write(f"{archive.name}: {said}; its report has {size:,} bytes\n")
    if extras:
        run(bin_ / "python", "-m", "pip", "install", "--quiet", f"{archive}[{extras}]", cwd=folder)
        run(bin_ / "raters", "demo", "-o", "demo.html", "--force", cwd=folder)
        sys.stdout.write(f"{archive.name}[{extras}]: the same\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extras", default="", help="also install the wheel with these extras, such as statistics")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="raters-packages-") as name:
        made = Path(name) / "dist"
        run(sys.executable, "-m", "build", "--outdir", made, ROOT, cwd=Path(name))
        (wheel,), (source,) = made.glob("*.whl"), made.glob("*.tar.gz")
        for archive, extras in ((wheel, given.extras), (source, "")):
            with tempfile.TemporaryDirectory(prefix="raters-install-") as place:
                try_out(archive, extras, Path(place))


if __name__ == "__main__":
    main()
