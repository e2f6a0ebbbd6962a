"""The object stores that tests run against, alike: `running()` is the one this run is about, S3 unless
STRANDLINE_TEST_STORE names another (`make object-stores` does); `running("az")` is a certain one.

    s3   SeaweedFS, from a wheel
    az   Azurite, Microsoft's emulator, where it is installed
    gs   a stand-in of ours for the part of Google's interface that is used
"""

import os
from collections.abc import Callable
from typing import Protocol

from servers import azure, google, s3

KINDS: dict[str, Callable[[], "ObjectServer"]] = {"s3": s3.running, "az": azure.running, "gs": google.running}


class ObjectServer(Protocol):
    """A store with keys, on a port of this machine."""

    scheme: str
    port: int

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def bucket(self) -> str:
        """The address of a new, empty bucket."""

    def environment(self, port: int = 0) -> dict[str, str]:
        """What a process needs to reach it, or a proxy before it."""

    def wrong_keys(self) -> dict[str, str]:
        """What the environment of one who may not enter has instead."""


def running(kind: str = "") -> ObjectServer:
    """The server of this process; skips the test where none can be had."""
    return KINDS[kind or os.environ.get("STRANDLINE_TEST_STORE", "s3")]()


def entered(monkeypatch, kind: str = "") -> ObjectServer:
    """The same, with its keys in the environment."""
    server = running(kind)
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    return server
