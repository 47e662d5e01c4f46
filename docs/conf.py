"""Sphinx configuration. `make docs` builds with -W: a warning is an error."""

import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
PROJECT = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]

project = PROJECT["name"]
author = "The raters developers"
project_copyright = author
version = release = PROJECT["version"]

extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist", "fieldlist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_title = f"raters {release}"
html_copy_source = False
html_show_sphinx = False
