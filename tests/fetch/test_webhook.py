"""One POST behind the wall: pinned to checked addresses, over verified TLS, with a deadline, whatever answers."""

import contextlib
import socket
import ssl
import threading

import pytest

from made.receivers import Webhook, certificate
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.webhook import PostOptions, post

HERE = AddressPolicy.allowing(["127.0.0.1/32"])


def options(policy=HERE, **more):
    return PostOptions("strandline-test", policy, **more)


class Raw:
    """Answers every connection with the same bytes, then holds it open until the end."""

    def __init__(self, answer, host="127.0.0.1", context=None):
        self.hits = 0
        self._listener = socket.create_server((host, 0))
        self.port = self._listener.getsockname()[1]
        self._over = threading.Event()

        def serve():
            while True:
                try:
                    connection, _ = self._listener.accept()
                    if context is not None:
                        connection = context.wrap_socket(connection, server_side=True)
                except ssl.SSLError:
                    continue
                except OSError:
                    return
                self.hits += 1
                threading.Thread(target=self._answer, args=(connection, answer), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()

    def _answer(self, connection, answer):
        with contextlib.suppress(OSError), connection:
            connection.recv(1 << 16)
            for piece in answer:
                connection.sendall(piece)
            self._over.wait(30)

    def close(self):
        self._listener.close()
        self._over.set()


def test_only_addresses_that_pass_are_connected_to():
    inside, outside = Raw([b"HTTP/1.1 204 ok\r\n\r\n"]), None
    try:
        outside = socket.create_server(("127.0.0.2", inside.port))
        url = f"http://hooks.example:{inside.port}/x"
        both = post(url, b"{}", {}, options(), lambda _: ["127.0.0.2", "127.0.0.1"])
        assert both.taken and inside.hits == 1
        refused = post(url, b"{}", {}, options(), lambda _: ["127.0.0.2"])
        assert not refused.taken and "127.0.0.2 is special" in refused.detail
        outside.setblocking(False)
        with pytest.raises(BlockingIOError):
            outside.accept()
    finally:
        inside.close()
        if outside is not None:
            outside.close()


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "localhost"])
def test_no_spelling_of_this_machine_passes(host):
    hook = Webhook()
    sent = post(hook.url.replace("127.0.0.1", host), b"{}", {}, options(AddressPolicy()))
    assert not sent.taken and "not allowed" in sent.detail and hook.got == []
    hook.close()


@pytest.mark.parametrize("url", ["ftp://a.example/", "file:///etc/passwd", "nonsense", "https://"])
def test_what_is_no_webhook_is_said(url):
    assert post(url, b"", {}, options()).status == 0


def test_a_name_that_does_not_exist_is_said():
    def unknown(_host):
        raise socket.gaierror(-2, "Name or service not known")

    assert (
        post("https://gone.example/", b"", {}, options(), unknown).detail == "gone.example: Name or service not known"
    )


def test_tls_is_verified(tmp_path):
    made = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made)
    server = Raw([b"HTTP/1.1 200 ok\r\ncontent-length: 0\r\n\r\n"], context=context)
    url = f"https://localhost:{server.port}/"
    assert post(url, b"{}", {}, options(ca_file=str(made)), lambda _: ["127.0.0.1"]).taken
    strange = post(url, b"{}", {}, options(), lambda _: ["127.0.0.1"])
    assert not strange.taken and strange.status == 0
    server.close()


def test_an_answer_that_never_ends_is_an_answer():
    endless = Raw([b"HTTP/1.1 200 ok\r\n\r\n", *[b"x" * 65536] * 8])
    assert post(f"http://127.0.0.1:{endless.port}/", b"{}", {}, options()).taken
    endless.close()


def test_silence_ends_by_the_deadline():
    silent = Raw([])
    sent = post(f"http://127.0.0.1:{silent.port}/", b"{}", {}, options(total=0.3))
    assert not sent.taken and sent.status == 0 and silent.hits == 1
    silent.close()


def test_later_is_later():
    busy = Raw([b"HTTP/1.1 503 no\r\nRetry-After: 120\r\ncontent-length: 0\r\n\r\n"])
    sent = post(f"http://127.0.0.1:{busy.port}/", b"{}", {}, options())
    assert (sent.taken, sent.status, sent.retry_after) == (False, 503, "120")
    busy.close()
