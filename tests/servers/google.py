"""Google's object store, by the stand-in `google_store` in a process of its own, with the key of a service account."""

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from servers.processes import Absent, end, free_port, launch, listening, one_server, remove, server_folder, wait_until

ACCOUNT = "strandline@tests.example"
STRANGER = "stranger@tests.example"


class GoogleServer:
    """Buckets in a folder; what was written is there after a restart."""

    scheme = "gs"

    def __init__(self) -> None:
        try:
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.asymmetric import rsa
        except ImportError:
            raise Absent("the package cryptography is not installed") from None
        self.folder = server_folder("google")
        self.port = free_port()
        self._process: subprocess.Popen | None = None
        self._names = itertools.count(1)
        plain = serialization.NoEncryption()

        pem, private = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        key, other = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
        self._private, self._other = (one.private_bytes(pem, private, plain).decode() for one in (key, other))
        public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
        (self.folder / "keys.json").write_text(json.dumps({"public": public, "may": [ACCOUNT]}))
        (self.folder / "buckets").mkdir()

    def start(self) -> None:
        command = [sys.executable, Path(__file__).parent / "google_store.py", self.folder, str(self.port)]
        self._process = launch(command, self.folder, signal.SIGKILL, {"PATH": os.environ["PATH"]}, as_we_are=True)
        wait_until(lambda: listening(self.port), "Google's stand-in", self._process)

    def environment(self, port: int = 0) -> dict[str, str]:
        """What a process needs to reach this server, or a proxy before it."""
        return {
            "GOOGLE_BASE_URL": f"http://127.0.0.1:{port or self.port}",
            "GOOGLE_SERVICE_ACCOUNT_KEY": self.account(),
            "GOOGLE_ALLOW_HTTP": "true",
        }

    def account(self, email: str = ACCOUNT, wrong: bool = False) -> str:
        """The key of a service account, as Google hands it out."""
        private = self._other if wrong else self._private
        return json.dumps(
            {
                "type": "service_account",
                "private_key": private,
                "private_key_id": "1",
                "client_email": email,
                "disable_oauth": False,
            }
        )

    def wrong_keys(self) -> dict[str, str]:
        return {"GOOGLE_SERVICE_ACCOUNT_KEY": self.account(wrong=True)}

    def bucket(self) -> str:
        """The address of a new, empty bucket."""
        name = f"bucket{next(self._names)}"
        (self.folder / "buckets" / name).mkdir()
        return f"gs://{name}"

    def stop(self) -> None:
        end(self._process, signal.SIGKILL)

    def close(self) -> None:
        self.stop()
        remove(self.folder)


def running() -> GoogleServer:
    """The server of this process; skips the test where none can be had."""
    return one_server(GoogleServer, "Google")
