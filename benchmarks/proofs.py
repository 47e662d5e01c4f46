"""The snippets behind "Errors in other packages" in docs/coming-from.md. Each sets ``answer``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """What a peer does, and what we do instead."""

    peer: str
    title: str
    what: str
    theirs: str
    ours: str


SLIDER = """
import resource
import numpy as np
rng = np.random.default_rng(0)
x = np.clip(np.rint(rng.uniform(0, 100, 10_000)[:, None] + rng.normal(0, 12, (10_000, 5))), 0, 100)
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
"""
CROWD = """
import numpy as np
rng = np.random.default_rng(1)
truth, skill = rng.choice(5, 60, p=[0.2] * 5), rng.uniform(0.2, 0.5, 25)
label = np.where(rng.random((60, 25)) < skill, truth[:, None], rng.integers(0, 5, (60, 25)))
"""
TWO = """
a = [1, 2, 3, 4, 5, 1, 2, 3]
b = [1, 2, 3, 5, 5, 1, 3, 3]
"""
PAIR = """
a = [1, 0, 0, 1, 10, 10, 10, 1]
b = [1, 0, 1, 10, 10, 10, 1, 1]
"""
MISSING = """
import numpy as np
nan = np.nan
x = np.array([[1, 1, nan], [2, 2, 2], [1, nan, 1], [2, 1, 2], [1, 1, 1], [2, 2, nan], [1, 2, nan], [2, 2, 2]])
"""

PROOFS = (
    Proof(
        "krippendorff",
        "An array of items by values by values",
        "Five raters rate 10,000 items with a slider from 0 to 100. The answers are alpha and the memory used, in MiB.",
        SLIDER
        + """
import krippendorff
before = peak()
answer = krippendorff.alpha(x.T, level_of_measurement="interval"), peak() - before
""",
        SLIDER
        + """
import raters
raters.agreement(raters.read(x[:20], layout="wide", scale="interval"))
before = peak()
answer = raters.agreement(raters.read(x, layout="wide", scale="interval"), interval=None).value, peak() - before
""",
    ),
    Proof(
        "krippendorff",
        "Counts that wrap around",
        "All but one of 97 raters agree on every item. The counts fit into eight bits but their products do not, and"
        " the result is silently wrong. With the same counts as 64-bit numbers, the package gives .958767.",
        """
import numpy as np
import krippendorff
counts = np.array([[96, 1]] * 50 + [[1, 96]] * 50, dtype=np.uint8)
answer = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
""",
        """
import numpy as np
import raters
counts = np.array([[96, 1]] * 50 + [[1, 96]] * 50, dtype=np.uint8)
answer = raters.agreement(raters.read(counts, layout="counts"), interval=None).value
""",
    ),
    Proof(
        "krippendorff",
        'The label "nan" is taken as missing',
        "Alpha is computed for the same labels twice, the second time with one of them renamed. Renaming a label must"
        " not change the result.",
        """
import krippendorff
first = [["nan", "nan", "yes", "no", "no"], ["nan", "yes", "yes", "no", "yes"]]
renamed = [[label.replace("nan", "naan") for label in row] for row in first]
answer = [krippendorff.alpha(labels, level_of_measurement="nominal") for labels in (first, renamed)]
""",
        """
import raters
first = [["nan", "nan", "yes", "no", "no"], ["nan", "yes", "yes", "no", "yes"]]
renamed = [[label.replace("nan", "naan") for label in row] for row in first]
tables = [raters.read(labels, layout="wide", raters="rows", scale="nominal") for labels in (first, renamed)]
answer = [raters.agreement(table, interval=None).value for table in tables]
""",
    ),
    Proof(
        "nltk",
        "max_distance scales only one side",
        "A factor common to all distances cancels out of 1 - D_o / D_e. Here it divides only the expected"
        " disagreement.",
        """
from nltk.metrics.agreement import AnnotationTask
"""
        + TWO
        + """
rows = [("a", i, x) for i, x in enumerate(a)] + [("b", i, x) for i, x in enumerate(b)]
task = AnnotationTask(rows, distance=lambda x, y: abs(x - y))
answer = task.weighted_kappa(max_distance=1.0), task.weighted_kappa(max_distance=4.0)
""",
        """
import raters
"""
        + TWO
        + """
table = raters.read(list(zip(a, b)), layout="wide", scale="ordinal")
same = [raters.agreement(table, "cohen", distance=lambda x, y: abs(x - y) / scale, interval=None) for scale in (1, 4)]
answer = [e.value for e in same]
""",
    ),
    Proof(
        "nltk",
        "Kappa fails if one label is missing",
        "One of three raters did not label one item. (The documentation states that only alpha supports this.)",
        """
from nltk.metrics.agreement import AnnotationTask
labels = {"a": [1, 2, 1, 2, 1], "b": [1, 2, 1, 1, 1], "c": [1, 2, 2, None, 1]}
rows = [(who, i, x) for who, given in labels.items() for i, x in enumerate(given) if x is not None]
answer = AnnotationTask(rows).multi_kappa()
""",
        """
import raters
labels = {"a": [1, 2, 1, 2, 1], "b": [1, 2, 1, 1, 1], "c": [1, 2, 2, None, 1]}
rows = [(i, who, x) for who, given in labels.items() for i, x in enumerate(given)]
answer = raters.agreement(raters.read(rows, scale="nominal"), "conger", interval=None).value
""",
    ),
    Proof(
        "statsmodels",
        "NaN becomes a category",
        "Five of 24 cells are empty. The package counts NaN as a third label on which raters agree.",
        MISSING
        + """
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
counts, labels = aggregate_raters(x)
answer = fleiss_kappa(counts), f"labels {labels}"
""",
        MISSING
        + """
import raters
table = raters.read(x, layout="wide", scale="nominal")
answer = raters.agreement(table, "fleiss", interval=None).value, f"labels {list(table.labels)}"
""",
    ),
    Proof(
        "scikit-learn",
        "Weights by the rank of a label",
        "The labels are 0, 1 and 10, with quadratic weights. By value, confusing 1 with 10 counts 81 times as much as"
        ' confusing 0 with 1; here both silently count the same. In `raters`, `weights_by="position"` selects this.',
        PAIR
        + """
from sklearn.metrics import cohen_kappa_score
answer = cohen_kappa_score(a, b, weights="quadratic")
""",
        PAIR
        + """
import raters
table = raters.read(list(zip(a, b)), layout="wide", scale="interval")
answer = raters.agreement(table, "cohen", weights="quadratic", interval=None).value
""",
    ),
    Proof(
        "irrCAC",
        "Rounded results",
        "Results are rounded to five digits by default, so that two runs can differ and look the same. (The Python"
        " edition leaves labels unchanged and returns intervals as numbers; the R package does neither, see below.)",
        """
import pandas as pd
from irrCAC.raw import CAC
table = pd.DataFrame({"a": [1, 2, 3, 3, 2, 1, 3], "b": [1, 2, 3, 3, 2, 2, 3]})
answer = repr(float(CAC(table).gwet()["est"]["coefficient_value"]))
""",
        """
import raters
rows = list(zip([1, 2, 3, 3, 2, 1, 3], [1, 2, 3, 3, 2, 2, 3]))
answer = repr(raters.agreement(raters.read(rows, layout="wide", scale="nominal"), "gwet").value)
""",
    ),
    Proof(
        "pingouin",
        "Intervals rounded to two digits",
        "The answers are the limits and the error for a misspelt column name.",
        """
import pandas as pd
import pingouin
x = [9, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7]
table = pd.DataFrame({"item": [i // 4 for i in range(24)], "rater": [i % 4 for i in range(24)], "x": x})
limits = pingouin.intraclass_corr(table, targets="item", raters="rater", ratings="x")["CI95"].iloc[0]
try:
    pingouin.intraclass_corr(table, targets="items", raters="rater", ratings="x")
except Exception as error:
    answer = [*limits, repr(error)]
""",
        """
import raters
x = [9, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7]
rows = [{"item": i // 4, "rater": i % 4, "x": x[i]} for i in range(24)]
one = next(iter(raters.icc(raters.read(rows, label="x", scale="interval"))))
try:
    raters.read(rows, item="items", label="x")
except raters.RatersError as error:
    answer = [one.low, one.high, repr(error)]
""",
    ),
    Proof(
        "pingouin",
        "Asserts in place of errors",
        "The answers are the numbers of `assert` and `raise` statements in the package; `python -O` removes the"
        " asserts.",
        """
import ast, pathlib, pingouin
trees = [ast.parse(file.read_text()) for file in pathlib.Path(pingouin.__file__).parent.glob("*.py")]
found = [type(node) for tree in trees for node in ast.walk(tree)]
answer = f"{found.count(ast.Assert)} assert, {found.count(ast.Raise)} raise"
""",
        """
import ast, pathlib, raters
trees = [ast.parse(file.read_text()) for file in pathlib.Path(raters.__file__).parent.rglob("*.py")]
found = [type(node) for tree in trees for node in ast.walk(tree)]
answer = f"{found.count(ast.Assert)} assert, {found.count(ast.Raise)} raise"
""",
    ),
    Proof(
        "crowd-kit",
        "Dawid-Skene monitors a loss that can decrease",
        "The log prior of an item is added once for each of its labels, so the monitored quantity is not the one that"
        " EM increases: here it decreases, and the fit stops. The answers are the number of iterations and whether the"
        " objective ever decreased.",
        CROWD
        + """
import pandas as pd
from crowdkit.aggregation import DawidSkene
task, worker = np.nonzero(label >= 0)
fit = DawidSkene(n_iter=100).fit(pd.DataFrame({"task": task, "worker": worker, "label": label[task, worker]}))
answer = len(fit.loss_history_), f"fell: {bool((np.diff(fit.loss_history_) < 0).any())}"
""",
        CROWD
        + """
import raters
fit = raters.consensus(raters.read(label, layout="wide", scale="nominal"), model="dawid_skene", start="votes")
answer = len(fit.trace), f"fell: {bool((np.diff(fit.trace) < -1e-9).any())}"
""",
    ),
)
