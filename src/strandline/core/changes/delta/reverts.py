"""Pages that go back to what they showed before: a change as any other, and worth saying that it is a return.

A capture returns when it shows other content than the one before it, and the content of an earlier one. It returns to
the latest of these. Answers other than the page itself (404, redirects, errors) are passed over: a page that was away
for a while and is back as it was has not returned to an old state.
"""

from collections.abc import Iterable, Mapping

from strandline.core.capture import Capture


def content_of(capture: Capture) -> str:
    """What a capture shows: the digest of its payload, also where that is kept with an earlier one."""
    return capture.original.digest if capture.original is not None and capture.original.digest else capture.digest


def returns(captures: Iterable[tuple[int, float, str]]) -> Mapping[int, float]:
    """Of each capture that shows an earlier state again, the time of that state. Captures in the order of time, each
    with its number, time and content.

    >>> returns([(1, 10.0, "a"), (2, 20.0, "b"), (3, 30.0, "b"), (4, 40.0, "a"), (5, 50.0, "a"), (6, 60.0, "b")])
    {4: 10.0, 6: 30.0}
    """
    found: dict[int, float] = {}
    last: dict[str, float] = {}
    before = None
    for number, time, content in captures:
        if before is not None and content != before and content in last:
            found[number] = last[content]
        last[content], before = time, content
    return found
