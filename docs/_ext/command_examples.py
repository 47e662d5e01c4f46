"""A working example for every option of every command: command -> option -> a whole line.

The reference prints them beside the help; a test runs each of them on the files of ``command_files.py``, with the
option and without it, and fails if an option has no example, if the line fails, or if the option changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

READING = {
    "--item": "raters look answers.csv --rater worker --label answer --item doc",
    "--rater": "raters look codings.csv --rater coder1,coder2",
    "--label": "raters look answers.csv --item doc --rater worker --label answer",
    "--columns": "raters look press.csv --columns '{rater}_{variable}'",
    "--yes": "raters look labels.csv --yes",
    "--scale": "raters look likert.csv --scale interval",
    "--labels": "raters look labels.csv --labels complaint,praise,question,other",
    "--layout": "raters look stars.csv --layout counts",
    "--raters-as": "raters look by-rater.csv --layout wide --raters-as rows",
    "--period": "raters look hours.csv --scale circular --period 24",
    "--missing": "raters look marked.csv --missing skip",
    "--duplicates": "raters look twice.csv --duplicates first",
    "--sep": "raters look subjects.csv --scale sets --sep ';'",
    "--delimiter": "raters look waves.csv --delimiter '~'",
    "--header": "raters look plain.csv --item 'column 1' --rater 'column 2' --header 0",
    "--skip": "raters look titled.csv --item item --rater rater --skip 1",
    "--multi": "raters look emotions.csv --scale sets --multi rows",
    "--ordered": "raters look subjects.csv --scale sets --sep ';' --ordered",
    "--sheet": "raters look rounds.xlsx --sheet 'Round 2'",
    "--input-format": "raters look export.dat --input-format csv",
    "--anonymize": "raters look labels.csv --key key.csv --anonymize",
    "--key": "raters look labels.csv --anonymize --key key.csv",
    "--least-raters": "raters look attributes.csv --anonymize --key key.csv --least-raters 2",
    "--encoding": "raters look old.csv --encoding cp1250",
    "--engine": "raters look labels.csv --engine spark",
    "--master": "raters look labels.csv --engine spark --master local[2]",
    "--memory": "raters look labels.csv --memory 500MB",
    "--question": "raters look press.csv --question tone",
    "--document": "raters look units.csv --unit-start a --unit-end b --document sheet",
    "--unit-start": "raters look units.csv --document sheet --unit-end b --unit-start a",
    "--unit-end": "raters look units.csv --document sheet --unit-start a --unit-end b",
    "--seen": "raters look units.csv --document sheet --unit-start a --unit-end b --seen seen.csv",
    "--keep": "raters look prodigy.jsonl --keep skipped",
}
"""Every command that reads a table has them."""
WRITING = {
    "--format": "raters agree codings.csv --interval none --format json",
    "--output": "raters agree codings.csv --interval none --output table.txt",
    "--all": "raters agree codings.csv --interval none --all",
    "--details": "raters agree codings.csv --resamples 50 --details",
    "--force": "raters agree codings.csv --interval none --output labels.csv --force",
}
INFERENCE = {
    "--interval": "raters agree codings.csv --coefficient fleiss --interval bca",
    "--level": "raters agree codings.csv --coefficient fleiss --level 0.9",
    "--resamples": "raters agree codings.csv --coefficient fleiss --resamples 500",
    "--seed": "raters agree codings.csv --coefficient fleiss --seed 1",
}
REPORT = {
    "--open": "raters report marks.csv --scale nominal --interval none --open",
    "--one-page": "raters report marks.csv --scale nominal --interval none -o page.html --one-page",
    "--print-details": "raters report marks.csv --scale nominal --interval none -o page.html --print-details",
    "--pool": "raters report few-pools.csv --interval none -o - --format markdown --pool office",
    "--judges": "raters report both.csv --interval none -o - --format markdown --judges model",
    "--text": "raters report rounds.csv --duplicates first --interval none -o - --format markdown --text wording",
    "--target": "raters report codings.csv --interval none -o - --format markdown --target 0.9",
    "--tables": "raters report codings.csv --interval none --tables tables",
    "--format": "raters report codings.csv --interval none -o - --format markdown",
}
AGREE = {
    "--coefficient": "raters agree labels.csv --interval none --coefficient gwet",
    "--weights": "raters agree likert.csv --interval none --coefficient conger --weights quadratic",
    "--distance": "raters agree scores.csv --interval none --distance absolute",
    "--weights-by": (
        "raters agree scores.csv --interval none --coefficient conger --weights linear --weights-by position"
    ),
    "--margins": "raters agree labels.csv --interval none --coefficient fleiss --format csv --margins pooled",
    "--se": "raters agree labels.csv --coefficient gwet --interval delta --format csv --se gwet",
    "--by": "raters agree labels.csv --interval none --by channel",
    "--group": "raters agree few-pools.csv --interval none --coefficient krippendorff --group office",
    "--within": (
        "raters agree rounds.csv --duplicates keep --interval none --coefficient krippendorff --format csv --within rater"
    ),
    "--cluster": "raters agree rounds.csv --duplicates first --coefficient krippendorff --cluster document",
    "--sample": "raters agree labels.csv --coefficient krippendorff --interval jackknife --sample raters",
    "--per": "raters agree labels.csv --interval none --per rater",
    "--pooled": "raters agree units.csv --document sheet --unit-start a --unit-end b --interval none -c exact --pooled",
    "--threshold": "raters agree units.csv --document sheet --unit-start a --unit-end b --interval none -c iou --threshold 0.9",
    "--leave-out": "raters agree labels.csv --interval none --per rater --leave-out",
    "--fail-under": "raters agree labels.csv --interval none --fail-under krippendorff=0.9",
    "--against": "raters agree 2026-11-14.csv --interval none --against 2026-11-15.csv",
    "--paper": "raters agree codings.csv --interval none --paper",
    "--words": "raters agree codings.csv --interval none --paper --words coding",
    "--explain": "raters agree labels.csv --interval none --no-explain",
}
KRR = {
    "--k": "raters krr likert.csv --scale interval --interval none --k 2",
    "--aggregate": "raters krr likert.csv --interval none --k 2 --aggregate mean",
    "--method": "raters krr likert.csv --scale interval --interval none --k 2 --method split",
    "--curve": "raters krr likert.csv --scale interval --interval none --k 6 --curve",
    "--against": (
        "raters krr likert.csv --scale interval --method empirical --k 2 --interval none --against likert-again.csv"
    ),
    "--by": "raters krr labels.csv --interval none --method split --k 2 --by channel",
    "--scores": "raters krr likert.csv --scale interval --interval none --scores systems.csv",
    "--gold": "raters krr likert.csv --scale interval --interval none --gold experts.csv",
    "--ratings": "raters krr likert.csv --scale interval --interval none --k 9 --method spearman_brown --ratings 2",
    "--irr": "raters krr --k 5 --irr 0.43",
    "--coefficient": "raters krr labels.csv --interval none --method split --k 2 --coefficient fleiss",
    "--weights": (
        "raters krr likert.csv --interval none --method split --k 2 --replications 100 --coefficient fleiss --weights"
        " linear"
    ),
    "--distance": (
        "raters krr likert.csv --scale interval --interval none --method split --k 2 --replications 100 --distance"
        " absolute"
    ),
    "--ties": "raters krr labels.csv --interval none --method split --k 2 --ties abstain",
    "--form": "raters krr likert.csv --scale interval --interval none --k 4 --form 'ICC(C,1)'",
    "--draw": (
        "raters krr likert.csv --scale interval --method empirical --against likert-again.csv --k 2 --interval none"
        " --format csv --draw items"
    ),
    "--replications": "raters krr likert.csv --scale interval --interval none --k 2 --method split --replications 100",
}
PLAN = {
    "--target": "raters plan likert.csv --scale interval --interval none --target 0.9",
    "--irr": "raters plan --irr 0.43",
    "--aggregate": "raters plan marks.csv --scale interval --interval none --aggregate majority",
    "--coefficient": "raters plan likert.csv --scale interval --interval none --coefficient iota",
    "--ties": (
        "raters plan answers.csv --item doc --rater worker --label answer --interval none --format csv --ties abstain"
    ),
    "--width": "raters plan likert.csv --scale interval --interval none --width 0.05",
    "--tell": "raters plan likert.csv --scale interval --interval none --tell 0.6,0.7",
    "--power": "raters plan likert.csv --scale interval --interval none --power 0.9",
    "--budget": "raters plan likert.csv --scale interval --interval none --budget 5000",
    "--cost": "raters plan likert.csv --scale interval --interval none --budget 5000 --cost 0.08",
    "--item-cost": "raters plan likert.csv --scale interval --interval none --budget 5000 --item-cost 0.2",
    "--systems": "raters plan crowd.csv --systems 0.1,0.2",
    "--difference": "raters plan crowd.csv --systems system-a.csv,system-b.csv --difference 0.02",
    "--items": "raters plan crowd.csv --systems 0.1,0.2 --items 60",
    "--settled": "raters plan marks.csv --scale nominal --interval none --settled 0.99",
}
XRR = {
    "--pool": "raters xrr few-pools.csv --interval none --pool office",
    "--by": "raters xrr few-pools.csv --pool office --interval none --by channel",
    "--per-label": "raters xrr few-pools.csv --pool office --interval none --per-label",
    "--irr": "raters xrr few-pools.csv --pool office --interval none --irr iota",
    "--irr-items": "raters xrr pool-crowd.csv pool-more.csv --interval none --irr-items shared",
    "--means": "raters xrr pool-points.csv --pool pool --scale interval --interval none --format csv --means split_half",
    "--trusted": "raters xrr few-pools.csv --pool office --interval none --trusted experts",
    "--names": "raters xrr pool-crowd.csv pool-experts.csv --interval none --names crowd,staff",
    "--cluster": "raters xrr few-pools.csv --pool office --interval delta --cluster channel",
    "--sample": "raters xrr few-pools.csv --pool office --interval jackknife --sample raters",
    "--weights": "raters xrr pool-points.csv --pool pool --scale interval --interval none --weights linear",
    "--distance": "raters xrr pool-points.csv --pool pool --scale interval --interval none --distance absolute",
    "--test": "raters xrr few-pools.csv --pool office --interval none --test 50",
    "--margin": "raters xrr few-pools.csv --pool office --interval delta --margin 0.9",
    "--why": "raters xrr few-pools.csv --pool office --interval none --why",
    "--plan": "raters xrr pool-crowd.csv pool-experts.csv --interval delta --resamples 100 --plan 0.2",
    "--schema": "raters xrr IREP_data_release.csv --schema irep",
}
JUDGE = {
    "--model": "raters judge people.csv --interval none --model model.csv",
    "--model-item": (
        "raters judge people.csv --interval none --model verdicts.csv --model-rater run --model-label said"
        " --model-item no"
    ),
    "--model-rater": (
        "raters judge people.csv --interval none --model verdicts.csv --model-item no --model-label said"
        " --model-rater run"
    ),
    "--model-label": (
        "raters judge people.csv --interval none --model verdicts.csv --model-item no --model-rater run --model-label"
        " said"
    ),
    "--judges": "raters judge people.csv --interval none --judges cat",
    "--judges-from": "raters judge both.csv --interval none --judges-from kind",
    "--margin": "raters judge people.csv --model model.csv --interval none --margin 0.2",
    "--epsilon": "raters judge people.csv --model model.csv --interval none --epsilon 0.2",
    "--similarity": "raters judge likert.csv --judges r4 --interval none --similarity match",
    "--weights": "raters judge likert.csv --judges r4 --interval none --weights quadratic",
    "--confidence": "raters judge people.csv --model judged.csv --interval none --confidence sure",
    "--position": "raters judge prefer.csv --model prefers.csv --interval none --position first",
    "--second": "raters judge prefer.csv --model prefers.csv --interval none --position first --second second",
    "--length": "raters judge people.csv --model judged.csv --interval none --length words",
    "--own": "raters judge people.csv --model judged.csv --interval none --family family --own writer",
    "--family": "raters judge people.csv --model judged.csv --interval none --own writer --family family",
    "--estimate": (
        "raters judge some-people.csv --model model.csv --interval none --sample random --estimate prevalence"
    ),
    "--sample": "raters judge some-people.csv --model model.csv --interval none --estimate prevalence --sample random",
    "--judge": (
        "raters judge some-people.csv --model three-judges.csv --interval none --estimate prevalence --sample random"
        " --judge small"
    ),
    "--system": (
        "raters judge some-people.csv --model judged.csv --interval none --estimate difference --sample random --score"
        " complaint=0,praise=1,question=0.5 --system system"
    ),
    "--strata": (
        "raters judge some-people.csv --model judged.csv --interval none --estimate prevalence --sample random --strata"
        " system"
    ),
    "--half-width": (
        "raters judge some-people.csv --model model.csv --estimate prevalence --sample random --half-width 0.05"
    ),
    "--item-weights": (
        "raters judge some-people.csv --model judged.csv --interval none --estimate prevalence --sample random"
        " --item-weights times"
    ),
    "--score": (
        "raters judge some-people.csv --model model.csv --interval none --estimate mean --sample random --score"
        " complaint=0,praise=1,question=0.5"
    ),
    "--fail-under": "raters judge people.csv --model model.csv --interval none --fail-under advantage=0.99",
}
MULTILABEL = {
    "--who": "raters multilabel subjects.csv --sep ';' --interval none --simulations 100 --all --who ben,ann",
    "--aim": "raters multilabel subjects.csv --sep ';' --interval none --aim final_label",
    "--chance": "raters multilabel subjects.csv --sep ';' --interval none --simulations 100 --chance simulated",
    "--simulations": "raters multilabel subjects.csv --sep ';' --interval none --chance simulated --simulations 100",
    "--pooled": "raters multilabel subjects.csv --sep ';' --interval none --pooled",
    "--masi": "raters multilabel subjects.csv --sep ';' --interval none --format csv --masi masi_rounded",
    "--order-weights": "raters multilabel subjects.csv --sep ';' --interval none --ordered --all --order-weights 3,1",
    "--empty": "raters multilabel topics.jsonl --interval none --empty nothing",
    "--by": "raters multilabel topics.csv --sep ';' --interval none --by channel",
    "--cluster": "raters multilabel topics.csv --sep ';' --resamples 100 --cluster document",
    "--per": "raters multilabel subjects.csv --sep ';' --interval none --per label",
    "--final": "raters multilabel subjects.csv --sep ';' --interval none --final final.csv",
}
CONSENSUS = {
    "--model": "raters consensus labels.csv --model dawid_skene",
    "--start": "raters consensus labels.csv --model dawid_skene --format csv --start paper",
    "--smoothing": "raters consensus labels.csv --model dawid_skene --smoothing 1",
    "--tempering": "raters consensus labels.csv --model dawid_skene --tempering held_out",
    "--prevalence": "raters consensus labels.csv --model mace --prevalence learned",
    "--ties": "raters consensus labels.csv --model majority --format csv --ties abstain",
    "--threshold": "raters consensus labels.csv --model one_coin --format csv --threshold 0.99",
    "--gold": "raters consensus labels.csv --model dawid_skene --gold gold.csv",
    "--check": "raters consensus labels.csv --model one_coin --check gold.csv",
    "--matrices": "raters consensus labels.csv --model dawid_skene --matrices matrices.csv",
    "--soft": "raters consensus labels.csv --model one_coin --format csv --soft",
    "--classifier": "raters consensus crowd.csv --model one_coin --classifier system-a.csv",
    "--shares": "raters consensus labels.csv --model one_coin --format csv --shares",
    "--raters": "raters consensus labels.csv --model one_coin --raters raters.csv",
    "--adjudicate": "raters consensus labels.csv --model one_coin --adjudicate sheet.csv",
    "--next": "raters consensus labels.csv --model one_coin --next 3",
    "--next-file": "raters consensus labels.csv --model one_coin --next 3 --next-file next.csv",
    "--next-for": "raters consensus labels.csv --model one_coin --next-file tasks.json --next-for label_studio",
    "--card": "raters consensus labels.csv --model one_coin -o gold.jsonl --card README.md",
    "--by": "raters consensus labels.csv --model one_coin --by channel",
    "--on-engine": "raters consensus labels.csv --model one_coin -o gold.parquet --on-engine",
    "--compare": "raters consensus marks.csv --scale nominal --model majority --compare",
    "--uncertainty": "raters consensus marks.csv --scale nominal --model one_coin --uncertainty posterior",
    "--seed": "raters consensus marks.csv --scale nominal --model one_coin --uncertainty posterior --seed 1",
}
WATCH = {
    "--by": "raters watch calm.csv --by date",
    "--baseline": "raters watch calm.csv --by date --baseline 3",
    "--looks": "raters watch calm.csv --by date --looks 10",
    "--floor": "raters watch calm.csv --by date --floor 0.3",
    "--judge": "raters watch calm.csv --by date --judge ann",
    "--before": "raters watch w31.csv w32.csv w33.csv w34.csv w35.csv --before before.json",
    "--format": "raters watch calm.csv --by date --format json",
}
CHECK = {
    "--sheet": "raters check gold.csv --sheet 20",
    "--by": "raters check gold.csv --sheet 9 --by label",
    "--errors": "raters check --checked 100 --errors 3",
    "--checked": "raters check --errors 3 --checked 100",
    "--population": "raters check --errors 3 --checked 100 --population 500",
    "--at-most": "raters check --errors 3 --checked 100 --at-most 0.1",
    "--level": "raters check --errors 3 --checked 100 --level 0.9",
    "--seed": "raters check gold.csv --sheet 20 --seed 1",
    "--format": "raters check --errors 3 --checked 100 --format json",
}
RANK = {
    "--first": "raters rank sides.csv --second other --won pick --first one",
    "--second": "raters rank sides.csv --first one --won pick --second other",
    "--won": "raters rank sides.csv --first one --second other --won pick",
    "--item": "raters rank sides.csv --first one --second other --won pick --format json --item page",
    "--rater": "raters rank sides.csv --first one --second other --won pick --rater voice",
    "--position": "raters rank votes.csv --position",
    "--prior": "raters rank votes.csv --prior 1",
    "--level": "raters rank votes.csv --level 0.8",
    "--format": "raters rank votes.csv --format csv",
}
GROUPS = {
    "--by": "raters groups crowd.csv --test 50 --by age",
    "--test": "raters groups crowd.csv --test 50",
    "--no-intersections": "raters groups crowd.csv --test 50 --least-raters 3 --no-intersections",
    "--seed": "raters groups crowd.csv --test 50 --seed 1",
}
EVALUATE = {
    "--against": "raters evaluate system-a.csv crowd.csv --interval none --against system-b.csv",
    "--each": "raters evaluate people.csv people.csv --interval none --each item",
    "--clip": "raters evaluate gold.csv labels.csv --interval none --clip 1e-12",
}
OTHERS: Mapping[str, Mapping[str, str]] = {
    "fold": {
        "--output": "raters fold labels.csv --output labels.fold",
        "--force": "raters fold labels.csv --output labels.csv.fold --force",
        "--group": "raters fold few-pools.csv -o pools.fold --group office",
    },
    "meeting": {
        "--output": "raters meeting codings.csv --output meeting.xlsx",
        "--most": "raters meeting codings.csv -o meeting.csv --most 2",
        "--force": "raters meeting codings.csv -o labels.csv --force",
    },
    "serve": {
        "--port": "raters serve labels.csv --port 8000",
        "--no-browser": "raters serve labels.csv --no-browser",
    },
    "convert": {
        "--output": "raters convert codings.csv --output long.csv",
        "--unit": "raters convert texts.jsonl -o tokens.csv --unit token",
        "--force": "raters convert codings.csv -o labels.csv --force",
    },
    "reproduce": {
        "--format": "raters reproduce models --format json",
        "--data": "raters reproduce multilabel --data papers",
        "--output": "raters reproduce models --output models.txt",
        "--force": "raters reproduce models --output labels.csv --force",
    },
    "demo": {
        "--open": "raters demo --open",
    },
}
OWN: Mapping[str, Mapping[str, str]] = {
    "report": REPORT, "agree": AGREE, "krr": KRR, "plan": PLAN, "xrr": XRR, "judge": JUDGE, "multilabel": MULTILABEL, "consensus": CONSENSUS, "evaluate": EVALUATE, "groups": GROUPS, "rank": RANK, "check": CHECK, "watch": WATCH,
    **OTHERS,
}  # fmt: skip
"""Command -> the options that it alone has, or that mean something else there."""
SHARED: Mapping[str, str] = READING | WRITING | INFERENCE
NOT_RUN: Mapping[str, str] = {
    "--engine": "needs a Java runtime; tests of Spark run it",
    "--master": "needs a Java runtime; tests of Spark run it",
    "--schema": "needs the file that the authors publish",
    "--data": "needs the papers' data",
    "--port": "runs until Ctrl-C; tests of the page start it",
    "--no-browser": "runs until Ctrl-C; tests of the page start it",
}
"""Options whose example needs what not every machine has."""
EXIT: Mapping[str, int] = {"--fail-under": 1}
"""Examples that are meant to exit with another code than 0."""
SAME: Mapping[str, str] = {
    "--print-details": "matters on paper alone",
    "--memory": "a limit, which changes no figure",
    "--item": "found without it, too",
    "--yes": "asks nothing where the reading is sure",
    "--force": "without it, the file is not overwritten",
}
"""Options that change nothing that is printed."""


def example(command: str, option: str) -> str | None:
    """The example of an option of a command; its own, or the one that all commands share."""
    return OWN.get(command, {}).get(option) or SHARED.get(option)
