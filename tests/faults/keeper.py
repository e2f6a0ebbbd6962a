"""A small archiver for fault tests: recovers, then keeps made-up exchanges in groups and prints each promise.

    python keeper.py FOLDER [--groups N] [--no-fsync] [--seed N]

The order is the product's: keep, sync the WARC, commit the catalog, print. Two negative controls have another one:
`--no-fsync` leaves the WARC fsync out, which a power-loss test has to catch; `hasty` promises what is not committed
yet, which kill -9 has to.
"""

import argparse
import io
import json
import os
import random
import sys
import time
from pathlib import Path

from strandline.core.capture import Evidence, Exchange, Outcome, Request
from strandline.errors import StrandlineError
from strandline.ports import Batch, Visited
from strandline.store.catalog import open_catalog
from strandline.warc.captures import Kept
from strandline.warc.info import WarcInfo
from strandline.warc.output import OpenWarc
from strandline.warc.recover import recover
from strandline.warc.writer import WarcWriter, WriterSettings


class SystemClock:
    def now(self):
        return time.time()

    def monotonic(self):
        return time.monotonic()

    def sleep(self, seconds):
        time.sleep(seconds)


def made_up(rng, number):
    """An exchange with a body between nothing and 40 KB that compresses like text."""
    body = b" ".join(b"%x" % rng.getrandbits(16) for _ in range(rng.choice((0, 5, 300, 4000, 8000))))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body)
    url = f"http://site{number % 7}.example/{os.getpid()}/{number}"
    return Exchange(
        request=Request(url=url, ticket=number),
        started=time.time(),
        seconds=0.01,
        outcome=Outcome.ANSWERED,
        detail="",
        address="192.0.2.1",
        request_head=b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        response_head=head,
        body=io.BytesIO(body),
        body_length=len(body),
        status=200,
    )


def visited(capture):
    return Visited(
        page=0,
        outcome=Outcome.ANSWERED,
        detail="",
        capture=capture,
        evidence=Evidence.PRESENT,
        time=capture.time,
        due=capture.time + 86400,
        not_before=0.0,
        attempts=0,
    )


def promise(capture):
    return {
        "event": "captured",
        "url": capture.url,
        "time": capture.time,
        "status": capture.status,
        "file": capture.place.file,
        "offset": capture.place.offset,
        "length": capture.place.length,
        "digest": capture.digest,
        "revisit": capture.revisit,
    }


def start(folder, fsync=True, rotate=300_000):
    """Catalog and writer of a folder, after recovery. Promised bytes that are missing can only be without fsync."""
    for name in ("archive", "indexes"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    catalog = open_catalog(folder)
    for found in recover(folder / "archive", folder / "quarantine", catalog.reading.committed):
        if found.missing and fsync:
            raise AssertionError(f"{found.missing} promised bytes are missing in {found.file}")
        catalog.salvage(kept.capture for kept in found.salvaged if isinstance(kept, Kept))
    settings = WriterSettings(host="h", rotate_bytes=rotate)
    return catalog, WarcWriter(folder / "archive", WarcInfo("keeper"), SystemClock(), settings)


def say(out, promises):
    out.write(promises)
    out.flush()


def run(folder, groups=1_000_000, fsync=True, seed=None, out=None, rotate=300_000, hasty=False):
    """Keep exchanges until killed or done."""
    if not fsync:
        OpenWarc.sync = lambda self: None
    out = out or sys.stdout
    rng = random.Random(seed)
    catalog, writer = start(folder, fsync, rotate)
    number = 0
    for _ in range(groups):
        captures = []
        for _ in range(rng.randint(1, 6)):
            number += 1
            captures.append(writer.keep(made_up(rng, number)))
        promises = "".join(json.dumps(promise(capture)) + "\n" for capture in captures)
        if hasty:
            say(out, promises)
        writer.sync()
        catalog.commit(Batch(visited=[visited(capture) for capture in captures]))
        if not hasty:
            say(out, promises)
    writer.close()
    catalog.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--groups", type=int, default=1_000_000)
    parser.add_argument("--no-fsync", action="store_true")
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    try:
        run(given.folder, given.groups, not given.no_fsync, given.seed)
    except StrandlineError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
