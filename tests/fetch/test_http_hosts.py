"""Whom the fetcher connects to: names, addresses, proxies, and a network that is away."""

import contextlib
import socket
import threading

import pytest

from fetch.loopback import Server, fetch, make, serving
from strandline.core.capture import Outcome
from strandline.fetch import outage
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.http import HttpFetcher
from strandline.fetch.options import FetchLimits


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
