"""What may tick in a text is found by its form: dates from their numbers, ages from a sign that each holds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.words import moving_parts, ticking, written_dates
from strandline.core.changes.words.bylines import may_age
from strandline.core.changes.words.small_letters import like_digits
from strandline.core.changes.words.ticking import settled_text

_DAYS, _SHORT_DAYS = map(written_dates._any, (written_dates._DAYS, written_dates._SHORT_DAYS))
_DAY = rf"\b(?:(?:{_DAYS})\b|(?:{_SHORT_DAYS})\b\.?),?\s+(?:the\s|den\s|le\s)?"
_YEAR, _MONTH = written_dates._YEAR, written_dates._MONTH
SLOW_DATE = re.compile(
    rf"(?:{_DAY})?(?:(?<!\d)\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}(?:t(?=\d))?|(?<!\d)\d{{1,2}}([-/.])\s?\d{{1,2}}\2\s?(?:\d{{4}}|\d\d)(?!\d)|"
    rf"(?<!\d)\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?\s(?:de\s|of\s)?{_MONTH}(?:,?\s(?:de\s|del\s)?{_YEAR})?|"
    rf"\b{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?\s{_YEAR})?|\b{_MONTH}\s{_YEAR})",
    re.IGNORECASE,
)
_SAID = """12 1 2026 2026-05-03 2026-05-03T 3/4/21 12. 3rd 20th may mar mär. sept. SEP March Mon mon, Monday, the den
le de of del , . ( / - : 19 1999 202 Di so. \u017fep ma\u0131 º er 5. samedi août dez. déc 0 12:30 \u0663 word"""
_PIECES = tuple(_SAID.split())
_TEXTS = st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from((" ", " ", "  ", "", "\u00a0"))), max_size=9).map(
    lambda parts: "".join(piece + blank for piece, blank in parts)
)


@given(_TEXTS | st.text(max_size=40))
def test_dates_are_those_that_a_search_at_every_letter_finds(text: str) -> None:
    found = [text[start:end] for start, end in written_dates.date_spans(text)]
    assert found == [match[0] for match in SLOW_DATE.finditer(text)]
    assert moving_parts.undated(text) == SLOW_DATE.sub("@", text)


def test_a_day_of_the_week_belongs_to_its_date() -> None:
    assert settled_text("Monday, 02 March 2026, 09:10") == "@, @"
    assert settled_text("on Tuesday the 3rd of May and May 4, 2026") == "on @ and @"


_FIGURES = st.text(st.sampled_from("0123456789.,%$€ -–/:+年1992020h'"), min_size=1, max_size=12)


@given(_FIGURES, _FIGURES)
def test_a_number_by_itself_is_read_as_any_other_text(before: str, after: str) -> None:
    quick = [(settled_text(text), settled_text(text[::-1])) for text in (before, after)]
    form = ticking.tick_form(before, after)
    whole = moving_parts._is_figure
    moving_parts._is_figure = lambda text: False
    moving_parts.parts_of.cache_clear()
    try:
        slow = settled_text.__wrapped__
        assert [(slow(text), slow(text[::-1])) for text in (before, after)] == quick
        if before != after:
            assert ticking.tick_form.__wrapped__(before, after) == form
    finally:
        moving_parts.parts_of.cache_clear()
        moving_parts._is_figure = whole


_AGED = """5 an eine une minutes min. days Tage jours, h ago fa geleden atrás vor il y a hace seit depuis since
etwa about
ca. just right now moments yesterday gestern gerade eben hier à ayer ieri gisteren \u017fince AGO fast \u0663"""
_AGES = st.lists(
    st.tuples(st.sampled_from(_AGED.split()), st.sampled_from((" ", " ", "", "\u00a0", "\t"))), max_size=9
).map(lambda parts: "".join(piece + blank for piece, blank in parts))


@given(_AGES | st.text(max_size=40))
def test_every_age_has_a_sign_it_is_looked_for_by(text: str) -> None:
    assert may_age(text) or not moving_parts.AGE.search(text)


def test_texts_without_a_sign_are_not_searched() -> None:
    assert not may_age("The council votes for a bridge over the river")


@given(_TEXTS | st.text(max_size=40))
def test_texts_with_like_digits_have_their_parts_at_the_same_places(text: str) -> None:
    slow = moving_parts.places_of.__wrapped__
    known, same = slow(like_digits(text)), slow(text)
    assert known._replace(alike="") == same._replace(alike="")
    assert re.sub("[0-9]", "8", known.alike) == re.sub("[0-9]", "8", same.alike)


@given(_TEXTS, st.sampled_from(("", "0.", "1,", "12345")))
def test_what_a_number_is_depends_on_what_stands_around_it(text: str, more: str) -> None:
    slow = ticking._form_at.__wrapped__
    said = f"{text} {more}8 comments ({text})"
    for number in ticking.NUMBER.finditer(said):
        for rises in (False, True):
            assert slow(like_digits(said), number.span(), rises, False) == slow(said, number.span(), rises, False)


def test_below_an_entry_an_age_without_a_number_stands_at_the_end() -> None:
    entry = "Night nurse at the hospital of Annecy, full time"
    assert (
        settled_text(f"{entry} just now")
        == settled_text(f"{entry} 3 hours ago")
        == settled_text(f"{entry} a moment ago")
    )
    told = "He has just now opened the gate of the garden, and left."
    assert settled_text(told) == told
