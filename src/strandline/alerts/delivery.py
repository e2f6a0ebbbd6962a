"""Delivering alerts: a process of its own, with a queue and a thread for each target.

A watch never waits for a receiver: it writes alerts into the outbox and pokes the delivery process. The delivery
process sends what waits for each target in order, one after the other, and marks it once the receiver has answered. A
target that does not answer holds up only its own queue.

When the watch is killed the delivery process notices, ends what it is just sending, marks it, and goes; a lock keeps
the next watch's delivery process waiting until then. So a kill -9 of the watch delivers nothing twice. When the
delivery process itself is killed, or the power fails, between the answer and the mark, that one message is sent again:
at least once, with the same `Idempotency-Key`, by which a receiver drops it.
"""

import fcntl
import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from random import random
from typing import Any, Final

from strandline.alerts.mail import TOGETHER, mail_of
from strandline.alerts.mail_pictures import pictures_for
from strandline.alerts.targets import Target, address_of
from strandline.archive.database_names import database_at
from strandline.core.politeness.delays import retry_after
from strandline.errors import SettingError, StrandlineError
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.mail import mail_server, send_mail
from strandline.fetch.options import user_agent
from strandline.fetch.webhook import PostOptions, post
from strandline.store.catalog import DATABASE
from strandline.store.outbox import Alert, Outbox
from strandline.version import __version__

LOCK: Final = "alerts.lock"
_POINTLESS: Final = (400, 413, 415, 422)
"""Answers that will not change: the message itself is refused."""
_POINTLESS_TRIES: Final = 3
_FIRST_WAIT, _LONGEST_WAIT = 2.0, 3600.0
_LOOK: Final = 15.0
"""Seconds after which a thread looks into its queue although nobody poked it."""
_UNKNOWN_TROUBLE: Final = 30.0
_FINISH: Final = 5.0


@dataclass(frozen=True, slots=True)
class DeliveryOrders:
    """Everything a delivery process needs to know; secrets come from its environment."""

    archive: str
    """Folder, or address of a cluster's database."""
    targets: tuple[Target, ...]
    smtp: str = ""
    sender: str = ""
    mail_pause: float = 600.0
    patience: float = 3 * 86400.0
    allow_address: tuple[str, ...] = ()
    contact: str = ""
    pictures: bool = False
    """Whether pictures of pages are taken; mail brings those of changes then."""

    def as_line(self) -> bytes:
        """For the delivery process's standard input."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "DeliveryOrders":
        """What `as_line` was made from."""
        data: dict[str, Any] = json.loads(line)
        targets = tuple(Target(**target) for target in data.pop("targets"))
        return cls(targets=targets, allow_address=tuple(data.pop("allow_address")), **data)


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of sending: taken or not, why not, and what to make of it."""

    taken: bool
    detail: str
    pointless: bool = False
    wait: float | None = None


Send = Callable[[Sequence[Alert], int], Sent]


class Carrier:
    """The deliveries of one target, in order."""

    def __init__(self, target: Target, outbox: Outbox, send: Send, orders: DeliveryOrders) -> None:
        self._target = target
        self._outbox = outbox
        self._send = send
        self._orders = orders
        self._together = TOGETHER if target.kind == "email" else 1

    def deliver(self, stopped: Callable[[], bool]) -> float:
        """Deliver what can be delivered now; return when to look again (inf: when poked)."""
        name = self._target.name
        while not stopped():
            waiting = self._outbox.next_for(name, self._together)
            now = time.time()
            if not waiting:
                return float("inf")
            first, alerts = waiting[0], [one.alert for one in waiting]
            if now - first.alert.time > self._orders.patience:
                self._outbox.given_up(name, alerts[:1], now, f"not delivered in time: {self._outbox.why(name)}")
                continue
            ready = max(first.not_before, self._pause())
            if ready > now:
                return ready
            self._outbox.trying(name, alerts, now)
            sent = self._send(alerts, first.tries + 1)
            until = self._settle(alerts, first.tries + 1, sent)
            if until:
                return until
        return 0.0

    def _pause(self) -> float:
        """When the next message may go out, as far as messages are bundled."""
        if self._target.kind != "email":
            return 0.0
        return self._outbox.last_delivered(self._target.name) + self._orders.mail_pause

    def _settle(self, alerts: Sequence[Alert], tries: int, sent: Sent) -> float:
        """Mark what became of a try; returns when to try again, 0.0 when the next one may follow."""
        name, now = self._target.name, time.time()
        if sent.taken:
            # The receiver has it: from here on only the mark is tried again, never the message.
            _insist(lambda: self._outbox.delivered(name, alerts, now, sent.detail))
            return 0.0
        if sent.pointless and tries >= _POINTLESS_TRIES:
            self._outbox.given_up(name, alerts[:1], now, sent.detail)
            return 0.0
        wait = min(_FIRST_WAIT * 2.0 ** (tries - 1), _LONGEST_WAIT) * (1.0 + 0.1 * random())
        until = now + max(wait, min(sent.wait or 0.0, _LONGEST_WAIT))
        self._outbox.postponed(name, alerts, until, sent.detail)
        return until


def _insist(mark: Callable[[], None]) -> None:
    while True:
        try:
            return mark()
        except StrandlineError:  # the disk is full, or the database is held for long
            time.sleep(1.0)


# What is sent


def sender_for(target: Target, orders: DeliveryOrders) -> Send:
    """How this target is reached."""
    return _mailer(target, orders) if target.kind == "email" else _poster(target, orders)


def _poster(target: Target, orders: DeliveryOrders) -> Send:
    options = PostOptions(user_agent(__version__, orders.contact), AddressPolicy.allowing(orders.allow_address))
    secret = os.environ.get("STRANDLINE_WEBHOOK_SECRET", "").encode()

    def send(alerts: Sequence[Alert], tries: int) -> Sent:
        (alert,) = alerts
        body = json.dumps({"id": alert.key, "sequence": alert.number, **alert.document}, ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": alert.key,
            "X-Strandline-Sequence": str(alert.number),
            "X-Strandline-Try": str(tries),
        }
        if secret:
            headers["X-Strandline-Signature"] = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
        try:
            posted = post(address_of(target), body, headers, options)
        except SettingError as problem:
            return Sent(False, str(problem))
        wait = retry_after(posted.retry_after, time.time()) if posted.retry_after else None
        return Sent(posted.taken, posted.detail, posted.status in _POINTLESS, wait)

    return send


def _mailer(target: Target, orders: DeliveryOrders) -> Send:
    user, password = (os.environ.get(f"STRANDLINE_SMTP_{name}", "") for name in ("USER", "PASSWORD"))

    def send(alerts: Sequence[Alert], tries: int) -> Sent:
        pictures = pictures_for(alerts, orders.archive) if orders.pictures else None
        message = mail_of(alerts, orders.sender, target.name, time.time(), pictures)
        message["X-Strandline-Try"] = str(tries)
        try:
            send_mail(message, mail_server(orders.smtp, user, password))
        except (OSError, ValueError) as problem:
            return Sent(False, f"{type(problem).__name__}: {problem}"[:300])
        return Sent(True, "taken by the mail server")

    return send


# The process itself


class _Rounds:
    """Threads, one for each target, until told to stop or to finish."""

    def __init__(self, orders: DeliveryOrders) -> None:
        self.orders = orders
        self.ending = threading.Event()
        """Whoever gave the orders wants no more than what is here, or is gone."""
        self._stopping = threading.Event()
        self._finishing = threading.Event()
        self._pokes = [threading.Event() for _ in orders.targets]

    def work(self) -> None:
        """Deliver until told otherwise; ends with its threads."""
        for target, poke in zip(self.orders.targets, self._pokes, strict=True):
            threading.Thread(target=self._work, args=(target, poke), name=target.kind).start()

    def poke(self) -> None:
        for poke in self._pokes:
            poke.set()

    def finish(self) -> None:
        """Go when the queue is empty or stuck."""
        self._finishing.set()
        self.ending.set()
        self.poke()

    def stop(self) -> None:
        """Nobody is there any more: go after what is under way, unless told to finish before."""
        if not self._finishing.is_set():
            self._stopping.set()
        self.ending.set()
        self.poke()

    def _work(self, target: Target, poke: threading.Event) -> None:
        outbox = _outbox(self.orders.archive)
        carrier = Carrier(target, outbox, sender_for(target, self.orders), self.orders)
        while not self._stopping.is_set():
            poke.clear()
            last = self._finishing.is_set()  # asked before: what came while the queue was looked at is delivered, too
            try:
                again = carrier.deliver(self._stopping.is_set)
            except (StrandlineError, OSError):
                again = time.time() + _UNKNOWN_TROUBLE
            if last:
                break
            if not self._stopping.is_set():
                poke.wait(min(_LOOK, max(0.0, again - time.time())))
        outbox.close()


def serve() -> None:
    """The process: orders come on standard input, and its end means that whoever gave them is gone."""
    # Without a buffer: at the end of the process its lock would have to be had from a thread that still reads.
    orders = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115 - standard input
    rounds = _Rounds(DeliveryOrders.from_line(orders.readline()))
    threading.Thread(target=_listen, args=(orders, rounds), name="orders", daemon=True).start()
    place = Path(rounds.orders.archive)
    if database_at(place) or _alone(place, rounds.ending):  # in a cluster, each target is a duty of its own
        rounds.work()


def _outbox(archive: str) -> Outbox:
    """The outbox of an archive, for the deliveries to one target."""
    database = database_at(Path(archive))
    if not database:
        return Outbox.open(Path(archive) / DATABASE)
    from strandline.store.postgres.outbox import DeliveryOutbox  # noqa: PLC0415
    from strandline.store.postgres.session import Session  # noqa: PLC0415 - needs the extra `cluster`

    return DeliveryOutbox(Session(database, _UNKNOWN_TROUBLE, upgrade=False))


def _listen(orders: FileIO, rounds: _Rounds) -> None:
    """Hear what is asked for, to the end."""
    for order in orders:
        if order == b"finish\n":
            rounds.finish()
        else:
            rounds.poke()
    rounds.stop()


def _alone(folder: Path, ending: threading.Event) -> bool:
    """Wait until no other delivery process runs: it may wait for an answer, and must mark it. False: not in time."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    last = float("inf")
    while time.monotonic() < last:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if ending.is_set():
                last = min(last, time.monotonic() + _UNKNOWN_TROUBLE)
            time.sleep(0.1)
        else:
            return True
    return False


class DeliveryProcess:
    """The delivery process as the watch sees it. Nothing here waits for a receiver."""

    def __init__(self, orders: DeliveryOrders, secrets: Mapping[str, str] | None = None) -> None:
        """`secrets` is what the delivery process's environment has besides that of this process."""
        self._orders = orders
        self._secrets = dict(secrets or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._started = float("-inf")

    def poke(self) -> None:
        """There is something to deliver; starts the process when it is not there."""
        if not self._orders.targets:
            return
        if self._process is None or self._process.poll() is not None:
            if time.monotonic() - self._started < _UNKNOWN_TROUBLE and self._process is not None:
                return  # it fell right away: not again and again
            self._start()
        self._order(b"go\n")

    def _start(self) -> None:
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self._secrets, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # what ends the watch does not end a delivery half way
        )
        self._order(self._orders.as_line())

    def _order(self, line: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def close(self, wait: float = _FINISH) -> None:
        """Let it deliver what can be delivered now, and go; what is left waits for the next one."""
        if self._process is None:
            return
        self._order(b"finish\n" if wait else b"")
        with suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(wait)
        except subprocess.TimeoutExpired:
            # It ends by itself when its last answer is there; somebody has to take note of it.
            threading.Thread(target=self._process.wait, name="delivery", daemon=True).start()
        self._process = None
