"""Small words that matter, against many words that do not: the set was written before the rules (small_edits.toml)."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.edits.meaning import MOST_LETTERS, edit_weight
from strandline.core.changes.words.language_rules import LANGUAGES, language_of

PAIRS = tomllib.loads((Path(__file__).parent / "small_edits.toml").read_text("utf-8"))
LATER = tomllib.loads((Path(__file__).parent / "later_edits.toml").read_text("utf-8"))


def weights(language, given="", pairs=PAIRS):
    """Weights of the edits that change what is said, and of those that do not."""
    changed = [edit_weight(pair["base"], pair["changed"], given).weight for pair in pairs[language]]
    same = [edit_weight(pair["base"], pair["same"], given).weight for pair in pairs[language]]
    return np.array(changed), np.array(same)


def auc(changed, same):
    """Chance that an edit that changes what is said weighs more than one that does not."""
    return float(np.mean((changed[:, None] > same) + 0.5 * (changed[:, None] == same)))


def test_the_set_is_large_enough():
    assert set(PAIRS) == set(LANGUAGES)
    assert all(len(pairs) >= 20 for pairs in PAIRS.values())
    assert len({pair["base"] for pairs in PAIRS.values() for pair in pairs}) == sum(map(len, PAIRS.values()))


@pytest.mark.parametrize("told", [True, False], ids=["language told", "language guessed"])
def test_edits_that_change_what_is_said_weigh_more(told):
    all_changed, all_same = [], []
    for language in LANGUAGES:
        changed, same = weights(language, language if told else "")
        print(f"{language}: AUC {auc(changed, same):.3f}")
        assert auc(changed, same) >= 0.9, language
        all_changed.append(changed)
        all_same.append(same)
    overall = auc(np.concatenate(all_changed), np.concatenate(all_same))
    print(f"all: AUC {overall:.3f}")
    assert overall >= 0.95


def test_sentences_written_after_the_rules_are_weighed_as_well():
    assert not {pair["base"] for pairs in LATER.values() for pair in pairs} & {
        pair["base"] for pairs in PAIRS.values() for pair in pairs
    }
    found = [weights(language, pairs=LATER) for language in LANGUAGES]
    overall = auc(*(np.concatenate(side) for side in zip(*found, strict=True)))
    print(f"later: AUC {overall:.3f}")
    assert overall >= 0.95


def test_languages_are_known_by_their_small_words():
    texts = {language: " ".join(pair["base"] for pair in pairs) for language, pairs in PAIRS.items()}
    assert {language: language_of(text) for language, text in texts.items()} == {code: code for code in LANGUAGES}


MIXED = (
    "the tenant must may not pay within 30 90 days 14.95 EUR on 3 May 2025 at 9:30 to Anna Keller , . ; - ( ) “ ’ %"
    " doit pas jours nicht Tage Euro giorni não 東京 100 % § 4 ago views"
)
PARTS = st.sampled_from(MIXED.split())
TEXTS = st.lists(PARTS, max_size=25).map(" ".join)


@given(TEXTS, TEXTS)
def test_weights_are_the_same_in_both_directions(one, other):
    there, back = edit_weight(one, other), edit_weight(other, one)
    assert 0.0 <= there.weight <= 1.0
    assert abs(there.weight - back.weight) <= 0.15


@given(st.text(), st.text())
def test_any_text_can_be_weighed(one, other):
    assert edit_weight(one, one) == edit_weight(other, other)
    assert edit_weight(one, one).weight == 0.0
    assert 0.0 <= edit_weight(one, other).weight <= 1.0


@given(st.lists(st.sampled_from(["the", "tenant", "pays", "30", "euro", "Leeds"]), min_size=1), st.data())
def test_signs_blanks_and_case_weigh_nothing(words, data):
    signs = st.sampled_from([" ", "  ", ", ", "; ", " – ", "\u00a0", " “", "” ", "! "])
    other = "".join(word.upper() + data.draw(signs) for word in words)
    assert edit_weight(" ".join(words), other).weight <= 0.05


SENTENCES = ["The fee is 4 EUR.", "You must not smoke.", "Ask Maria Keller.", "Open from 9:30 to 17:00.", "No dogs!"]


@given(st.permutations(SENTENCES))
def test_sentences_in_another_order_say_the_same(order):
    assert edit_weight(" ".join(SENTENCES), " ".join(order)).weight <= 0.05


@pytest.mark.parametrize(
    ("before", "after", "kind", "gone", "come", "unit"),
    [
        ("Notice of 30 days", "Notice of 90 days", "number", "30", "90", "days"),
        ("It costs 14.95 EUR.", "It costs 15.95 EUR.", "money", "14.95", "15.95", "EUR"),
        ("You must pay.", "You may pay.", "obligation", "must", "may", ""),
        ("Apply until 3 May 2025.", "Apply until 9 May 2025.", "deadline", "3 May 2025", "9 May 2025", ""),
        ("We do not sell data.", "We sell data.", "negation", "not", "", ""),
        ("At least two people", "At most two people", "quantity", "At least", "At most", ""),
        ("The tenant pays.", "The landlord pays.", "party", "tenant", "landlord", ""),
        ("Ask Maria Keller.", "Ask Tom Brandt.", "name", "Maria Keller", "Tom Brandt", ""),
        ("1,204 views", "1,209 views", "counter", "1,204", "1,209", ""),
        ("posted 3 hours ago", "posted 5 hours ago", "stamp", "3 hours", "5 hours", ""),
        ("Last updated: 3 May 2025", "Last updated: 4 May 2025", "stamp", "3 May 2025", "4 May 2025", ""),
        ("See section 4.", "See section 5.", "numbering", "4", "5", ""),
        ("a colour", "a color", "spelling", "colour", "color", ""),
        ("It is 1.5 m.", "It is 15 m.", "number", "1.5", "15", "m"),
    ],
)
def test_what_differs_is_named(before, after, kind, gone, come, unit):
    found = edit_weight(before, after, "en")
    assert (found.kind, found.before, found.after, found.unit) == (kind, gone, come, unit)


def test_what_differs_is_found_in_a_long_text():
    filling = "This sentence says nothing new. " * 4_000
    found = edit_weight(f"{filling}Pay within 30 days. {filling}", f"{filling}Pay within 90 days. {filling}")
    assert (found.kind, found.old, found.new) == ("number", "Pay within 30 days.", "Pay within 90 days.")


def test_a_text_that_is_all_other_costs_no_more_than_its_beginning(monkeypatch):
    from strandline.core.changes.edits import meaning

    lengths = []
    plain = meaning.sentences
    monkeypatch.setattr(meaning, "sentences", lambda text: lengths.append(len(text)) or plain(text))
    edit_weight("one two three. " * 50_000, "four five six. " * 50_000)
    assert max(lengths) <= MOST_LETTERS


def test_a_new_sentence_does_not_negate_the_others():
    found = edit_weight("You may cancel. We answer soon.", "You may cancel. No fee is due. We answer soon.")
    assert (found.kind, found.after) == ("added", "No fee is due.")
    assert found.weight < edit_weight("You may cancel.", "You may not cancel.").weight


def test_a_double_turn_says_the_same():
    assert edit_weight("Dogs are not allowed here.", "Dogs are forbidden here.").weight < 0.3


@pytest.mark.parametrize(
    ("before", "after", "went", "came"),
    [
        ("It is 14 days for us and 30 days for owners.", "It is 30 days for us and 60 days for owners.", "14", "30"),
        ("Members pay 30 euros, guests pay 40 euros.", "Members pay 40 euros, guests pay 50 euros.", "30", "40"),
        ("Adults pay 30 euros, children 20 euros.", "Adults pay 20 euros, children 30 euros.", "30", "20"),
        ("The fair runs from 3 May to 5 May.", "The fair runs from 5 May to 8 May.", "3 May", "5 May"),
    ],
)  # fmt: skip
def test_figures_are_compared_with_those_in_their_place(before, after, went, came):
    """Though the old sentence had the new figure elsewhere."""
    edit = edit_weight(before, after)
    assert (edit.before, edit.after) == (went, came)
    assert edit.weight > 0.7


def test_figures_that_moved_with_their_words_say_nothing_new():
    edit = edit_weight("Adults pay 30 euros, children 20 euros.", "Children pay 20 euros, adults 30 euros.")
    assert edit.kind == "order"
