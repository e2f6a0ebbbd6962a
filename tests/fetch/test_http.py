"""The fetcher against servers that behave: bytes exactly as they came, and as they were sent."""

import contextlib
import errno
import socket
import socketserver
import ssl
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strandline.core.capture import Outcome, Request
from strandline.errors import OutOfSpace
from strandline.fetch import http, outage
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.http import HttpFetcher
from strandline.fetch.options import FetchLimits, FetchOptions, trusted_certificates, user_agent

LOOPBACK = AddressPolicy.allowing(["127.0.0.1/32", "::1/128"])
LIMITS = FetchLimits(connect=5, first_byte=5, between_reads=5, total=20)
HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Server(socketserver.ThreadingTCPServer):
    """Answers every request on a connection with bytes from a table, and remembers what it was sent."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address=("127.0.0.1", 0), family=socket.AF_INET, context=None):
        self.address_family = family
        self.context = context
        self.replies: dict[str, bytes] = {}
        self.requests: list[bytes] = []
        self.connections = 0
        super().__init__(address, Handler)

    def get_request(self):
        made, address = super().get_request()
        if self.context:
            made.settimeout(5)
            made = self.context.wrap_socket(made, server_side=True, do_handshake_on_connect=False)
        return made, address

    def handle_error(self, *_):
        pass

    @property
    def port(self):
        return self.server_address[1]


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        self.server.connections += 1
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = self.rfile.readline()
                if not line:
                    return
                head += line
            self.server.requests.append(head)
            path = head.split()[1].decode("latin-1")
            self.wfile.write(self.server.replies.get(path, HELLO))
            self.wfile.flush()


@contextlib.contextmanager
def serving(server):
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def server():
    with serving(Server()) as running:
        yield running


def make(**options) -> HttpFetcher:
    lookup = options.pop("lookup", lambda host: ["127.0.0.1"])
    settings = {"limits": LIMITS, "policy": LOOPBACK, **options}
    return HttpFetcher(FetchOptions("test-agent", **settings), lookup)


def fetch(fetcher, *requests):
    """Exchanges in the order of the requests, bodies read into `.content`."""
    for ticket, request in enumerate(requests):
        fetcher.start(request if isinstance(request, Request) else Request(request, ticket))
    found = {}
    while fetcher.in_flight:
        for exchange in fetcher.finished(1.0):
            found[exchange.request.ticket] = (exchange, exchange.body.read())
            exchange.body.close()
    return [found[ticket] for ticket in sorted(found)]


@pytest.fixture
def fetcher():
    made = make()
    yield made
    made.close()


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


def test_names_are_resolved_once_pinned_and_checked(server):
    asked = []

    def lookup(host):
        asked.append(host)
        return {"good.example": ["127.0.0.1"], "mixed.example": ["10.0.0.1", "127.0.0.1"]}.get(host, ["10.0.0.1"])

    fetcher = make(lookup=lookup)
    urls = [
        f"http://{host}:{server.port}/" for host in ("good.example", "mixed.example", "bad.example", "GOOD.example")
    ]
    good, mixed, bad, again = (exchange for exchange, _ in fetch(fetcher, *urls))
    assert [e.outcome for e in (good, mixed, again)] == [Outcome.ANSWERED] * 3
    assert bad.outcome is Outcome.BAD_ADDRESS
    assert "10.0.0.1" in bad.detail
    assert sorted(asked) == ["bad.example", "good.example", "mixed.example"]
    assert b"Host: good.example:" in server.requests[0] + server.requests[1]
    fetcher.close()


def test_rebinding_between_check_and_connection_changes_nothing(server):
    """A name server that gives a good address first and ours afterwards is asked once per connection."""
    answers = iter([["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]])
    fetcher = make(lookup=lambda host: next(answers))
    for _ in range(3):
        [(exchange, _)] = fetch(fetcher, f"http://rebind.example:{server.port}/")
        assert exchange.address == "127.0.0.1"
    fetcher.close()


def test_the_last_word_is_at_the_socket(server, monkeypatch):
    """Were the first check passed over, the connection itself would still be refused."""
    fetcher = make(policy=AddressPolicy())
    monkeypatch.setattr(HttpFetcher, "_admit", lambda self, target, addresses: self._ready.append(target))
    [(exchange, _)] = fetch(fetcher, f"http://127.0.0.1:{server.port}/")
    assert exchange.outcome is Outcome.BAD_ADDRESS
    assert server.connections == 0
    fetcher.close()


def test_odd_hosts_and_schemes():
    def lookup(host):
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    fetcher = make(lookup=lookup)
    expected = {
        "ftp://a.example/": Outcome.BAD_URL,
        "file:///etc/passwd": Outcome.BAD_URL,
        "javascript:1": Outcome.BAD_URL,
        "http://": Outcome.BAD_URL,
        "no url": Outcome.BAD_URL,
        "http://[::bad/": Outcome.BAD_URL,
        "http://a.example:99999/": Outcome.BAD_URL,
        "http://127.0.0.1:22/": Outcome.BAD_ADDRESS,
        "http://10.0.0.1/": Outcome.BAD_ADDRESS,
        f"http://{'a' * 300}.example/": Outcome.NO_SUCH_HOST,
        f"http://{'a' * 70}.example/": Outcome.NO_SUCH_HOST,
        "http://bücher.example/": Outcome.NO_SUCH_HOST,
    }
    for (exchange, _), outcome in zip(fetch(fetcher, *expected), expected.values(), strict=True):
        assert exchange.outcome is outcome, exchange
    fetcher.close()


def test_international_names_are_asked_in_ascii(server):
    asked = []
    fetcher = make(lookup=lambda host: asked.append(host) or ["127.0.0.1"])
    [(exchange, _)] = fetch(fetcher, f"http://BÜCHER.example:{server.port}/straße")
    assert exchange.outcome is Outcome.ANSWERED
    assert asked == ["xn--bcher-kva.example"]
    assert b"GET /stra%C3%9Fe " in exchange.request_head
    fetcher.close()


def test_connection_refused_is_not_an_outage(fetcher):
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    [(exchange, _)] = fetch(fetcher, f"http://127.0.0.1:{port}/")
    assert exchange.outcome is Outcome.CONNECT


def test_ipv6(fetcher):
    try:
        six = Server(("::1", 0), socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 loopback here")
    with serving(six):
        [(exchange, body)] = fetch(fetcher, f"http://[::1]:{six.port}/")
    assert (exchange.outcome, body, exchange.address) == (Outcome.ANSWERED, b"hello", "::1")


def test_a_long_ipv6_address_is_a_host_like_any_other():
    closed = make(policy=AddressPolicy.allowing(["fd00::/8"]), limits=FetchLimits(connect=0.5))
    [(exchange, _)] = fetch(closed, "http://[fd12:3456:789a:1::1]:8080/")
    assert exchange.outcome in (Outcome.CONNECT, Outcome.OFFLINE, Outcome.TIMEOUT), exchange
    closed.close()


def test_names_that_take_too_long_time_out():
    gate = threading.Event()
    fetcher = make(lookup=lambda host: gate.wait(30) and [], limits=FetchLimits(connect=0.3))
    [(exchange, _)] = fetch(fetcher, "http://slow.example/")
    assert exchange.outcome is Outcome.TIMEOUT
    gate.set()
    fetcher.close()


def no_name_server(host):
    raise socket.gaierror(socket.EAI_AGAIN, "temporary failure")


def test_no_route_means_offline(monkeypatch):
    monkeypatch.setattr(outage, "has_route", lambda: False)
    fetcher = make(lookup=no_name_server)
    [(exchange, _)] = fetch(fetcher, "http://a.example/")
    assert exchange.outcome is Outcome.OFFLINE
    fetcher.close()


def test_many_hosts_without_an_answer_mean_offline(monkeypatch, server):
    monkeypatch.setattr(outage, "has_route", lambda: True)
    fetcher = make(lookup=lambda host: ["127.0.0.1"] if host == "up.example" else no_name_server(host))
    outcomes = [fetch(fetcher, f"http://h{n}.example/")[0][0].outcome for n in range(5)]
    assert outcomes == [Outcome.NO_SUCH_HOST] * 3 + [Outcome.OFFLINE] * 2
    assert fetch(fetcher, f"http://up.example:{server.port}/")[0][0].outcome is Outcome.ANSWERED
    assert fetch(fetcher, "http://h9.example/")[0][0].outcome is Outcome.NO_SUCH_HOST
    fetcher.close()


def test_a_proxy_is_used_only_when_named(server, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1/")
    plain = make()
    assert fetch(plain, f"http://127.0.0.1:{server.port}/")[0][0].outcome is Outcome.ANSWERED
    plain.close()
    proxied = make(proxy=f"http://me:secret@127.0.0.1:{server.port}", lookup=lambda host: ["93.184.216.34"])
    [(exchange, _)] = fetch(proxied, "http://far.example/")
    assert exchange.outcome is Outcome.ANSWERED
    assert server.requests[-1].startswith(b"GET http://far.example/ ")
    assert b"Proxy-Authorization" in server.requests[-1]
    assert b"Proxy-Authorization" not in exchange.request_head
    [(inside, _)] = fetch(proxied, "http://10.0.0.1/")
    assert inside.outcome is Outcome.BAD_ADDRESS
    proxied.close()
    away = make(proxy="http://127.0.0.1:9", lookup=lambda host: ["93.184.216.34"])
    assert fetch(away, "http://far.example/")[0][0].outcome is Outcome.OFFLINE
    away.close()


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


# -- TLS ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=good.example",
         "-addext", "subjectAltName=DNS:good.example", "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode:
        pytest.skip("openssl cannot make a certificate here")
    return folder


@pytest.fixture
def secure(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with serving(Server(context=context)) as running:
        yield running


def test_certificates_are_checked(secure, certificate):
    strict = make()
    [(exchange, _)] = fetch(strict, f"https://good.example:{secure.port}/")
    assert exchange.outcome is Outcome.TLS
    assert "certificate" in exchange.detail
    strict.close()
    trusting = make(ca_file=str(certificate / "cert.pem"))
    good, wrong = fetch(trusting, *[f"https://{name}.example:{secure.port}/" for name in ("good", "wrong")])
    assert (good[0].outcome, good[1], good[0].detail) == (Outcome.ANSWERED, b"hello", "")
    assert wrong[0].outcome is Outcome.TLS
    trusting.close()


def test_archive_mode_keeps_what_a_bad_certificate_says_with_a_note(secure):
    lenient = make(tls_verify="archive")
    for _ in range(2):
        [(exchange, body)] = fetch(lenient, f"https://good.example:{secure.port}/")
        assert (exchange.outcome, body) == (Outcome.ANSWERED, b"hello")
        assert "certificate not verified" in exchange.detail
    lenient.close()


def test_odd_heads_are_read_over_tls_too(secure, certificate):
    fetcher = make(ca_file=str(certificate / "cert.pem"))
    body = bytes(range(256)) * 1000
    head = b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: %d\r\n\r\n" % len(body)
    secure.replies["/odd"] = head + body
    [(exchange, content)] = fetch(fetcher, f"https://good.example:{secure.port}/odd")
    assert (exchange.outcome, exchange.response_head, content) == (Outcome.ANSWERED, head, body)
    fetcher.close()


def test_plain_http_on_a_tls_port_and_a_stalled_handshake(server):
    fetcher = make(limits=FetchLimits(connect=0.5))
    [(exchange, _)] = fetch(fetcher, f"https://good.example:{server.port}/")
    assert exchange.outcome in (Outcome.TLS, Outcome.TIMEOUT)
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as stalled:
        [(exchange, _)] = fetch(fetcher, f"https://good.example:{stalled.getsockname()[1]}/")
    assert exchange.outcome is Outcome.TIMEOUT
    fetcher.close()


# -- header blocks of all kinds ---------------------------------------------------------------------------------------

NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=":"), min_size=1, max_size=12)
VALUES = st.binary(max_size=30).map(lambda raw: bytes(byte for byte in raw if byte not in (0, 10, 13)))
RESERVED = ("content-length", "transfer-encoding", "location", "connection", "content-encoding")


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


def test_certificates_are_found_without_those_of_the_system(monkeypatch):
    assert Path(trusted_certificates()).is_file()
    nothing = ssl.get_default_verify_paths()._replace(cafile=None)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nothing)
    assert trusted_certificates().endswith("cacert.pem")


def test_waiting_costs_no_processor_time(server, fetcher):
    """A fetcher that waits for a slow answer sleeps; it does not spin."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as silent:
        fetcher.start(Request(f"http://127.0.0.1:{silent.getsockname()[1]}/", 1))
        fetcher.finished(0.05)
        before = time.process_time()
        assert fetcher.finished(1.0) == []
        assert time.process_time() - before < 0.5
        assert len(fetcher.abandon()) == 1
