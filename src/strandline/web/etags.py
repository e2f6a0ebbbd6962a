"""ETags for answers that fit in memory: who has the answer already is told so in a few bytes."""

import hashlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LARGEST = 4 * 2**20


class Etags:
    """Around an ASGI application: adds a weak ETag to whole GET answers and answers If-None-Match."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        known = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
        held: list[Message] = []
        size, passing = 0, False

        async def kept(message: Message) -> None:
            nonlocal size, passing
            if not passing:
                held.append(message)
                size += len(message.get("body", b""))
                streamed = message["type"] == "http.response.start" and _is_stream(message)
                if (
                    not streamed
                    and size <= _LARGEST
                    and (message["type"] != "http.response.body" or message.get("more_body"))
                ):
                    return
                passing = True
                if streamed or size > _LARGEST or held[0]["status"] != 200:
                    for one in held:
                        await send(one)
                    return
                await _tagged(held, known, send)
                return
            await send(message)

        await self._app(scope, receive, kept)


def _is_stream(start: Message) -> bool:
    return any(name.lower() == b"content-type" and b"event-stream" in value for name, value in start["headers"])


async def _tagged(held: list[Message], known: str, send: Send) -> None:
    body = b"".join(message.get("body", b"") for message in held)
    tag = f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    start = held[0]
    headers = [*start["headers"], (b"etag", tag.encode()), (b"cache-control", b"private, no-cache")]
    if tag in (part.strip() for part in known.split(",")):
        kept = [pair for pair in headers if pair[0].lower() not in (b"content-length", b"content-type")]
        await send({"type": "http.response.start", "status": 304, "headers": kept})
        await send({"type": "http.response.body", "body": b""})
        return
    await send({**start, "headers": headers})
    await send({"type": "http.response.body", "body": body})
