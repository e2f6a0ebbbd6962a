"""A WebSub hub on the loopback interface: it confirms subscriptions, and sends what its publisher gives it, signed.

It speaks the protocol of the W3C Recommendation as hubs do: 202, then the question at the callback, then messages until
the lease runs out. `lease` is what it grants, whatever it is asked for; `refuses` makes it deny.
"""

import contextlib
import hmac
import http.server
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass


@dataclass
class Subscriber:
    callback: str
    topic: str
    secret: str
    until: float


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_):
        """Nothing."""

    def do_POST(self):
        hub = self.server.hub
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        said = {name.removeprefix("hub."): values[0] for name, values in urllib.parse.parse_qs(sent).items()}
        hub.asked.append(said)
        self.send_response(hub.status)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if hub.status == 202:
            threading.Thread(target=hub.confirm, args=(said,), daemon=True).start()


class Hub:
    def __init__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.hub = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self.asked, self.subscribers, self.unconfirmed = [], {}, []
        self.lease, self.status, self.refuses = 0, 202, False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def confirm(self, said):
        """Ask at the callback whether it was really asked."""
        mode = "denied" if self.refuses else said["mode"]
        lease = self.lease or int(said.get("lease_seconds", 0))
        challenge = secrets.token_urlsafe(16)
        words = {"hub.mode": mode, "hub.topic": said["topic"], "hub.challenge": challenge, "hub.lease_seconds": lease}
        status, answer = fetched(f"{said['callback']}?{urllib.parse.urlencode(words)}")
        if mode == "denied":
            return
        if status != 200 or answer.decode() != challenge:
            self.unconfirmed.append((said, status))
        elif mode == "subscribe":
            until = time.time() + lease
            self.subscribers[said["callback"]] = Subscriber(said["callback"], said["topic"], said["secret"], until)
        else:
            self.subscribers.pop(said["callback"], None)

    def publish(self, body, method="sha256", secret=None):
        """Send a message to all subscribers; the answers' statuses."""
        return [send(one, body, method, secret) for one in list(self.subscribers.values())]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def signature(secret, body, method="sha256"):
    return f"{method}={hmac.new(secret.encode(), body, method).hexdigest()}"


def send(one, body, method="sha256", secret=None, signed=True):
    """One message; the status of the answer."""
    fields = {"Content-Type": "application/atom+xml", "Link": f'<{one.topic}>; rel="self"'}
    if signed:
        fields["X-Hub-Signature"] = signature(secret or one.secret, body, method)
    return fetched(one.callback, body, fields)[0]


def fetched(url, body=None, fields=None):
    """Status and body of an answer; 0 when the other side did not want to hear all of it."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, fields or {}), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read()
    except urllib.error.URLError:
        return 0, b""


@contextlib.contextmanager
def hub():
    made = Hub()
    try:
        yield made
    finally:
        made.close()
