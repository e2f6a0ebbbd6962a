"""Before and after a change stand beside each other, with what changed framed; live beside its replay."""

import time
from io import BytesIO

from PIL import Image

from access.test_pictures import NEW, URL, pictured
from strandline.access.timestamps import timestamp
from strandline.keeping.takedowns import Wish, block
from study.test_framed_pictures import GREEN, LOOKS, RED, TALL
from warc.exchanges import START
from web.archives import served


def _compared(server, path):
    """A comparison is worked out by another process, however long that takes."""
    until = time.monotonic() + 900
    while (answer := server.get(path, origin="interface"))[0] == 503:
        assert time.monotonic() < until, "it is not worked out"
    return answer[2].decode()


def test_pictures_of_a_change_are_framed_and_lists_have_thumbnails(tmp_path):
    archive, _ = pictured(tmp_path / "archive")
    archive.study()
    first, last = timestamp(START), timestamp(START + 4 * 3600.0)
    with served(archive) as server:
        status, headers, body = server.get(f"/picture/{last}/{URL}", origin="interface")
        assert (status, headers["content-type"], body) == (200, "image/png", NEW)
        assert server.get(f"/picture/{timestamp(START + 2 * 3600.0)}/{URL}", origin="interface")[0] == 404
        page = _compared(server, f"/compare?url={URL}&from={first}&to={last}")
        assert page.count("<rect") == 2 and "Six boats left</title>" in page and "Seven boats left</title>" in page
        assert f'href="/picture/{last}/{URL}"' in page and 'viewBox="0 0 30 40"' in page
        page = server.get(f"/captures?url={URL}", origin="interface")[2].decode()
        assert page.count('class="thumb"') == 4
        page = server.get(f"/page?url={URL}", origin="interface")[2].decode()
        days = {timestamp(START + hour * 3600.0)[:8] for hour in range(5)}
        assert page.count('class="thumb"') == len(days) and f'src="/picture/{last}/{URL}"' in page
        people = {"Accept": "text/html"}
        page = server.get(f"/web/{last}/{URL}", people, origin="interface")[2].decode()
        assert f'href="/live/{last}/{URL}"' in page and f'src="/picture/{last}' not in page
        page = server.get(f"/live/{last}/{URL}", people, origin="interface")[2].decode()
        assert f'src="/picture/{last}/{URL}"' in page and "<iframe" in page
        page = server.get(f"/live/{timestamp(START + 2 * 3600.0)}/{URL}", people, origin="interface")[2].decode()
        assert "/picture/" not in page and "<iframe" in page


def _painted(server, path):
    """A framed picture is worked out with the comparison, however long that takes."""
    until = time.monotonic() + 900
    while (answer := server.get(path, origin="interface"))[1].get("cache-control") == "no-store":
        assert time.monotonic() < until, "it is not worked out"
    return answer


def test_the_pictures_that_alerts_and_feeds_link_are_framed_and_taken_down_with_their_captures(tmp_path):
    archive, kept = pictured(tmp_path / "archive", LOOKS)
    archive.study()
    old, new = (timestamp(one.time) for one in kept)
    with served(archive) as server:
        for of, against, colour in ((old, new, RED), (new, old, GREEN)):
            status, headers, body = _painted(server, f"/framed/{of}/{against}/{URL}")
            assert (status, headers["content-type"]) == (200, "image/png")
            shown = Image.open(BytesIO(body)).convert("RGB")
            assert shown.size == (300, 900) and shown.getpixel((18, 710)) == colour
        assert server.get(f"/framed/{new}/{new}/{URL}", origin="interface")[2] == TALL[1], "nothing to frame"
        assert server.get(f"/framed/{new}/{URL}", origin="interface")[0] == 400
        assert server.get(f"/framed/{new}/{old}/http://nowhere.example/", origin="interface")[0] == 404
        block(archive, Wish(f"{old}/{URL}", "somebody asked"))
        answers = [
            server.get(f"/framed/{pair}/{URL}", origin="interface")[0] for pair in (f"{old}/{new}", f"{new}/{old}")
        ]
        assert answers == [451, 451], "also of the other one: the frames would tell"
