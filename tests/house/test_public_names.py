"""Public names are what they seem."""

import subprocess
import sys

import raters


def test_no_module_hides_a_public_function():
    """Importing ``raters.x`` sets the attribute x of raters: a function of that name would be gone."""
    import pkgutil

    modules = {m.name for m in pkgutil.iter_modules(raters.__path__)}
    assert not modules & set(raters._HOME)


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
