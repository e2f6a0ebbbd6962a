from io import BytesIO

import pycurl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.capture import Outcome
from strandline.fetch.verdict import Ending, fields, is_chunked, judge, plain, status_of


def ending(head=b"", body=b"", code=pycurl.E_OK, **more) -> Ending:
    whole = head.endswith((b"\r\n\r\n", b"\n\n"))
    values = {"message": "", "os_error": 0, "sent": True, **more}
    return Ending(code=code, head=head, head_complete=whole, body=BytesIO(body), body_length=len(body), **values)


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("head", "body", "outcome"),
    [
        (OK + b"\r\n", b"x", Outcome.ANSWERED),
        (OK + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\n", b"x", Outcome.ANSWERED),
        (OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", b"x", Outcome.PROTOCOL),
        (OK + b"Content-Length: 9\r\n\r\n", b"x", Outcome.SHORT),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", b"", Outcome.ANSWERED),
        (OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n", b"x", Outcome.PROTOCOL),
        (b"HTTP/1.1 101 Go\r\n\r\n", b"x", Outcome.PROTOCOL),
        (OK, b"", Outcome.SHORT),
        (b"", b"x", Outcome.PROTOCOL),
    ],
)
def test_framing(head, body, outcome):
    assert judge(ending(head, body)).outcome is outcome


@pytest.mark.parametrize("code", range(1, 102))
def test_every_failure_of_libcurl_is_some_outcome(code):
    verdict = judge(ending(b"", b"", code, message="x\x1b[0m"))
    assert verdict.outcome is not Outcome.ANSWERED
    assert verdict.detail.isprintable()


def test_times():
    late = pycurl.E_OPERATION_TIMEDOUT
    assert judge(ending(b"", b"", late, sent=False)).outcome is Outcome.TIMEOUT
    assert judge(ending(b"", b"", late)).outcome is Outcome.TIMEOUT
    cut = judge(ending(OK + b"\r\n", b"half", late))
    assert (cut.outcome, cut.truncated) == (Outcome.TRUNCATED, "time")


@given(st.binary(max_size=200))
def test_any_head_is_judged(head):
    assert 0 <= status_of(head) <= 999
    assert isinstance(is_chunked(head), bool)
    assert all(isinstance(value, bytes) for value in fields(head, b"content-length"))
    assert judge(ending(head)).outcome in Outcome


@given(st.text(max_size=300))
def test_details_are_one_printable_line(text):
    assert plain(text).isprintable()
    assert len(plain(text)) <= 200
