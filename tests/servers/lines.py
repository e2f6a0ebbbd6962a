"""What lies between a process and a server: a gate that can be shut, and a cable that can be cut.

`Gate` forwards connections; shut, it refuses new ones and breaks those there are, as a server that is down does.
`Cable` is a network of its own (a pair of virtual devices, one end of it in a namespace): cut, packets are lost in
silence, as on the way to a machine whose network is gone. It needs root and the `ip` command.
"""

import contextlib
import ctypes
import itertools
import os
import shutil
import socket
import subprocess
import threading

import pytest

_CLONE_NEWNET = 0x40000000
_numbers = itertools.count(1)


class Gate:
    """Forwards from a port of its own to another one of this machine."""

    def __init__(self, target: int, listening: socket.socket | None = None) -> None:
        self._target = target
        self._socket = listening or socket.create_server(("127.0.0.1", 0))
        self.address, self.port = self._socket.getsockname()[:2]
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self._accept()

    def _accept(self) -> None:
        threading.Thread(target=self._serve, args=(self._socket,), daemon=True).start()

    def _serve(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listening.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    near.close()
                    continue
                with self._lock:
                    self._pairs.add((near, far))
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def shut(self) -> None:
        """New connections are refused, old ones break."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # closing alone would not wake up who waits for a connection
        self._socket.close()
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for one in itertools.chain.from_iterable(pairs):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def open(self) -> None:
        """As before, at the same port."""
        self._socket = socket.create_server((self.address, self.port))
        self._accept()

    close = shut


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Cable:
    """A network between this machine and a namespace, in which a gate to one of this machine's ports listens."""

    def __init__(self, target: int) -> None:
        if os.geteuid() or not shutil.which("ip"):
            pytest.skip("virtual networks need root and the ip command")
        number = next(_numbers)
        self.name = f"sl{os.getpid() % 100_000}x{number}"
        near = f"10.213.{os.getpid() % 250}.{4 * number % 250}"
        prefix, last = near.rpartition(".")[::2]
        self.address = f"{prefix}.{int(last) + 1}"
        try:
            _ip("netns", "add", self.name)
            _ip("link", "add", f"{self.name}a", "type", "veth", "peer", "name", f"{self.name}b", "netns", self.name)
        except (subprocess.CalledProcessError, OSError) as problem:
            self.close()
            pytest.skip(f"no virtual networks here: {problem}")
        _ip("addr", "add", f"{near}/31", "dev", f"{self.name}a")
        _ip("link", "set", f"{self.name}a", "up")
        _ip("-n", self.name, "addr", "add", f"{self.address}/31", "dev", f"{self.name}b")
        self.mend()
        self._gate = Gate(target, self._listening())
        self.port = self._gate.port

    def _listening(self) -> socket.socket:
        """A socket of the namespace: made by a thread that enters it, and used from outside."""
        made: list[socket.socket] = []

        def make() -> None:
            with open(f"/run/netns/{self.name}", "rb") as space:  # noqa: PTH123
                if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), _CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            made.append(socket.create_server((self.address, 0)))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        return made[0]

    def cut(self) -> None:
        """From now on packets are lost."""
        _ip("-n", self.name, "link", "set", f"{self.name}b", "down")

    def mend(self) -> None:
        """They arrive again."""
        _ip("-n", self.name, "link", "set", f"{self.name}b", "up")

    def close(self) -> None:
        if hasattr(self, "_gate"):
            self._gate.close()
        for words in (("link", "del", f"{self.name}a"), ("netns", "del", self.name)):
            with contextlib.suppress(subprocess.CalledProcessError, OSError):
                _ip(*words)
