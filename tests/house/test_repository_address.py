"""The address of the repository is not known yet: the placeholder has one spelling, and the list of a release names
each place.
"""

from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
PLACEHOLDER = "https://HOST/OWNER/raters"
TEXT = (".md", ".toml", ".cff", ".yml", ".yaml", ".py", ".ipynb")


def files():
    for path in REPOSITORY.rglob("*"):
        parts = path.relative_to(REPOSITORY).parts
        hidden = any(p.startswith(".") and p not in (".github", ".ci", ".pre-commit-config.yaml") for p in parts)
        built = {"_build", "reference", "__pycache__", "build", "dist"} & set(parts)
        if path.suffix in TEXT and path.is_file() and not hidden and not built:
            yield path


def test_every_place_of_the_placeholder_is_in_the_list_of_a_release():
    listed = (REPOSITORY / "docs" / "releasing.md").read_text(encoding="utf-8")
    found = {p for p in files() if "HOST/OWNER" in p.read_text(encoding="utf-8")} - {Path(__file__).resolve()}
    names = {p.relative_to(REPOSITORY).as_posix() for p in found} - {"docs/releasing.md"}
    assert names and PLACEHOLDER in listed
    assert not [name for name in names if f"`{name}`" not in listed]
    for path in found:
        text = path.read_text(encoding="utf-8")
        assert text.count("HOST/OWNER") == text.count(PLACEHOLDER), path


def test_the_workflow_the_hooks_and_the_citation_are_what_they_should_be():
    """Their own tools validate them before a release; here what a slip would break."""
    workflow = yaml.safe_load((REPOSITORY / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    assert any(step.get("run") == ".ci/run" for step in jobs["everything"]["steps"])
    assert {"macos-latest", "windows-latest"} <= set(jobs["tests"]["strategy"]["matrix"]["os"])
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert {"ruff-check", "ruff-format", "mypy"} == {hook["id"] for hook in hooks}
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)
    assert f'version = "{citation["version"]}"' in (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
