"""Sphinx configuration. `make docs` builds with -W: a warning is an error."""

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
PROJECT = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]

project = PROJECT["name"]
author = "The raters developers"
project_copyright = author
version = release = PROJECT["version"]

extensions = ["myst_parser", "mathml", "reference", "executed"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath", "deflist", "fieldlist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_ext"]
nitpicky = True

html_theme = "furo"
html_title = f"raters {release}"
html_static_path = ["_static"]
html_css_files = ["raters.css"]
html_copy_source = False
html_show_sphinx = False
