"""Public data sets: fetched on request, kept, verified, and read by the published schema."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from pools import EXPRESSIONS, irep_file

import raters
from raters import datasets

pytestmark = pytest.mark.filterwarnings("ignore:no checksum of the published files")


def test_irep_gives_table_5(tmp_path: Path) -> None:
    ann = datasets.irep(irep_file(tmp_path / "IREP_data_release.csv"))
    assert set(ann.extras) == {"platform", "expression"} and ann.labels == (0, 1) and ann.n_raters == 6
    found = raters.xrr(ann, pool="platform", by="expression", irr="cohen", interval=None)
    assert found.slices == tuple(sorted(EXPRESSIONS)) and len(found) == 12 and found.pools == datasets.PLACES
    awe, love = (found.matrix(slice=name) for name in ("awe", "love"))
    assert abs(awe.value[0, 1]) < 0.15 < awe.value[0, 2] and love.value[0, 1] > 0.15
    assert found.matrix("normalized", slice="love").value[0, 2] == pytest.approx(1, abs=0.4)
    # Cohen's kappa of a city's two raters is the diagonal
    columns = ann.engine.query(
        "SELECT item, rater, label FROM annotations WHERE platform = 'Mexico' AND expression = 'love' "
        "AND item IN (SELECT item FROM annotations WHERE platform = 'Mexico' AND rater = 'Mexico 2') ORDER BY row"
    )
    alone = raters.agreement(raters.read(columns, scale="nominal"), "cohen", interval=None)
    assert love.value[2, 2] == pytest.approx(float(alone), abs=1e-12)


def test_irep_is_refused_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("item,who,label\n1,2,3\n", encoding="utf-8")
    with pytest.raises(raters.DataError, match="expected the columns item_id, platform, rater"):
        datasets.irep(path)
    path.write_text("item_id,platform,rater,awe\n1,Mexico,1,often\n", encoding="utf-8")
    with pytest.raises(raters.DataError, match="not 0 or 1"):
        datasets.irep(path)
    path.write_text("item_id,platform,rater,awe\n1,Mexico,1\n", encoding="utf-8")
    with pytest.raises(raters.DataError, match="line 2 has 3 cells"):
        datasets.irep(path)
    with pytest.raises(raters.DataError, match="cannot read"):
        datasets.irep(tmp_path / "missing.csv")


def wordsim_file(path: Path, seed: int) -> Path:
    rng = np.random.default_rng(seed)
    mean = np.random.default_rng(0).uniform(1, 9, 40)
    rows = ["word1,word2," + ",".join(f"r{j}" for j in range(13)) + ",mean"]
    for i, m in enumerate(mean):
        values = np.clip(np.round(m + rng.normal(size=13)), 0, 10)
        words = (f"Cat{i}", f"ape{i}") if seed == 1 else (f"Ape{i}", f"cat{i}")
        rows.append(",".join([*words, *(f"{v:g}" for v in values), f"{values.mean():g}"]))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_wordsim_replications(tmp_path: Path) -> None:
    files = [wordsim_file(tmp_path / f"{seed}.csv", seed) for seed in (1, 2)]
    x, y = datasets.wordsim_replications(files)
    assert (x.n_items, x.n_raters, x.scale) == (40, 13, "interval")
    result = raters.xrr(x, y, interval=None)
    assert result.n_shared == 40 and float(result.normalized) == pytest.approx(1, abs=0.05)
    with pytest.raises(raters.UsageError, match="takes two files"):
        datasets.wordsim_replications(files[:1])


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data set that lives in a local file, and a cache of its own."""
    monkeypatch.setenv("RATERS_CACHE", str(tmp_path / "cache"))
    path = irep_file(tmp_path / "IREP_data_release.csv", n=20)
    made = datasets.Source("https://example.org/data", (path.as_uri(),), "")
    monkeypatch.setattr(datasets, "SOURCES", {"irep": made})
    return path


def test_a_fetched_file_is_kept_and_verified(source: Path, tmp_path: Path) -> None:
    first = datasets.irep()
    (kept,) = datasets.fetch("irep")
    assert kept == tmp_path / "cache" / "irep" / source.name and first.n_items == 20
    source.unlink()  # no network any more: the cache serves
    assert datasets.irep().n_annotations == first.n_annotations
    assert (kept.parent / f"{kept.name}.sha256").read_text(encoding="utf-8").split()[1] == kept.name
    kept.write_text(kept.read_text(encoding="utf-8").replace("Mexico", "Lima"), encoding="utf-8")
    with pytest.raises(raters.DataError, match="not the file that was first fetched"):
        datasets.irep()


def test_a_file_that_changed_at_its_source_is_not_taken(source: Path) -> None:
    (kept,) = datasets.fetch("irep")
    before = kept.read_bytes()
    irep_file(source, n=30)
    with pytest.raises(raters.DataError, match="sha256"):
        datasets.fetch("irep", again=True)
    assert kept.read_bytes() == before


def test_an_interrupted_write_leaves_nothing_half_there(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("raters.writing.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        datasets.fetch("irep")
    assert not list((tmp_path / "cache" / "irep").iterdir())


def test_without_a_network_it_says_what_to_do(source: Path) -> None:
    source.unlink()
    with pytest.raises(raters.DataError, match=r"cannot fetch .* obtain the file from https://example.org/data"):
        datasets.irep()
    with pytest.raises(raters.UsageError, match="unknown data set 'nothing'"):
        datasets.fetch("nothing")


def test_every_source_is_an_address() -> None:
    for name, entry in datasets.SOURCES.items():
        assert hasattr(datasets, name) and entry.page.startswith("https://") and entry.paper
        assert all(url.startswith("https://") for url in entry.urls)


def test_a_file_that_is_pinned_is_the_published_one_or_none(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = hashlib.sha256(source.read_bytes()).hexdigest()
    url = datasets.SOURCES["irep"].urls
    monkeypatch.setattr(datasets, "SOURCES", {"irep": datasets.Source("", url, "", ("0" * 64,))})
    with pytest.raises(raters.DataError, match="is not the published file"):
        datasets.fetch("irep")
    assert not list((tmp_path / "cache").rglob("*.csv")), "nothing is kept of it"
    monkeypatch.setattr(datasets, "SOURCES", {"irep": datasets.Source("", url, "", (right,))})
    (kept,) = datasets.fetch("irep")
    kept.write_text("other")
    with pytest.raises(raters.DataError, match="is not the published file"):
        datasets.fetch("irep")


def test_a_file_that_does_not_end_is_not_kept(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "MOST_BYTES", 10)
    with pytest.raises(raters.DataError, match="more than 10 bytes"):
        datasets.fetch("irep")
    assert not list((tmp_path / "cache").rglob("*.csv"))


def test_a_file_without_a_known_checksum_is_said_to_be_trusted(source: Path) -> None:
    with pytest.warns(UserWarning, match="no checksum of the published files of 'irep' is known"):
        datasets.fetch("irep")


def test_a_checksum_of_the_users_own_is_held_to(source: Path) -> None:
    own = hashlib.sha256(source.read_bytes()).hexdigest()
    assert datasets.fetch("irep", sha256=[own])[0].exists()
    with pytest.raises(raters.DataError, match="is not the published file"):
        datasets.fetch("irep", sha256=["0" * 64], again=True)
    with pytest.raises(raters.UsageError, match="2 checksums for the 1 files"):
        datasets.fetch("irep", sha256=[own, own])
