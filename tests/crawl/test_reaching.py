"""A host that was typed without a scheme is reached by the one it speaks."""

import socket
import ssl
import subprocess
from dataclasses import replace

import pytest

from fetch.loopback import Server, serving
from strandline.crawl.reaching import scheme_of
from strandline.demo.server import DemoServer
from strandline.errors import UsageError
from strandline.settings.schema import Settings

FILES = ("-keyout", "key.pem", "-out", "cert.pem")
OWN = replace(Settings(), fetch=replace(Settings().fetch, allow_address=("127.0.0.1/32",)))


def unknown(errno):
    def lookup(_host, _port):
        raise socket.gaierror(errno, "no answer")

    return lookup


def test_a_host_that_speaks_http_only_is_asked_over_http():
    with DemoServer() as site:
        assert scheme_of(site.url.partition("://")[2], OWN) == "http"
        assert scheme_of(site.url.partition("://")[2], Settings()) == "https", "an address that may not be tried"


def test_a_host_that_speaks_tls_is_asked_over_https(tmp_path):
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=a.example", *FILES],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("openssl cannot make a certificate here")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with serving(Server(context=context)) as running:
        assert scheme_of(f"a.example:{running.port}/x", OWN, lambda _host, _port: ["127.0.0.1"]) == "https"


def test_a_host_that_does_not_exist_is_told_from_one_nobody_can_look_up_now():
    assert scheme_of("exmaple.org", OWN, unknown(socket.EAI_NONAME)) == ""
    assert scheme_of("example.org", OWN, unknown(socket.EAI_AGAIN)) == "https"
    behind = replace(OWN, fetch=replace(OWN.fetch, proxy="http://proxy.example:8080"))
    assert scheme_of("example.org", behind, unknown(socket.EAI_NONAME)) == "https"


def test_what_is_no_address_is_refused():
    with pytest.raises(UsageError):
        scheme_of("a b", OWN)
