"""What the demonstration site shows: a small newspaper with documents, as a function of site time.

Every page can be computed for any moment, so the truth about each change is known. Some of what differs between two
requests is no change at all: a clock, advertising, a most-read list. An archiver should see through it.
"""

import hashlib
import random
from dataclasses import dataclass
from email.utils import formatdate

from strandline.demo.schedule import PARAGRAPHS, SECTIONS, PageSchedule, Section, draw

_TEXT = """
harbour council station bridge museum library river market school theatre garden budget report
season storm winter summer record visitor minister engineer teacher doctor nurse sailor farmer baker
winner morning evening island valley mountain forest railway airport ferry tunnel tower square
palace castle village district border opening closing meeting election debate contract verdict
strike parade festival concert premiere tournament repair discovery warning promise apology
agreement dispute rescue journey arrival departure return delay victory
"""
_WORDS = tuple(_TEXT.split())
_OPENINGS = (
    "After long debate",
    "Early this morning",
    "To the surprise of many",
    "As expected",
    "For the first time",
    "Once again",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the site answers to one request."""

    status: int
    mime: str
    body: bytes
    etag: str = ""
    last_modified: str = ""


class LivingSite:
    """The site at any site hour. `epoch` is the UTC second at which site hour 0 begins."""

    def __init__(
        self,
        seed: int = 1,
        hour_seconds: float = 1.0,
        epoch: float = 0.0,
        sections: tuple[Section, ...] = SECTIONS,
    ) -> None:
        self.hour_seconds = hour_seconds
        self.epoch = epoch
        self._sections = sections
        self._menu = "".join(f'<a href="/{s.path}/">{s.title}</a> ' for s in sections) + '<a href="/live/">Live</a>'
        self.pages: dict[str, PageSchedule] = draw(seed, sections)

    def hour(self, now: float) -> float:
        """Site hour at a UTC second."""
        return max(0.0, (now - self.epoch) / self.hour_seconds)

    def answer(self, path: str, now: float, noise: random.Random) -> Answer:
        """The answer to a request at a UTC second; `noise` feeds the parts that always differ."""
        hour = self.hour(now)
        fixed = _FIXED.get(path)
        if fixed:
            return Answer(200, fixed[0], fixed[1], etag=f'"{hashlib.md5(fixed[1], usedforsecurity=False).hexdigest()}"')
        if path == "/sitemap.xml":
            return Answer(200, "application/xml", self._sitemap(hour))
        if path == "/feed.xml":
            return Answer(200, "application/rss+xml", self._feed(now))
        if path == "/ticker.json":
            return Answer(200, "application/json", f'{{"headline": "{self._headlines(hour)[0][1]}"}}'.encode())
        if path.startswith("/ads/"):
            return Answer(200, "image/svg+xml", _svg(f"Advertisement {path[5:-4]}", "#c9b458"))
        if path == "/":
            return self._page("Strandline Courier", self._front(hour), hour, noise)
        section = next((s for s in self._sections if path == f"/{s.path}/"), None)
        if section:
            return self._page(section.title, self._index(section), hour, noise if section.noisy else None)
        if path == "/live/":
            return self._page("Live", self._live(hour), hour, noise)
        page = self.pages.get(path)
        if page and page.born <= hour < page.gone:
            return self._article(page, now, noise)
        return Answer(
            404, "text/html; charset=utf-8", self._frame("Not found", "<p>There is no such page.</p>", "").encode()
        )

    def _article(self, page: PageSchedule, now: float, noise: random.Random) -> Answer:
        hour = self.hour(now)
        version = page.version(hour)
        # Each change rewrites the headline and the next paragraphs in turn; the others stay.
        body = f"<h1>{_headline(page.path, version)}</h1>\n" + "\n".join(
            f"<p>{_paragraph(page.path, k, _last_rewritten(k, version, page.section.rewrites))}</p>"
            for k in range(PARAGRAPHS)
        )
        if page.section.noisy:
            return self._page(_headline(page.path, version), body, hour, noise)
        made = self._frame(_headline(page.path, version), body, "").encode()
        return Answer(200, "text/html; charset=utf-8", made, f'"{version}"', self._changed(page.path, now))

    def _page(self, title: str, main: str, hour: float, noise: random.Random | None) -> Answer:
        side = ""
        if noise is not None:
            read = "".join(f"<li>{_headline('/read', noise.randrange(1000))}</li>" for _ in range(3))
            side = (
                f'<aside class="sidebar"><h2>Most read</h2><ol>{read}</ol></aside>'
                f'<div class="advert"><a href="/ads/click?{noise.randrange(10**6)}" rel="nofollow">'
                f'<img src="/ads/{noise.randrange(4)}.svg" alt="Advertisement"></a></div>'
                f'<p class="clock">Day {int(hour // 24) + 1}, {_clock(hour)}:{noise.randrange(60):02}</p>'
            )
        return Answer(200, "text/html; charset=utf-8", self._frame(title, main, side).encode())

    def _frame(self, title: str, main: str, side: str) -> str:
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            '<link rel="stylesheet" href="/style.css"><link rel="icon" href="/logo.svg">'
            '<link rel="preload" as="fetch" href="/ticker.json" crossorigin>'
            '<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>\n'
            f'<body><nav><a href="/">Courier</a> {self._menu}</nav>\n<main>{main}</main>\n{side}\n'
            '<p id="ticker"></p><footer>A demonstration site; every change on it is known.</footer>'
            '<script src="/ticker.js"></script></body></html>\n'
        )

    def _headlines(self, hour: float) -> list[tuple[str, str]]:
        """Newest articles of the whole site: address and headline."""
        moving = (p for p in self.pages.values() if p.changes and p.born <= hour < p.gone)
        newest = sorted(moving, key=lambda p: p.last_change(hour), reverse=True)[:10]
        return [(p.path, _headline(p.path, p.version(hour))) for p in newest]

    def _front(self, hour: float) -> str:
        items = "".join(f'<li><a href="{path}">{text}</a></li>' for path, text in self._headlines(hour))
        return f'<h1>Strandline Courier</h1><img src="/logo.svg" alt="A wave"><ul class="headlines">{items}</ul>'

    def _index(self, section: Section) -> str:
        items = "".join(
            f'<li><a href="/{section.path}/{n + 1}.html">{section.title} {n + 1}</a></li>' for n in range(section.pages)
        )
        return f"<h1>{section.title}</h1><ul>{items}</ul>"

    def _live(self, hour: float) -> str:
        now = [p for p in self.pages.values() if p.section.path == "live" and p.born <= hour < p.gone]
        items = "".join(f'<li><a href="{p.path}">{p.path.split("/")[2]}: {_headline(p.path, 0)}</a></li>' for p in now)
        return f"<h1>Live</h1><ul>{items}</ul>" if now else "<h1>Live</h1><p>No event at the moment.</p>"

    def _sitemap(self, hour: float) -> bytes:
        rows = "".join(
            f"<url><loc>{{origin}}{p.path}</loc></url>" for p in self.pages.values() if p.born <= hour < p.gone
        )  # fmt: skip
        return (
            f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()
        )

    def _feed(self, now: float) -> bytes:
        items = "".join(
            f"<item><title>{text}</title><link>{{origin}}{path}</link>"
            f"<pubDate>{self._changed(path, now)}</pubDate></item>"
            for path, text in self._headlines(self.hour(now))
        )
        channel = f"<channel><title>Strandline Courier</title>{items}</channel>"
        return f'<?xml version="1.0"?><rss version="2.0">{channel}</rss>'.encode()

    def _changed(self, path: str, now: float) -> str:
        """Time of a page's last change, as HTTP and feeds write it; never one that is still to come."""
        changed = self.epoch + self.pages[path].last_change(self.hour(now)) * self.hour_seconds
        return formatdate(min(changed, now), usegmt=True)


def _clock(hour: float) -> str:
    return f"{int(hour % 24):02}:{int(hour * 60 % 60):02}"


def _headline(path: str, version: int) -> str:
    pick = random.Random(f"{path} {version} headline")
    first, second, third, fourth = (pick.choice(_WORDS) for _ in range(4))
    return f"{first.title()} and {second}: the {third} of the {fourth}"


def _paragraph(path: str, number: int, version: int) -> str:
    pick = random.Random(f"{path} {number} {version}")
    return f"{pick.choice(_OPENINGS)}, " + " ".join(pick.choice(_WORDS) for _ in range(40)) + "."


def _last_rewritten(paragraph: int, version: int, rewrites: int) -> int:
    """The last change, up to `version`, that rewrote a paragraph: change v rewrites v * rewrites and those after it."""
    for change in range(version, max(0, version - PARAGRAPHS), -1):
        if (paragraph - change * rewrites) % PARAGRAPHS < rewrites:
            return change
    return 0


def _svg(text: str, colour: str) -> bytes:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="60">'
        f'<rect width="240" height="60" fill="{colour}"/>'
        f'<text x="12" y="36" font-family="sans-serif" font-size="18">{text}</text></svg>'
    ).encode()


_FIXED: dict[str, tuple[str, bytes]] = {
    "/robots.txt": (
        "text/plain",
        b"User-agent: *\nDisallow: /private/\nDisallow: /ads/click\nSitemap: {origin}/sitemap.xml\n",
    ),
    "/style.css": (
        "text/css",
        b"body{font:16px/1.5 Georgia,serif;max-width:60rem;margin:1rem auto;padding:0 1rem;color:#14324a}"
        b"nav a{margin-right:1rem}main{border-top:3px solid #2a7f9e}aside{background:#eef6f8;padding:1rem}"
        b"body{background:url(/paper.svg)}",
    ),
    "/logo.svg": ("image/svg+xml", _svg("Strandline", "#2a7f9e")),
    "/paper.svg": (
        "image/svg+xml",
        b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><path d="M0 0h4v4H0z" fill="#fffefa"/></svg>',
    ),
    "/ticker.js": (
        "text/javascript",
        b"fetch('/ticker.json').then(r=>r.json()).then(d=>{"
        b"document.getElementById('ticker').textContent='Latest: '+d.headline})",
    ),
}
