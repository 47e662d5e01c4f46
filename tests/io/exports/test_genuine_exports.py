"""Genuine exports of 21 tools: what each holds, counted by hand from the files, or the reason for which it is
refused.
"""

from pathlib import Path

import pytest

from raters import DataError, agreement, read
from raters.io.exports.answers import SeveralQuestions
from raters.io.exports.documents import Document, documents
from raters.io.exports.glance import glance
from raters.io.exports.opened import recognised
from raters.spans.units import Spans

pytestmark = [pytest.mark.shared, pytest.mark.filterwarnings("ignore::raters.RatersWarning")]

# file, question (None: there is one), (items, raters, labels), questions, dropped
READ = [
    ("../crowdtruth/relex-sparse-multiple-choice.csv", None, (10, 67, 150), 1, {}),
    ("appen/CrowdTruth__CrowdTruth-core__relex-binary-choice.csv", None, (10, 67, 150), 1, {}),
    ("appen/CrowdTruth__CrowdTruth-core__relex-multiple-choice.csv", None, (10, 67, 150), 1, {}),
    ("appen/CrowdTruth__CrowdTruth-core__event-text-sparse-multiple-choice.csv", None, (41, 57, 509), 1, {}),
    ("deepeval/confident-ai__deepeval__test_run_sample.json", "Faithfulness", (1, 1, 1), 2, {}),
    ("doccano/doccano__doccano-transformer__classification.csv", None, (3, 1, 3), 1, {}),
    ("doccano/doccano__doccano-transformer__classification.jsonl", None, (3, 1, 3), 1, {}),
    ("doccano/doccano__doccano-transformer__seq2seq.jsonl", None, (3, 2, 3), 1, {}),
    ("doccano/doccano__doccano__export_intent_detection_example.jsonl", None, (2, 1, 2), 1, {}),
    ("doccano/doccano__doccano__export_text_classification_example.csv", None, (3, 1, 3), 1, {}),
    ("doccano/doccano__doccano__export_text_classification_example.json", None, (3, 1, 3), 1, {}),
    ("doccano/doccano__doccano__export_text_classification_example.jsonl", None, (3, 1, 3), 1, {}),
    ("evaluation-logs/lm-eval/samples_gsm8k_2025-08-07T11-42-40.066002.jsonl", None, (10, 2, 20), 1, {}),
    ("evaluation-logs/lm-eval/samples_gsm8k_2025-08-11T10-35-08.100989.jsonl", None, (1, 2, 2), 1, {}),
    ("evaluation-logs/lm-eval", "exact_match,strict-match", (10, 2, 11), 3, {}),
    ("evaluation-logs/lm-eval", "exact_match,none", (120, 1, 120), 3, {}),
    ("evaluation-logs/mlflow/eval_results_table.json", "answer_correctness", (4, 1, 4), 3, {"error": 6}),
    ("evaluation-logs/openai-evals/230417220821DPM75QNS_auto_gpt_completion_fn_test-match.jsonl", None, (3, 1, 3), 1, {}),
    ("evaluation-logs/ragas", "answer_relevancy", (35, 1, 35), 5, {"unscored": 4}),
    ("evaluation-logs/ragas/ragas_results.csv", "context_precision", (9, 1, 9), 5, {"unscored": 6}),
    ("evaluation-logs/made/langfuse_ui_scores.csv", None, (6, 3, 18), 1, {}),
    ("evaluation-logs/made/langfuse_ui_scores.json", None, (6, 3, 18), 1, {}),
    ("evaluation-logs/made/otlp_logs.json", None, (4, 1, 4), 1, {}),
    ("evaluation-logs/made/otlp_span_events.json", None, (4, 1, 4), 1, {}),
    ("inception/inception-project__inception__agreement_test_resources", None, (9, 4, 36), 1, {}),
    ("inception/inception-project__inception__casdiff_relationLabelTest", "POS.PosValue", (26, 2, 52), 3, {"curated": 26}),
    ("inspect/UKGovernmentBEIS__inspect_ai__2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval", None, (10, 1, 10), 1, {}),
    ("inspect/UKGovernmentBEIS__inspect_ai__2025-05-12T20-28-13-04-00_popularity.json", None, (3, 1, 3), 1, {}),
    ("inspect/UKGovernmentBEIS__inspect_ai__2025-05-12T20-28-26-04-00_security-guide.json", None, (3, 1, 3), 1, {}),
    ("inspect/UKGovernmentBEIS__inspect_ai__log_formats.eval", None, (1, 1, 1), 1, {}),
    ("inspect/UKGovernmentBEIS__inspect_ai__log_formats.json", None, (1, 1, 1), 1, {}),
    ("inspect/UKGovernmentBEIS__inspect_ai__mmlu-no-summary-choices.eval", None, (1, 1, 1), 1, {}),
    ("inspect/meridianlabs-ai__inspect_scout__2025-09-23T08-09-58-04-00_security-guide_LuxZJVwvymC3S3SyoJczxB.eval", None, (16, 1, 16), 1, {}),
    ("label-studio/HumanSignal__label-studio-evalme__test_old_format.json", None, (1, 1, 3), 1, {}),
    ("label-studio/HumanSignal__label-studio-examples__labeled_results.json", "turn2_user_intent", (3, 1, 3), 12, {}),
    ("label-studio/HumanSignal__label-studio-examples__ls_data.json", None, (4, 1, 4), 1, {}),
    ("label-studio/HumanSignal__label-studio-sdk__csv_test2.json", None, (1, 1, 1), 1, {}),
    ("label-studio/HumanSignal__label-studio-sdk__csv_test_colliding_keys_mixed.json", None, (1, 1, 1), 1, {}),
    ("labelbox/Labelbox__labelbox-python__highly_nested_image.json", "image_description", (1, 1, 1), 7, {}),
    ("labelbox/Labelbox__labelbox-python__text_export.json", None, (1, 1, 1), 1, {}),
    ("mt-bench/Stefanstud__FastChat__gpt-4_pair.jsonl", None, (29, 2, 58), 1, {}),
    ("mt-bench/Stefanstud__FastChat__gpt-4_single.jsonl", None, (77, 1, 77), 1, {}),
    ("mturk/CrowdTruth__CrowdTruth-core__empty_rows.csv", None, (9, 18, 24), 1, {"missing label": 3}),
    ("mturk/CrowdTruth__CrowdTruth-core__platform_amt2.csv", None, (7, 17, 63), 1, {}),
    ("mturk/CrowdTruth__CrowdTruth-core__platform_amt5.csv", None, (6, 10, 12), 1, {}),
    ("potato", "sentiment", (14, 5, 29), 2, {}),
    ("potato", "aspects", (4, 2, 8), 2, {"empty": 4}),
    ("potato/davidjurgens__potato__seed_annotations__alice__user_state.json", "sentiment", (6, 1, 6), 2, {}),
    ("potato/davidjurgens__potato__seed_annotations__bob__user_state.json", "aspects", (4, 1, 4), 2, {}),
    ("potato/davidjurgens__potato__solo-mode__lina__user_state.json", None, (8, 1, 8), 1, {}),
    ("potato/davidjurgens__potato__solo-mode__lina1__user_state.json", None, (5, 1, 5), 1, {}),
    ("potato/davidjurgens__potato__solo-mode__lina2__user_state.json", None, (4, 1, 4), 1, {}),
    ("prodigy-people", None, (15, 4, 58), 1, {"rejected": 2}),
    ("prodigy/TeMU-BSC__presto-nlp__presto_annotation.jsonl", None, (524, 2, 524), 1, {}),
    ("prodigy/explosion__projects__emerson_annotated_text.jsonl", None, (30, 1, 30), 1, {}),
    ("promptfoo/promptfoo__promptfoo__output.csv", None, (10, 1, 10), 1, {}),
    ("promptfoo/promptfoo__promptfoo__redteam_tracing_results.json", None, (10, 2, 10), 1, {}),
    ("promptfoo/promptfoo__promptfoo__sample-export.json", None, (4, 2, 6), 1, {"measured": 8}),
    ("qualtrics/ropensci__qualtRics__sample.csv", "Q", (1, 1, 1), 2, {}),
    ("qualtrics/ropensci__qualtRics__sample_legacy.csv", "Q", (1, 1, 1), 2, {}),
    ("toloka/Toloka__CrowdSpeech__crowdspeech-dev-clean-crowd.tsv", None, (245, 164, 1690), 1, {}),
]  # fmt: skip
REFUSED = [
    (
        "inception/dkpro__dkpro-cassis__data.json",
        "contains 2 layers of spans: 'SimpleLinkHost' .1 units., 'SimpleSpan' .2 units.",
    ),
    ("inception/inception-project__inception__casdiff_relationLabelTest/curator.tsv", "excluded: 52 curated"),
    (
        "inspect/UKGovernmentBEIS__inspect_ai__2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval",
        "10 unscored",
    ),
    ("label-studio/HumanSignal__label-studio-evalme__test_bbox.json", "91 annotations in it mark places"),
    ("label-studio/HumanSignal__label-studio-sdk__chat_data.json", "no labels were found"),
    ("label-studio/HumanSignal__label-studio-sdk__csv_test.json", "3 annotations in it mark places"),
    ("label-studio/HumanSignal__label-studio-sdk__csv_test2_result.csv", "no labels were found"),
    ("label-studio/HumanSignal__label-studio-sdk__data.json", "1 annotation in it marks places"),
    ("labelbox/Labelbox__labelbox-python__classification_import.json", "a file for import"),
    ("labelbox/Labelbox__labelbox-python__nested_import.json", "a file for import"),
    ("labelbox/Labelbox__labelbox-python__image_export.json", "10 annotations in it mark places"),
    ("promptfoo/promptfoo__promptfoo__llama4-scout_output.json", "excluded: 10 unscored"),
    ("promptfoo/promptfoo__promptfoo__simple-cli_output.json", "excluded: 8 unscored"),
    ("promptfoo/promptfoo__promptfoo__v3evalToShare.json", "excluded: 8 unscored"),
    ("promptfoo/promptfoo__promptfoo__v4evalToShare.json", "excluded: 8 unscored"),
]
SPANS = [
    ("prodigy/explosion__projects__fashion_brands_eval.jsonl", 34),
    ("doccano/doccano__doccano__export_sequence_labeling_example.jsonl", 4),
    ("doccano/doccano__doccano__export_relation_extraction_example.jsonl", 7),
    ("doccano/doccano__doccano-transformer__labeling.jsonl", 16),
    ("brat/kldtz__bratiaa__example-project", 1567),
    ("brat/kldtz__bratiaa__agree-2", 33),
    ("inception/inception-project__inception__named_entity_json_cas", 51),
]
"""Exports of spans, and how many units they have."""
FOLDERS = {"label_studio": "label-studio", "mt_bench": "mt-bench", "webanno": "inception"}
SEVERAL = {"doccano": ("doccano-spans",), "prodigy": ("prodigy-people",)}
"""Other folders of a tool."""
ASIDE = ("brat/", "inception/")
"""Folders in which a source is a folder."""
UNREAD = ("lighttag", "tagtog")
"""Folders of tools without a reader."""


def questions(path: Path) -> int:
    try:
        read(path)
    except SeveralQuestions as several:
        return len(several.questions)
    return 1


@pytest.mark.parametrize(("name", "question", "sizes", "asked", "dropped"), READ)
def test_what_a_genuine_export_holds(data_dir, name, question, sizes, asked, dropped):
    path = data_dir / "exports" / name
    ann = read(path, question=question)
    assert (ann.n_items, ann.n_raters, ann.n_annotations) == sizes
    assert ann.dropped == dropped
    assert questions(path) == asked


@pytest.mark.parametrize(("name", "why"), REFUSED)
def test_what_is_refused_and_why(data_dir, name, why):
    with pytest.raises(DataError, match=why):
        read(data_dir / "exports" / name)


@pytest.mark.parametrize(("name", "units"), SPANS)
def test_spans_of_a_genuine_export(data_dir, name, units):
    found = read(data_dir / "exports" / name)
    assert isinstance(found, Spans) and found.n_units + sum(found.left_out.values()) >= units


def test_every_genuine_file_is_in_one_of_the_tables(data_dir):
    named = {name for name, *_ in READ + REFUSED + SPANS}
    folder = data_dir / "exports"
    for path in sorted(p for p in folder.glob("*/*") if p.parent.name not in ("hf-layouts", *UNREAD)):
        name = path.relative_to(folder).as_posix()
        assert any(
            n == name or n.startswith((f"{name}/", f"{path.parent.name}/*"))
            for n in named | {"doccano-spans/*", "prodigy-people/*"}
        )


def test_each_is_recognised_as_its_own_tool(data_dir):
    folder = data_dir / "exports"
    seen = set()
    for document in (d for d in documents(folder) if d.under[0] not in UNREAD):
        tool = recognised(glance(document))
        if tool is not None:
            seen.add(tool.name)
            assert document.under[0] in (
                FOLDERS.get(tool.name, tool.name),
                *SEVERAL.get(tool.name, ("evaluation-logs",)),
            )
        else:
            aside = document.name.endswith(".txt") or document.under[0] in ("hf-layouts",)
            assert (
                aside
                or document.name in ("summaries.json", "reductions.json", "start.json")
                or "_journal" in document.parts
            )
    assert len(seen) == 21


def test_fifteen_workers_an_item(data_dir):
    for kind in ("binary", "multiple"):
        ann = read(data_dir / "exports" / "appen" / f"CrowdTruth__CrowdTruth-core__relex-{kind}-choice.csv")
        assert ann.per_item == (15, 15, 15)


def test_the_two_orders_of_a_pair(data_dir):
    """9 of 29 pairs flip with the order, 2 more become a tie, one flips the other way: 17 of 29 agree."""
    ann = read(data_dir / "exports" / "mt-bench" / "Stefanstud__FastChat__gpt-4_pair.jsonl")
    assert agreement(ann, "percent", interval=None).value == pytest.approx(17 / 29)


def test_no_shared_items_means_no_conclusion(data_dir):
    ann = read(data_dir / "exports" / "prodigy" / "TeMU-BSC__presto-nlp__presto_annotation.jsonl")
    assert any("only 0 of 524 items have labels of two or more raters" in note for note in ann.warnings)
    figure = agreement(ann)
    assert figure.value != figure.value and figure.warnings


def test_the_same_log_in_two_forms(data_dir):
    both = [
        read(data_dir / "exports" / "inspect" / f"UKGovernmentBEIS__inspect_ai__log_formats.{e}")
        for e in ("eval", "json")
    ]
    assert both[0].labels == both[1].labels == ("I",)


def test_layouts_of_datasets_are_no_exports(data_dir):
    for path in sorted((data_dir / "exports" / "hf-layouts").iterdir()):
        assert recognised(glance(Document(path))) is None


def test_spans_of_two_people_and_of_four(data_dir):
    """Counted by hand: 70 and 129 units of two; 45, 42, 56 and 37 of four."""
    two = read(data_dir / "exports" / "doccano-spans")
    assert (two.n_documents, two.n_raters, two.n_units) == (25, 2, 199)
    four = read(data_dir / "exports" / "prodigy-people", question="spans")
    assert (four.n_documents, four.n_raters, four.n_units) == (15, 4, 180)


def test_options_are_called_by_their_texts(data_dir):
    ann = read(data_dir / "exports" / "prodigy-people")
    assert "Study Type: Randomized-controlled trial (RCT)" in ann.members
    assert any("180 spans were marked beside these labels" in note for note in ann.warnings)
