"""An unknown option is an error, and signatures show every option."""

import contextlib
import inspect

import pytest

import raters
from raters import examples

FUNCTIONS = {
    name: getattr(module, name)
    for module in (raters, raters.sets)
    for name in module.__all__
    if inspect.isroutine(getattr(module, name))
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_refuses_an_option_that_it_does_not_have(name):
    with pytest.raises(raters.UsageError, match="has no option 'no_such_option'") as error:
        FUNCTIONS[name](None, no_such_option=1)
    assert isinstance(error.value, TypeError)


MODEL_FUNCTIONS = [n for n in raters.models.__all__ if inspect.isfunction(getattr(raters.models, n))]


@pytest.mark.parametrize("name", sorted(MODEL_FUNCTIONS))
def test_every_function_of_the_models_refuses_an_option_that_it_does_not_have(name):
    """Also those that pass their options on."""
    with pytest.raises(raters.UsageError, match="has no option 'no_such_option'") as error:
        getattr(raters.models, name)(None, no_such_option=1)
    assert isinstance(error.value, TypeError)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_have_no_options_that_editors_cannot_see(name):
    kinds = {p.kind for p in inspect.signature(FUNCTIONS[name]).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda a: raters.agreement(a, "fleiss", weight="quadratic"), r"agreement\(\).*Did you mean weights=\?"),
        (lambda a: raters.krr(a, k=2, resample=9), r"krr\(\).*Did you mean resamples=\?"),
        (lambda a: raters.xrr(a, a, distanc="nominal"), r"xrr\(\).*Did you mean distance=\?"),
        (lambda a: raters.read(a, lables=["a"]), r"read\(\).*Did you mean label"),
        (lambda a: raters.icc(a, zzz=1), r"Its options are"),
    ],
)
def test_the_nearest_option_is_named(call, hint):
    with pytest.raises(raters.UsageError, match=hint):
        call(examples.four_raters())


def test_a_wrong_name_is_not_a_number():
    """Weights that are ignored without a word were the reason for all this."""
    ann = examples.four_raters()
    plain, weighted = (raters.agreement(ann, "fleiss", weights=w, interval=None) for w in (None, "quadratic"))
    assert plain.value != weighted.value


WRONG = (-1, 2.5, "no such", ["x"], {"a": 1}, object())
ON_TWO = {
    "alt_test",
    "alt_test_table",
    "calibrate",
    "ceiling",
    "compare",
    "judge",
    "plan_replication",
    "xrr",
    "xrr_table",
}
"""Functions that take two tables."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) & set(raters.__all__) - {"evaluate", "read", "report"}))
def test_a_value_of_a_wrong_type_gets_an_error_of_ours_or_is_taken(name):
    """Every option of every public function, whatever is given to it."""
    ann, function = examples.four_raters(), getattr(raters, name)
    options = inspect.signature(function).parameters
    first = next(iter(options))
    tables = (raters.consensus(ann, "majority"),) if first == "c" else (ann, ann) if name in ON_TWO else (ann,)
    small = {"resamples": 20, "replications": 2, "simulations": 5}
    for option in (p.name for p in options.values() if p.kind is p.KEYWORD_ONLY):
        for value in WRONG:
            given = {key: n for key, n in small.items() if key in options} | {option: value}
            with contextlib.suppress(raters.RatersError):
                function(*tables, **given)
