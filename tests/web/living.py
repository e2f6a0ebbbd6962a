"""An archive with a past: three weeks of a small newspaper, studied and learned from, made in a few seconds."""

import json
import random
from pathlib import Path

from strandline.archive.folder import Archive
from strandline.demo.site import LivingSite
from strandline.learn.learning import learn
from strandline.python_archive import create_folder as create

SITE = "http://courier.test"
START = 1_767_571_200.0  # Monday 5 January 2026, 00:00 UTC
DAYS = 21
PATHS = (
    "/",
    "/news/1.html",
    "/news/2.html",
    "/night-desk/1.html",
    "/culture/1.html",
    "/sport/1.html",
    "/documents/policies/1.html",
    "/documents/minutes/1.html",
    "/archive/1998/1.html",
    "/archive/1999/1.html",
)
NASTY = "http://nasty.test/a%22%3E%3Cscript%3Ealert(1)%3C/script%3E?b=%22%3E%3Csvg/onload=alert(1)%3E"
NASTY_TITLE = '"><script>document.title="reached"</script><img src=x onerror=alert(1)>'
ARABIC = "http://xn--ngbc5azd.test/%D8%A7%D9%84%D8%B1%D8%A6%D9%8A%D8%B3%D9%8A%D8%A9"
LONG = "http://long.test/" + "a-very-long-directory-name-that-never-ends/" * 5 + "?query=" + "0123456789" * 12


def _versions():
    site = LivingSite(seed=1, hour_seconds=3600.0, epoch=START)
    noise = random.Random(1)
    for visit in range(DAYS * 3):
        time = START + visit * 8 * 3600.0 + 1800.0
        for path in PATHS:
            answer = site.answer(path, time + PATHS.index(path), noise)
            if answer.status == 200:
                yield SITE + path, time + PATHS.index(path), answer.body.decode()
    for number in range(4):
        time = START + number * 5 * 86_400.0
        words = " ".join(noise.choice(("harbour", "market", "verdict", "concert", "rescue")) for _ in range(40))
        body = f"<title>{_escaped(NASTY_TITLE)}</title><h1>{_escaped(NASTY_TITLE)}</h1><p>{words} {number}</p>"
        yield NASTY, time, body
        yield ARABIC, time, f'<html dir="rtl" lang="ar"><h1>عنوان الصفحة {number}</h1><p>نص عربي طويل يتغير {words}</p>'
        yield LONG, time, f"<h1>Long {number}</h1><p>{words} unbroken{'x' * 90}</p>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def living_archive(folder: Path) -> Archive:
    """Make it in a new folder."""
    archive = create(folder, contact="https://library.test/bot", operator="Library of Tests")
    file = folder.parent / f"{folder.name}-versions.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for url, time, html in _versions():
            out.write(json.dumps({"url": url, "time": time, "html": html}) + "\n")
    archive.bring_in(file)
    learn(archive, ())
    return archive
