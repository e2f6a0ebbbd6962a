"""What readers are told of something that is taken down."""

import pytest

from strandline.access.index import Holdings
from strandline.access.takedowns import notice_text, refuse_hidden
from strandline.core.keeping.takedowns import Act, Hidden
from strandline.errors import TakenDown

NOON = 1793534400.0
ACTS = [
    Act(1, NOON, "block", "https://example.org/a", "Request 17", until=NOON + 86400),
    Act(2, NOON, "erase", "https://example.org/b", ""),
    Act(3, NOON, "block", "20261101120000/https://example.org/c", "One version"),
]


def test_a_notice_says_since_when_why_and_until_when():
    assert notice_text(ACTS[0]) == (
        "This was taken down on 2026-11-01T12:00:00Z, until 2026-11-02T12:00:00Z: Request 17"
    )
    assert notice_text(ACTS[1]) == "This was erased from this archive on 2026-11-01T12:00:00Z."


def test_addresses_and_single_captures_are_refused():
    held = Holdings(None, None, "test", hidden=lambda: Hidden(ACTS, NOON))
    with pytest.raises(TakenDown, match="Request 17"):
        refuse_hidden(held, "http://www.example.org/a")
    with pytest.raises(TakenDown, match="One version"):
        refuse_hidden(held, "http://example.org/c", NOON)
    refuse_hidden(held, "http://example.org/c", NOON + 1)
    refuse_hidden(held, "http://example.org/c")
    assert held.taken_down("org,example)/d") is None
    assert Holdings(None, None, "test").taken_down("org,example)/a") is None
