"""Pages whose commands and Python are run while they are built, and whose output is what was printed.

    ```{run}                    ```{run-python}
    raters agree codings.csv    print(raters.agreement("labels.csv"))
    ```                         ```

A page runs in a folder of its own with the files of ``guide_files.py``. A command that fails, or an exception, is a
warning, and with ``-W`` an error: no page shows what the program does not do.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import tempfile
import traceback
import warnings
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any, ClassVar

import vl_convert
from click.testing import CliRunner
from docutils import nodes
from docutils.parsers.rst import Directive, directives
from guide_files import make_files
from sphinx.application import Sphinx
from sphinx.util import logging

from raters.cli import cli

LOG = logging.getLogger(__name__)
FOLDERS: dict[str, tempfile.TemporaryDirectory[str]] = {}
SCOPES: dict[str, dict[str, Any]] = {}


@contextlib.contextmanager
def beside_the_files(page: str) -> Any:
    """In the folder of a page, made at its first example."""
    if page not in FOLDERS:
        FOLDERS[page] = tempfile.TemporaryDirectory(prefix="raters-docs-")
        make_files(Path(FOLDERS[page].name))
    before, columns = os.getcwd(), os.environ.get("COLUMNS")
    os.chdir(FOLDERS[page].name)
    os.environ["COLUMNS"] = "100"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.chdir(before)
        os.environ.pop("COLUMNS") if columns is None else os.environ.__setitem__("COLUMNS", columns)


class Example(Directive):
    """What both kinds of example share: the source, then the output, cut to ``:lines:`` if wanted."""

    has_content = True
    option_spec: ClassVar[Any] = {"lines": directives.positive_int, "exit": directives.nonnegative_int}
    language = ""

    def run(self) -> list[nodes.Node]:
        page = self.state.document.settings.env.docname
        with beside_the_files(page):
            text, fault = self.output(page)
        if fault:
            LOG.warning("an example fails: %s", fault, location=(page, self.lineno))
        text = text.replace(FOLDERS[page].name + "/", "")
        source = nodes.literal_block("\n".join(self.content), "\n".join(self.content), language=self.language)
        lines = text.rstrip().splitlines()
        most = self.options.get("lines", 60)
        shown = "\n".join([*lines[:most], *(["..."] if len(lines) > most else [])])
        if not shown:
            return [source]
        return [source, nodes.literal_block(shown, shown, language="text", classes=["output"])]

    def output(self, page: str) -> tuple[str, str]:
        raise NotImplementedError


class Run(Example):
    """Commands, one a line."""

    language = "sh"

    def output(self, page: str) -> tuple[str, str]:
        parts, fault = [], ""
        for line in self.content:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] != "raters":
                return "", f"{line!r} does not begin with raters"
            found = [str(p) for w in words[1:] for p in (sorted(Path().glob(w)) if "*" in w else [w])]
            done = CliRunner().invoke(cli, found, prog_name="raters")
            parts.append(done.output)
            if done.exit_code != self.options.get("exit", 0):
                fault = f"{line!r} exits with {done.exit_code}: {done.output[-500:]}"
        return "\n".join(parts), fault


class RunPython(Example):
    """Python; names stay from one example of a page to the next."""

    language = "python"

    def output(self, page: str) -> tuple[str, str]:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile("\n".join(self.content), page, "exec"), SCOPES.setdefault(page, {}))
        except Exception:
            return printed.getvalue(), traceback.format_exc(limit=-2)
        return printed.getvalue(), ""


class Picture(RunPython):
    """Python whose name ``chart`` is drawn; the first line of ``:alt:`` says what is seen."""

    option_spec: ClassVar[Any] = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        page = self.state.document.settings.env.docname
        with beside_the_files(page):
            _, fault = self.output(page)
        source = nodes.literal_block("\n".join(self.content), "\n".join(self.content), language="python")
        if fault:
            LOG.warning("a picture fails: %s", fault, location=(page, self.lineno))
            return [source]
        drawn = SCOPES[page]["chart"]
        svg = vl_convert.vegalite_to_svg(drawn.to_dict() if hasattr(drawn, "to_dict") else drawn)
        alt = escape(self.options["alt"], quote=True)
        encoded = b64encode(svg.encode()).decode()
        html = f'<p class="picture"><img alt="{alt}" src="data:image/svg+xml;base64,{encoded}"></p>'
        return [source, nodes.raw("", html, format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("run", Run)
    app.add_directive("run-python", RunPython)
    app.add_directive("picture", Picture)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
