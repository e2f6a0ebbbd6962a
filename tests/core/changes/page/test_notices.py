"""Boxes that say nothing of a page, and alarms, told by their words."""

import pytest

from strandline.core.blocks.tree import Item, PageBlock
from strandline.core.changes.page.notices import box_of, boxes, is_alarm, is_grave, may_alarm, tells_state

BOXES = {
    "en": "This website uses cookies to measure its audience.",
    "de": "Diese Website verwendet Cookies, um die Nutzung zu messen.",
    "fr": "Ce site utilise des cookies pour mesurer son audience.",
    "es": "Este sitio utiliza cookies para medir su audiencia.",
    "it": "Questo sito utilizza cookie per misurare le visite.",
    "nl": "Deze website gebruikt cookies om bezoek te meten.",
}
ALARMS = {
    "en": "Safety notice: stop using the heater at once.",
    "de": "Wichtiger Hinweis: das Wasser muss abgekocht werden.",
    "fr": "Avis de sécurité : ne pas utiliser ce produit.",
    "es": "Aviso importante: la empresa está en liquidación.",
    "it": "Avviso di sicurezza: non utilizzare il prodotto.",
    "nl": "Kookadvies: kook het water drie minuten.",
}


@pytest.mark.parametrize("language", BOXES)
def test_boxes_and_alarms_are_told_in_each_language_given_or_guessed(language):
    for given in (language, ""):
        assert box_of(BOXES[language], given) == "cookies"
        assert box_of(ALARMS[language], given) == ""
        assert is_alarm(ALARMS[language], given)
        assert not is_alarm(BOXES[language], given)


def test_what_ended_is_as_grave_as_an_alarm():
    assert is_grave("Tickets are sold out.", "en")
    assert is_grave(ALARMS["fr"])
    assert not is_grave("Tickets at the door.", "en")
    assert not is_grave("Sold out. " * 30, "en"), "a paragraph, not a notice"


def test_a_box_takes_its_buttons_with_it_and_nothing_that_says_more():
    paragraph = "The ferry crosses the sound again from Monday, four times a day."
    run = ["Your choice", BOXES["en"], "Accept", "Settings", paragraph]
    assert set(boxes([run], ["Tide tables"])) == {"Your choice", BOXES["en"], "Accept", "Settings"}
    assert boxes([[paragraph, "Yes"]], ["Tide tables"]) == {}


def test_a_box_beside_an_alarm_leaves_it_alone():
    assert set(boxes([[BOXES["en"], "Accept", "Do not drink it"]], [])) == {BOXES["en"], "Accept"}


def test_a_page_about_the_same_has_no_such_box():
    assert boxes([[BOXES["en"]]], ["You can delete cookies in your browser."]) == {}
    assert boxes([[BOXES["en"]]], ["How we keep personal data"]) == {}


def test_alarms_are_heard_in_banners_and_windows_and_not_among_links():
    def block(role: str, hint: str, linked: int = 0) -> PageBlock:
        return PageBlock("html/body/div", 0, role, hint, (Item("text", "x"),), 100, linked)

    assert may_alarm(block("", "banner"))
    assert may_alarm(block("header", ""))
    assert not may_alarm(block("", "ads"))
    assert not may_alarm(block("footer", ""))
    assert not may_alarm(block("aside", "", 90))


@pytest.mark.parametrize(
    "text", ["In stock", "Heute geschlossen", "Épuisé", "Agotado", "Oggi chiuso", "Weer op voorraad", "Warnstufe 3"]
)
def test_states_are_told_by_their_words(text):
    assert tells_state(text)


@pytest.mark.parametrize("text", ["20% off today", "2. Open the valve.", "Level up", "Win a trip", "Read on", ""])
def test_other_short_texts_are_none(text):
    assert not tells_state(text)
