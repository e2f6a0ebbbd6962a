"""Endless sites: every page is fine, there is just no last one."""

import itertools
import random
from urllib.parse import urlencode

from hostile.wire import Conn, behaviour

counter = itertools.count(1)


@behaviour("calendar")
async def calendar(conn: Conn) -> None:
    month = int(conn.query.get("month", "0"))
    links = "".join(f"<a href='/h/calendar?month={month + step}'>{step}</a>" for step in (-12, -1, 1, 12))
    await conn.answer(f"<title>Month {month}</title>{links}")


@behaviour("calendar-path", path="/h/calendar-path/2026/01/")
async def calendar_path(conn: Conn) -> None:
    parts = [part for part in conn.path.split("/") if part.isdigit()]
    year, month = (int(parts[0]), int(parts[1])) if len(parts) > 1 else (2026, 1)
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    before = (year, month - 1) if month > 1 else (year - 1, 12)
    links = "".join(f"<a href='/h/calendar-path/{y:04}/{m:02}/'>{y}-{m}</a>" for y, m in (before, after))
    await conn.answer(f"<title>{year}-{month}</title>{links}")


@behaviour("session-id")
async def session_id(conn: Conn) -> None:
    sid = f"{random.getrandbits(128):032x}"
    links = "".join(f"<a href='/h/session-id?page={n}&PHPSESSID={sid}'>{n}</a>" for n in range(5))
    await conn.answer(f"<title>Shop {conn.query.get('page', '0')}</title>{links}")


@behaviour("growing-path", path="/h/growing-path/")
async def growing_path(conn: Conn) -> None:
    await conn.answer("<title>Deeper</title><a href='a/'>a</a><a href='b/'>b</a>")


@behaviour("repeating-path", path="/h/repeating-path/")
async def repeating_path(conn: Conn) -> None:
    await conn.answer("<title>Again</title><a href='css/'>css</a><a href='img/css/'>img</a>")


@behaviour("facets")
async def facets(conn: Conn) -> None:
    chosen = conn.query
    links = []
    for name, value in itertools.product(("colour", "size", "brand", "price", "sort"), range(8)):
        links.append(f"<a href='/h/facets?{urlencode({**chosen, name: str(value)})}'>{name} {value}</a>")
    await conn.answer(f"<title>{len(chosen)} filters</title>" + "".join(links))


@behaviour("random-links")
async def random_links(conn: Conn) -> None:
    links = "".join(f"<a href='/h/random-links?r={random.getrandbits(64):x}'>x</a>" for _ in range(10))
    await conn.answer(f"<title>Random</title>{links}")


@behaviour("soft-404", path="/h/soft-404/1")
async def soft_404(conn: Conn) -> None:
    """A friendly 200 for everything, with fresh dead links."""
    links = "".join(f"<a href='/h/soft-404/{next(counter)}'>perhaps</a>" for _ in range(5))
    await conn.answer(f"<title>Page not found</title><p>Sorry, nothing here.</p>{links}")


@behaviour("clock-in-page")
async def clock_in_page(conn: Conn) -> None:
    """Never the same bytes twice."""
    await conn.answer(f"<title>Clock</title><p>{next(counter)}</p>")
