"""`strandline serve`: two origins, one process, one event loop.

The interface and the replay origin are two listeners of granian on the same loop: the index is used from one thread,
and what is archived never shares an origin with what is ours.
"""

import asyncio
import resource
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from strandline.access.index import Holdings
from strandline.app.status_metrics import archive_metrics
from strandline.archive.folder import Archive
from strandline.archive.holdings import holdings
from strandline.errors import SettingError
from strandline.web.accounts import Accounts
from strandline.web.desk import open_desk
from strandline.web.guard import Guard, Policy
from strandline.web.hubs import Hubs
from strandline.web.interface_app import interface_headers, make_interface
from strandline.web.metrics import Metrics
from strandline.web.options import LOOPBACK_NAMES, Origins, ServeOptions
from strandline.web.replay_app import ReplayApp, replay_headers
from strandline.web.tokens import open_access

_CONNECTIONS = 8192
"""Open connections per origin: many, because idle and slow ones count too; they cost little and are let go in time."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the server is reached."""

    interface: str
    replay: str
    token: str
    """Told once, when it was drawn just now; empty otherwise."""


class Service:
    """A server that can be started and stopped."""

    def __init__(self, held: Holdings, options: ServeOptions, archive: Archive | None = None) -> None:
        """Check the settings; SettingError when they are unsafe or a port is taken.

        Without `archive` there is replay and what programs need for it, and no pages about the archive.
        """
        accounts = Accounts() if archive is None else Accounts(archive, archive.settings.people)
        if not options.loopback and options.token_file is None and not options.token and not accounts.any():
            raise SettingError(
                f"host: {options.host} can be reached from other machines; give --token-file to require a token, or "
                "let people in by name (strandline people DIR add)"
            )
        access, token = open_access(options.token_file, options.token, options.read_token)
        access = replace(access, locked=not options.loopback)  # also when the last account goes
        port = _free_port(options.host, options.port, "port")
        replay_port = _free_port(options.host, options.replay_port, "replay-port", taken=port)
        options = replace(options, port=port, replay_port=replay_port)
        name = _shown(options.host)
        origins = Origins(
            "https" if options.behind_tls else "http",
            options.port,
            options.replay_port,
            _names(options, name),
            any_address=not options.loopback,
            default=name,
        )
        metrics = Metrics() if archive is None else Metrics(archive=partial(archive_metrics, archive))
        policy = Policy(options, origins, access, metrics, accounts)
        self._desk = None if archive is None else open_desk(archive)
        self._hubs = None if self._desk is None else Hubs(self._desk)
        shown = make_interface(held, policy, self._desk, () if self._hubs is None else self._hubs.routes())
        interface = Guard(shown, policy, "interface", partial(interface_headers, policy))
        replay = Guard(ReplayApp(held, policy), policy, "replay", partial(replay_headers, policy))
        self._options = options
        self._apps = (interface, replay)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = threading.Event()
        self._servers: list[Server] = []
        self.addresses = Addresses(f"{origins.interface(name)}/", f"{origins.replay(name)}/", token)

    async def run(self, ready: Callable[[Addresses], None]) -> None:
        """Serve until stopped; `ready` is called once both origins answer."""
        self._loop = asyncio.get_running_loop()
        options = self._options
        for app, port in zip(self._apps, (options.port, options.replay_port), strict=True):
            self._servers.append(_server(app, options, port))
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._loop.add_signal_handler(number, self.stop)
        tasks = [asyncio.create_task(server.serve()) for server in self._servers]
        announced = asyncio.create_task(self._announce(ready))
        if self._hubs is not None:
            self._hubs.start()
        try:
            await asyncio.gather(*tasks)
        finally:
            announced.cancel()
            if self._hubs is not None:
                await self._hubs.stop()
            if self._desk is not None:
                await self._desk.close()

    async def _announce(self, ready: Callable[[Addresses], None]) -> None:
        options = self._options
        for port in (options.port, options.replay_port):
            while True:
                try:
                    _, writer = await asyncio.open_connection(_reachable(options.host), port)
                except OSError:
                    await asyncio.sleep(0.02)
                    continue
                writer.close()
                break
        ready(self.addresses)

    def stop(self) -> None:
        """Finish the answers under way and end; may be called from any thread."""
        if self._loop is not None and not self._stopped.is_set():
            self._stopped.set()
            if self._desk is not None:
                self._loop.call_soon_threadsafe(self._desk.hush)
            for server in self._servers:
                self._loop.call_soon_threadsafe(server.stop)


def serve(archive: Archive, options: ServeOptions, ready: Callable[[Addresses], None]) -> None:
    """Serve an archive until SIGINT or SIGTERM."""
    serve_service(Service(holdings(archive), options, archive), ready)


def serve_service(service: Service, ready: Callable[[Addresses], None]) -> None:
    """Run a service until SIGINT or SIGTERM."""
    _allow_connections()
    asyncio.run(service.run(ready))


def _allow_connections() -> None:
    """Most systems let a process open 1,024 files at first, and more when it asks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _CONNECTIONS + 512 if hard == resource.RLIM_INFINITY else min(2 * _CONNECTIONS + 512, hard)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _server(app: Guard, options: ServeOptions, port: int) -> Server:
    return Server(
        app,
        address=_bindable(options.host),
        port=port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=False,
        backlog=4096,
        backpressure=_CONNECTIONS,
        log_enabled=False,
        http1_settings=HTTP1Settings(
            header_read_timeout=int(options.slowest_request * 1000), max_buffer_size=128 * 1024
        ),
    )


def _bindable(host: str) -> str:
    return "127.0.0.1" if host == "localhost" else host.strip("[]")


def _reachable(host: str) -> str:
    """An address under which this machine itself reaches what it bound."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(_bindable(host), _bindable(host))


def _shown(host: str) -> str:
    reachable = _reachable(host)
    return f"[{reachable}]" if ":" in reachable else reachable


def _names(options: ServeOptions, shown: str) -> frozenset[str]:
    names = {*LOOPBACK_NAMES, shown.lower(), *(name.lower() for name in options.names)}
    if not options.loopback:
        names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
    return frozenset(names)


def _free_port(host: str, port: int, name: str, taken: int = -1) -> int:
    """The port itself when it can be bound, a free one for 0."""
    if port == taken and port:
        raise SettingError(f"{name}: interface and replay need two ports, both are {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_bindable(host), port))
        except (OSError, OverflowError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
            raise SettingError(f"{name}: cannot listen on {host}:{port}: {reason}") from None
        found = int(probe.getsockname()[1])
    return found if found != taken else _free_port(host, 0, name, taken)
