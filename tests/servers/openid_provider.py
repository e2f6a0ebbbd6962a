"""A small provider of OpenID Connect on the loopback interface: discovery, keys, the code flow with PKCE; and what it
does wrong when it is told to.
"""

import base64
import contextlib
import hashlib
import http.server
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwk, jwt

CLIENT, SECRET = "archive", "a s3cret:with/odd signs"


@dataclass
class Provider:
    """Whom it signs on, and how it departs from what is right."""

    subject: str = "subject-1"
    claims: dict = field(default_factory=lambda: {"preferred_username": "anna", "email": "anna@example.org"})
    wrong: dict = field(default_factory=dict)
    """Claims of the token that are other than they should be."""
    signing: str = "known"
    """known, rotated (a key that was not there before), foreign (one that is nowhere), or none."""
    key: jwk.RSAKey = field(default_factory=lambda: jwk.RSAKey.generate_key(2048, {"kid": "one"}))
    codes: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    issuer: str = ""
    server: object = None

    def rotate(self):
        """Sign with another key from now on."""
        self.key = jwk.RSAKey.generate_key(2048, {"kid": secrets.token_hex(4)})

    def document(self, path):
        if path == "/.well-known/openid-configuration":
            ends = {"authorization": "authorize", "token": "token"}
            places = {f"{name}_endpoint": f"{self.issuer}/{end}" for name, end in ends.items()}
            return {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys", **places}
        return {"keys": [self.key.as_dict(private=False)]} if path == "/keys" else None

    def authorized(self, asked):
        """Where a browser goes that was sent to us: nobody is asked anything."""
        code = secrets.token_hex(8)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form, authorization):
        """The answer to a code; None for one that is refused."""
        begun = self.codes.pop(form.get("code", ""), None)
        sent = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        told = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if begun is None or told.rstrip(b"=").decode() != begun["code_challenge"]:
            return None
        if sent != "archive:a%20s3cret%3Awith%2Fodd%20signs" or form["redirect_uri"] != begun["redirect_uri"]:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "sub": self.subject, "iat": now, "exp": now + 60}
        claims |= {"nonce": begun["nonce"], **self.claims, **self.wrong}
        if self.signing == "none":
            head, body = (base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=").decode()
                          for one in ({"alg": "none"}, claims))  # fmt: skip
            return {"id_token": f"{head}.{body}.", "token_type": "Bearer", "access_token": "x"}
        key = jwk.RSAKey.generate_key(2048, {"kid": "one"}) if self.signing == "foreign" else self.key
        token = jwt.encode({"alg": "RS256", "kid": key.kid}, claims, key)
        return {"id_token": token, "token_type": "Bearer", "access_token": "x"}


class _Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def _send(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        provider, parts = self.server.provider, urlsplit(self.path)
        provider.asked.append(parts.path)
        if parts.path == "/authorize":
            self._send(302, Location=provider.authorized({k: v[0] for k, v in parse_qs(parts.query).items()}))
            return
        found = provider.document(parts.path)
        self._send(404 if found is None else 200, json.dumps(found).encode())

    def do_POST(self):
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        named = {key: values[0] for key, values in form.items()}
        found = self.server.provider.token(named, self.headers.get("Authorization", ""))
        self._send(200 if found else 400, json.dumps(found or {"error": "invalid_grant"}).encode())


@contextlib.contextmanager
def openid_provider():
    """A provider that runs."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        provider = Provider(issuer=f"http://127.0.0.1:{server.server_port}")
        server.provider = provider
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield provider
        server.shutdown()
