"""Keeps exchanges as WARC/1.1 records: the CaptureStore of an archive folder.

For each exchange a `response` (or `revisit`) and the `request` that led to it, each in its own gzip member, the
answer first: if the machine dies between the two, what matters is whole. An exchange without an answer leaves a
`metadata` record (`note`), so that a reindex can tell "unreachable since" from "never asked".

A 304 becomes a revisit with an empty record block, because replay systems take the status of a revisit from its
block: with "304" there they would show nothing, without it they show the original. The headers of the 304 are kept
in a `metadata` record beside it.

Durability is the caller's rhythm: `keep` many, `sync` once, then record and promise. An OSError or ArchiveDamaged out
of either means that nothing kept since the last `sync` may be promised; the file is given up and the next `keep`
starts a new one. The second failure in a row is ArchiveDamaged. A file gets its final name once what it holds is
recorded, a full one with the next `keep`: what is not when the machine dies is found under the `.open` name.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from strandline.core.capture import Capture, Exchange, Original, Place, Rendering, whole_milliseconds
from strandline.core.quick_dataclass import dataclass
from strandline.core.request_keys import keyed, request_query
from strandline.core.shown import Shown
from strandline.errors import ArchiveDamaged, OutOfSpace, StrandlineError
from strandline.ports import Clock
from strandline.warc.answers import (
    Measured,
    first_values,
    measure,
    pieces,
    redirect,
    same_framing,
    truncated,
    without_secrets,
)
from strandline.warc.info import WarcInfo
from strandline.warc.listing import Listing, Told
from strandline.warc.output import Naming, OpenWarc, as_trouble, open_new
from strandline.warc.records import (
    IDENTICAL,
    KIND_FIELD,
    NOT_MODIFIED,
    QUERY_FIELD,
    RECORD_END,
    WARC_FIELDS,
    DigestName,
    digest_of,
    header_block,
    new_record_id,
    target_uri,
    warc_date,
)
from strandline.warc.views import Pictures, add_views


@dataclass(frozen=True, slots=True)
class WriterSettings:
    """How files are named, cut and written."""

    prefix: str = "strandline"
    host: str = "localhost"
    rotate_bytes: int = 1_000_000_000
    rotate_seconds: float = 3600.0
    level: int = 6
    digest: DigestName = "sha1"
    keep_secrets: bool = False
    """Write Cookie and Authorization fields of requests too."""


class WarcWriter:
    """The WARC files of one archive folder. One thread, one process."""

    def __init__(
        self, folder: Path, about: WarcInfo, clock: Clock, settings: WriterSettings | None = None,
        listing: Listing | None = None,
    ) -> None:  # fmt: skip
        self._folder = folder
        self._about = about
        self._clock = clock
        self._settings = settings or WriterSettings()
        self._told = Told(listing)
        self._file: OpenWarc | None = None
        self._info_id = ""
        self._opened_at = 0.0
        self._failures = 0
        self._measured: tuple[Exchange, Measured] | None = None
        self._pictures = Pictures()
        self._records = 0
        self._kept_until = 0
        """Where the last capture in the file ends."""

    # -- the port ---------------------------------------------------------------------------------------------------

    def entity(self, exchange: Exchange) -> str:
        """Digest of the body without its transfer coding: chunks cut elsewhere make no other answer."""
        return self._measure(exchange).entity

    def _measure(self, exchange: Exchange) -> Measured:
        """Lengths and digests of an answer, read once however often they are asked for."""
        if self._measured is None or self._measured[0] is not exchange:
            chunked = "chunked" in first_values(exchange).get("transfer-encoding", "").lower()
            self._measured = (exchange, measure(exchange, self._settings.digest, chunked))
        return self._measured[1]

    def keep(self, exchange: Exchange, original: Original | None = None, shown: Shown | None = None) -> Capture:
        """Append the answer, or a revisit of `original`, its request, and what a browser made of it. Not durable before
        `sync`.

        With an `original`, a 304 becomes a revisit "server not modified" and any other answer a revisit
        "identical payload"; the caller has compared the entities. When the two were framed differently (one in
        chunks, the other not) the whole answer is kept instead: a revisit could not be replayed from its headers.
        """
        if not exchange.response_head:
            raise ValueError("nothing was answered: use note()")
        headers = first_values(exchange)
        # The record of a 304 holds no answer: what is known of it is what a reader finds there.
        sent_type = None if original is not None and exchange.status == 304 else headers.get("content-type")
        measured = self._measure(exchange)
        if original is not None and exchange.status != 304 and not same_framing(measured, original):
            original = None
        file = self._open_file()
        start, answer_id, url = file.size, new_record_id(), target_uri(exchange.request.url)
        with self._whole(file):
            end = self._answer(file, exchange, measured, (answer_id, original))
            if original is not None and exchange.status == 304:
                self._not_modified(file, exchange, answer_id)
            if exchange.request_head:
                self._request(file, exchange, answer_id)
            views: list[Capture] = []
            if shown is not None:
                how = self._settings.digest, self._pictures
                views = add_views(file, shown, (answer_id, self._info_id), url, how)
        made = views[0] if shown is not None and shown.stands and views else None
        capture = Capture(
            url=keyed(url, request_query(exchange.request)),
            time=whole_milliseconds(exchange.started),
            status=exchange.status,
            mime=(sent_type or "").split(";")[0].strip().lower(),
            digest=original.digest if original else measured.payload,
            place=Place(file.name, start, end - start),
            revisit=original is not None,
            truncated=truncated(exchange),
            redirect=redirect(exchange.status, headers.get("location", ""), exchange.request.url),
            record_id=answer_id,
            entity="" if original and exchange.status == 304 else measured.entity,
            original=original,
            rendering=Rendering(made.digest, made.place.offset, made.place.length) if made else None,
        )
        self._records += 1
        self._kept_until = end
        self._told.kept(capture, sent_type)
        for view in views:
            self._told.kept(view, view.mime)
        return capture

    def note(self, exchange: Exchange) -> Place:
        """Append a `metadata` record about an exchange that was not answered: what was tried, when, what happened."""
        block = (
            f"outcome: {exchange.outcome.value}\r\n"
            f"detail: {' '.join(exchange.detail.split())}\r\n"
            f"fetchTimeMs: {round(exchange.seconds * 1000)}\r\n"
        ).encode("utf-8", "replace")
        file = self._open_file()
        start = file.size
        fields = (
            ("WARC-Type", "metadata"),
            ("WARC-Record-ID", new_record_id()),
            *self._common(exchange),
            ("WARC-Block-Digest", digest_of(self._settings.digest, block)),
            (KIND_FIELD, exchange.request.kind.value),
            ("Content-Type", WARC_FIELDS),
        )
        with self._whole(file):
            file.add(header_block(fields, len(block)) + block + RECORD_END)
            file.end_record()
        self._records += 1
        return Place(file.name, start, file.size - start)

    def sync(self) -> None:
        """Make everything kept so far durable. Without anything new, a file that is large or old enough is finished."""
        file = self._file
        if file is None:
            return
        recorded = file.size == file.synced
        try:
            file.sync()
        except OSError as error:
            self._give_up(file, error)
        self._failures = 0
        if recorded:
            self.rotate()

    def rotate(self) -> None:
        """Finish the file if it is large or old enough and all of it is durable."""
        file = self._file
        if file is None or file.size > file.synced:
            return
        age = self._clock.monotonic() - self._opened_at
        if file.size >= self._settings.rotate_bytes or age >= self._settings.rotate_seconds:
            self._finish(file)

    def close(self) -> None:
        """Sync and give the file its final name; everything in it was recorded, or is about to be."""
        self.sync()
        if self._file is not None:
            self._finish(self._file)

    def leave(self, recorded: Callable[[str], int]) -> None:
        """End after a failure. `recorded` says where the last record of a file that is recorded ends: a file that holds
        more keeps its `.open` name, and the next start finds it. Never raises.
        """
        file = self._file
        if file is None:
            return
        with contextlib.suppress(OSError, StrandlineError):
            file.sync()
            if recorded(file.name) >= self._kept_until:
                self._finish(file)
        if self._file is not None:
            self._file = None
            self._told.dropped()
            file.release()

    # -- files ------------------------------------------------------------------------------------------------------

    def _open_file(self) -> OpenWarc:
        self.rotate()
        if self._file is not None:
            return self._file
        settings = self._settings
        file = open_new(self._folder, Naming(settings.prefix, settings.host), self._clock.now(), settings.level)
        try:
            self._warcinfo(file)
        except BaseException:
            file.abandon()
            raise
        self._file, self._opened_at, self._kept_until = file, self._clock.monotonic(), 0
        return file

    def _finish(self, file: OpenWarc) -> None:
        """Seal a synced file; whatever happens, the next capture goes into a new one."""
        self._file = None
        worth, self._records = self._records > 0, 0
        try:
            if worth:
                file.seal()
            else:
                file.discard()
        except OSError as error:  # durable under its `.open` name: the next start will rename it
            file.release()
            self._told.dropped()
            raise as_trouble(error, file.path) from error
        if worth:
            self._told.sealed(file.name)
        else:
            self._told.dropped()

    def _give_up(self, file: OpenWarc, error: OSError) -> None:
        file.abandon()
        self._pictures.forget()
        self._file, self._records = None, 0
        self._told.dropped()
        self._failures += 1
        trouble = as_trouble(error, file.path)
        if trouble is error and self._failures > 1:
            trouble = ArchiveDamaged(f"{file.path}: cannot be made durable, again: {error.strerror or error}")
        raise trouble from error

    @contextlib.contextmanager
    def _whole(self, file: OpenWarc) -> Iterator[None]:
        """All records written inside, or none of them."""
        try:
            yield
            file.commit()
        except OSError as error:
            trouble = as_trouble(error, file.path)
            self._pictures.forget()
            try:
                file.roll_back()
            except ArchiveDamaged:
                file.abandon()
                self._file, self._records = None, 0
                self._told.dropped()
                raise
            if isinstance(trouble, OutOfSpace):
                raise trouble from error
            self._give_up(file, error)
        except BaseException:
            self._pictures.forget()
            file.roll_back()
            raise

    # -- records ----------------------------------------------------------------------------------------------------

    def _warcinfo(self, file: OpenWarc) -> None:
        block = self._about.fields()
        self._info_id = new_record_id()
        fields = (
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", self._info_id),
            ("WARC-Date", warc_date(self._clock.now())),
            ("WARC-Filename", file.name),
            ("WARC-Block-Digest", digest_of(self._settings.digest, block)),
            ("Content-Type", WARC_FIELDS),
        )
        try:
            file.add(header_block(fields, len(block)) + block + RECORD_END)
            file.end_record()
            file.commit()
        except OSError as error:
            raise as_trouble(error, file.path) from error

    def _common(self, exchange: Exchange) -> tuple[tuple[str, str], ...]:
        return (
            ("WARC-Date", warc_date(exchange.started)),
            ("WARC-Target-URI", target_uri(exchange.request.url)),
            ("WARC-Warcinfo-ID", self._info_id),
        )

    def _answer(
        self, file: OpenWarc, exchange: Exchange, measured: Measured, record: tuple[str, Original | None]
    ) -> int:
        record_id, original = record
        profile, block_digest = "", measured.record_block
        if original is not None and exchange.status == 304:
            profile, block_digest = NOT_MODIFIED, digest_of(self._settings.digest, b"")
        elif original is not None:
            profile, block_digest = IDENTICAL, digest_of(self._settings.digest, exchange.response_head)
        fields = (
            ("WARC-Type", "revisit" if original else "response"),
            ("WARC-Record-ID", record_id),
            *self._common(exchange),
            ("WARC-IP-Address", exchange.address.strip("[]")),
            ("WARC-Profile", profile),
            ("WARC-Refers-To", original.record_id if original else ""),
            ("WARC-Refers-To-Target-URI", original.url if original else ""),
            ("WARC-Refers-To-Date", warc_date(original.time) if original else ""),
            ("WARC-Payload-Digest", original.digest if original else measured.payload),
            ("WARC-Block-Digest", block_digest),
            ("WARC-Truncated", truncated(exchange)),
            (KIND_FIELD, exchange.request.kind.value),
            (QUERY_FIELD, request_query(exchange.request)),
            ("Content-Type", "application/http; msgtype=response"),
        )
        head = b"" if profile == NOT_MODIFIED else exchange.response_head
        file.add(header_block(fields, len(head) + (0 if original else measured.length)) + head)
        if original is None:
            written = 0
            for piece in pieces(exchange):
                file.add(piece)
                written += len(piece)
            if written != measured.length:
                raise ValueError("the body changed while it was kept")
        file.add(RECORD_END)
        return file.end_record()

    def _not_modified(self, file: OpenWarc, exchange: Exchange, answer_id: str) -> None:
        """The header lines of a 304 as warc-fields, whose lines look the same."""
        block = b"status-line: " + exchange.response_head.rstrip(b"\r\n") + b"\r\n"
        fields = (
            ("WARC-Type", "metadata"),
            ("WARC-Record-ID", new_record_id()),
            *self._common(exchange),
            ("WARC-Concurrent-To", answer_id),
            ("WARC-Block-Digest", digest_of(self._settings.digest, block)),
            ("Content-Type", WARC_FIELDS),
        )
        file.add(header_block(fields, len(block)) + block + RECORD_END)
        file.end_record()

    def _request(self, file: OpenWarc, exchange: Exchange, answer_id: str) -> None:
        head = exchange.request_head if self._settings.keep_secrets else without_secrets(exchange.request_head)
        head += exchange.request.body
        fields = (
            ("WARC-Type", "request"),
            ("WARC-Record-ID", new_record_id()),
            *self._common(exchange),
            ("WARC-Concurrent-To", answer_id),
            ("WARC-Block-Digest", digest_of(self._settings.digest, head)),
            ("Content-Type", "application/http; msgtype=request"),
        )
        file.add(header_block(fields, len(head)) + head + RECORD_END)
        file.end_record()
