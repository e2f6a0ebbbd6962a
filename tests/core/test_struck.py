"""Text that is struck through is another text, and is found all the same."""

import pytest

from strandline.core.blocks.queries import clauses, fits
from strandline.core.changes.edits.edit_texts import restruck
from strandline.core.changes.edits.meaning import edit_weight
from strandline.core.struck import standing, struck, struck_words, without_strokes

NOTICE = "Either party may end it by giving 14 days' notice."


def test_a_struck_text_reads_the_same_without_strokes_and_stands_no_longer():
    text = f"Pay {struck('14 days')} 30 days\nafter {struck('receipt')}"
    assert without_strokes(text) == "Pay 14 days 30 days\nafter receipt"
    assert standing(text) == "Pay 30 days\nafter"
    assert struck_words(text) == "14 days … receipt"


@pytest.mark.parametrize(
    ("after", "kind", "weight"),
    [
        (NOTICE.replace("14 days'", f"{struck('14')} 30 days'"), "number", 0.8),
        (NOTICE.replace("14 days'", struck("14 days'")), "number", 0.7),
        (struck(NOTICE), "removed", 0.2),
    ],
)
def test_a_struck_term_weighs_as_one_that_no_longer_holds(after, kind, weight):
    edit = edit_weight(NOTICE, after)
    assert edit.kind == kind
    assert edit.weight >= weight


def test_what_changes_in_struck_text_only_hardly_matters_and_is_told_as_such():
    edit = edit_weight(f"{struck('99 EUR')} 79 EUR", f"{struck('109 EUR')} 79 EUR")
    assert (edit.kind, edit.weight) == ("struck", 0.02)


def test_striking_is_told_in_words_only_where_nothing_else_changed():
    assert restruck(NOTICE, struck(NOTICE)) == f"Struck through: “{NOTICE}”"
    assert restruck(struck(NOTICE), NOTICE) == f"No longer struck through: “{NOTICE}”"
    assert restruck(NOTICE, NOTICE) == restruck(NOTICE, struck(NOTICE) + " More.") == ""


def test_struck_words_are_found():
    assert fits(clauses('"14 days"'), struck(NOTICE))
    assert fits(clauses(struck("notice")), NOTICE)
