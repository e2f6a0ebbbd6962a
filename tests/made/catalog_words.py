"""The small words in which tests tell a catalog what was found, captured and visited."""

from strandline.core.capture import Capture, Evidence, Kind, Outcome, Place
from strandline.ports import Found, Visited


def found(url, **changes):
    given = {"kind": Kind.PAGE, "via": "seed", "source": 0, "hops": 0, "priority": 0.0, "due": 100.0} | changes
    return Found(url, **given)


def capture(url, time=200.0, offset=0, **changes):
    place = Place(changes.pop("file", "A.warc.gz"), offset, 10)
    return Capture(
        url, time, **({"status": 200, "mime": "text/html", "digest": f"sha1:D{offset}", "place": place} | changes)
    )


def visited(page, taken=None, **changes):
    given = {
        "outcome": Outcome.ANSWERED,
        "detail": "",
        "capture": taken,
        "evidence": Evidence.PRESENT,
        "time": 200.0,
        "due": 1000.0,
        "not_before": 0.0,
        "attempts": 0,
    }
    return Visited(page, **(given | changes))
