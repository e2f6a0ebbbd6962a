"""Numbers that count are told from those that a text states."""

import pytest

from strandline.core.changes.words.counters import counts_up, is_counted, is_sentence, is_signed
from strandline.core.changes.words.ticking import tick_form


@pytest.mark.parametrize(
    ("text", "before", "after", "form"),
    [
        ("${}", "249", "260", ""),
        ("from $ {}", "249", "260", ""),
        ("£{}", "1,249", "1,260", ""),
        ("{}", "249", "260", "counter"),
        ("{} books", "12,031", "12,040", "counter"),
        ("Laws were changed in {} to make it easier to apply.", "2021", "2041", ""),
        ("The school alone has over {} million registered users.", "300", "301", ""),
        ("So far {} people have viewed this page today.", "1,204", "1,251", "counter"),
        ("Set a limit: five or {} minutes are enough to begin.", "10", "40", ""),
        ("The waiting time is now about {} minutes at most here.", "25", "40", "counter"),
        ("Answers within {} hours", "24", "48", "time"),
        ("Page made in {} s", "0.18", "0.21", "counter"),
    ],
)
def test_a_number_of_a_sentence_states_and_one_alone_counts(text, before, after, form):
    assert tick_form(text.format(before), text.format(after)) == form


def test_what_counts():
    assert is_counted("", " readers", False)
    assert not is_counted("up to ", " readers", False), "a limit"
    assert counts_up("1,204", "1,251") and not counts_up("1,251", "1,204") and not counts_up("14.95", "15.05")
    assert is_sentence("word " * 12) and not is_sentence("word " * 6) and is_sentence("word " * 5 + "word.")
    assert is_signed("EUR €") and not is_signed("EUR") and not is_signed("")
