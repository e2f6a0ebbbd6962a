"""Live progress as server-sent events: totals, jobs and the latest captures, whenever something moved."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from starlette.responses import Response, StreamingResponse

from strandline.access.timestamps import iso, timestamp
from strandline.errors import Unreachable
from strandline.web.desk import Desk

_LATEST = 12


def progress(desk: Desk) -> dict[str, Any]:
    """What moved, for a page that shows it."""
    totals = desk.reading.totals()
    return {
        "captures": totals["captures"],
        "pages": totals["pages"],
        "changes": totals["changes"],
        "waiting": desk.reading.waiting(),
        "jobs": [
            {
                "number": job.number,
                "kind": job.kind,
                "state": job.state,
                "captured": job.captured,
                "unchanged": job.unchanged,
                "failed": job.failed,
                "problem": job.problem,
            }
            for job in desk.jobs.all()[:5]
        ],
        "latest": [
            {
                "url": capture.url,
                "time": iso(capture.time),
                "timestamp": timestamp(capture.time),
                "status": capture.status,
                "revisit": capture.revisit,
            }
            for capture in desk.reading.latest_captures(_LATEST)
        ],
    }


async def stream(desk: Desk) -> AsyncIterator[bytes]:
    """Events until the reader goes."""
    yield b"retry: 3000\n\n"
    async for _ in desk.ticks():
        with suppress(Unreachable):  # whoever watches hears more when the database is back
            yield b"event: progress\ndata: " + json.dumps(progress(desk)).encode() + b"\n\n"


def events(desk: Desk) -> Response:
    """The stream as an answer."""
    return StreamingResponse(stream(desk), media_type="text/event-stream", headers={"cache-control": "no-store"})
