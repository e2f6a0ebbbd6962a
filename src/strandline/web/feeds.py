"""`/feeds/atom` and `/feeds/rss`: the newest changes that matter, of all, of a site (`?site=`), a page (`?page=`), a
collection (`?collection=`) or what has a tag (`?tag=`).

`?min_importance=` and `?limit=` as with `strandline feed`. Answers carry an ETag, for readers who ask often.
"""

import hashlib

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from strandline.access.feeds import MEDIA_TYPES, feed
from strandline.alerts.feeds import FeedRequest, change_feed
from strandline.app.opening import place_of
from strandline.archive.folder import Archive
from strandline.errors import StrandlineError, Unreachable
from strandline.web.texts import say

_MOST = 500


def feed_route(archive: Archive) -> Route:
    """The feeds of an archive."""
    place = place_of(archive)

    async def answer(request: Request) -> Response:
        form = request.path_params["form"]
        if form not in ("atom", "rss"):
            return PlainTextResponse("There are /feeds/atom and /feeds/rss.\n", 404)
        try:
            wanted = _wanted(request)
            found = change_feed(archive, wanted, place.settings())
        except Unreachable as problem:
            return PlainTextResponse(f"{problem}\n", 503)
        except (ValueError, StrandlineError) as problem:
            return PlainTextResponse(f"{problem}\n", 400)
        body = feed(found, "rss" if form == "rss" else "atom")
        tag = f'"{hashlib.sha256(repr(found.entries).encode()).hexdigest()[:32]}"'
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(body, media_type=MEDIA_TYPES["rss" if form == "rss" else "atom"], headers=headers)

    return Route("/feeds/{form}", answer)


def _wanted(request: Request) -> FeedRequest:
    query = request.query_params
    least = query.get("min_importance")
    limit = int(query.get("limit", "50"))
    if not 1 <= limit <= _MOST:
        raise ValueError(say("limit_wrong", most=_MOST, limit=limit))
    return FeedRequest(
        query.get("site", ""),
        query.get("page", ""),
        None if least is None else float(least),
        limit,
        str(request.url),
        query.get("collection", ""),
        query.get("tag", ""),
    )
