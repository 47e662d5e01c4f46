"""The pages build without a warning, need no network, and have an entry for every public name."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from snowballstemmer import stemmer

import raters
from raters import errors
from raters.cli import COMMANDS
from raters.coefficients import REGISTRY
from raters.inference.intervals import METHODS
from raters.io.sources.files import READERS
from raters.models.families.registry import MODELS
from raters.scales import DISTANCES, SET_WEIGHTS, WEIGHTS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Every page of the reference, written from the source."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        from reference import write
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("reference")
    write(folder)
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}


def test_every_public_name_is_in_the_reference(reference):
    every = "\n".join(reference.values())
    for module in (raters, raters.results, raters.sets):
        assert not [n for n in module.__all__ if f"## {module.__name__}.{n}\n" not in every]


def test_every_command_coefficient_weight_model_and_error_is_in_the_reference(reference):
    for name in COMMANDS:
        assert f"## raters {name}\n" in reference["commands"]
    for name in (*REGISTRY, *WEIGHTS, *DISTANCES):
        assert f"| `{name}` |" in reference["coefficients"]
    for name in MODELS:
        assert f"| `{name}` |" in reference["models"]
    for kind in [x for x in vars(errors).values() if inspect.isclass(x) and x.__module__ == errors.__name__]:
        assert f"## raters.{kind.__name__}\n" in reference["errors"]


def test_every_function_of_the_reference_says_what_it_does(reference):
    for page in ("functions", "results", "errors"):
        for part in re.split(r"^## ", reference[page], flags=re.MULTILINE)[1:]:
            words = re.sub(r"```.*?```", "", part.split("\n", 1)[1], flags=re.DOTALL)
            assert len(words.strip()) > 20, part[:60]


def test_every_function_has_an_example_that_runs():
    for module in (raters, raters.models, raters.sets):
        functions = [n for n in module.__all__ if inspect.isroutine(getattr(module, n))]
        assert not [n for n in functions if ">>> " not in (inspect.getdoc(getattr(module, n)) or "")]


def test_every_option_has_an_example_that_runs(reference):
    functions = [getattr(raters, n) for n in raters.__all__ if inspect.isroutine(getattr(raters, n))]
    wanted = {p.name for f in functions for p in inspect.signature(f).parameters.values() if p.default is not p.empty}
    assert not [name for name in wanted if f"  # {name}=\n" not in reference["options"]]


def test_everything_else_in_the_reference_has_an_example_that_runs(reference):
    for page, names in (
        ("coefficients", (*REGISTRY, *WEIGHTS, *DISTANCES, *SET_WEIGHTS, *METHODS)),
        ("models", (*MODELS,)),
    ):
        blocks = "".join(re.findall(r"```{run-python}.*?```", reference[page], flags=re.DOTALL))
        assert not [name for name in names if f'"{name}"' not in blocks]
    for name in READERS:
        assert re.search(rf"^### {name}\n[^#]*?```{{run-python}}", reference["models"], flags=re.MULTILINE)
    for part in re.split(r"^## raters ", reference["commands"], flags=re.MULTILINE)[1:]:
        assert "```{run}" in part or part.startswith("serve\n"), part[:40]  # it runs until Ctrl-C
    for page in ("results", "errors"):
        for part in re.split(r"^## ", reference[page], flags=re.MULTILINE)[1:]:
            assert "```{run-python}" in part or ">>> " in part, part[:40]


WORDS = (
    "cite", "excel", "likert", "span", "wide", "kappa", "review", "spss", "judg", "night", "spark", "icc", "iaa", "icr", "irr", "intercod",
    "annot", "gwet", "llm", "spammer", "gold", "adjud", "coder", "f1", "percent", "drift",
)  # fmt: skip
"""Stems of what people type into the search."""


PHRASES = {
    "cite": "guides/in-the-paper", "excel": "reading", "likert": "guides/ratings-and-numbers", "spans": "exports", "wide": "reading",
    "iaa": "guides/index", "inter-annotator agreement": "guides/index", "kappa": "guides/kappa-for-a-reviewer", "gold": "models",
    "llm judge": "guides/model-as-judge", "csv": "reading", "label studio": "guides/labelling-tools", "prodigy": "guides/labelling-tools", "icc": "icc",
    "crowd": "guides/crowd-and-experts", "majority vote": "guides/settled-labels", "how many annotators": "guides/index", "sample size": "guides/index",
    "confidence interval": "guides/index", "chatgpt": "guides/index", "mturk": "guides/index", "ground truth": "guides/index", "error bars": "guides/index",
}  # fmt: skip
"""What people type into the search -> a page that must be among those found."""


def pages_found(index, phrase):
    """The pages that have every word, as the search looks for them: by stems, and parts of words."""
    pages = None
    for word in re.findall(r"\w+", phrase):
        stem = stemmer("english").stemWord(word)
        has = set()
        for part in ("terms", "titleterms"):
            for term, where in index[part].items():
                if term == stem or (len(stem) > 2 and stem in term):
                    has |= {*where} if isinstance(where, list) else {where}
        if word not in LEFT_OUT:
            pages = has if pages is None else pages & has
    return {index["docnames"][i] for i in pages or ()}


LEFT_OUT = {"how"}
"""Words that the search leaves out."""


@pytest.mark.long("documentation build")
def test_the_pages_build_and_need_no_network(tmp_path):
    """One build, since it takes seconds: no warning; nothing from elsewhere; formulas drawn; words found."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    formulas = 0
    for path in tmp_path.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        formulas += text.count("<math")
        found = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"(?:https?:)?//[^\"]*", text)
        found += re.findall(r"<link[^>]*rel=\"stylesheet\"[^>]*href=\"(?:https?:)?//[^\"]*", text)
        assert not found, (path.name, found)
    assert formulas > 50
    text = (tmp_path / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    assert not [w for w in WORDS if w not in index["terms"] and w not in index["titleterms"]]
    assert not {phrase: page for phrase, page in PHRASES.items() if page not in pages_found(index, phrase)}
