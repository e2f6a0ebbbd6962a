"""Numbers to call and addresses are told from dates, counters and prices."""

import pytest

from strandline.core.changes.edits.meaning import edit_weight
from strandline.core.changes.words.contacts import contacts
from strandline.core.changes.words.ticking import tick_form


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Call us: +49 (40) 123-456", ("+49 (40) 123-456",)),
        ("Tel. 5551234567", ("5551234567",)),
        ("Our desk: 030/90 18 20, fax: 030/90 18 21", ("030/90 18 20", "030/90 18 21")),
        ("desk@made.example, press@made.example", ("desk@made.example", "press@made.example")),
        ("On 03.05.2026 at 09:15, 0.75 %", ()),
        ("Server time 2026-03-02 10:02:00", ()),
        ("2026-05-03, 1,204 readers, 0 of 12", ()),
        ("Order 100 200 300 today", ()),
        ("follow @strand", ()),
        ("Nina at (248) 796-5119", ("(248) 796-5119",)),
        ("(248) of 796-5119", ()),
    ],
)
def test_found(text, found):
    assert contacts(text) == found


def test_another_number_counts_however_little_it_differs():
    before, after = "Call us: 040 123 456", "Call us: 040 123 458"
    assert tick_form(before, after) == ""
    edit = edit_weight(before, after)
    assert (edit.kind, edit.before, edit.after) == ("contact", "040 123 456", "040 123 458")
    assert edit.weight > 0.5
