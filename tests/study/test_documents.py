"""What study takes a captured document for, by its media type and its first bytes."""

import pytest

from strandline.study.documents import Document
from strandline.study.worker import document


@pytest.mark.parametrize(
    "data, mime, text",
    [
        (b"<p>Open at nine.</p>", "text/html", True),
        (b"Open at nine.", "text/plain", True),
        (b'{"open": 9}', "application/json", True),
        (b"place,open\nlibrary,9", "text/csv", True),
        (b"\x89PNG broken", "image/png", False),
        (b"\x00\x01", "application/octet-stream", False),
    ],
)
def test_documents_with_text_can_be_cut(data, mime, text):
    found = document(data, mime)
    assert isinstance(found, Document)
    assert (found.text, found.picture) == (text, 0)
