"""A working example for every option of the public functions: option -> a call that uses it.

They run when the reference is built; a test fails when an option of a public function is not here.
"""

from __future__ import annotations

START = """import json
from pathlib import Path

import numpy as np
import pandas as pd
import raters

ann = raters.read("likert.csv", scale="ordinal")                    # 80 items, 4 raters, ratings from 1 to 5
labels = raters.read("labels.csv", scale="nominal")                 # 120 items, 4 raters, 3 labels, a column channel
numbers = raters.read("scores.csv", scale="interval")               # 80 items, 4 raters, numbers
sets = raters.read("subjects.csv", scale="sets", sep=";")           # each label is a set
pools = raters.read("pools.csv", scale="nominal")                   # two pools of raters, in a column pool
people, model = raters.read("people.csv", scale="nominal"), raters.read("model.csv", scale="nominal")
c = raters.consensus(labels, "one_coin")
frame = pd.read_csv("model.csv").assign(sure=0.9, channel=lambda t: np.where(t.index % 2, "mail", "chat"), times=2, words=lambda t: 5 + t.index % 9, version=lambda t: np.where(t.index < 60, "v1", "v2"), family="gpt")
judged = raters.read(frame, scale="nominal")                        # the model's labels with further columns
frame.to_excel("book.xlsx", sheet_name="labels", index=False)
asked = [{"item": i, "rater": r, "question": q, "label": "yes"} for i in "ab" for r in ("ann", "ben") for q in ("tone", "harm")]
tasks = [{"text": "a", "_input_hash": 1, "_task_hash": i, "label": "kind", "answer": a, "_session_id": f"set-{r}"} for i, (r, a) in enumerate([("ann", "accept"), ("ben", "reject")])]
Path("prodigy.jsonl").write_text("".join(json.dumps(task) + chr(10) for task in tasks))
shown = raters.read([{"item": i, "rater": r, "label": "A", "first": "A", "second": "B"} for i in range(40) for r in ("ann", "ben", "cat")], scale="nominal")
verdicts = raters.read([{"item": i, "rater": "m", "label": "AB"[i % 4 == 0], "first": "A", "second": "B"} for i in range(40)], scale="nominal")
crowd = raters.read("crowd.csv", scale="nominal")                   # 150 items, 20 raters, columns age and region
marks = [{"document": d, "rater": r, "from": 7 * d, "to": 7 * d + 4 + (r == "ben"), "label": "PER"} for d in range(6) for r in ("ann", "ben")]
press = [{"id": i, "tone_ann": "calm", "tone_ben": "sharp", "topic_ann": "law", "topic_ben": "art"} for i in range(9)]
weeks = {f"week {w}": f"w{w}.csv" for w in range(31, 41)}           # a file a week"""

READING = {
    "item": 'raters.agreement(raters.read("labels.csv", item="item"), interval=None)',
    "rater": 'raters.agreement(raters.read("codings.csv", rater="coder1,coder2"), interval=None)',
    "label": 'raters.agreement(raters.read("labels.csv", label="label"), interval=None)',
    "scale": 'raters.agreement(raters.read("likert.csv", scale="ordinal"), interval=None)',
    "labels": 'raters.read("labels.csv", labels=["complaint", "praise", "question", "other"]).labels',
    "question": 'raters.read(asked, question="tone").n_items',
    "layout": 'raters.read(np.array([[1, 1], [2, 1], [2, 2]]), layout="wide", scale="nominal").n_raters',
    "raters": 'raters.read(np.array([[1, 2, 2], [1, 1, 2]]), layout="wide", raters="rows", scale="nominal").n_raters',
    "missing": 'raters.read("labels.csv", missing=["question"]).n_annotations',
    "duplicates": 'raters.agreement(raters.read("labels.csv", duplicates="first"), interval=None)',
    "delimiter": 'raters.read("labels.csv", delimiter=",").n_items',
    "columns": 'raters.read(press, columns="{variable}_{rater}", question="tone").n_raters',
    "encoding": 'raters.read("labels.csv", encoding="utf-8").n_items',
    "header": 'raters.read("labels.csv", header=1).n_items',
    "skip": 'raters.read("labels.csv", skip=0).n_items',
    "format": 'raters.read("labels.csv", format="csv").n_items',
    "memory": 'raters.read("labels.csv", memory="500MB").n_items',
    "keep": 'raters.read("prodigy.jsonl", keep="rejected").n_raters',
    "sheet": 'raters.read("book.xlsx", sheet="labels").n_items',
    "sep": 'raters.read("subjects.csv", scale="sets", sep=";").members',
    "multi": (
        'raters.read([("q1", "ann", "joy"), ("q1", "ann", "awe"), ("q1", "ben", "joy")], scale="sets",'
        ' multi="rows").labels'
    ),
    "ordered": 'raters.read("subjects.csv", scale="sets", sep=";", ordered=True).n_items',
    "period": (
        'raters.agreement(raters.read([(1, "a", 23), (1, "b", 0), (2, "a", 12), (2, "b", 11)], scale="circular",'
        " period=24), interval=None)"
    ),
}
SPANS = {
    "document": 'raters.read(marks, document="document", start="from", end="to").n_raters',
    "end": 'raters.read(marks, start="from", end="to").n_raters',
    "seen": 'raters.read(marks, start="from", end="to", seen=[(d, r) for d in range(9) for r in ("ann", "ben")]).n_raters',
}
AGREEMENT = {
    "coefficient": 'raters.agreement(ann, coefficient="gwet", interval=None)',
    "coefficients": 'raters.agreement_table(ann, coefficients=["fleiss", "gwet"], interval=None)',
    "weights": 'raters.agreement(ann, "conger", weights="quadratic", interval=None)',
    "weights_by": 'raters.agreement(ann, "conger", weights="linear", weights_by="position", interval=None)',
    "distance": 'raters.agreement(numbers, distance="absolute", interval=None)',
    "margins": 'raters.agreement(labels, "fleiss", margins="pooled", interval=None)',
    "by": 'raters.agreement(labels, by="channel", interval=None)',
    "group": 'raters.agreement(pools, "cohen", group="pool", interval=None)',
    "within": 'raters.agreement(labels, within="channel", interval=None)',
    "interval": 'raters.agreement(ann, interval="bootstrap")',
    "level": "raters.agreement(ann, level=0.9)",
    "resamples": "raters.agreement(ann, resamples=500)",
    "seed": "raters.agreement(ann, seed=1)",
    "se": 'raters.agreement(ann, "gwet", interval="delta", se="gwet")',
    "sample": 'raters.agreement(ann, sample="both", interval="bootstrap", resamples=200)',
    "cluster": 'raters.agreement(labels, cluster="channel", resamples=200)',
    "between": 'raters.compare(labels, between="channel", resamples=200)',
    "values": 'raters.compare(labels, between="channel", values=("chat", "mail"), resamples=200)',
    "second": "raters.compare(ann, ann, resamples=200)",
    "other_coefficient": 'raters.compare(ann, coefficient="fleiss", other_coefficient="gwet", resamples=200)',
}
RELIABILITY = {
    "k": "raters.krr(labels, k=3, interval=None)",
    "ks": "raters.krr_curve(labels, ks=(1, 3, 5), interval=None)",
    "ann": "raters.krr(ann=labels, k=3, interval=None)",
    "irr": "raters.krr(irr=0.43, k=5)",
    "aggregate": 'raters.krr(numbers, k=4, aggregate="mean", interval=None)',
    "method": 'raters.krr(labels, k=2, method="split", interval=None)',
    "against": "raters.krr(numbers, k=4, against=numbers, interval=None)",
    "ratings": 'raters.krr(numbers, k=4, method="spearman_brown", ratings=2, interval=None)',
    "ties": 'raters.krr(labels, k=2, method="split", ties="first", interval=None)',
    "form": 'raters.krr(numbers, k=4, method="icc", form="ICC(A,1)", interval=None)',
    "draw": 'raters.krr(labels, k=2, method="split", draw="without", interval=None)',
    "replications": 'raters.krr(labels, k=2, method="split", replications=20, interval=None)',
    "progress": 'raters.consensus(labels, "dawid_skene", progress=lambda *told: None).model',
    "incomplete": 'raters.icc(numbers, incomplete="reml")',
    "who": 'raters.ccc(numbers, who=["r1", "r2"])',
    "limits": 'raters.bland_altman(numbers, who=["r1", "r2"], limits=0.9)',
    "systems": 'raters.ceiling(numbers, systems={"system": {f"q{i}": float(i % 7) for i in range(80)}}, interval=None)',
    "reliability": "raters.ceiling(reliability=0.8, interval=None)",
    "target": "raters.plan(irr=0.43, target=0.8)",
    "width": "raters.plan(irr=0.43, target=0.8, width=0.1)",
    "tell": "raters.plan(labels, tell=(0.5, 0.6), interval=None)",
    "power": "raters.plan(irr=0.43, target=0.8, power=0.9)",
    "budget": "raters.plan(irr=0.43, target=0.8, budget=500)",
    "cost": "raters.plan(irr=0.43, target=0.8, budget=500, cost=0.1)",
    "item_cost": "raters.plan(irr=0.43, target=0.8, budget=500, cost=0.1, item_cost=0.05)",
    "consensus": "raters.plan(labels, consensus=c, interval=None)",
    "settled": "raters.plan(labels, consensus=c, settled=0.95, interval=None)",
}
POOLS = {
    "pool": 'raters.xrr(pools, pool="pool", interval=None)',
    "trusted": 'raters.xrr(pools, pool="pool", trusted="experts", interval=None)',
    "y": "raters.xrr(people, y=model, interval=None)",
    "names": 'raters.xrr(people, people, names=("first", "second"), interval=None)',
    "irr_items": 'raters.xrr(pools, pool="pool", irr_items="shared", interval=None)',
    "per_label": 'raters.xrr_table(pools, pool="pool", per_label=True, interval=None)',
    "means": 'raters.xrr(numbers, numbers, means="split_half", interval=None)',
    "permutations": 'raters.xrr(pools, pool="pool", permutations=50, interval=None)',
    "margin": "raters.plan_replication(people, people, margin=0.1, resamples=200)",
}
JUDGES = {
    "judges": 'raters.judge(raters.read("people.csv", scale="nominal"), judges=["cat"], interval=None)',
    "judges_from": (
        'raters.alt_test(raters.read(pd.concat([pd.read_csv("people.csv").assign(kind="human"),'
        ' frame.assign(kind="model")]), scale="nominal"), judges_from="kind")'
    ),
    "model": "raters.alt_test(people, model=model)",
    "epsilon": "raters.alt_test(people, model, epsilon=0.2)",
    "similarity": 'raters.alt_test(people, model, similarity="match")',
    "q": "raters.alt_test(people, model, q=0.1)",
    "least": "raters.alt_test(people, model, least=20)",
    "test": 'raters.alt_test(people, model, test="t")',
    "estimate": 'raters.calibrate(people, model, sample="random", estimate="prevalence", interval=None)',
    "judge": 'raters.calibrate(people, model, sample="random", judge="model", interval=None)',
    "system": (
        'raters.calibrate(labels, judged, sample="random", estimate="difference", system="channel", score={"complaint":'
        ' -1, "praise": 1, "question": 0}, interval=None)'
    ),
    "strata": 'raters.calibrate(people, judged, sample="random", strata="channel", interval=None)',
    "shares": (
        'raters.calibrate(people, judged, sample="random", strata="channel", shares={"chat": 0.4, "mail": 0.6},'
        " interval=None)"
    ),
    "item_weights": 'raters.calibrate(people, judged, sample="random", item_weights="times", interval=None)',
    "confidence": 'raters.judge(people, judged, confidence="sure", interval=None)',
    "family": 'raters.judge(people, judged, family={"model": "gpt"}, interval=None)',
    "length": 'raters.judge(people, judged, length="words", interval=None)',
    "own": 'raters.judge(people, judged, family={"model": "gpt"}, own="family", interval=None)',
    "position": 'raters.judge(shown, verdicts, position="first", second="second", interval=None)',
    "classes": 'raters.calibrate(people, model, sample="random", classes=["complaint"], interval=None)',
    "score": (
        'raters.calibrate(people, model, sample="random", estimate="mean", score={"complaint": -1, "praise": 1,'
        ' "question": 0}, interval=None)'
    ),
}
SETS = {
    "chance": 'raters.multilabel(sets, chance="exact", interval=None)',
    "simulations": 'raters.multilabel(sets, chance="simulated", simulations=50, interval=None)',
    "pooled": "raters.multilabel(sets, pooled=True, interval=None)",
    "masi": 'raters.multilabel(sets, masi="masi_rounded", interval=None)',
    "order_weights": (
        'raters.multilabel(raters.read("subjects.csv", scale="sets", sep=";", ordered=True), order_weights=(1, 0.5),'
        " interval=None)"
    ),
    "empty": 'raters.multilabel(sets, empty="agree", interval=None)',
}
MODELS = {
    "start": 'raters.consensus(labels, "dawid_skene", start="votes").model',
    "smoothing": 'raters.consensus(labels, "dawid_skene", smoothing=0.1).model',
    "items": 'raters.consensus(labels, "dawid_skene", items=["an item without a label"]).model',
    "gold": 'raters.consensus(labels, "dawid_skene", gold={"t000": "complaint"}).model',
    "priors": 'raters.consensus(labels, "dawid_skene", priors=raters.consensus(labels, "dawid_skene")).model',
    "prevalence": 'raters.consensus(labels, "one_coin", prevalence="learned").prevalence',
    "restarts": 'raters.consensus(labels, "dawid_skene", restarts=2).model',
    "tolerance": 'raters.consensus(labels, "dawid_skene", tolerance=1e-6).converged',
    "max_iter": 'raters.consensus(labels, "dawid_skene", max_iter=500).converged',
    "uncertainty": 'raters.consensus(labels, "one_coin", uncertainty="bootstrap", draws=20).uncertainty.method',
    "draws": 'raters.consensus(labels, "one_coin", uncertainty="bootstrap", draws=20).uncertainty.method',
    "tempering": 'raters.consensus(labels, "one_coin", tempering=0.8).power',
    "pools": 'raters.information(c, pools={"ann": "staff", "ben": "staff", "cat": "crowd", "dan": "crowd"})',
    "rate": "raters.information(c, rate=0.1)",
    "n": "raters.next_labels(c, n=3)",
    "ask": 'raters.next_labels(c, 3, ask="pair")',
    "per_item": 'raters.next_labels(c, 3, ask="pair", per_item=2)',
    "share": "raters.next_labels(c, 3, share=0.9)",
}
CHECKS = {
    "errors": "raters.check(errors=3, checked=100)[0].value",
    "checked": "raters.check(errors=(3, 1), checked=(100, 50), population=(900, 300))[0].value",
    "population": "raters.check(errors=3, checked=100, population=500).bound",
    "at_most": "raters.check(errors=3, checked=100, at_most=0.1)[0].value",
}
CROWD = {
    "each": 'raters.evaluate("people.csv", "people.csv", each="item", interval=None)',
    "clip": 'raters.evaluate("system-a.csv", crowd, clip=1e-12, interval=None)',
    "noise": "raters.plan_systems(crowd, noise=(0.1, 0.2), ks=(1, 3))",
    "difference": ('raters.plan_systems(crowd, systems=("system-a.csv", "system-b.csv"), difference=0.02, ks=(1, 3))'),
    "intersections": 'raters.groups(crowd, "age,region", permutations=99, intersections=False)',
    "fitted": ('raters.with_classifier(crowd, "system-a.csv", fitted=raters.consensus(crowd, "one_coin")).weight'),
}
RANKS = {
    "first": 'raters.rank("sides.csv", first="one", second="other", won="pick")[0].value',
    "won": 'raters.rank("sides.csv", first="one", second="other", won="pick").contrasts[0].value',
    "prior": 'raters.rank("votes.csv", prior=1)[0].value',
}
WEEKS = {
    "baseline": "raters.watch(weeks, baseline=3).alarm",
    "looks": "raters.watch(weeks, looks=10).alarm",
    "floor": "raters.watch(weeks, floor=0.3).alarm",
    "before": "raters.watch(weeks, before=raters.watch(dict(list(weeks.items())[:8])).to_dict()).alarm",
}
REPORT = {
    "title": 'raters.report(labels, title="Messages").title',
    "text": 'raters.report("codings.csv", text="text").title',
    "command": 'raters.report(labels, command="raters report labels.csv").title',
}
SECTIONS = {
    "Reading": READING, "Spans": SPANS, "Agreement and intervals": AGREEMENT, "Reliability and planning": RELIABILITY, "Pools": POOLS,
    "Judges": JUDGES, "Label sets": SETS, "Annotation models": MODELS, "A checked sample": CHECKS, "A crowd and systems": CROWD, "Ranking": RANKS,
    "Week after week": WEEKS, "The report": REPORT,
}  # fmt: skip
