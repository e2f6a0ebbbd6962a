"""Azure's object store, by its emulator Azurite, which `scripts/setup-object-stores` installs with npm.

`running()` gives the one server of this test process; `bucket()` makes an empty container in it.
"""

import base64
import hashlib
import hmac
import itertools
import os
import secrets
import shutil
import signal
import subprocess
import urllib.request
from email.utils import formatdate
from pathlib import Path

from servers.processes import Absent, end, free_port, launch, listening, one_server, remove, server_folder, wait_until

PROGRAM = Path(__file__).parent / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
ACCOUNT = "strandlinetests"


class AzureServer:
    """Containers in a folder; what was written is there after a restart."""

    scheme = "az"

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None or not PROGRAM.exists():
            raise Absent("Azurite is not installed (scripts/setup-object-stores does it where there is npm)")
        self._command = [node, PROGRAM]
        self.folder = server_folder("azure")
        self.port = free_port()
        self._key = base64.b64encode(secrets.token_bytes(32)).decode()
        self._process: subprocess.Popen | None = None
        self._names = itertools.count(1)

    def start(self) -> None:
        given = {"blobHost": "127.0.0.1", "blobPort": str(self.port), "location": str(self.folder / "data")}
        words = [word for name, value in given.items() for word in (f"--{name}", value)]
        # The library is newer than the newest release of the emulator: --skipApiVersionCheck.
        words += ["--silent", "--disableTelemetry", "--skipApiVersionCheck"]
        surroundings = {
            "HOME": str(self.folder),
            "PATH": os.environ["PATH"],
            "AZURITE_ACCOUNTS": f"{ACCOUNT}:{self._key}",
        }
        self._process = launch([*self._command, *words], self.folder, signal.SIGTERM, surroundings, as_we_are=True)
        wait_until(lambda: listening(self.port), "Azurite", self._process)

    def environment(self, port: int = 0) -> dict[str, str]:
        """What a process needs to reach this server, or a proxy before it."""
        return {
            "AZURE_STORAGE_ENDPOINT": f"http://127.0.0.1:{port or self.port}/{ACCOUNT}",
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": self._key,
            "AZURE_ALLOW_HTTP": "true",
        }

    def wrong_keys(self) -> dict[str, str]:
        return {"AZURE_STORAGE_ACCOUNT_KEY": base64.b64encode(b"wrong" * 8).decode()}

    def bucket(self) -> str:
        """The address of a new, empty container. obstore has no call for it: a request signed by hand."""
        name = f"bucket{next(self._names)}"
        version, date = "2021-12-02", formatdate(usegmt=True)
        headers = f"x-ms-date:{date}\nx-ms-version:{version}\n"
        signed = "PUT" + "\n" * 12 + f"{headers}/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
        mark = hmac.new(base64.b64decode(self._key), signed.encode(), hashlib.sha256).digest()
        shown = f"SharedKey {ACCOUNT}:{base64.b64encode(mark).decode()}"
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{ACCOUNT}/{name}?restype=container",
            headers={"x-ms-date": date, "x-ms-version": version, "Authorization": shown, "Content-Length": "0"},
            method="PUT",
        )
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 201
        return f"az://{name}"

    def stop(self) -> None:
        end(self._process)

    def close(self) -> None:
        self.stop()
        remove(self.folder)


def running() -> AzureServer:
    """The server of this process; skips the test where none can be had."""
    return one_server(AzureServer, "Azure")
