"""Ten calls that somebody who knows pandas, but not us, writes from the signatures alone."""

import pandas as pd
import pytest

import raters

SCORES = ["bad", "ok", "good"]


@pytest.fixture(scope="module")
def df():
    rows = [
        (f"t{i}", worker, SCORES[(i + (i * j) % 7 // 6) % 3], "news" if i % 2 else "sport", "ab"[j % 2])
        for i in range(48)
        for j, worker in enumerate(["ann", "bob", "cy", "dee"])
    ]
    return pd.DataFrame(rows, columns=["text_id", "worker", "score", "topic", "site"])


@pytest.fixture(scope="module")
def ann(df):
    return raters.read(df, item="text_id", rater="worker", label="score", scale="ordinal", labels=SCORES)


def test_one_number_in_a_sentence(ann):
    kappa = raters.agreement(ann, "fleiss kappa", weights="quadratic")
    assert f"{kappa:.2f}" == f"{kappa.value:.2f}" and kappa > 0.5 and kappa.low < kappa < kappa.high


def test_a_table_of_coefficients_as_a_frame(ann, df):
    frame = raters.agreement_table(
        ann, ["alpha", "AC1", "kappa"] if df.worker.nunique() == 2 else ["alpha", "AC1"]
    ).to_frame()
    assert frame.set_index("name").loc["krippendorff", "value"] > 0.5 and frame[["low", "high"]].notna().all(axis=None)


def test_a_slice_for_each_topic_sorted(ann):
    by_topic = raters.agreement(ann, by="topic")
    assert [e.name for e in sorted(by_topic)] and set(by_topic.to_frame()["name"]) == {"news", "sport"}


def test_the_worst_label_and_the_worst_rater(ann, df):
    labels, workers = raters.per_label(ann), raters.per_rater(ann, interval=None)
    assert min(labels).name in SCORES and min(workers).name in set(df.worker) and "ann" in workers


def test_the_first_pairs(ann):
    assert len(raters.per_pair(ann)[:3].to_frame()) == 3


def test_gold_labels_back_into_the_frame(ann, df):
    consensus = raters.consensus(ann)
    gold = df.drop_duplicates("text_id")["text_id"].map(consensus.labels)
    assert gold.isin(SCORES).all() and len(consensus.to_frame()) == 48


def test_two_sites(ann):
    found = raters.xrr(ann, pool="site")
    assert found.kappa_x.value > 0.5 and set(found.pools) == {"a", "b"}


def test_how_many_labels(ann):
    assert raters.plan(ann, target=0.9)["labels per item"].value >= 1


def test_a_wide_frame_and_an_icc(df):
    numbers = df.assign(score=df.score.map(SCORES.index))
    wide = numbers.pivot(index="text_id", columns="worker", values="score")
    found = raters.icc(raters.read(wide, layout="wide", scale="interval"), interval="bootstrap", resamples=200)
    assert found["ICC(A,1)"].low < found["ICC(A,1)"].value < found["ICC(A,1)"].high


def test_a_picture_and_a_report(ann, tmp_path):
    raters.per_label(ann).plot().save(tmp_path / "labels.json")
    path = raters.report(ann, resamples=100).save(tmp_path / "report.html")
    assert path.stat().st_size > 10_000 and (tmp_path / "labels.json").exists()
