"""Public names are what they seem."""

import raters


def test_no_module_hides_a_public_function():
    """Importing ``raters.x`` sets the attribute x of raters: a function of that name would be gone."""
    import pkgutil

    modules = {m.name for m in pkgutil.iter_modules(raters.__path__)}
    assert not modules & set(raters._HOME)
