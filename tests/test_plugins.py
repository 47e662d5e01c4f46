"""What other packages register: loaded once, in one order, and never fatal."""

import sys

import pytest

from raters.errors import RatersWarning
from raters.plugins import registered


def install(folder, package, entries, code):
    """A package as pip leaves it: a module, and a dist-info folder with its entry points."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entries)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages."""
    monkeypatch.syspath_prepend(tmp_path)
    registered.cache_clear()
    before = set(sys.modules)
    yield tmp_path
    registered.cache_clear()
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_an_object_of_another_package_is_found_by_its_name(site):
    install(site, "tiny-one", "[raters.test]\nsix = tiny_one:SIX\n", "SIX = 6\n")
    assert registered("raters.test") == {"six": 6}
    assert registered("raters.other") == {}


def test_what_does_not_load_is_a_warning_and_the_rest_stands(site):
    install(site, "broken-one", "[raters.test]\nbad = broken_one:NOTHING\n", "raise RuntimeError('no\\nluck')\n")
    install(site, "tiny-two", "[raters.test]\ntwo = tiny_two:TWO\n", "TWO = 2\n")
    with pytest.warns(
        RatersWarning,
        match=(
            r"the plug-in 'bad' \(raters.test\) of another package was skipped: RuntimeError: no luck \(package"
            r" broken-one\)"
        ),
    ):
        assert registered("raters.test") == {"two": 2}
    assert registered("raters.test") == {"two": 2}, "and it is said once"


def test_of_two_packages_with_one_name_the_first_by_name_counts(site):
    install(site, "b-package", "[raters.test]\none = b_package:X\n", "X = 'b'\n")
    install(site, "a-package", "[raters.test]\none = a_package:X\n", "X = 'a'\n")
    with pytest.warns(
        RatersWarning, match="'one' .* skipped: another package already registered that name .package b-package"
    ):
        assert registered("raters.test") == {"one": "a"}
