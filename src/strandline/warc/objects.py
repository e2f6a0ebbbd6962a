"""WARC files in object storage: Amazon S3 and what speaks like it, Google, Azure, or a folder. One interface: obstore.

    PREFIX/archive/NAME.warc.gz                  a finished file
    PREFIX/archive/NAME.warc.gz.parts/OFFSET     a file being written: one object per group commit, whole records
    PREFIX/fixity/NAME.warc.gz.sums              checksums of its records, as in an archive folder

An object is there whole or not at all, and it never changes. A capture is promised once the part that holds it is
there (see docs/decisions/object-storage.md): a worker may lose its disk and nothing promised is lost. When a file is
full, it is sent as one object, read back and compared, and only then are its parts removed. Places in the index stay
the same all along: offsets count in the file, and a reader finds the part.

Keys come from the environment, as each provider names them (AWS_ACCESS_KEY_ID, GOOGLE_SERVICE_ACCOUNT,
AZURE_STORAGE_ACCOUNT_KEY, ...), never from an address.
"""

import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

import obstore
import obstore.exceptions as trouble
from obstore.store import from_url

from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged, OutOfSpace, SettingError, StrandlineError, Unreachable

if TYPE_CHECKING:
    from obstore.store import RetryConfig

T = TypeVar("T")

ARCHIVE: Final = "archive"
FIXITY: Final = "fixity"
PARTS: Final = ".parts/"

_SCHEMES: Final = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "file", "https")
_RETRIES: Final["RetryConfig"] = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
_PIECE: Final = 1 << 20
_TOGETHER: Final = 2
"""Pieces (of 5 MiB in the end) of a large object that are on their way at the same time."""
_FIRST_WAIT: Final = 0.2
_LONGEST_WAIT: Final = 5.0
_GONE: Final = ("NoSuchBucket", "ContainerNotFound")
"""How stores name it that there is no such bucket, or container."""
_ASKED: Final = re.compile(r"Error performing \w+ (\w+://[^/\s]+)\S* .* - (.+)", re.DOTALL)
"""How the library tells that a server did not answer: address and reason."""


def is_object_store(text: str) -> bool:
    """Whether an address names an object store: `s3://bucket/prefix`, `gs://`, `az://`, `file:///folder`."""
    return text.partition("://")[0] in _SCHEMES and "://" in text


def _has_keys(url: str) -> bool:
    """Whether an address begins with a name, or a name and a key; abfss://container@account is none of that."""
    scheme, _, rest = url.partition("://")
    user, at, _ = rest.partition("/")[0].rpartition("@")
    return bool(at) and (":" in user or not scheme.startswith("abfs"))


def part_name(file: str, offset: int) -> str:
    """The object that holds a file's bytes from an offset on, while the file is being written."""
    return f"{ARCHIVE}/{file}{PARTS}{offset:016d}"


class Objects:
    """The objects under one address. Waits out short absences; says everything else in one line."""

    def __init__(self, url: str, patience: float = 60.0) -> None:
        """`patience`: seconds the store may be away before that is an error."""
        self.url = url
        self._patience = patience
        if _has_keys(url):
            raise SettingError("an object store's keys do not belong into its address: set them in the environment")
        if not is_object_store(url):
            raise SettingError(f"{url}: not an object store; use s3://bucket/prefix, gs://, az:// or file:///folder")
        try:
            self._folder = Path(unquote(urlsplit(url).path)) if url.startswith("file:") else None
            self._named: set[Path] = set()
            """Folders whose own names are durable."""
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._store = from_url(url)
            else:
                self._store = from_url(url, retry_config=_RETRIES)
        except (trouble.BaseError, ValueError, OSError) as problem:
            raise SettingError(f"{url}: {_first_line(problem)}") from None

    def check(self) -> None:
        """See that objects can be written, read and removed here; one clear error when not."""
        probe = f".strandline-probe-{time.time_ns():x}"
        self.put(probe, b"strandline")
        if self.get(probe) != b"strandline":
            raise ArchiveDamaged(f"{self.url}: what is read is not what was written")
        self.delete([probe])

    def put(self, name: str, data: bytes | Path) -> None:
        """Make an object, durably. One that is there already is left alone if it is the same."""

        def send() -> None:
            obstore.put(self._store, name, data, mode="create" if isinstance(data, bytes) else "overwrite")
            self._make_durable(name)

        try:
            self._patiently(send)
        except trouble.AlreadyExistsError:
            if self.get(name) != data:  # the answer to a first try may have been lost
                raise ArchiveDamaged(f"{self.url}: {name} is there already, with other content") from None

    def put_rest(self, name: str, path: Path, start: int) -> None:
        """Make an object of a file's bytes from an offset on, durably, holding little of it. One that is there already
        is replaced.
        """

        def send() -> None:
            with path.open("rb") as file:
                file.seek(start)
                pieces = iter(lambda: file.read(_PIECE), b"")
                obstore.put(self._store, name, pieces, mode="overwrite", max_concurrency=_TOGETHER)
            self._make_durable(name)

        self._patiently(send)

    def put_pieces(self, name: str, pieces: Callable[[], Iterator[bytes]]) -> None:
        """Make an object of what comes in pieces, durably; one that is there already is replaced."""

        def send() -> None:
            obstore.put(self._store, name, pieces(), mode="overwrite", max_concurrency=_TOGETHER)
            self._make_durable(name)

        self._patiently(send)

    def get(self, name: str) -> bytes:
        """A whole object; FileNotFoundError when there is none."""
        return self._patiently(lambda: bytes(obstore.get(self._store, name).bytes()))

    def stream(self, name: str) -> Iterator[bytes]:
        """A whole object in pieces; goes on where it was cut off when the store comes back."""
        found = self._patiently(lambda: obstore.get(self._store, name))
        pieces: Iterator[Any] | None = iter(found.stream())
        at, size = 0, int(found.meta["size"])

        def more() -> bytes:
            nonlocal pieces
            if pieces is None:
                pieces = iter(obstore.get(self._store, name, options={"range": {"offset": at}}).stream())
            try:
                return bytes(next(pieces, b""))
            except BaseException:
                pieces = None
                raise

        while at < size and (piece := self._patiently(more)):
            yield piece
            at += len(piece)

    def range(self, name: str, start: int, length: int) -> bytes:
        """Some bytes of an object, fewer at its end; FileNotFoundError when there is none."""
        return self._patiently(lambda: bytes(obstore.get_range(self._store, name, start=start, length=length)))

    def size(self, name: str) -> int | None:
        """Bytes of an object; None when there is none."""
        try:
            return self._patiently(lambda: int(obstore.head(self._store, name)["size"]))
        except FileNotFoundError:
            return None

    def names(self, prefix: str) -> list[tuple[str, int]]:
        """Names and sizes of the objects whose names begin so, in order."""

        def ask() -> list[tuple[str, int]]:
            pieces = obstore.list(self._store, prefix)
            return sorted((str(one["path"]), int(one["size"])) for piece in pieces for one in piece)

        return self._patiently(ask)

    def marks(self, prefix: str) -> dict[str, str]:
        """Objects whose names begin so, each with something that is another when it was written anew."""

        def ask() -> dict[str, str]:
            found = (one for piece in obstore.list(self._store, prefix) for one in piece)
            return {str(one["path"]): f"{one['size']} {one['e_tag'] or one['last_modified']}" for one in found}

        return self._patiently(ask)

    def delete(self, names: list[str]) -> None:
        """Remove objects; those that are gone already are no trouble."""
        if names:
            try:
                self._patiently(lambda: obstore.delete(self._store, names))
            except FileNotFoundError:  # a folder stops at the first that is gone
                for name in names if len(names) > 1 else ():
                    self.delete([name])

    def _make_durable(self, name: str) -> None:
        """A folder is no store that answers for durability: a file, its name and new folders are synced here."""
        if self._folder is None:
            return
        path = self._folder / name
        sync_path(path)
        sync_path(path.parent)
        while path != self._folder:
            path = path.parent
            if path not in self._named:
                sync_path(path.parent)
                self._named.add(path)

    def _patiently(self, ask: Callable[[], T]) -> T:
        deadline, wait = time.monotonic() + self._patience, _FIRST_WAIT
        while True:
            try:
                return ask()
            except trouble.AlreadyExistsError:
                raise
            except (FileNotFoundError, trouble.NotFoundError) as problem:
                if _without_bucket(str(problem)):
                    raise self._in_our_words(problem) from None
                raise FileNotFoundError(f"{self.url}: {_first_line(problem)}") from None
            except (trouble.BaseError, OSError) as problem:
                ours = self._in_our_words(problem)
                if not isinstance(ours, Unreachable) or time.monotonic() + wait > deadline:
                    raise ours from None
                time.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)

    def _in_our_words(self, problem: Exception) -> StrandlineError:
        said = str(problem)
        if isinstance(problem, trouble.PermissionDeniedError | trouble.UnauthenticatedError) or _refused(said):
            return SettingError(f"{self.url}: access is refused; the keys in the environment are wrong, or lack rights")
        if _without_bucket(said):
            return SettingError(f"{self.url}: there is no such {'container' if _is_azure(self.url) else 'bucket'}")
        if _too_short(said):
            return ArchiveDamaged(f"{self.url}: an object is shorter than recorded ({_first_line(problem)})")
        if "No space left" in said or "os error 28" in said:
            return OutOfSpace(f"{self.url}: no room left")
        if "credential" in said.lower() or "169.254.169.254" in said:
            return SettingError(
                f"{self.url}: no keys; set them in the environment ({_variable(self.url, 'keys')}, ...)"
            )
        if isinstance(problem, trouble.InvalidPathError | trouble.NotSupportedError | PermissionError):
            return SettingError(f"{self.url}: {_first_line(problem)}")
        if "builder error" in said and "http://" in said:
            allowed = _variable(self.url, "http")
            return SettingError(f"{self.url}: its address is http, not https; if that is meant, set {allowed}=true")
        asked = _ASKED.search(said)
        if asked is not None:
            return Unreachable(f"{self.url}: no answer from {asked[1]} ({asked[2].splitlines()[0][:200].strip()})")
        return Unreachable(f"{self.url}: {_first_line(problem)}")


def _is_azure(url: str) -> bool:
    return url.startswith(("az", "abfs"))


def _variable(url: str, what: str) -> str:
    """What has to be set in the environment for a store of this kind: `keys`, or `http` to do without TLS."""
    if _is_azure(url):
        return {"keys": "AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY", "http": "AZURE_ALLOW_HTTP"}[what]
    if url.startswith("gs"):
        return {"keys": "GOOGLE_SERVICE_ACCOUNT", "http": "GOOGLE_ALLOW_HTTP"}[what]
    return {"keys": "AWS_ACCESS_KEY_ID", "http": "AWS_ALLOW_HTTP"}[what]


def _without_bucket(said: str) -> bool:
    return any(word in said for word in _GONE)


def _too_short(said: str) -> bool:
    """Whether a range lies behind the end of an object. Messages name times and objects, which may hold a 416, too."""
    return bool(
        re.search(r"\bstatus(?: code)?:? 416\b|out of range|range not satisfiable|InvalidRange", said, re.IGNORECASE)
    )


def _refused(said: str) -> bool:
    words = ("InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "403 Forbidden")
    return any(word in said for word in words)


def _first_line(problem: Exception) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0][:300] if lines else type(problem).__name__
