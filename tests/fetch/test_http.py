"""The fetcher against servers that behave: bytes exactly as they came, and as they were sent."""

import contextlib
import errno
import socket
import threading
import time
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fetch.loopback import fetch, make
from strandline.core.capture import Outcome, Request, whole_milliseconds
from strandline.errors import OutOfSpace
from strandline.fetch import http
from strandline.fetch.options import FetchLimits, user_agent

NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=":"), min_size=1, max_size=12)
VALUES = st.binary(max_size=30).map(lambda raw: bytes(byte for byte in raw if byte not in (0, 10, 13)))
RESERVED = ("content-length", "transfer-encoding", "location", "connection", "content-encoding")


def test_heads_and_bodies_are_kept_byte_for_byte(server, fetcher):
    replies = {
        "/lf": b"HTTP/1.0 200 fine\nX-A:  two  blanks \nx-a: again\nContent-Length: 3\n\n<p>",
        "/short": b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nz",
        "/chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n",
        "/gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00",
        "/bytes": b"HTTP/1.1 200 \xe9\r\nX-\xff: \xfe\r\nContent-Length: 3\r\n\r\n\x00\xff\n",
    }
    server.replies = replies
    for path, wire in replies.items():
        [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}{path}")
        assert exchange.response_head + body == wire
        assert (exchange.outcome, exchange.truncated, exchange.status) == (Outcome.ANSWERED, "", 200)
        assert exchange.body_length == len(body)
        assert exchange.address == "127.0.0.1"


def test_exchanges_are_dated_as_their_records_will_be(server):
    """Half milliseconds were rounded by the index in one way and by the files in another."""
    fetcher = make(now=lambda: 1794962203.2735)
    for url in (f"http://127.0.0.1:{server.port}/", "http://127.0.0.1:1/"):
        [(exchange, _)] = fetch(fetcher, url)
        assert exchange.started == whole_milliseconds(exchange.started) != 1794962203.2735
    fetcher.close()


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nno colon here\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\rb\r\n",
        b"HTTP/1.1 302 Found\nLocation: /a\nLocation: /b\nX: folded\n\there\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nno colon here\r\n",
    ],
)
def test_heads_that_libcurl_refuses_are_read_all_the_same(server, fetcher, head):
    bodies = {
        b"Content-Length: 5\r\n\r\n": b"hello",
        b"Transfer-Encoding: chunked\r\n\r\n": b"5\r\nhello\r\n0\r\n\r\n",
        b"Content-Length: 0\r\n\r\n": b"",
    }
    for fields, content in bodies.items():
        server.replies["/odd"] = head + fields + content
        [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/odd")
        assert exchange.outcome is Outcome.ANSWERED, exchange
        assert exchange.response_head == head.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n") + fields
        assert body == content
        assert exchange.request_head == server.requests[-1]
        assert exchange.address == "127.0.0.1"
    server.replies["/cut"] = head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
    assert fetch(fetcher, f"http://127.0.0.1:{server.port}/cut")[0][0].outcome is Outcome.PROTOCOL
    server.replies["/more"] = head + b"Content-Length: 2\r\n\r\nhello world"
    assert fetch(fetcher, f"http://127.0.0.1:{server.port}/more")[0][0].outcome is Outcome.PROTOCOL
    server.replies["/less"] = head + b"Content-Length: 200\r\n\r\nhello"
    fetcher = make(limits=FetchLimits(between_reads=0.2))
    [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/less")
    assert (exchange.outcome, exchange.truncated, body) == (Outcome.TIMEOUT, "time", b"hello")
    fetcher.close()


def test_the_end_of_chunks_is_seen_on_a_kept_connection(server, fetcher):
    server.replies["/c"] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    for _ in range(5):
        [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/c")
        assert body == b"3\r\nabc\r\n0\r\n\r\n"
    assert server.connections == 1
    assert exchange.header("transfer-encoding") == "chunked"


def test_the_request_is_recorded_as_sent_without_secrets(server):
    fetcher = make(headers=(("Cookie", "id=secret"), ("Authorization", "Bearer secret"), ("From", "a@b")))
    url = f"http://user:secret@127.0.0.1:{server.port}/p?q=1#part"
    [(exchange, _)] = fetch(fetcher, Request(url, 0, etag='W/"v1"', last_modified="Thu, 01 Jan 1970 00:00:00 GMT"))
    [sent] = server.requests
    assert b"Cookie: id=secret" in sent
    assert b"Authorization" in sent
    secrets = (b"Cookie:", b"Authorization:")
    assert exchange.request_head == b"".join(
        line for line in sent.splitlines(keepends=True) if not line.startswith(secrets)
    )
    assert exchange.request_head.startswith(b"GET /p?q=1 HTTP/1.1\r\nHost: 127.0.0.1:")
    for line in (b"User-Agent: test-agent", b"Accept-Encoding: gzip, br", b'If-None-Match: W/"v1"', b"From: a@b",
                 b"If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT"):  # fmt: skip
        assert line + b"\r\n" in exchange.request_head
    assert b"secret" not in exchange.request_head
    fetcher.close()


def test_secrets_are_recorded_when_asked_for(server):
    fetcher = make(headers=(("Cookie", "id=secret"),), keep_secrets=True)
    [(exchange, _)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/")
    assert exchange.request_head == server.requests[0]
    assert b"Cookie: id=secret\r\n" in exchange.request_head
    fetcher.close()


@pytest.mark.parametrize(("path", "asked"), [("/p", b"/p?k=a%20b"), ("/p?q=1&k=2", b"/p?q=1&k=2&k=a%20b")])
def test_a_secret_query_goes_to_its_place_only(server, path, asked):
    place = f"127.0.0.1:{server.port}"
    fetcher = make(secret_query="k=a%20b", secret_places=frozenset({place}))
    [(exchange, _)] = fetch(fetcher, f"http://{place}{path}")
    assert server.requests[0].startswith(b"GET %b HTTP/1.1\r\n" % asked)
    assert exchange.request_head.startswith(f"GET {path} HTTP/1.1\r\n".encode())
    assert exchange.request.url == f"http://{place}{path}"
    fetcher.close()
    elsewhere = make(secret_query="k=a%20b", secret_places=frozenset({"example.org"}))
    fetch(elsewhere, f"http://{place}{path}")
    assert server.requests[1].startswith(f"GET {path} HTTP/1.1\r\n".encode())
    elsewhere.close()


def test_validators_cannot_smuggle_header_lines(server, fetcher):
    fetch(fetcher, Request(f"http://127.0.0.1:{server.port}/", 0, etag='"a"\r\nX-Evil: 1', last_modified="x\x00y"))
    assert b"Evil" not in server.requests[0]
    assert b"If-" not in server.requests[0]


def test_validators_go_back_as_the_bytes_they_were(server, fetcher):
    server.replies["/"] = (
        b'HTTP/1.1 200 OK\r\nETag: "caf\xe9"\r\nLast-Modified: f\xe9vrier\r\nContent-Length: 0\r\n\r\n'
    )
    url = f"http://127.0.0.1:{server.port}/"
    [(first, _)] = fetch(fetcher, url)
    again = Request(url, 0, etag=first.header("etag"), last_modified=first.header("last-modified"))
    [(exchange, _)] = fetch(fetcher, again)
    assert exchange.outcome is Outcome.ANSWERED
    assert b'If-None-Match: "caf\xe9"\r\nIf-Modified-Since: f\xe9vrier\r\n' in server.requests[1]
    fetch(fetcher, Request(url, 0, etag='"\u2713"'))
    assert b"If-None-Match" not in server.requests[2], "what no header can hold is not sent"


def test_a_length_of_thousands_of_digits_is_more_than_came(server):
    fetcher = make(limits=FetchLimits(between_reads=0.2))
    for odd in (b"", b"no colon here\r\n"):
        server.replies["/"] = b"HTTP/1.1 200 OK\r\n%bContent-Length: %b\r\n\r\nhello" % (odd, b"9" * 5000)
        [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/")
        assert (exchange.outcome, exchange.truncated, body) == (Outcome.TIMEOUT, "time", b"hello")
    fetcher.close()


def test_redirects_are_not_followed(server, fetcher):
    server.replies["/r"] = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nhi"
    [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/r")
    assert (exchange.status, exchange.header("location"), body) == (302, "/x", b"hi")
    assert len(server.requests) == 1


def test_many_at_once_and_large_bodies_in_the_spool(server, tmp_path):
    fetcher = make(spool_folder=tmp_path, limits=FetchLimits(memory=1000))
    big = bytes(range(256)) * 4000
    server.replies["/big"] = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(big) + big
    urls = [f"http://127.0.0.1:{server.port}/{'big' if n % 10 == 0 else n}" for n in range(200)]
    results = fetch(fetcher, *urls)
    assert [body for _, body in results] == [big if n % 10 == 0 else b"hello" for n in range(200)]
    assert server.connections <= 25
    fetcher.close()


def test_large_bodies_come_in_bursts_and_whole(server):
    fetcher = make(limits=FetchLimits(burst=200_000, connect=0.4))
    big = bytes(range(256)) * 8000
    wire = b"".join(b"%x\r\n%s\r\n" % (len(big) // 8, big[n::8]) for n in range(8)) + b"0\r\n\r\n"
    server.replies["/length"] = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(big) + big
    server.replies["/chunks"] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + wire
    server.replies["/odd"] = b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: %d\r\n\r\n" % len(big) + big
    results = fetch(fetcher, *[f"http://127.0.0.1:{server.port}{path}" for path in ("/length", "/chunks", "/odd")])
    assert [exchange.outcome for exchange, _ in results] == [Outcome.ANSWERED] * 3
    assert [body for _, body in results] == [big, wire, big]
    fetcher.close()


def test_abandon_names_what_is_lost(server, fetcher):
    server.replies["/hang"] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
    gate = threading.Event()
    fetcher = make(lookup=lambda host: gate.wait(30) and [], connections=1)
    for ticket, url in enumerate(["http://slow.example/", f"http://127.0.0.1:{server.port}/hang",
                                  f"http://127.0.0.1:{server.port}/", "ftp://x/"]):  # fmt: skip
        fetcher.start(Request(url, ticket))
    assert fetcher.in_flight == 4
    fetcher._take_answers()
    fetcher._fill()
    assert sorted(request.ticket for request in fetcher.abandon()) == [0, 1, 2, 3]
    assert fetcher.in_flight == 0
    assert fetcher.finished(5.0) == []
    [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/")
    assert (exchange.outcome, body) == (Outcome.ANSWERED, b"hello")
    gate.set()
    fetcher.close()


def test_no_room_for_the_spool_stops_the_crawl(server, monkeypatch):
    def full(self, data):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("strandline.fetch.spool.Spool.write", full)
    fetcher = make()
    fetcher.start(Request(f"http://127.0.0.1:{server.port}/", 7))
    with pytest.raises(OutOfSpace):
        while fetcher.in_flight:
            fetcher.finished(1.0)
    assert [request.ticket for request in fetcher.abandon()] == [7]
    fetcher.close()


def test_too_many_open_files_wait_and_end_as_ours(server, monkeypatch):
    monkeypatch.setattr(http, "_REGAIN", 2)
    real, left = socket.socket, [2]

    def scarce(*args, **more):
        if left[0] <= 0:
            raise OSError(errno.EMFILE, "too many open files")
        left[0] -= 1
        return real(*args, **more)

    fetcher = make(limits=FetchLimits(total=1.0), connections=4)
    monkeypatch.setattr("strandline.fetch.transfer.socket", SimpleNamespace(socket=scarce))
    results = fetch(fetcher, *[f"http://127.0.0.1:{server.port}/{n}" for n in range(20)])
    assert {exchange.outcome for exchange, _ in results} == {Outcome.ANSWERED}
    assert server.connections == 2
    fetcher.close()
    left[0] = 0
    fetcher = make(limits=FetchLimits(total=1.0))
    [(exchange, _)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/")
    assert exchange.outcome is Outcome.OFFLINE
    fetcher.close()


@given(st.lists(st.tuples(NAMES, VALUES), max_size=20), st.sampled_from([b"\r\n", b"\n"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_header_block_is_kept_as_it_came(server, fetcher, headers, line_end):
    lines = [name.encode() + b":" + value for name, value in headers if name.lower() not in RESERVED]
    head = line_end.join([b"HTTP/1.1 200 OK", *lines, b"Content-Length: 5", b"", b""])
    server.replies["/h"] = head + b"hello"
    [(exchange, body)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/h")
    assert exchange.outcome is Outcome.ANSWERED, (head, exchange.detail)
    assert exchange.response_head == head
    assert body == b"hello"
    assert exchange.header("content-length") == "5"


def test_user_agent_names_the_contact():
    assert user_agent("1", "https://x/") == "Mozilla/5.0 (compatible; strandline/1 +https://x/)"
    assert user_agent("1", "") == "Mozilla/5.0 (compatible; strandline/1)"


def test_waiting_costs_no_processor_time(server, fetcher):
    """A fetcher that waits for a slow answer sleeps; it does not spin."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as silent:
        fetcher.start(Request(f"http://127.0.0.1:{silent.getsockname()[1]}/", 1))
        fetcher.finished(0.05)
        before = time.process_time()
        assert fetcher.finished(1.0) == []
        assert time.process_time() - before < 0.5
        assert len(fetcher.abandon()) == 1
