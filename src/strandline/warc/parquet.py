"""Captures as a Parquet table with the column names of Common Crawl's index: DuckDB and Spark users know them.

Offsets and lengths are 64 bits wide. Needs pyarrow: `pip install strandline[parquet]`.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from strandline.core.capture import Capture
from strandline.core.urls import site, surt_key
from strandline.errors import SettingError
from strandline.warc.fixity import SHARED, Replacing

_ROWS_AT_ONCE: Final = 50_000


def _pyarrow() -> Any:  # noqa: ANN401 - pyarrow has no types
    try:
        import pyarrow.parquet  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise SettingError("writing .parquet needs pyarrow: pip install 'strandline[parquet]'") from None
    return pyarrow


def export_parquet(captures: Iterable[Capture], target: Path, crawl: str = "") -> int:
    """Write a `.parquet` of captures in their order; all of it or nothing. Returns the number of rows."""
    arrow = _pyarrow()
    kinds = {"int": arrow.int64(), "text": arrow.string(), "time": arrow.timestamp("ms", tz="UTC")}
    schema = arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    rows = (row_of(capture, crawl) for capture in captures)
    count = 0
    with Replacing(target, SHARED) as out, arrow.parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


COLUMNS: Final = {
    "url_surtkey": "text",
    "url": "text",
    "url_host_name": "text",
    "url_host_tld": "text",
    "url_host_2nd_last_part": "text",
    "url_host_3rd_last_part": "text",
    "url_host_4th_last_part": "text",
    "url_host_5th_last_part": "text",
    "url_host_registered_domain": "text",
    "url_host_name_reversed": "text",
    "url_protocol": "text",
    "url_port": "int",
    "url_path": "text",
    "url_query": "text",
    "fetch_time": "time",
    "fetch_status": "int",
    "fetch_redirect": "text",
    "content_digest": "text",
    "content_mime_type": "text",
    "content_mime_detected": "text",
    "content_truncated": "text",
    "warc_filename": "text",
    "warc_record_offset": "int",
    "warc_record_length": "int",
    "warc_record_id": "text",
    "crawl": "text",
    "subset": "text",
}
"""Columns and their kinds, in the order of `row_of`."""


def row_of(capture: Capture, crawl: str) -> dict[str, object]:
    """A capture as a row of the columns COLUMNS."""
    return {
        **address_of(capture.url),
        "fetch_time": round(capture.time * 1000),
        "fetch_status": capture.status,
        "fetch_redirect": capture.redirect or None,
        "content_digest": capture.digest.partition(":")[2] if capture.digest.startswith("sha1:") else capture.digest,
        "content_mime_type": capture.mime or None,
        "content_mime_detected": None,
        "content_truncated": capture.truncated or None,
        "warc_filename": capture.place.file,
        "warc_record_offset": capture.place.offset,
        "warc_record_length": capture.place.length,
        "warc_record_id": capture.record_id or None,
        "crawl": crawl,
        "subset": _subset(capture),
    }


def _subset(capture: Capture) -> str:
    """Common Crawl's three parts of an index; revisits are ours."""
    if capture.revisit:
        return "revisit"
    if capture.url.endswith("/robots.txt"):
        return "robotstxt"
    return "warc" if capture.status == 200 else "crawldiagnostics"


@lru_cache(maxsize=64)  # captures come page by page
def address_of(url: str) -> dict[str, object]:
    """The columns that tell the parts of an address."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    names = host.split(".")[::-1]
    is_number = names[0].isdigit() or ":" in host
    labels: list[str | None] = [*([] if is_number else names), None, None, None, None, None]
    try:
        port = parts.port
    except ValueError:
        port = None
    return {
        "url_surtkey": _quietly(surt_key, url),
        "url": url,
        "url_host_name": host,
        "url_host_tld": labels[0],
        "url_host_2nd_last_part": labels[1],
        "url_host_3rd_last_part": labels[2],
        "url_host_4th_last_part": labels[3],
        "url_host_5th_last_part": labels[4],
        "url_host_registered_domain": _quietly(site, url),
        "url_host_name_reversed": host if is_number else ".".join(names),
        "url_protocol": parts.scheme,
        "url_port": port,
        "url_path": parts.path,
        "url_query": parts.query or None,
    }


def _quietly(function: Any, url: str) -> str | None:  # noqa: ANN401
    try:
        return str(function(url))
    except Exception:  # noqa: BLE001 - odd addresses have no key; the row is still wanted
        return None
