"""Events: one line each, for people, logs and machines, without secrets and without control characters."""

import io
import json
import logging

import pytest

from strandline.archive.events import configure, event


@pytest.fixture
def lines():
    stream = io.StringIO()
    logger = logging.getLogger("strandline")
    before = (logger.handlers[:], logger.level, logger.propagate)
    yield lambda form, **more: (configure(form, stream, **more), stream)[1]
    logger.handlers[:], logger.propagate = before[0], before[2]
    logger.setLevel(before[1])


def test_json_is_one_document_a_line(lines):
    stream = lines("json")
    event("alarm-opened", "alarm opened: gone\nexample.org", "warning", kind="gone", subject="example.org", share=0.4)
    event("stopped", reason="interrupted")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "warning",
        "event": "alarm-opened",
        "text": "alarm opened: gone\nexample.org",
        "kind": "gone",
        "subject": "example.org",
        "share": 0.4,
    }
    assert second["event"] == "stopped" and "text" not in second


def test_text_and_plain(lines):
    stream = lines("text")
    event("captured", "", url="https://a.example/\x1b[2J", status=200)
    assert stream.getvalue().split(" ", 1)[1].startswith('info captured url="https://a.example/\\u001b[2J" status=200')
    stream.truncate(0)
    lines("plain")
    event("settings", "settings taken anew\x1b[0m")
    event("captured", url="u")
    assert (
        stream.getvalue().replace("\0", "") == "strandline: settings taken anew\ufffd[0m\nstrandline: captured url=u\n"
    )


def test_secrets_do_not_reach_the_log(lines):
    stream = lines("json")
    event("fetched", "https://anna:pw@a.example/", url="https://a.example/?token=abc&x=1")
    assert "pw" not in stream.getvalue() and "abc" not in stream.getvalue() and "x=1" in stream.getvalue()


def test_levels(lines):
    stream = lines("plain", level="warning")
    event("a", "quiet")
    event("b", "loud", "error")
    assert stream.getvalue() == "strandline: loud\n"
