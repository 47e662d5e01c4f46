"""Public names are what they seem."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import raters


def test_no_module_hides_a_public_function():
    """Importing ``raters.x`` sets the attribute x of raters: a function of that name would be gone."""
    import pkgutil

    modules = {m.name for m in pkgutil.iter_modules(raters.__path__)}
    assert not modules & {n for n in raters.__all__ if not inspect.ismodule(getattr(raters, n))}


@pytest.mark.parametrize("module", [raters, raters.results, raters.sets])
def test_type_checkers_see_the_names_that_are_there(module):
    """The imports for type checkers and the table of homes name the same names in the same modules."""
    source = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in source.body if isinstance(node, ast.If))
    told = {a.asname: f"{node.module}.{a.name}" for node in block.body for a in node.names}
    assert sorted(told) == module.__all__
    for name, home in told.items():
        found = getattr(module, name)
        named = found.__name__ if inspect.ismodule(found) else f"{found.__module__}.{name}"
        assert home == named or name == "read" or getattr(sys.modules[home.rpartition(".")[0]], name) is found


def test_a_script_ends_without_noise_on_standard_error():
    """``typing.overload`` keeps functions, and with them DuckDB's objects, beyond the end of the interpreter, which
    DuckDB reports.
    """
    script = (
        "import raters\nfor name in raters.__all__: getattr(raters,"
        " name)\nraters.agreement(raters.examples.four_raters(), interval=None)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
