"""A language model as a real server on loopback that speaks chat/completions."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ModelServer(ThreadingHTTPServer):
    """Speaks chat/completions; `behave` is what it does instead, by number of the request."""

    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked = []
        self.keys = []

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, body))
        self.server.keys.append(self.headers.get("Authorization"))
        self.server.answer(self, body)

    def log_message(self, *_):
        pass


def send(handler, data, status=200, **headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def saying(text, tokens=42):
    said = {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": {"total_tokens": tokens}}
    return lambda handler, _: send(handler, json.dumps(said).encode())


@contextmanager
def model_server(answer):
    server = ModelServer(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
