"""Under which address an answer is indexed that was asked for with a body: the form pywb and Browsertrix agree on.

    https://example.org/api  +  POST, a=1    ->    https://example.org/api?__wb_method=POST&a=1

A form's fields stand as they are, JSON is flattened to its leaves (a name that comes again gets a number), and whatever
else was sent is base 64. What is longer than 4,096 letters is cut: the same on both sides, so it is found all the same.
"""

import base64
import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote_plus, urlencode

from strandline.core.capture import Request
from strandline.core.urls import archived

METHOD_KEY: Final = "__wb_method="
LONGEST: Final = 4096
"""Letters of a body's query that count."""
_DEEPEST: Final = 200
"""Levels of JSON that are read."""


def method_query(method: str, content_type: str, body: bytes) -> str:
    """What is added to the address of a request; empty for GET.

    >>> method_query("POST", "application/json", b'{"a": 1, "b": [2, 3]}')
    '__wb_method=POST&a=1&b=2&b.2_=3'
    >>> method_query("POST", "text/html", b"abc"), method_query("OPTIONS", "", b""), method_query("GET", "", b"")
    ('__wb_method=POST&__wb_post_data=YWJj', '__wb_method=OPTIONS', '')
    """
    if method == "GET":
        return ""
    query = body_query(content_type, body) if method in ("POST", "PUT") else ""
    return f"{METHOD_KEY}{method}&{query}" if query else f"{METHOD_KEY}{method}"


def request_query(request: Request) -> str:
    """The same for a request as it was sent."""
    if request.method == "GET":
        return ""
    sent = next((value for name, value in request.headers if name.lower() == "content-type"), "")
    return method_query(request.method, sent, request.body)


def keyed(url: str, query: str) -> str:
    """The address with what `method_query` says, as all addresses are written.

    >>> keyed("https://a.example/b", "__wb_method=POST&q=a b#c")
    'https://a.example/b?__wb_method=POST&q=a%20b%23c'
    """
    return archived(f"{url}{'&' if '?' in url else '?'}{query.replace('#', '%23')}") if query else url


def unkeyed(url: str) -> tuple[str, str, str]:
    """Address, method and the body's query of an address made by `keyed`.

    >>> unkeyed("https://a.example/b?c=1&__wb_method=POST&d=2")
    ('https://a.example/b?c=1', 'POST', 'd=2')
    >>> unkeyed("https://a.example/b")
    ('https://a.example/b', 'GET', '')
    """
    before, found, after = url.partition(METHOD_KEY)
    if not found or before[-1:] not in ("?", "&"):
        return url, "GET", ""
    method, _, query = after.partition("&")
    return before[:-1], method, query


def body_query(content_type: str, body: bytes) -> str:
    """A body as part of a query."""
    mime = content_type.strip()
    if mime.startswith("application/x-www-form-urlencoded"):
        query = _form(body)
    elif mime.startswith("multipart/"):
        query = _multipart(mime, body)
    elif mime.startswith("application/json"):
        query = _flat(body) or ""
    elif mime.startswith("text/plain"):
        flat = _flat(body)
        query = _binary(body) if flat is None else flat
    else:
        query = _binary(body)
    return query[:LONGEST]


def _binary(body: bytes) -> str:
    return f"__wb_post_data={base64.b64encode(body).decode('ascii')}"


def _form(body: bytes) -> str:
    try:
        return unquote_plus(body.decode("utf-8"))
    except UnicodeDecodeError:
        return _binary(body)


def _flat(body: bytes) -> str | None:
    """The leaves of JSON, or of lines of JSON, as a query; None when it is neither."""
    documents: list[object] = []
    try:
        documents.append(json.loads(body))
    except (ValueError, RecursionError):
        try:
            documents += [json.loads(line) for line in body.split(b"\n")] if b"\n" in body else []
        except (ValueError, RecursionError):
            return None
        if not documents:
            return None
    fields: dict[str, str] = {}
    times: dict[str, int] = {}
    for document in documents:
        for name, value in _leaves(document, "", 0):
            key = name
            if name in fields:
                times[name] = times.get(name, 1) + 1
                key = f"{name}.{times[name]}_"
            fields[key] = str(value)
    return urlencode(fields)


def _leaves(value: object, name: str, depth: int) -> Iterator[tuple[str, object]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, str(key), depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name, depth + 1)
    elif name:
        yield name, value


def _multipart(mime: str, body: bytes) -> str:
    """The fields of a form with parts; a file's bytes count as they are."""
    boundary = mime.partition("boundary=")[2].split(";")[0].strip().strip('"')
    if not boundary:
        return _binary(body)
    values: list[tuple[str, bytes]] = []
    for part in body.split(b"--" + boundary.encode("latin-1", "replace"))[1:-1]:
        head, found, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = _part_name(head)
        if found and name is not None:
            values.append((name, content.removesuffix(b"\r\n")))
    return urlencode(values)


def _part_name(head: bytes) -> str | None:
    for line in head.decode("utf-8", "replace").split("\r\n"):
        if line.lower().startswith("content-disposition:"):
            for word in line.split(";")[1:]:
                key, _, value = word.strip().partition("=")
                if key.lower() == "name":
                    return value.strip('"')
    return None
