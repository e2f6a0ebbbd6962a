import pytest

from strandline.core.changes.words.written_dates import date_spans


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Seen on 12 May 2026 by Ann", ["12 May 2026"]),
        ("Am Montag, 3. März 2026", ["Montag, 3. März 2026"]),
        ("from 1/5/26 to 2026-06-01", ["1/5/26", "2026-06-01"]),
        ("May 12, 2026", ["May 12, 2026"]),
        ("12 mills", []),
    ],
)
def test_where_dates_are(text, found):
    assert [text[start:end] for start, end in date_spans(text)] == found
