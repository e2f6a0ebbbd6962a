"""An edit of a sentence in words: "The notice period rose from 30 to 90 days"."""

import re
from typing import Final

from strandline.core.changes.edits.sentence_meaning import Edit
from strandline.core.changes.words.language_rules import LanguageRules, folded, language_rules
from strandline.core.changes.words.opening_hours import other_hours
from strandline.core.struck import standing, struck_words, without_strokes

LONGEST: Final = 160
"""Letters of a quotation. Origin: a guess."""
SLIGHT_KINDS: Final = ("none", "typography", "order", "spelling", "numbering", "counter", "stamp", "struck")
SUBJECT: Final = 6
"""Words of what a sentence is about. Origin: a guess."""
_FIXED: Final = {
    "none": "Nothing a reader sees changed",
    "typography": "Only punctuation or typography changed",
    "order": "Only the order changed",
    "numbering": "Only numbering changed",
    "struck": "Only text that is struck through changed",
}
_PRICES: Final = frozenset(("price", "total", "fee", "cost", "rent"))  # labels that English gives an article
_ARTICLES: Final = ("the ", "a ", "an ", "our ", "your ", "this ")
_LABELLED: Final = re.compile(r"(?:^|[.,;{(|\d])\s*\"?([^\W\d_][^\d:=,;.{}\"]{0,40}?)\"?\s*[:=]\s*[€$£¥]?\s*$")
_OF: Final = re.compile(r"\b(?:a|an|the|your|our) ((?:[a-z-]+ ){0,2}[a-z-]+) of(?: (?:at least|at most|up to|about))?$")
_SIGN: Final = re.compile(r"[\s\u00a0]?([^\W\d_]+\$?|[^\w\s])")
_SIGN_AT_END: Final = re.compile(r"([^\W\d_]+\$?|[^\w\s])[\s\u00a0]?\Z")
_WORD: Final = re.compile(r"[^\W\d_]+")


def quoted(text: str, longest: int = LONGEST) -> str:
    """Words of a page, in quotation marks; long ones are cut after a word.

    >>> quoted("A  long text about dogs", 12)
    '“A long text …”'
    """
    line = " ".join(text.split())
    if len(line) > longest:
        line = f"{line[: longest + 1].rsplit(' ', 1)[0][:longest].rstrip(' ,;:')} …"
    return f"“{line}”"


def restruck(before: str, after: str) -> str:
    """What was struck through between two texts that are the same but for that, or no longer is; in words.

    >>> from strandline.core.struck import struck
    >>> restruck("within 14 days", f"within {struck('14')} days"), restruck(struck("14 days"), "14 days")
    ('Struck through: “14”', 'No longer struck through: “14 days”')
    """
    if before == after or without_strokes(before) != without_strokes(after):
        return ""
    if len(standing(after)) > len(standing(before)):
        return f"No longer struck through: {quoted(struck_words(before))}"
    return f"Struck through: {quoted(struck_words(after))}"


def hours_text(before: str, after: str, label: str) -> str:
    """Other hours in which something is open, in words; empty when these texts tell none.

    >>> hours_text("9:00-18:00", "10:00-16:00", "Monday")
    'Monday: “10:00-16:00” replaced “9:00-18:00”'
    """
    if not other_hours(before, after):
        return ""
    return f"{label}: " * bool(label) + f"{quoted(after)} replaced {quoted(before)}"


def edit_text(edit: Edit, language: str = "en", label: str = "") -> str:
    """An edit in a sentence; `label` is what stands before the text, as in a table.

    >>> from strandline.core.changes.edits.meaning import edit_weight
    >>> edit_text(edit_weight("The fine is 4 EUR.", "The fine is 5 EUR."))
    'The fine rose from 4 to 5 EUR'
    >>> edit_text(edit_weight("End it with a notice period of 30 days.", "End it with a notice period of 90 days."))
    'The notice period rose from 30 to 90 days'
    >>> edit_text(edit_weight("You must pay.", "You may pay."))
    '“may” replaced “must” in: “You may pay.”'
    """
    if edit.kind in _FIXED:
        return _FIXED[edit.kind]
    if edit.kind == "spelling":
        return f"Only spelling changed: {quoted(edit.after)} for {quoted(edit.before)}"
    if edit.kind == "counter":
        return f"Only a counter changed ({edit.before} to {edit.after})"
    if edit.kind == "stamp":
        if edit.after.isdigit() and len(edit.after) == 4:
            return f"Only the year changed ({edit.after})"
        dated = any(len(number) == 4 for number in re.findall(r"\d+", edit.after))
        return f"Only {'the date of the last update' if dated else 'a time stamp'} changed ({edit.after})"
    if edit.kind in ("added", "removed"):
        return f"A sentence was {edit.kind}: {quoted(edit.after or edit.before)}"
    if edit.kind == "wording" and edit.old and edit.new and max(map(_size, (edit.old, edit.new))) <= SUBJECT:
        return f"{quoted(edit.new)} replaced {quoted(edit.old)}"
    if edit.kind == "wording":
        return f"Reworded: {quoted(edit.new)}" if edit.new else f"Removed: {quoted(edit.old)}"
    rules = language_rules(language)
    return _figure_text(edit, rules, label) or _replaced(edit, rules)


def _size(text: str) -> int:
    """Words, too many for a text that is a sentence."""
    return len(text.split()) + SUBJECT * text.endswith((".", "!", "?"))


def _figure_text(edit: Edit, rules: LanguageRules, label: str) -> str:
    if edit.kind == "deadline" and edit.before and edit.after:
        return f"The deadline moved from {edit.before} to {edit.after}: {quoted(edit.new)}"
    if edit.values is None or edit.kind not in ("number", "money") or edit.values[0] == edit.values[1]:
        return ""
    subject = _subject(edit, rules) or _row(edit, label)
    if not subject:
        return ""
    words = subject.strip("“”").split()  # a label may name the unit: "days: 14"
    moved = "rose" if edit.values[1] > edit.values[0] else "fell"
    return f"{subject} {moved} from {edit.before} to {edit.after}" + (
        f" {edit.unit}" if edit.unit and edit.unit not in words else ""
    )


def _subject(edit: Edit, rules: LanguageRules) -> str:
    """What rose or fell, if the sentence says so in front of the figure."""
    front = edit.new[: max(0, _place(edit.new, edit.after))].rstrip()
    labelled = _LABELLED.search(front)
    if labelled:
        name = labelled[1].strip()
        return f"The {name.lower()}" if name.lower() in _PRICES else quoted(name)
    front = front.rstrip("€$£¥ ")
    words = front.split()
    if edit.kind == "money" and rules.marked("costs", [folded(word) for word in words[-1:]]):
        return "The price"
    if rules.language == "en" and (measured := _OF.search(" ".join(words))):
        return f"The {measured[1]}"
    for length in (3, 2, 1):
        verb, subject = folded(" ".join(words[-length:]).replace("'", " ")), words[:-length]
        if tuple(verb.split()) in rules.marks["equals"] and 0 < len(subject) <= SUBJECT:
            said = " ".join(subject)
            return said if rules.language == "en" and said.lower().startswith(_ARTICLES) else quoted(said)
    return ""


def _row(edit: Edit, label: str) -> str:
    """The row of a table, or the price of a page, of a figure that stands by itself."""
    alone = len(_WORD.findall(edit.new)) <= 2
    if alone and label:
        return quoted(label)
    return "The price" if alone and edit.kind == "money" else ""


def _place(text: str, phrase: str) -> int:
    found = re.search(rf"(?<![\w.,]){re.escape(phrase)}(?![\w])", text)
    return found.start() if found else -1


def _replaced(edit: Edit, rules: LanguageRules) -> str:
    if edit.kind == "money" and edit.values is not None and edit.values[0] == edit.values[1]:
        before, after = _sum(edit.before, edit.old, rules), _sum(edit.after, edit.new, rules)  # in another currency
    else:
        before, after = (_measured(phrase, edit) for phrase in (edit.before, edit.after))
    where = f" in: {quoted(edit.new)}" if edit.new and folded(edit.new) != folded(after) else ""
    if before and after:
        return f"{quoted(after)} replaced {quoted(before)}{where}"
    if after and edit.old and not where:
        return f"{quoted(after)} replaced {quoted(edit.old)}"
    if after:
        return f"{quoted(after)} was added: {quoted(edit.new or after)}"
    return f"{quoted(before)} was removed, now: {quoted(edit.new)}" if edit.new else f"{quoted(before)} was removed"


def _sum(amount: str, text: str, rules: LanguageRules) -> str:
    """An amount of money with its currency, as a text has it."""
    place = _place(text, amount)
    front, behind = _SIGN_AT_END.search(text, 0, max(0, place)), _SIGN.match(text, place + len(amount))
    if place >= 0 and behind and folded(behind[1]) in rules.currencies:
        return text[place : behind.end()]
    return text[front.start() : place + len(amount)] if front and folded(front[1]) in rules.currencies else amount


def _measured(phrase: str, edit: Edit) -> str:
    """A figure with its unit, if that stands behind it."""
    if not phrase or not edit.unit:
        return phrase
    forms = (f"{phrase} {edit.unit}", f"{phrase}{edit.unit}")
    return next((form for form in forms if form in edit.new or form in edit.old), phrase)
