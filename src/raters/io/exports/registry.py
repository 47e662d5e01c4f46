"""Every tool whose exports are read."""

from raters.io.exports import (
    appen,
    argilla,
    brat,
    doccano,
    evaluations,
    inspect_ai,
    label_studio,
    labelbox,
    mturk,
    potato,
    prodigy,
    qualtrics,
    runs,
    toloka,
    traces,
    webanno,
)
from raters.io.exports.answers import Tool
from raters.io.exports.spans import argilla as argilla_spans
from raters.io.exports.spans import brat as brat_spans
from raters.io.exports.spans import conll, factgenie
from raters.io.exports.spans import doccano as doccano_spans
from raters.io.exports.spans import label_studio as label_studio_spans
from raters.io.exports.spans import prodigy as prodigy_spans
from raters.io.exports.spans import webanno as webanno_spans
from raters.plugins import Registry

TOOLS: Registry[Tool] = Registry(
    (
        Tool(
            "label_studio", "Label Studio", label_studio.sniff, label_studio.read,
            "Export > JSON. JSON-MIN and CSV are also read, but they do not show which keys are questions.",
            "Enterprise: the mean of a matching score over pairs of annotators, not corrected for chance. Community: none.",
            spans=label_studio_spans.read,
        ),
        Tool(
            "prodigy", "Prodigy", prodigy.sniff, prodigy.read,
            "`prodigy db-out DATASET > answers.jsonl`; give annotators sessions of their own (`?session=ann`).",
            "`metric.iaa.doc` and `metric.iaa.span` (since 1.14.3): percent agreement, alpha, AC2; pairwise F1 of spans.",
            spans=prodigy_spans.read,
        ),
        Tool(
            "labelbox", "Labelbox", labelbox.sniff, labelbox.read,
            "Export data > the labels of a project, as JSON or NDJSON. The reader for export v2 follows only the documentation.",
            "A consensus score and a benchmark score: raw matching, not corrected for chance.",
        ),
        Tool(
            "mturk", "Amazon Mechanical Turk", mturk.sniff, mturk.read,
            "Manage > Results > Download CSV, of the batch. Inputs and answers with the same numbers (`text1`, `label1`) are items of their own.",
            "None.",
        ),
        Tool(
            "toloka", "Toloka", toloka.sniff, toloka.read,
            "Pool > Download results, as TSV, with the columns of assignments.",
            "None; aggregation by majority or Dawid-Skene. The library crowd-kit has alpha.",
        ),
        Tool(
            "appen", "Appen", appen.sniff, appen.read,
            "Results > Full report. The aggregated report has no workers in it and is refused.",
            "A confidence: the share of votes weighted by trust, not corrected for chance.",
        ),
        Tool(
            "qualtrics", "Qualtrics", qualtrics.sniff, qualtrics.read,
            "Data & Analysis > Export data > CSV; values or choice text, as you like. Both the old and the new header format.",
            "None.",
        ),
        Tool(
            "potato", "Potato", potato.sniff, potato.read,
            "Give the folder `annotation_output`, which has a folder for each user.",
            "Krippendorff's alpha, nominal or interval, in the admin page.",
        ),
        Tool(
            "webanno", "INCEpTION or WebAnno", webanno.sniff, webanno.read,
            "Administration > Export, with annotations as WebAnno TSV 3.3, UIMA CAS XMI or JSON. A layer that labels every token is "
            "read from TSV, with tokens as items; so are annotations of the whole document from CAS JSON. Other layers are spans.",
            "Cohen's and Fleiss' kappa, Krippendorff's alpha (nominal, unitizing), Gwet's AC1 and AC2, gamma: corrected for chance.",
            spans=webanno_spans.read,
        ),
        Tool(
            "brat", "brat", brat.sniff, brat.read,
            "Give the folder with a folder for each annotator, texts included. Units are read; relations and events are counted.",
            "None. The packages bratiaa and bratutils have F1 of instances and tokens, not corrected for chance.",
            spans=brat_spans.read,
        ),
        Tool(
            "argilla", "Argilla", argilla.sniff, argilla.read,
            "`dataset.records.to_json('records.json')`; flattened records, those of version 1, and those of Rubrix are read too.",
            "Version 1: Krippendorff's alpha of submitted responses. Version 2: none.",
            spans=argilla_spans.read,
            verified=False,
        ),
        Tool(
            "inspect", "Inspect", inspect_ai.sniff, inspect_ai.read,
            "Give the log (`.eval` or `.json`), several, or the folder `logs`. Scorers are the raters.",
            "None; metrics, and reducers over epochs.", log=True,
        ),
        Tool(
            "promptfoo", "promptfoo", evaluations.sniff_promptfoo, evaluations.read_promptfoo,
            "`promptfoo eval -o results.json`, or `promptfoo export eval ID -o results.json` with the thumbs of the web page.",
            "None.", log=True,
        ),
        Tool(
            "mt_bench", "MT-bench", evaluations.sniff_mt_bench, evaluations.read_mt_bench,
            "Give `model_judgment/gpt-4_single.jsonl`, `gpt-4_pair.jsonl`, or the judgments of people.",
            "Percent agreement, with ties (setup 1) and without (setup 2), not corrected for chance.", log=True,
        ),
        Tool(
            "deepeval", "DeepEval", evaluations.sniff_deepeval, evaluations.read_deepeval,
            "Give `.deepeval/.latest_test_run.json`.",
            "None.", log=True,
        ),
        Tool(
            "openai_evals", "OpenAI evals", runs.sniff_openai, runs.read_openai,
            "Give the log that `oaieval` names at its end. Matches are read; graders by models are not.", "None.", log=True,
        ),
        Tool(
            "lm_eval", "lm-evaluation-harness", runs.sniff_lm_eval, runs.read_lm_eval,
            "`lm_eval ... --log_samples`: give `samples_TASK_DATE.jsonl`, several, or the folder. Of several runs, the run "
            "is the rater; of one, its filters are.", "None.", log=True,
        ),
        Tool(
            "ragas", "ragas", runs.sniff_ragas, runs.read_ragas,
            "`result.to_pandas().to_csv('scores.csv')`. The item is the question with its response.", "None.", log=True,
        ),
        Tool(
            "mlflow", "MLflow", runs.sniff_mlflow, runs.read_mlflow,
            "Give the artifact `eval_results_table.json` of a run.", "None.", log=True,
        ),
        Tool(
            "langfuse", "Langfuse", traces.sniff_langfuse, traces.read_langfuse,
            "Export the table of scores as CSV or JSON; blob storage and pages of the API are read too.",
            "Score analytics: Pearson, Spearman, MAE, RMSE; Cohen's kappa, F1, overall agreement.", verified=False, log=True,
        ),
        Tool(
            "opentelemetry", "OpenTelemetry", traces.sniff_otel, traces.read_otel,
            "Events `gen_ai.evaluation.result`, one JSON object a line, or as OTLP: log records, and events of spans.", "None.",
            verified=False, log=True,
        ),
        Tool(
            "factgenie", "factgenie", factgenie.sniff, factgenie.labels,
            "Give the folder of a campaign in `annotations`; texts are found in `outputs` beside it.",
            "None. Scripts of its authors have F1 of spans and gamma.",
            spans=factgenie.read,
        ),
        Tool(
            "conll", "CoNLL or BIO", conll.sniff, conll.labels,
            "A token and its tag a line (`B-PER`, `I-PER`, `O`): a file or a folder for each rater.",
            "None. seqeval has exact F1 of two.",
            spans=conll.read, beside=conll.beside, verified=False,
        ),
        Tool(
            "doccano", "doccano", doccano.sniff, doccano.read,
            "Dataset > Export dataset, of a project that does not share annotations between members: the zip has one file "
            "for each. A merged `all.jsonl` is refused.",
            "None.",
            spans=doccano_spans.read,
        ),
    ),
    "raters.exports",
    Tool,
)  # fmt: skip
"""By name, the first that recognises a document reads it; other packages add theirs under the entry point
``raters.exports``."""
