"""A server on loopback that answers with given bytes, and a fetcher to ask it."""

import contextlib
import socket
import socketserver
import threading

from strandline.core.capture import Request
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.http import HttpFetcher
from strandline.fetch.options import FetchLimits, FetchOptions

LOOPBACK = AddressPolicy.allowing(["127.0.0.1/32", "::1/128"])
LIMITS = FetchLimits(connect=60, first_byte=60, between_reads=60, total=240)
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
            made.settimeout(60)
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
