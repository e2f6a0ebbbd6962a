"""One finished exchange becomes a capture, a piece of evidence and the next due time.

The web's failures are data: whatever happened, the page ends with an outcome, and a failed fetch is never taken for a
deletion. An answer whose body is the one already held is kept as a revisit record that refers to it.
"""

from strandline.core.capture import GONE, Capture, Evidence, Exchange, Original, Outcome
from strandline.core.politeness.delays import LONGEST_WAIT, back_off, retry_after
from strandline.core.quick_dataclass import dataclass
from strandline.core.shown import Shown
from strandline.core.urls import canonical
from strandline.ports import CaptureStore, Catalog, Task, Visited

SMALLEST_SHARED = 256
"""Bodies under this many bytes are not looked up under other addresses: the revisit record would be larger.
Origin: a guess."""

_REDIRECTS = (301, 302, 303, 307, 308)
"""Answers that name another address. Origin: RFC 9110."""


@dataclass(frozen=True, slots=True)
class Timing:
    """When a visit took place in its pass, and how failures are spaced."""

    pass_start: float
    now: float
    revisit: float
    retries: int
    chance: float = 0.0
    """In [0, 1): spreads retries a little."""
    pace: float = 1.0
    """Seconds of the clock to a second of back-off: less than 1 in a demonstration whose hours are short."""


class Visits:
    """Keeps exchanges and says what they mean for their pages."""

    def __init__(self, store: CaptureStore, catalog: Catalog, longest_wait: float = LONGEST_WAIT) -> None:
        self._store = store
        self._catalog = catalog
        self._longest_wait = longest_wait

    def conclude(self, task: Task, exchange: Exchange, timing: Timing, shown: Shown | None = None) -> Visited:
        """Keep what came back, if anything did, and conclude what it says about the page."""
        conditional = bool(exchange.request.etag or exchange.request.last_modified)
        capture = self._keep(task, exchange, shown)
        evidence, retry = _judge(exchange, capture)
        if self._leads_nowhere(exchange):
            evidence = Evidence.ABSENT
        attempts = task.attempts + 1 if retry else 0
        again = retry and attempts <= timing.retries
        # A page is in the pass while it is due by its start; done means due after it, even if the clock jumped back.
        done = max(timing.now + timing.revisit, timing.pass_start + 0.001)
        return Visited(
            page=task.page,
            outcome=exchange.outcome,
            detail=_detail(exchange, shown),
            capture=capture,
            evidence=evidence,
            time=exchange.started,
            due=timing.pass_start if again else done,
            not_before=timing.now + self._wait(exchange, attempts, timing) if retry else 0.0,
            attempts=attempts,
            etag=exchange.header("etag"),
            last_modified=exchange.header("last-modified"),
            conditional=conditional and exchange.status == 304,
            seconds=exchange.seconds,
        )

    def _wait(self, exchange: Exchange, attempts: int, timing: Timing) -> float:
        """Seconds before a failed page is asked again: what the answer asks for, at least the usual back-off."""
        asked = None
        if exchange.status in (429, 503):
            asked = retry_after(exchange.header("retry-after"), timing.now, self._longest_wait)
        return max(asked or 0.0, timing.pace * back_off(attempts, timing.chance))

    def _leads_nowhere(self, exchange: Exchange) -> bool:
        """Whether an answer only redirects to an address that is known not to be there."""
        target = redirect_target(exchange)
        known = self._catalog.page(target) if target else None
        return known is not None and known.evidence is Evidence.ABSENT

    def _keep(self, task: Task, exchange: Exchange, shown: Shown | None) -> Capture | None:
        if not exchange.response_head:
            self._store.note(exchange)
            return None
        if exchange.status == 304:
            # Without the payload there is nothing a revisit could refer to: the answer is worthless.
            return self._store.keep(exchange, task.original) if task.original else None
        return self._store.keep(exchange, self._original(task, exchange), shown)

    def _original(self, task: Task, exchange: Exchange) -> Original | None:
        """The capture that already holds this body, if any."""
        if exchange.outcome is not Outcome.ANSWERED or exchange.status != 200 or not exchange.body_length:
            return None
        entity = self._store.entity(exchange)
        if task.original is not None and entity == task.entity:
            return task.original
        return self._catalog.same_entity(entity) if exchange.body_length >= SMALLEST_SHARED else None


def _detail(exchange: Exchange, shown: Shown | None) -> str:
    """What is noted with the page: a browser that did not do its part is worth a note, too."""
    return f"browser: {shown.ended}" if shown is not None and shown.failed else exchange.detail


def _judge(exchange: Exchange, capture: Capture | None) -> tuple[Evidence, bool]:
    """What an exchange says about the page, and whether it should be asked again soon."""
    if exchange.outcome in (Outcome.BAD_URL, Outcome.BAD_ADDRESS):
        return Evidence.UNREACHABLE, False
    if exchange.outcome not in (Outcome.ANSWERED, Outcome.TRUNCATED):
        return Evidence.UNREACHABLE, True
    if exchange.status in GONE:
        return Evidence.ABSENT, False
    if exchange.status == 304:
        return (Evidence.PRESENT, False) if capture else (Evidence.UNREACHABLE, True)
    if exchange.status == 429 or exchange.status >= 500 or exchange.status < 200:
        return Evidence.UNREACHABLE, True
    if exchange.status >= 400:
        return Evidence.UNREACHABLE, False
    return Evidence.PRESENT, False


def redirect_target(exchange: Exchange) -> str:
    """Where an answer redirects to, empty when it does not or says nonsense."""
    if exchange.status not in _REDIRECTS:
        return ""
    try:
        return canonical(_utf8(exchange.header("location")), exchange.request.url)
    except ValueError:
        return ""


def _utf8(value: str) -> str:
    """A header value read as Latin-1, as UTF-8 where it is that: what servers mean by an unescaped address."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return value
