"""Receivers of alerts on loopback: a webhook that can be slow, silent or rude, and a small mail server."""

import base64
import contextlib
import email
import email.policy
import json
import socket
import ssl
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOOPBACK = ("127.0.0.1/32",)


def wait_for(condition, seconds=600.0):
    """Whether something comes true in time; generous, since machines are slow."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


class _QuietHTTPServer(ThreadingHTTPServer):
    """Clients that are killed are nothing to write home about."""

    def handle_error(self, *_):
        return


class Webhook:
    """Remembers every message in the order it came; `answer(number)` gives the status (or None: no answer at all)."""

    def __init__(self, answer=lambda _number: 204, delay=lambda: 0.0, headers=()):
        self.got = []
        self.heads = []
        self._released = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.heads.append(dict(self.headers))
                receiver.bodies.append(body)
                receiver.got.append(json.loads(body))
                status = answer(len(receiver.got))
                if status is None:
                    receiver._released.wait()
                    self.close_connection = True
                    return
                time.sleep(delay())
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.send_response(status)
                    for name, value in headers:
                        self.send_header(name, value)
                    self.send_header("content-length", "0")
                    self.end_headers()

            def log_message(self, *_):
                return

        self.bodies = []
        self._server = _QuietHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/hook"

    @property
    def keys(self):
        return [message["id"] for message in self.got]

    @property
    def sequence(self):
        return [message["sequence"] for message in self.got]

    def close(self):
        self._released.set()
        self._server.shutdown()
        self._server.server_close()


def certificate(folder):
    """A certificate for localhost, made here and now; the path of certificate and key in one file."""
    made = folder / "localhost.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    made.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return made


class MailServer:
    """As much of SMTP as a client needs: EHLO, STARTTLS, AUTH PLAIN, MAIL, RCPT, DATA, QUIT."""

    def __init__(self, certificate_file=None, refuse=0):
        self.messages = []
        self.seen = []
        self._refuse = refuse
        self._context = None
        if certificate_file:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate_file)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._session, args=(connection,), daemon=True).start()

    def _session(self, connection):
        with contextlib.suppress(OSError, ssl.SSLError):
            connection.sendall(b"220 test\r\n")
            stream = connection.makefile("rb")
            while line := stream.readline():
                word = line.split(None, 1)[0].upper().decode()
                self.seen.append(word)
                if word == "STARTTLS":
                    connection.sendall(b"220 go\r\n")
                    connection = self._context.wrap_socket(connection, server_side=True)
                    stream = connection.makefile("rb")
                elif word == "AUTH":
                    self.credentials = base64.b64decode(line.split()[2]).split(b"\0")[1:]
                    connection.sendall(b"235 ok\r\n")
                elif word == "DATA":
                    connection.sendall(b"354 go\r\n")
                    lines = []
                    while (part := stream.readline()) not in (b".\r\n", b""):
                        lines.append(part)
                    if self._refuse:
                        self._refuse -= 1
                        connection.sendall(b"451 later\r\n")
                    else:
                        text = b"".join(lines)
                        self.messages.append(email.message_from_bytes(text, policy=email.policy.default))
                        connection.sendall(b"250 taken\r\n")
                elif word == "EHLO":
                    secure = isinstance(connection, ssl.SSLSocket)
                    offers = ["test", *(["STARTTLS"] if self._context and not secure else []), "AUTH PLAIN"]
                    marks = ["-"] * (len(offers) - 1) + [" "]
                    parts = [f"250{mark}{offer}\r\n" for mark, offer in zip(marks, offers, strict=True)]
                    connection.sendall("".join(parts).encode())
                elif word == "QUIT":
                    connection.sendall(b"221 bye\r\n")
                    break
                else:
                    connection.sendall(b"250 ok\r\n")
            connection.close()

    def close(self):
        self._listener.close()
