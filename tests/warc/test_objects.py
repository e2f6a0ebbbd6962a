"""WARC files in an object store of each kind, and in a folder. What is synced is there; what is read is the same."""

import http.server
import io
import threading
import tracemalloc

import pytest

from servers import object_stores
from servers.postgres import GROUP
from strandline.core.capture import Place
from strandline.errors import ArchiveDamaged, LeaseLost, SettingError, Unreachable
from strandline.warc import objects_writer
from strandline.warc.captures import Kept, captures_of
from strandline.warc.fixity import read_sums
from strandline.warc.objects import Objects, is_object_store, part_name
from strandline.warc.objects_joining import join, unfinished
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.objects_writer import ObjectWriter
from strandline.warc.writer import WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

pytestmark = GROUP


@pytest.fixture(params=[*object_stores.KINDS, "file"])
def objects(request, tmp_path, monkeypatch):
    if request.param == "file":
        return Objects((tmp_path / "store").as_uri(), patience=2.0)
    server = object_stores.entered(monkeypatch, request.param)
    return Objects(f"{server.bucket()}/some/where", patience=2.0)


def writer(objects, folder, **settings):
    return ObjectWriter(objects, folder / "spool", ABOUT, StillClock(), WriterSettings(host="w1", **settings))


def body_of(objects, capture):
    return ObjectReader(objects).read(capture.place).body.read()


def test_what_was_synced_can_be_read_while_the_file_is_written_and_after(objects, tmp_path):
    store = writer(objects, tmp_path)
    kept = []
    for n in range(6):
        kept.append(store.keep(exchange(f"http://a.example/{n}", b"page %d" % n * 100)))
        if n % 2:
            store.sync()
    reader = ObjectReader(objects)
    assert [reader.read(one.place).body.read() for one in kept] == [b"page %d" % n * 100 for n in range(6)]
    assert len(objects.names("archive/")) == 3 and list(unfinished(objects)) == [kept[0].place.file]
    store.close()
    assert [name for name, _ in objects.names("archive/")] == [f"archive/{kept[0].place.file}"]
    # The same reader, which had seen parts, and a new one.
    assert reader.read(kept[3].place).http_head.startswith(b"HTTP/1.1 200")
    assert [body_of(objects, one) for one in kept] == [b"page %d" % n * 100 for n in range(6)]
    assert not any(path.stat().st_size for path in (tmp_path / "spool").rglob("*") if path.is_file())


def test_the_finished_object_is_the_warc_file_with_its_checksums(objects, tmp_path):
    store = writer(objects, tmp_path)
    kept = [store.keep(exchange(f"http://a.example/{n}", b"x" * 5000 * n)) for n in range(4)]
    store.close()
    name = kept[0].place.file
    (tmp_path / "archive").mkdir()
    (tmp_path / "fixity").mkdir()
    (tmp_path / "archive" / name).write_bytes(objects.get(f"archive/{name}"))
    (tmp_path / "fixity" / f"{name}.sums").write_bytes(objects.get(f"fixity/{name}.sums"))
    found = [item.capture for item in captures_of(tmp_path / "archive" / name) if isinstance(item, Kept)]
    assert [one.place for one in found] == [one.place for one in kept]
    sums, problem = read_sums(tmp_path / "archive", name)
    assert problem == "" and sums[-1].end == (tmp_path / "archive" / name).stat().st_size


def test_full_files_are_finished_between_commits(objects, tmp_path):
    store = writer(objects, tmp_path, rotate_bytes=1)
    first = store.keep(exchange("http://a.example/1"))
    store.sync()
    second = store.keep(exchange("http://a.example/2"))
    store.sync()
    assert first.place.file != second.place.file and unfinished(objects) == {}
    assert body_of(objects, first) == body_of(objects, second) == b"<p>hello</p>"


def kept_in_parts(objects, folder, count):
    store = writer(objects, folder)
    kept = []
    for n in range(count):
        kept.append(store.keep(exchange(f"http://a.example/{n}", b"page %d" % n)))
        store.sync()
    ((name, parts),) = unfinished(objects).items()
    return store, kept, name, parts


def promised(kept):
    return kept[-1].place.offset + kept[-1].place.length


def test_what_a_commit_promised_a_moment_ago_is_read_by_who_has_read_before(objects, tmp_path):
    store, reader = writer(objects, tmp_path), ObjectReader(objects)
    for n in range(3):
        kept = store.keep(exchange(f"http://a.example/{n}", b"page %d" % n))
        store.sync()
        assert reader.read(kept.place).body.read() == b"page %d" % n


def test_a_dead_workers_parts_become_its_file(objects, tmp_path):
    store, kept, name, _ = kept_in_parts(objects, tmp_path, 4)
    lost = store.keep(exchange("http://a.example/lost"))
    # Here the worker dies. Another part behind a gap: sent by mistake, never recorded.
    objects.put(part_name(lost.place.file, lost.place.offset + 10_000), b"out of order")
    assert join(objects, name, unfinished(objects)[name], tmp_path, promised(kept)) == lost.place.offset
    assert [body_of(objects, one) for one in kept] == [b"page %d" % n for n in range(4)]
    assert unfinished(objects) == {}


def test_a_file_whose_parts_were_not_all_removed_stays_as_it_is(objects, tmp_path):
    store, kept, name, parts = kept_in_parts(objects, tmp_path, 4)
    last = {part_name(name, start): objects.get(part_name(name, start)) for start, _ in parts[2:]}
    join(objects, name, parts, tmp_path, promised(kept))
    whole = objects.get(f"archive/{name}")
    for part, data in last.items():  # as if whoever joined them had been killed while they were removed
        objects.put(part, data)
    assert join(objects, name, unfinished(objects)[name], tmp_path, promised(kept)) == len(whole)
    assert objects.get(f"archive/{name}") == whole and unfinished(objects) == {}
    # One that was thought dead sends what will be refused.
    store.keep(exchange("http://a.example/late"))
    store.sync()
    assert list(unfinished(objects)) == [name]
    join(objects, name, unfinished(objects)[name], tmp_path, promised(kept))
    assert objects.get(f"archive/{name}") == whole and unfinished(objects) == {}
    assert [body_of(objects, one) for one in kept] == [b"page %d" % n for n in range(4)]


@pytest.mark.parametrize("gone", [0, 1])
def test_parts_are_not_touched_when_one_that_was_promised_is_missing(objects, tmp_path, gone):
    _, kept, name, parts = kept_in_parts(objects, tmp_path, 4)
    objects.delete([part_name(name, parts[gone][0])])
    left = unfinished(objects)
    with pytest.raises(ArchiveDamaged, match=f"{name} cannot be finished"):
        join(objects, name, left[name], tmp_path, promised(kept))
    assert unfinished(objects) == left and objects.size(f"archive/{name}") is None
    assert [body_of(objects, one) for one in kept[2:]] == [b"page 2", b"page 3"]


def test_one_that_fails_sends_nothing_more(objects, tmp_path):
    with pytest.raises(LeaseLost), writer(objects, tmp_path) as store:
        store.keep(exchange("http://a.example/1"))
        store.sync()
        before = objects.names("")
        store.keep(exchange("http://a.example/2"))
        raise LeaseLost("another has it")
    assert objects.names("") == before and len(before) == 1


def test_one_that_ends_well_sends_the_rest(objects, tmp_path):
    with writer(objects, tmp_path) as store:
        kept = store.keep(exchange("http://a.example/1"))
    assert body_of(objects, kept) == b"<p>hello</p>" and unfinished(objects) == {}


def test_what_an_earlier_worker_left_on_disk_does_not_come_back(objects, tmp_path):
    dead = writer(objects, tmp_path)
    dead.keep(exchange("http://a.example/never-promised"))
    store = writer(objects, tmp_path)
    store.keep(exchange("http://a.example/1"))
    store.close()
    (name,) = (name for name, _ in objects.names("archive/"))
    assert b"never-promised" not in objects.get(name)


def test_large_bodies_stream(objects, tmp_path):
    import random

    body = random.Random(3).randbytes(9 << 20)
    store = writer(objects, tmp_path)
    kept = store.keep(exchange("http://a.example/large", body))
    store.sync()
    record = ObjectReader(objects).read(kept.place)
    assert isinstance(record.body, io.BufferedReader) and record.body.read() == body
    unknown = Place(kept.place.file, kept.place.offset, 0)
    assert ObjectReader(objects).read(unknown).body.read() == body


def test_what_is_sent_is_not_held_in_memory(objects, tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(30 << 20)
        file.write(b"begin")
    tracemalloc.start()
    try:
        objects.put_rest("large", path, 3)
        assert tracemalloc.get_traced_memory()[1] < 18 << 20
    finally:
        tracemalloc.stop()
    assert objects.size("large") == (30 << 20) - 3 and objects.range("large", 0, 3) == b"in\0"


def test_large_parts_are_sent_piece_by_piece(objects, tmp_path, monkeypatch):
    monkeypatch.setattr(objects_writer, "_AT_ONCE", 900)
    store, reader, kept = writer(objects, tmp_path), ObjectReader(objects), []
    for n, size in enumerate((10, 5000, 10, 5000)):
        kept.append((store.keep(exchange(f"http://a.example/{n}", bytes(range(256)) * size)), size))
        store.sync()
    for _ in range(2):
        assert all(reader.read(one.place).body.read() == bytes(range(256)) * size for one, size in kept)
        store.close()


def test_damage_and_absence_are_told_with_file_and_offset(objects, tmp_path):
    store = writer(objects, tmp_path)
    kept = store.keep(exchange("http://a.example/1", b"page" * 1000))
    store.close()
    reader = ObjectReader(objects)
    for place in (
        Place("NONE.warc.gz", 0, 10),
        Place("../archive/x", 0, 10),
        Place(kept.place.file, kept.place.offset + 1, kept.place.length),
        Place(kept.place.file, kept.place.offset, kept.place.length - 5),
        Place(kept.place.file, 10**9, 10),
    ):
        with pytest.raises(ArchiveDamaged):
            reader.read(place)


def test_a_file_is_read_while_it_is_being_finished(objects, tmp_path):
    store = writer(objects, tmp_path)
    kept = [store.keep(exchange(f"http://a.example/{n}", b"%d" % n)) for n in range(3)]
    store.sync()
    reader, troubles, stop = ObjectReader(objects), [], threading.Event()

    def read():
        while not stop.is_set():
            for n, one in enumerate(kept):
                try:
                    assert reader.read(one.place).body.read() == b"%d" % n
                except BaseException as trouble:  # noqa: BLE001 - told below
                    troubles.append(trouble)
                    return

    thread = threading.Thread(target=read)
    thread.start()
    store.close()
    stop.set()
    thread.join()
    assert troubles == []


def test_an_object_is_made_once(objects):
    objects.put("a/one", b"1")
    objects.put("a/one", b"1")
    with pytest.raises(ArchiveDamaged, match="already"):
        objects.put("a/one", b"2")
    for n in range(20):
        objects.put(f"a/{n}", b"1")
    objects.delete(["a/none", "a/one", *(f"a/{n}" for n in range(20)), "a/none"])
    assert objects.names("a/") == []
    objects.delete(["a/none"])
    objects.check()


def test_a_time_of_416_milliseconds_is_not_a_short_object():
    objects = Objects("s3://bucket", 1.0)
    away = "Error performing PUT http://127.0.0.1:9/b/x in 416.607901ms - HTTP error: error sending request"
    assert isinstance(objects._in_our_words(OSError(away)), Unreachable)
    short = (
        "Error performing GET http://a/b in 3.1ms - Server returned non-2xx status code: 416 Range Not Satisfiable: "
    )
    assert isinstance(objects._in_our_words(OSError(short)), ArchiveDamaged)


@pytest.mark.parametrize("kind", object_stores.KINDS)
def test_wrong_keys_buckets_and_absence_are_one_clear_line(kind, monkeypatch):
    server = object_stores.entered(monkeypatch, kind)
    nowhere = Objects(f"{kind}://no-such-bucket/x", 30.0)
    for ask in (nowhere.check, lambda: nowhere.names(""), lambda: nowhere.get("x")):
        with pytest.raises(SettingError, match=r"there is no such (bucket|container)$"):
            ask()
    bucket = server.bucket()
    for name, value in server.wrong_keys().items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingError, match="access is refused") as told:
        Objects(bucket, 30.0).check()
    assert "\n" not in str(told.value)
    for name, value in server.environment(port=9).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Unreachable, match=r"no answer from http://127\.0\.0\.1:9 ") as told:
        Objects(bucket, 0.1).check()
    assert len(str(told.value)) < 200


@pytest.mark.parametrize(("kind", "allowed"), [("s3", "AWS_ALLOW_HTTP"), ("az", "AZURE_ALLOW_HTTP")])
def test_a_store_without_tls_is_asked_only_if_that_is_meant(kind, allowed, monkeypatch):
    object_stores.entered(monkeypatch, kind)
    monkeypatch.delenv(allowed)
    with pytest.raises(SettingError, match=f"set {allowed}=true"):
        Objects(f"{kind}://bucket", 0.1).check()


@pytest.mark.parametrize(
    ("address", "variable"),
    [
        ("s3://b", "AWS_ACCESS_KEY_ID"),
        ("gs://b", "GOOGLE_SERVICE_ACCOUNT"),
        ("abfss://container@account.dfs.core.windows.net/x", "AZURE_STORAGE_ACCOUNT_KEY"),
    ],
)
def test_who_has_no_keys_is_told_which_to_set(address, variable, monkeypatch):
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5")
    told = Objects(address)._in_our_words(OSError("Generic error: no credential found"))
    assert isinstance(told, SettingError) and variable in str(told)


def test_keys_do_not_belong_into_addresses(monkeypatch, tmp_path):
    with pytest.raises(SettingError, match="not an object store"):
        Objects(str(tmp_path))
    for address in ("s3://key:secret@bucket/x", "s3://key@bucket", "minio://key:secret@host/x", "abfss://a:secret@b/x"):
        with pytest.raises(SettingError, match="environment") as told:
            Objects(address)
        assert "secret" not in str(told.value)
    for address in ("s3://[bucket/x", "s3:bucket"):
        with pytest.raises(SettingError):
            Objects(address)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5")
    assert Objects("abfss://container@account.dfs.core.windows.net/x").url.startswith("abfss://container@")
    assert is_object_store("s3://bucket") and not is_object_store("/folder")


def test_a_store_that_went_away_promises_nothing(monkeypatch, tmp_path):
    server = object_stores.entered(monkeypatch, "s3")
    objects = Objects(server.bucket(), 0.1)
    store = writer(objects, tmp_path)
    store.keep(exchange())
    monkeypatch.setattr(objects, "_patiently", _away)
    with pytest.raises(Unreachable):
        store.sync()


class _Restarted(http.server.BaseHTTPRequestHandler):
    """An S3 server that goes away in the middle of its first answer, for longer than the library tries again."""

    data = bytes(range(256)) * 8000
    asked: list = []  # noqa: RUF012 - of one test

    def do_GET(self):
        self.asked.append(self.headers["Range"])
        away = 1 < len(self.asked) <= 6
        start = int((self.headers["Range"] or "bytes=0-").split("=")[1].split("-")[0])
        self.send_response(503 if away else 206 if self.headers["Range"] else 200)
        self.send_header("Content-Length", str(0 if away else len(self.data) - start))
        self.send_header("Content-Range", f"bytes {start}-{len(self.data) - 1}/{len(self.data)}")
        self.send_header("ETag", '"mark"')
        self.send_header("Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT")
        self.end_headers()
        if not away:
            self.wfile.write(self.data[start:] if self.headers["Range"] else self.data[:1_000_000])

    def log_message(self, *_):
        """Nothing."""


def test_what_is_read_when_the_store_goes_away_is_read_to_the_end(monkeypatch):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Restarted)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    for name, value in {**object_stores.running("s3").environment(), "AWS_ENDPOINT_URL": address}.items():
        monkeypatch.setenv(name, value)
    try:
        assert b"".join(Objects("s3://bucket", 60.0).stream("large")) == _Restarted.data
        assert len(_Restarted.asked) > 6
        _Restarted.asked.clear()
        with pytest.raises(Unreachable, match="s3://bucket"):
            list(Objects("s3://bucket", 0.0).stream("large"))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _away(_):
    raise Unreachable("away")
