"""Whatever the table: a value lies in its interval, an interval has a width, nothing is undefined without a reason."""

import csv
import json
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import raters
from raters.cli import cli
from raters.reliability.planning.plan import span_of
from raters.reporting.headline import number

FEW = {"resamples": 100}
ASKED = {
    "agree": lambda ann: raters.agreement_table(ann, **FEW),
    "raters as the sample": lambda ann: raters.agreement_table(ann, sample="raters", **FEW),
    "items and raters": lambda ann: raters.agreement_table(ann, sample="both", **FEW),
    "clusters": lambda ann: raters.agreement_table(ann, cluster="topic", **FEW),
    "delta": lambda ann: raters.agreement_table(ann, interval="delta", **FEW),
    "bootstrap": lambda ann: raters.agreement_table(ann, interval="bootstrap", **FEW),
    "label": lambda ann: raters.per_label(ann, **FEW),
    "pair": lambda ann: raters.per_pair(ann, **FEW),
    "icc": raters.icc,
    "ccc": lambda ann: [raters.ccc(ann, **FEW)],
    "bland": raters.bland_altman,
    "krr": lambda ann: raters.krr_curve(ann, ks=[1, 3, 5], **FEW),
    "plan": lambda ann: raters.plan(ann, **FEW).estimates,
}


def small_table(seed: int) -> raters.Annotations:
    """2 to 60 items, 2 to 8 raters, any scale; copies, chance or opposites among the raters, cells without labels."""
    rng = np.random.default_rng(seed)
    scale = str(rng.choice(["nominal", "ordinal", "interval", "ratio", "circular"]))
    n, people, k = int(rng.choice([2, 3, 5, 8, 12, 20, 60])), int(rng.integers(2, 9)), int(rng.choice([1, 2, 2, 3, 5]))
    p, kind = rng.dirichlet(np.full(k, rng.choice([0.3, 5]))), rng.choice(["copies", "chance", "opposites", "care"])
    truth, chance = rng.choice(k, (n, 1), p=p), rng.choice(k, (n, people), p=p)
    care = {"copies": np.ones(people), "chance": np.zeros(people)}.get(kind, rng.uniform(0.3, 1, people))
    x = np.where(rng.random((n, people)) < care, truth, chance)
    if kind == "opposites":
        x = (truth + np.arange(people) % 2) % k
    item, rater = np.nonzero(rng.random((n, people)) < rng.choice([1, 0.8, 0.5, 0.3]))
    if not len(item):
        item, rater = np.array([0, 0]), np.array([0, 1])
    columns = {"item": item, "rater": rater, "label": x[item, rater] + 1, "topic": item % 3}
    return raters.read(columns, scale=scale, **({"period": k + 1.0} if scale == "circular" else {}))


@pytest.mark.parametrize("seed", range(24))
def test_what_is_printed_of_a_small_table_can_be_true(seed: int) -> None:
    ann = small_table(seed)
    wrong = []
    for name, ask in ASKED.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows = list(ask(ann))
        except raters.RatersError:
            continue  # it does not apply to this scale, and says so
        for e in rows:
            where = (name, e.name, e.value, e.low, e.high)
            counts = bool(e.details.get("counts"))
            known, ranged = math.isfinite(e.value), math.isfinite(e.low) and math.isfinite(e.high)
            if not known and not e.notes:
                wrong.append(("undefined without a reason", *where))
            if known and ranged and not e.low <= e.value <= e.high:
                wrong.append(("outside its interval", *where))
            if ranged and not counts and math.isclose(e.low, e.high, rel_tol=1e-12, abs_tol=1e-14):
                wrong.append(("no width", *where))
            if known and e.interval and not ranged and not counts and not e.notes:
                wrong.append(("no interval without a reason", *where))
    assert not wrong


def numbers(rows: list[tuple[str, str, float]]) -> raters.Annotations:
    return raters.read(rows, scale="interval")


def test_ratings_without_noise_have_an_icc_and_no_limits() -> None:
    """The likelihood of components rises without end: it ended in an error, or in limits of 1 to 1, and so did report."""
    same = [(f"i{i}", r, float(i % 3)) for i in range(8) for r in ("ab", "bc", "ac")[i % 3]]
    shifted = [(i, r, x + "abc".index(r)) for i, r, x in same]
    for rows in (same, shifted):
        ann = numbers(rows)
        consistency = next(e for e in raters.icc(ann) if e.name == "ICC(C,1)")
        assert consistency.value == pytest.approx(1, abs=1e-6) and math.isnan(consistency.low)
        assert "items and raters explain every rating" in str(consistency)
        assert 0 < consistency.details["var_item"] < 10
    assert "1.0000 to 1.0000" not in raters.report(numbers(same), **FEW).text()


def test_a_plan_without_a_range_does_not_say_that_no_number_may_be_enough() -> None:
    ann = numbers([(f"i{i}", r, float(i % 3)) for i in range(8) for r in "ab"])
    needed = raters.plan(ann)["labels per item"]
    assert needed.value == 1 and needed.interval is None and "the figure is the same" in str(needed.undefined)
    assert "possibly" not in str(raters.plan(ann))
    text = raters.report(ann, **FEW).text()
    assert "possibly no number" not in text and "with the whole interval" not in text


def test_one_shared_item_gives_no_interval_over_items_and_raters() -> None:
    ann = numbers([("i", "a", 1.0), ("i", "b", 2.0), ("i", "c", 4.0), ("j", "a", 3.0)])
    alpha = raters.agreement(ann, sample="both")
    assert math.isfinite(alpha.value) and math.isnan(alpha.low) and "single item" in str(alpha.undefined)


def test_the_range_of_an_extrapolation_is_raised_as_its_value_is() -> None:
    """The value follows what halves of the labels show; the range that the model allows stayed below both."""
    rng = np.random.default_rng(59)
    n = 12
    truth, care = rng.choice(4, (n, 1), p=[0.4, 0.3, 0.2, 0.1]), rng.uniform(0.3, 1, 7)
    for _ in range(3):
        x = np.where(rng.random((n, 7)) < care, truth, rng.choice(4, (n, 7), p=[0.4, 0.3, 0.2, 0.1]))
        ann = raters.read(x, layout="wide", scale="nominal")
        _, three, five = raters.krr_curve(ann, ks=[1, 3, 5], **FEW)
        assert five.low <= five.value <= five.high and five.high >= three.value


@pytest.mark.parametrize("rows", [[(i, r, (i * 7 + (r == "b") * (i % 3 == 0) * 5) % 3) for i in range(12) for r in "ab"],
                                  [(i, r, (i * 5 + r * (i % 4 == 0)) % 2) for i in range(30) for r in range(5)],
                                  [(i, r, (i * i + r * (i % 2)) % 4) for i in range(40) for r in range(3)]])  # fmt: skip
def test_plan_and_report_give_one_answer_to_how_many_labels(rows: list[tuple[int, object, int]]) -> None:
    """The report tried a few numbers of labels with few replicates, and plan had half of the usual replicates."""
    ann = raters.read([(i, str(r), "abcd"[x]) for i, r, x in rows], scale="nominal")
    plan, text = raters.plan(ann), " ".join(raters.report(ann).text().split())
    alone = raters.agreement(ann)
    assert (plan.curve[0].low, plan.curve[0].high) == (alone.low, alone.high)
    needed = plan["labels per item"]
    if not math.isfinite(needed.value):
        assert "even 201 labels per item do not reach 0.8" in text
    else:
        said = f"({needed.value:.0f}|{number(int(needed.value))})"
        assert re.search(rf"\b{said}( labels? per item)? would|one label per item is enough", text)
        assert (f"({span_of(needed.low, needed.high)})" in text) == ("anywhere" in str(plan))


def test_every_undefined_figure_of_two_pools_has_its_own_reason() -> None:
    x, y = (raters.read([(i, r, "d") for i in range(4) for r in who], labels=["c", "d"]) for who in ("ab", "ef"))
    found = raters.xrr(x, y, irr="cohen", resamples=100)
    assert all(e["warnings"] for e in found.to_dict()["estimates"] if e["value"] is None)
    assert "cohen is undefined" in str(found.irr_x) and "krippendorff" not in str(found.irr_x)
    assert "percentile bootstrap covers" not in str(found.observed)  # there is no interval that could


def test_what_alpha_cannot_exceed_is_not_below_what_its_interval_allows() -> None:
    rows = [(i, r, "ab"[(i * 5 + r * (i % 4 == 0)) % 2]) for i in range(30) for r in range(5)]
    ann = raters.read(rows, scale="nominal")
    assert raters.explain(ann).largest >= raters.agreement(ann).high > 0.8
    assert "cannot exceed" not in raters.report(ann).text()


COMMANDS = [
    ["agree"], ["agree", "--all"], ["agree", "--explain"], ["agree", "--sample", "raters"], ["agree", "--sample", "both"],
    ["agree", "--cluster", "topic"], ["agree", "--by", "topic"], ["agree", "--per", "rater"], ["agree", "--per", "label"],
    ["agree", "--per", "pair"], ["agree", "--per", "item"], ["krr", "--curve", "--k", "5"], ["plan"],
    ["judge", "--judges", "0"], ["xrr", "--pool", "half"], ["xrr", "--pool", "half", "--per-label"],
    ["groups", "--by", "half", "--least-raters", "2", "--test", "19"], ["evaluate"],
]  # fmt: skip
DECIMAL = re.compile(r"(?<![\w.,-])-?\d[\d,]*\.\d+(?![\w.]|,\d)(?!%)")


def run(arguments: list[str]) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CliRunner().invoke(cli, arguments)


def numbers_in(found: object) -> list[float]:
    """Every number of a document, and half of every interval's width, which sentences call the uncertainty."""
    if isinstance(found, dict):
        low, high = found.get("low"), found.get("high")
        half = [(high - low) / 2] if isinstance(low, float) and isinstance(high, float) else []
        return half + [x for value in found.values() for x in numbers_in(value)]
    if isinstance(found, list):
        return [x for value in found for x in numbers_in(value)]
    return [float(found)] if isinstance(found, int | float) and not isinstance(found, bool) else []


@pytest.mark.parametrize("seed", [5, 24, 27])
def test_every_decimal_of_a_text_is_a_figure_of_its_json(seed: int, tmp_path: Path) -> None:
    """The ICC stood in the text alone; sentences had noise below 0, and a smallest p of nan."""
    ann = small_table(seed)
    columns = ann.to_columns()
    labels = sorted(set(columns["label"]))
    columns["half"] = ["ab"[r % 2] for r in columns["rater"]]
    table, system = tmp_path / "x.csv", tmp_path / "s.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    with system.open("w", newline="") as file:
        rows = [(i, *[1 / len(labels)] * len(labels)) for i in sorted(set(columns["item"]))]
        csv.writer(file).writerows([("item", *(f"p({x:g})" for x in labels)), *rows])
    for command, *more in COMMANDS:
        files = [str(system), str(table)] if command == "evaluate" else [str(table)]
        few = [] if command == "groups" else ["--resamples", "50"]
        given = [command, *files, *more, "--scale", str(ann.scale.value), *few]
        text, machine = run(given), run([*given, "--format", "json"])
        assert text.exit_code == machine.exit_code, (given, text.output, machine.output)
        if text.exit_code:
            assert isinstance(text.exception, SystemExit | raters.RatersError), (given, text.exception)
            continue
        known, said = numbers_in(json.loads(machine.stdout)), text.stdout.split("\nRead ")[0]
        assert not re.search(r"\bnan\b", said), (given, text.stdout)
        for decimal in DECIMAL.findall(said):
            x, places = float(decimal.replace(",", "")), len(decimal.rpartition(".")[2])
            assert any(abs(x - y) <= 0.5000001 * 10**-places for y in known), (given, decimal, text.stdout)


DEGENERATE = {
    "one item": [("i0", f"r{j}", "ab"[j % 2]) for j in range(4)],
    "one label": [(f"i{i}", f"r{j}", "a") for i in range(4) for j in range(4)],
    "one rater": [(f"i{i}", "r0", "ab"[i % 2]) for i in range(6)],
    "no disagreement": [(f"i{i}", f"r{j}", "ab"[i % 2]) for i in range(8) for j in range(2)],
}
NARROW = [
    ["agree", "--within", "rater"], ["xrr", "--pool", "pool", "--sample", "raters"], ["watch", "--by", "doc", "--baseline", "1"],
    ["consensus", "--model", "majority"], ["consensus", "--model", "dawid_skene"], ["consensus", "--shares"], ["evaluate"], ["groups", "--by", "pool", "--least-raters", "2"],
]  # fmt: skip


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_tables_in_which_nothing_varies_have_reasons_and_no_interval_without_width(
    name: str, scale: str, tmp_path: Path
) -> None:
    rows = DEGENERATE[name]
    labels = sorted({label for _, _, label in rows})
    table, system = tmp_path / "x.csv", tmp_path / "s.csv"
    with table.open("w", newline="") as file:
        head = ["item", "rater", "label", "doc", "pool"]
        more = [(i, r, x, f"d{int(i[1:]) % 2}", "uv"[int(r[1:]) % 2]) for i, r, x in rows]
        csv.writer(file).writerows([head, *more])
    with system.open("w", newline="") as file:
        even = [(i, *[1 / len(labels)] * len(labels)) for i in dict.fromkeys(i for i, _, _ in rows)]
        csv.writer(file).writerows([("item", *(f"p({x})" for x in labels)), *even])
    for command, *more in NARROW:
        files = [str(system), str(table)] if command == "evaluate" else [str(table)]
        given = [command, *files, *more, "--scale", scale, "--labels", ",".join(labels)]
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            text, machine = (CliRunner().invoke(cli, [*given, *how]) for how in ((), ("--format", "json")))
        assert text.exit_code == machine.exit_code, (given, text.output, machine.output)
        if text.exit_code:
            assert isinstance(text.exception, SystemExit | raters.RatersError), (given, text.exception)
            continue
        assert not re.search(r"\bnan|-0\.0+\b", text.stdout), (given, text.stdout)
        for e in json.loads(machine.stdout).get("estimates", []):
            assert e["value"] is not None or e["warnings"], (given, e["name"])
            assert e["low"] is None or e["low"] < e["high"] or e["details"].get("counts"), (given, e["name"])


def test_a_slice_in_which_no_two_labels_are_the_same_has_a_k_rater_reliability(tmp_path: Path) -> None:
    """Two items, each with three of five labels: a model without a condition to fulfil ended in an error of numpy."""
    table = tmp_path / "x.csv"
    rows = [f"i{i},r{j},{i % 3 + j},d{i % 3}" for i in range(8) for j in range(3)]
    table.write_text("\n".join(["item,rater,label,doc", *rows]))
    found = run(["krr", str(table), "--by", "doc", "--scale", "nominal", "--resamples", "50"])
    assert found.exit_code == 0 and "majority of 3 labels (model): no two" in " ".join(found.stdout.split())


def test_one_item_gives_no_interval_of_sets_and_the_report_asks_for_more_items() -> None:
    """The items of one rater alone gave an interval of .45 to 1; one more label was asked for where four are there."""
    sets = [("i0", "a", "x;y"), ("i0", "b", "x"), ("i1", "a", "y")]
    for pooled in (False, True):
        found = raters.multilabel(raters.read(sets, scale="sets", sep=";"), resamples=50, pooled=pooled)
        assert all(
            math.isnan(e.low) and "single item" in " ".join(map(str, e.notes)) for e in found if e.name == "boot_f1"
        )
    four = {"interval": "1234", "nominal": "xxyy"}
    for scale, labels in four.items():
        rows = [("i0", r, float(x) if x.isdigit() else x) for r, x in zip("abcd", labels, strict=True)]
        text = " ".join(raters.report(raters.read(rows, scale=scale), **FEW).text().split())
        assert "First: Have more items labelled by two raters" in text and "1 item does not show" in text
        assert "standard deviation" not in text.split("What is in the data?")[0]


def test_a_ceiling_of_one_is_not_mentioned() -> None:
    rows = [("i0", "a", "x"), ("i0", "b", "x"), ("i1", "a", "y"), ("i1", "b", "x")]
    why = str(raters.explain(raters.read(rows)))
    assert "75% of the labels" in why and "cannot exceed" not in why


def test_the_first_line_of_a_comparison_within_raters_is_about_it(tmp_path: Path) -> None:
    """It stated alpha between all labels above a table of alpha within raters, with an ICC of all labels in it."""
    rows = [(f"i{i}", r, (i * 5 + ord(r) * (i % 3 == 0) + k) % 4) for i in range(8) for r in "abc" for k in (0, 1)]
    table = tmp_path / "x.csv"
    table.write_text("item,rater,label\n" + "\n".join(",".join(map(str, row)) for row in rows))
    for scale in ("interval", "ordinal", "nominal"):
        given = [
            "agree",
            str(table),
            "--duplicates",
            "keep",
            "--within",
            "rater",
            "--scale",
            scale,
            "--resamples",
            "50",
        ]
        said = run(given).stdout
        (first,) = (
            e["value"]
            for e in json.loads(run([*given, "--format", "json"]).stdout)["estimates"]
            if e["coefficient"] == "krippendorff"
        )
        assert f"{first:.2f}" in said.split("\n\n")[0] and "ICC" not in said and " coefficient " not in said
    assert " coefficient " not in run(["agree", str(table), "--duplicates", "first", "--scale", "interval"]).stdout
