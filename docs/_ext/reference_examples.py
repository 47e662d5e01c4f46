"""A working example for everything in the reference that has no docstring of its own: commands, options, coefficients,
weights, distances, intervals, models, file formats, results and errors.

The examples become ``{run}`` and ``{run-python}`` blocks, so that they run when the pages are built. Where one line
serves a whole registry, it is made from the registry: a new row has its example without a change here.
"""

from __future__ import annotations

from collections.abc import Mapping

from raters.coefficients import REGISTRY
from raters.inference.intervals import METHODS
from raters.models.families.registry import MODELS
from raters.scales import DISTANCES, SET_DISTANCES, SET_WEIGHTS, WEIGHTS

START = """import raters

ann = raters.read("likert.csv", scale="ordinal")                    # 80 items, 4 raters, ratings from 1 to 5
two = raters.read("codings.csv", rater="coder1,coder2")             # 60 items, 2 raters
numbers = raters.read("scores.csv", scale="interval")               # 80 items, 4 raters, numbers
sets = raters.read("subjects.csv", scale="sets", sep=";")           # each label is a set"""


def coefficient(name: str) -> str:
    """A call for one coefficient, on two raters where it takes no more."""
    return f'print(raters.agreement({"two" if REGISTRY[name].exactly == 2 else "ann"}, "{name}", interval=None))'


def weight(name: str) -> str:
    return f'print(raters.agreement(ann, "conger", weights="{name}", interval=None))'


def distance(name: str) -> str:
    return f'print(raters.agreement(numbers, distance="{name}", interval=None))'


def set_weight(name: str) -> str:
    return f'print(raters.agreement(sets, "fleiss", weights="{name}", interval=None))'


def set_distance(name: str) -> str:
    return f'print(raters.agreement(sets, distance="{name}", interval=None))'


def interval(name: str) -> str:
    return f'print(raters.agreement({"numbers" if name == "stabilised" else "ann"}, interval="{name}", resamples=500))'


def model(name: str) -> str:
    return f'print(raters.consensus({"numbers" if name == "gaussian" else "ann"}, "{name}").to_frame().head(2))'


REGISTRIES: Mapping[str, tuple[Mapping[str, object], object]] = {
    "Coefficients": (REGISTRY, coefficient),
    "Weights": (WEIGHTS, weight),
    "Distances": (DISTANCES, distance),
    "Weights of sets": (SET_WEIGHTS, set_weight),
    "Distances of sets": (SET_DISTANCES, set_distance),
    "Intervals": (METHODS, interval),
    "Annotation models": (MODELS, model),
}
"""Section of the reference -> its registry, and the example of one of its rows."""

COMMANDS: Mapping[str, str] = {
    "report": "raters report codings.csv -o report.md --force",
    "help": "raters help intervals",
    "agree": "raters agree codings.csv --coefficient fleiss --no-explain",
    "krr": "raters krr labels.csv --k 3",
    "plan": "raters plan --irr 0.43 --target 0.8",
    "xrr": "raters xrr pools.csv --pool pool --trusted experts",
    "judge": "raters judge people.csv --model model.csv",
    "multilabel": 'raters multilabel subjects.csv --sep ";"',
    "groups": "raters groups crowd.csv --by age",
    "watch": "raters watch calm.csv --by date --baseline 4",
    "check": "raters check --errors 3 --checked 100",
    "meeting": "raters meeting codings.csv -o meeting.xlsx --force",
    "rank": "raters rank votes.csv",
    "evaluate": "raters evaluate system-a.csv crowd.csv",
    "consensus": "raters consensus labels.csv --next 3",
    "look": "raters look codings.csv",
    "convert": "raters convert codings.csv -o long.csv --force",
    "fold": "raters fold labels.csv -o labels.fold --force",
    "reproduce": "raters reproduce models",
    "demo": "raters demo --force",
}

STAYS: Mapping[str, str] = {"serve": "raters serve labels.csv"}
"""Commands that run until Ctrl-C, so that the pages show the line alone; tests of the page start them."""

FORMATS: Mapping[str, str] = {
    "csv": 'frame.to_csv("made.csv", index=False)\nprint(raters.read("made.csv").n_items)',
    "tsv": 'frame.to_csv("made.tsv", sep="\\t", index=False)\nprint(raters.read("made.tsv").n_items)',
    "jsonl": 'frame.to_json("made.jsonl", orient="records", lines=True)\nprint(raters.read("made.jsonl").n_items)',
    "parquet": 'frame.to_parquet("made.parquet")\nprint(raters.read("made.parquet").n_items)',
    "excel": 'frame.to_excel("made.xlsx", index=False)\nprint(raters.read("made.xlsx").n_items)',
    "statistics": 'frame.to_stata("made.dta", write_index=False)\nprint(raters.read("made.dta").n_items)',
    "arrow": 'frame.to_feather("made.feather")\nprint(raters.read("made.feather").n_items)',
    "duckdb": (
        'with duckdb.connect("made.duckdb") as db:\n    db.execute("CREATE OR REPLACE TABLE labels AS SELECT * FROM'
        ' frame")\nprint(raters.read("made.duckdb", sheet="labels").n_items)'
    ),
    "sqlite": (
        'with sqlite3.connect("made.sqlite") as db:\n    frame.to_sql("labels", db, if_exists="replace", index=False)\n'
        'print(raters.read("made.sqlite", sheet="labels").n_items)'
    ),
}
FORMATS_START = 'import sqlite3\n\nimport duckdb\nimport pandas as pd\n\nframe = pd.read_csv("labels.csv")'

RESULTS: Mapping[str, str] = {
    "AltTest": 'print(raters.alt_test("people.csv", "model.csv").passed)',
    "AltTests": 'print(len(raters.alt_test_table("people.csv", "model.csv")))',
    "Bands": "print(raters.bands(raters.agreement(ann)))",
    "Calibration": 'print(raters.calibrate("people.csv", "model.csv", sample="random"))',
    "Comparison": 'print(raters.compare(ann, coefficient="fleiss", other_coefficient="gwet"))',
    "CrossReliability": 'print(raters.xrr("pools.csv", pool="pool", interval=None))',
    "CrossTable": 'print(raters.xrr_table("pools.csv", pool="pool", interval=None))',
    "Evidence": 'print(raters.look("labels.csv")[0].evidence[0])',
    "Reading": 'print(raters.look("labels.csv")[0])',
    "InDoubt": (
        'rows = [{"id": i, "anna": 1 + i % 4, "ben": 1 + i * (1 + 2 * (i % 5 == 0)) % 4} for i in range(60)]\n'
        "try:\n    raters.read(rows)\nexcept raters.results.InDoubt as error:\n    print(error.readings[0])"
    ),
    "Explanation": 'print(raters.explain("labels.csv"))',
    "JudgeReport": 'print(raters.judge("people.csv", "model.csv")[0].judge)',
    "JudgeReports": 'print(len(raters.judge("people.csv", "model.csv")))',
    "SpanConsensus": 'print(raters.consensus("press/"))',
    "Plan": "print(raters.plan(irr=0.43, target=0.8))",
}

ERRORS: Mapping[str, str] = {
    "RatersError": 'try:\n    raters.read("no-such-file.csv")\nexcept raters.RatersError as error:\n    print(error)',
    "DataError": (
        'try:\n    raters.read([("q1", "ann", float("inf")), ("q1", "ben", 1.5)], scale="interval")\n'
        "except raters.DataError as error:\n    print(error)"
    ),
    "UsageError": (
        'try:\n    raters.agreement(ann, weight="quadratic")\nexcept raters.UsageError as error:\n    print(error)'
    ),
    "NotInFile": (
        'try:\n    raters.read("labels.csv", question="tone")\nexcept raters.UsageError as error:\n   '
        " print(type(error).__name__, error)"
    ),
    "NoColumn": (
        'try:\n    raters.read([{"key": i, "said": "ab"[i % 2]} for i in range(9)])\nexcept raters.UsageError as'
        " error:\n    print(type(error).__name__, error)"
    ),
    "RatersWarning": (
        'import warnings\n\nwith warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter("always")\n'
        '    raters.read([("q1", "ann", 1), ("q1", "ben", 2), ("q2", "ann", 3), ("q2", "ben",'
        " 3)])\nprint(caught[0].message)"
    ),
}
