"""What people search for is cut into clauses, whatever signs they type."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.blocks.queries import Clause, clauses, doubt
from strandline.core.blocks.words import words


def test_words_phrases_absence_and_either():
    assert clauses("Opening HOURS") == [Clause(((("opening",),),)), Clause(((("hours",),),))]
    assert clauses('"opening hours" -monday') == [
        Clause(((("opening", "hours"),),)),
        Clause(((("monday",),),), absent=True),
    ]
    assert clauses('a OR "b c" OR d e') == [
        Clause(((("a",),), (("b", "c"),), (("d",),))),
        Clause(((("e",),),)),
    ]
    assert clauses("4.5 OR 5") == [Clause(((("4",), ("5",)), (("5",),)))]
    assert clauses("a OR -b") == [Clause(((("a",),),)), Clause(((("b",),),), absent=True)]
    assert clauses("") == [] == clauses('-a -"b c"') == clauses('" - "')


def test_or_without_a_neighbour_and_an_open_quote_are_no_mistake():
    assert clauses("OR a OR") == [Clause(((("or",),),)), Clause(((("a",),),))]
    assert clauses('"open end') == [Clause(((("open", "end"),),))]


@given(st.text(alphabet='ab -"OR\n', max_size=30))
def test_every_word_asked_for_is_one_of_the_text(text):
    found = [word for clause in clauses(text) for all_of in clause.any_of for phrase in all_of for word in phrase]
    assert all(word in words(text) for word in found)


def test_what_may_be_wrong_with_a_search_that_finds_nothing():
    assert doubt('hours "new price') == doubt('"') == "open_quote"
    assert doubt("-closed") == doubt('-"opening hours"') == "nothing_wanted"
    assert doubt("hours") == doubt('"opening hours" -monday') == doubt("") == ""
