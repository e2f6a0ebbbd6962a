"""Certificates, and what is said over TLS."""

import contextlib
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from fetch.loopback import Server, fetch, make, serving
from strandline.core.capture import Outcome
from strandline.fetch.options import FetchLimits, trusted_certificates


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


def test_certificates_are_found_without_those_of_the_system(monkeypatch):
    assert Path(trusted_certificates()).is_file()
    nothing = ssl.get_default_verify_paths()._replace(cafile=None)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: nothing)
    assert trusted_certificates().endswith("cacert.pem")
