"""Many HTTP exchanges at once in one thread, on libcurl's multi interface.

    start -> resolving (threads) -> ready -> active (libcurl) -> finished

`start` only queues. `finished` turns the wheel: names that were resolved become ready when each address passes the
policy, ready ones become active while there is room, sockets that are ready are handed to libcurl, limits of time
are looked at, and what ended is judged. When the system runs out of file descriptors the room shrinks and the
exchange waits; nothing is lost.

The stream in `Exchange.body` belongs to whoever receives the exchange and is to be closed by it. Whatever the outcome,
a `response_head` that ends with its empty line can be kept; `truncated` then says how the record is to be marked.
"""

import contextlib
import errno
import selectors
import socket
from collections import deque
from collections.abc import Iterable
from time import monotonic
from typing import Any, Final

import pycurl

from strandline.core.capture import Exchange, Outcome, Request
from strandline.errors import OutOfSpace
from strandline.fetch.lenient import AVAILABLE, LenientTransfer
from strandline.fetch.options import FetchOptions
from strandline.fetch.outage import Outage
from strandline.fetch.resolve import Answer, Lookup, Resolver, system_lookup
from strandline.fetch.targets import is_address, target_of
from strandline.fetch.transfer import Target, Transfer, failed
from strandline.fetch.verdict import Ending, Verdict, judge, may_be_ours, not_trusted

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SPAN: Final = 0.25
"""Seconds between two looks at the clock."""
_REGAIN: Final = 50
"""Exchanges that must end well before one more connection is tried after a shortage."""


class HttpFetcher:
    """`ports.Fetcher` for http and https."""

    def __init__(self, options: FetchOptions, lookup: Lookup = system_lookup) -> None:
        self._options = options
        self._room = options.connections
        self._since_shortage = 0
        self._multi: Any = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, options.connections * 2)
        self._timer: float | None = None
        self._selector = selectors.DefaultSelector()
        self._bell, self._rope = socket.socketpair()
        self._bell.setblocking(False)
        self._rope.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._resolver = Resolver(self._wake, lookup)
        self._resolving: dict[str, list[Target]] = {}
        self._ready: deque[Target] = deque()
        self._active: dict[Any, Transfer] = {}
        self._idle: list[Transfer] = []
        self._fresh_sockets: list[socket.socket] = []
        self._done: list[Exchange] = []
        self._not_trusted: dict[tuple[str, int], str] = {}
        self._outage = Outage()
        limits = options.limits
        spans = (limits.connect, limits.first_byte, limits.between_reads, limits.total, limits.rate_after)
        self._tick = min(_SPAN, min(spans) / 4)
        self._next_look = 0.0
        self._woken = False

    # -- ports.Fetcher ---------------------------------------------------------------------------------------------

    @property
    def in_flight(self) -> int:
        """Exchanges started and not yet returned."""
        resolving = sum(map(len, self._resolving.values()))
        return resolving + len(self._ready) + len(self._active) + len(self._done)

    def start(self, request: Request) -> None:
        """Begin an exchange. Never raises for what the web may do."""
        target = target_of(request)
        if isinstance(target, Verdict):
            self._done.append(failed(request, target, self._options.now()))
        elif is_address(target.host):
            self._admit(target, (target.host,))
        elif answer := self._resolver.known(target.host):
            self._resolved(target, answer)
        else:
            self._resolving.setdefault(target.host, []).append(target)
            self._resolver.ask(target.host)

    def finished(self, timeout: float) -> list[Exchange]:
        """Drive all exchanges for at most `timeout` seconds; return as soon as some ended, at once if none is there."""
        until = monotonic() + timeout
        while True:
            self._take_answers()
            self._fill()
            now = monotonic()
            if self._done or not self.in_flight:
                wait = 0.0
            else:
                wait = max(0.0, min(until - now, self._tick, (self._timer or until) - now))
            self._turn(wait)
            self._harvest()
            self._look_at_clock()
            woken, self._woken = self._woken, False
            if self._done or woken or not self.in_flight or monotonic() >= until:
                done, self._done = self._done, []
                return done

    def wake(self) -> None:
        """Make `finished` return soon. Safe in another thread."""
        self._woken = True
        self._wake()

    def abandon(self) -> list[Request]:
        """Stop everything in flight at once and say what was lost."""
        lost = [target.request for targets in self._resolving.values() for target in targets]
        lost += [target.request for target in self._ready]
        for transfer in list(self._active.values()):
            lost.append(transfer.target.request)
            self._release(transfer)
            transfer.drop()
            self._recycle(transfer)
        for exchange in self._done:
            lost.append(exchange.request)
            exchange.body.close()
        self._resolving.clear()
        self._ready.clear()
        self._done.clear()
        return lost

    def close(self) -> None:
        """Release connections."""
        self.abandon()
        self._resolver.close()
        for transfer in self._idle:
            transfer.curl.close()
        self._idle.clear()
        self._multi.close()
        self._drop_fresh_sockets()
        self._selector.close()
        self._bell.close()
        self._rope.close()

    # -- names -----------------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: it rings already; closed: nobody listens
            self._rope.send(b"!")

    def _take_answers(self) -> None:
        for answer in self._resolver.answered():
            for target in self._resolving.pop(answer.host, []):
                self._resolved(target, answer)

    def _resolved(self, target: Target, answer: Answer) -> None:
        if answer.addresses:
            self._admit(target, answer.addresses)
        elif self._options.proxy:
            self._ready.append(target)  # the proxy may know the name
        elif answer.ours and self._outage.suspected(target.host):
            self._fail(target, Verdict(Outcome.OFFLINE, "", f"no name server answers: {answer.problem}"))
        else:
            self._fail(target, Verdict(Outcome.NO_SUCH_HOST, "", answer.problem))

    def _admit(self, target: Target, addresses: Iterable[str]) -> None:
        refusals = {ip: self._options.policy.check(ip, target.port) for ip in addresses}
        target.addresses = tuple(ip for ip, refusal in refusals.items() if refusal is None)
        if target.addresses:
            target.unverified = self._not_trusted.get((target.host, target.port), "")
            self._ready.append(target)
        else:
            reason = next((refusal for refusal in refusals.values() if refusal), "no address")
            self._fail(target, Verdict(Outcome.BAD_ADDRESS, "", reason))

    def _fail(self, target: Target, verdict: Verdict) -> None:
        self._done.append(failed(target.request, verdict, self._options.now()))

    # -- the wheel -------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        now = monotonic()
        for _ in range(len(self._ready)):
            if len(self._active) >= self._room:
                return
            target = self._ready.popleft()
            if target.not_before > now:
                self._ready.append(target)
                continue
            transfer = self._transfer(lenient=bool(target.head))
            transfer.begin(target)
            self._active[transfer.curl] = transfer
            self._multi.add_handle(transfer.curl)

    def _transfer(self, lenient: bool) -> Transfer:
        if lenient:
            return LenientTransfer(self._options, self._fresh_sockets.append)
        return self._idle.pop() if self._idle else Transfer(self._options, self._fresh_sockets.append)

    def _turn(self, wait: float) -> None:
        for key, events in self._selector.select(wait):
            if key.fileobj is self._bell:
                with contextlib.suppress(BlockingIOError):
                    self._bell.recv(4096)
                continue
            if isinstance(key.data, LenientTransfer):
                if key.data.readable():
                    self._end(key.data, key.data.code, key.data.message)
                continue
            mask = pycurl.CSELECT_IN if events & selectors.EVENT_READ else 0
            mask |= pycurl.CSELECT_OUT if events & selectors.EVENT_WRITE else 0
            self._multi.socket_action(key.fd, mask)
        if self._timer is not None and self._timer <= monotonic():
            self._timer = None
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._drop_fresh_sockets()

    def _drop_fresh_sockets(self) -> None:
        """Libcurl works on its own duplicate of each socket we made."""
        while self._fresh_sockets:
            self._fresh_sockets.pop().close()

    def _on_timer(self, milliseconds: int) -> None:
        self._timer = None if milliseconds < 0 else monotonic() + milliseconds / 1000

    def _on_socket(self, event: int, fd: int, _multi: object, _data: object) -> None:
        if event == pycurl.POLL_REMOVE:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(fd)
            return
        wanted = selectors.EVENT_READ if event & pycurl.POLL_IN else 0
        wanted |= selectors.EVENT_WRITE if event & pycurl.POLL_OUT else 0
        try:
            self._selector.modify(fd, wanted)
        except KeyError:
            self._selector.register(fd, wanted)
        except FileNotFoundError:  # the number of a closed socket, used again
            self._selector.unregister(fd)
            self._selector.register(fd, wanted)

    def _harvest(self) -> None:
        while True:
            left, done, broken = self._multi.info_read()
            for curl in done:
                transfer = self._active[curl]
                if isinstance(transfer, LenientTransfer):
                    self._talk(transfer)
                else:
                    self._end(transfer, pycurl.E_OK, "")
            for curl, code, message in broken:
                self._end(self._active[curl], code, message)
            if not left:
                return

    def _talk(self, transfer: LenientTransfer) -> None:
        """Libcurl has made the bare connection: go on ourselves."""
        try:
            fd = transfer.connected()
        except (pycurl.error, BlockingIOError) as fault:
            self._end(transfer, pycurl.E_SEND_ERROR, str(fault.args[-1]))
            return
        with contextlib.suppress(KeyError):
            self._selector.unregister(fd)
        self._selector.register(fd, selectors.EVENT_READ, transfer)

    def _look_at_clock(self) -> None:
        now = monotonic()
        if now < self._next_look:
            return
        self._next_look = now + self._tick
        for transfer in list(self._active.values()):
            verdict = transfer.overdue(now)
            if verdict:
                transfer.stopped = verdict
                self._end(transfer, pycurl.E_OPERATION_TIMEDOUT, "")
            else:
                transfer.resume()
        for host in [host for host, targets in self._resolving.items() if targets]:
            late = [target for target in self._resolving[host] if now - target.since > self._options.limits.connect]
            for target in late:
                self._resolving[host].remove(target)
                self._fail(target, Verdict(Outcome.TIMEOUT, "", "name not resolved in time"))
            if not self._resolving[host]:
                del self._resolving[host]

    # -- the end of an exchange ------------------------------------------------------------------------------------

    def _release(self, transfer: Transfer) -> None:
        """Take a transfer off the wheel."""
        del self._active[transfer.curl]
        if isinstance(transfer, LenientTransfer):
            for key in [key for key in self._selector.get_map().values() if key.data is transfer]:
                self._selector.unregister(key.fileobj)
        self._multi.remove_handle(transfer.curl)

    def _recycle(self, transfer: Transfer) -> None:
        if isinstance(transfer, LenientTransfer):
            transfer.curl.close()
        else:
            self._idle.append(transfer)

    def _end(self, transfer: Transfer, code: int, message: str) -> None:
        ending = transfer.ending(code, message)
        self._release(transfer)
        try:
            if self._tried_again(transfer, ending):
                ending.body.close()
            else:
                self._done.append(transfer.exchange(self._verdict(transfer, ending)))
        finally:
            self._recycle(transfer)

    def _tried_again(self, transfer: Transfer, ending: Ending) -> bool:
        """Whether the exchange goes back to the queue instead of ending here."""
        target, code = transfer.target, ending.code
        out_of_files = ending.os_error in (errno.EMFILE, errno.ENFILE) and code == pycurl.E_COULDNT_CONNECT
        if transfer.local_fault is not None or out_of_files:
            self._fell_short(target, transfer.local_fault)
            return True
        strange = code == pycurl.E_FTP_WEIRD_SERVER_REPLY and target.request.method == "GET"
        if strange and not target.head and transfer.sent and AVAILABLE:
            target.head = transfer.sent
            self._ready.appendleft(target)
            return True
        if not_trusted(code) and self._options.tls_verify == "archive" and not target.unverified:
            self._not_trusted[target.host, target.port] = target.unverified = ending.message or "not trusted"
            self._ready.appendleft(target)
            return True
        return False

    def _verdict(self, transfer: Transfer, ending: Ending) -> Verdict:
        if transfer.refused and ending.code == pycurl.E_COULDNT_CONNECT:
            return Verdict(Outcome.BAD_ADDRESS, "", transfer.refused)
        verdict = transfer.stopped or judge(ending)
        if ending.head:
            self._outage.answered()
            self._regain()
        elif self._proxy_away(ending.code):
            return Verdict(Outcome.OFFLINE, "", f"proxy away: {verdict.detail}")
        elif may_be_ours(ending) and self._outage.suspected(transfer.target.host):
            return Verdict(Outcome.OFFLINE, "", verdict.detail)
        return verdict

    def _proxy_away(self, code: int) -> bool:
        return bool(self._options.proxy) and code == pycurl.E_COULDNT_CONNECT

    def _fell_short(self, target: Target, fault: OSError | None) -> None:
        """Our side could not do its part: go on with fewer connections and try again."""
        if fault is not None and fault.errno in _NO_ROOM:
            self._ready.appendleft(target)  # so that `abandon` names it
            raise OutOfSpace(f"no room for bodies under way in {self._options.spool_folder or 'the temporary folder'}")
        if monotonic() - target.since > self._options.limits.total:
            detail = f"this machine cannot open a connection: {fault}" if fault else "too many open files"
            self._fail(target, Verdict(Outcome.OFFLINE, "", detail))
            return
        self._room = max(1, min(self._room - 1, len(self._active)))
        self._since_shortage = 0
        self._multi.setopt(pycurl.M_MAXCONNECTS, self._room)  # idle connections hold descriptors too
        target.not_before = monotonic() + (0.05 if self._active else 0.5)
        self._ready.appendleft(target)

    def _regain(self) -> None:
        if self._room < self._options.connections:
            self._since_shortage += 1
            if self._since_shortage >= _REGAIN:
                self._since_shortage = 0
                self._room += 1
                self._multi.setopt(pycurl.M_MAXCONNECTS, self._room * 2)
