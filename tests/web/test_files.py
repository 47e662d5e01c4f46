"""What is dropped: names and archives from strangers."""

import asyncio
import zipfile
from types import SimpleNamespace

import pytest

from raters.errors import DataError
from raters.web.app import Page
from raters.web.files import MOST_MEMBERS, Files, check_archive, recent_file, remember, remembered, safe_name


@pytest.mark.parametrize(
    "given",
    ["../../etc/passwd", "..", "/etc/shadow", "C:\\x\\y.csv", "a\x00b.csv", "\u202egnp.csv", "", "." * 300, "-rf"],
)
def test_names_have_no_path_and_no_controls(given, tmp_path):
    name = safe_name(given, set())
    assert "/" not in name and "\\" not in name and name.isprintable() and name not in ("", ".", "..")
    assert (tmp_path / name).resolve().parent == tmp_path.resolve()


def test_two_files_of_one_name_stay_two(tmp_path):
    assert safe_name("x.csv", {"x.csv"}) != "x.csv"


def test_archives_that_would_unpack_to_too_much_are_refused(tmp_path):
    many = tmp_path / "many.zip"
    with zipfile.ZipFile(many, "w") as z:
        for i in range(MOST_MEMBERS + 1):
            z.writestr(f"{i}.csv", "")
    with pytest.raises(DataError, match="holds 1,001 files"):
        check_archive(many)
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as z, z.open("x.csv", "w", force_zip64=True) as out:
        for _ in range(4097 // 32 + 1):
            out.write(bytes(1 << 25))
    with pytest.raises(DataError, match="unpacks to"):
        check_archive(bomb)


def upload(name, content):
    chunks = [content, b""]

    async def read(size):
        return chunks.pop(0)

    return SimpleNamespace(filename=name, read=read)


def test_uploads_are_private_and_known_by_an_id(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    async def run():
        files = Files(folder=tmp_path)
        opened = await files.receive([upload("../x.csv", b"item,rater,label\n1,a,y\n")])
        assert opened.paths[0].name == "x.csv" and opened.paths[0].stat().st_mode & 0o77 == 0
        assert opened.paths[0].parent.stat().st_mode & 0o77 == 0
        assert files.get(opened.id) is opened and files.get("../x.csv") is None
        with pytest.raises(DataError, match="no file was chosen"):
            await files.receive([])
        files.forget()
        assert files.get(opened.id) is None

    asyncio.run(run())


def test_files_named_at_the_start_are_remembered_without_labels_and_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n1,a,secret\n")

    async def run():
        files = Files(folder=tmp_path)
        named, dropped = files.add([path], named=True), await files.receive([upload("other.csv", b"x")])
        named.figure = dropped.figure = "One label: 0.43"
        remember(named)
        remember(dropped)
        assert [(x["name"], x["found"]) for x in remembered().values()] == [("labels.csv", "One label: 0.43")]
        assert recent_file().stat().st_mode & 0o77 == 0 and "secret" not in recent_file().read_text()
        assert str(path) not in remembered()  # an address has no path
        path.unlink()
        assert remembered() == {}
        recent_file().write_text("[1, {}]")
        assert remembered() == {}
        files.forget()
        assert not recent_file().exists()

    asyncio.run(run())


def test_a_file_that_changed_on_the_disk_is_read_again(tmp_path, monkeypatch):
    """Views of two contents would be mixed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n1,a,y\n1,b,y\n")
    files = Files(folder=tmp_path)
    opened = files.add([path], named=True)
    files.get(opened.id).worker.made["a view"] = "of the old content"
    assert files.get(opened.id).worker.made
    path.write_text("item,rater,label\n1,a,y\n1,b,n\n2,a,n\n")
    assert not files.get(opened.id).worker.made


def test_a_log_that_cannot_be_read_is_named_and_no_address_shows_more(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("item,rater,label\n1,a,y\n")
    files = Files(folder=tmp_path)
    opened = files.add([path], named=True)
    opened.log.path.write_text("no decision\n")

    def ask(address):
        sent = []

        async def receive():
            return {"type": "http.request", "body": b""}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": address, "query_string": b"", "headers": []}
        asyncio.run(Page(files).app()(scope, receive, send))
        return sent[0]["status"], sent[1]["body"].decode()

    status, said = ask(f"/f/{opened.id}/gold.csv")
    assert (
        status == 422 and "labels.csv.decisions.jsonl, line 1: this is no decision" in said and "Traceback" not in said
    )
    for address in (
        "/f/x/gold.csv",
        f"/f/{opened.id}/nothing",
        f"/f/{opened.id}/download/x.exe",
        "/static/app.py",
        "/x",
    ):
        status, said = ask(address)
        assert status == 404 and said == "raters: there is nothing here. Open the start page.\n"
