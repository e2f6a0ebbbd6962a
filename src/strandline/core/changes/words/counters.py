"""Counters: numbers of views, people, results and the like, told from those that a text states.

A number is counted by the words beside it ("1,204 readers"), or by how it goes: a large one that rose a little. In a
sentence the latter tells nothing: "Founded in 2014" may be corrected, and "300 million users" is what it says. Behind
the sign of a currency it is a price.
"""

import re
from functools import lru_cache
from typing import Final
from unicodedata import category

from strandline.core.changes.words.language_rules import folded_words, heads
from strandline.core.changes.words.small_letters import small_letters

RISE: Final = 0.05
"""Share of a number of three digits or more which a counter rises by at most. Origin: a guess."""
FEW_WORDS, MANY_WORDS = 6, 12
"""Words of a sentence, at least, that ends with a full stop, and of one that does not. Origin: a guess."""
COUNTED: Final = re.compile(  # in small letters
    r"\b(?:views?|viewed|accessed|consulted|viewers?|viewing|seen|clicked|watched|downloaded|posts?|threads?|visits?|visited|visitors?|watching|watchers?|readers?|reads?|online|guests?|comments?|repl(?:y|ies)|"
    r"responses?|likes?|shares?|shared|votes?|upvotes?|points?|bids|karma|followers?|follow|subscribers?|downloads?|ratings?|reviews?|stars?|"
    r"reactions?|retweets?|reposts?|clicks?|plays?|listeners?|listening|going|interested|attending|sold|bought|served|waiting|"
    r"are\sreading|looking\sat|booked|applicants?|forks?|commits|signed|signatures?|backers|supporters|donors|in\s(?:their\s)?(?:carts?|baskets?)|results?|hits|requests?|queries|memory|load|cpu|uptime|ms|unread|notifications?|"
    r"beiträge|unterschriften|bewerber|bewerbungen|lesen\sgerade|(?:sehen|schauen)\ssich|gebucht|im\swarenkorb|aufrufe|besucher|besuche|wartende|abgerufen|aufgerufen|kommentare?|antworten?|leser|bewertungen?|stimmen|sternen?|punkte|zuschauer|angesehen|gesehen|gelesen|geteilt|verkauft|gäste|"
    r"messages?|vues?|candidats?|candidatures?|regardent|consultent|ont\s(?:réservé|acheté)|dans\sleur\spanier|visiteurs?|commentaires?|réponses?|lecteurs?|avis|étoiles?|partages?|partagée?s?|invités|en\sattente|vus?|lue?s?|consultée?s?|téléchargée?s?|abonnés?|en\sligne|vendus?|"
    r"mensajes?|visitas?|candidatos?|firmas|leyendo|(?:está|están)\s(?:viendo|mirando)|han\s(?:reservado|comprado)|carrito|cesta|visitantes?|comentarios?|respuestas?|lectores?|opiniones|valoraciones|votos|estrellas|seguidores|en\slínea|invitad[oa]s|personas\sdelante|en\sespera|conectad[oa]s|consultad[oa]s?|vist[oa]s?|leíd[oa]s?|descargado|compartido|vendidos?|"
    r"messaggi|visualizzazioni|candidati|firme|stanno\s(?:guardando|vedendo)|hanno\s(?:prenotato|acquistato)|nel\scarrello|visitatori|commenti?|risposte|lettori|recensioni|voti|stelle|in\slinea|ospiti|in\scoda|in\sattesa|collegati|connessi|consultat[oaie]|letto|scaricat[oaie]|condiviso|venduti|"
    r"berichten|weergaven|sollicitanten|handtekeningen|bekijken|geboekt|winkelwagen|winkelmandje|bezoekers?|reacties?|antwoorden|lezers|beoordelingen|stemmen|sterren|gasten|wachtenden|bekeken|geraadpleegd|gelezen|gedeeld|verkocht|"
    r"visualizaç(?:ão|ões)|comentários?|leitores|curtidas|gostos|partilhas|compartilhamentos|avaliaç(?:ão|ões)|respostas?|assinaturas|utilizadores|"
    r"visningar|kommentarer|följare|besökare|läsare|röster|delningar|visninger|følgere|besøgende|besøkende|læsere|lesere|stemmer|delinger|svar|anmeldelser|"
    r"wyświetle(?:ń|nia|nie)|odsłon[ya]?|komentarz[ey]?|obserwujących|polubie(?:ń|nia)|głos(?:ów|y)?|odwiedzin|czytelników|opinii|odpowiedzi|udostępnie(?:ń|nia)|pobra(?:ń|nia)|"
    r"zobrazení|komentář(?:e|ů)?|sledujících|hlas(?:ů|y)|návštěv|čtenářů|stažení|"
    r"katselukert(?:aa|oja)|kommenttia?|seuraajaa?|ääntä|vastausta|lukijaa?|latausta)\b"
)
_MARK: Final = re.compile(r"(?:\d[.,]\d{1,2}|10[.,]0)")
_JUDGED: Final = re.compile(  # small
    r"[★☆]|\A[\W\d_]*\(\d[\d.,]*\)\Z|\b(?:rat(?:ed\s\d|ings?)|reviews?|votes?|stars?|bewert(?:et|ung|ungen)|stimmen|sternen?|rezensionen|"
    r"avis|étoiles?|valora(?:do|da|ción|ciones)|votos|reseñas|opiniones|estrellas|"
    r"valutat[oa]|valutazion[ei]|recensioni|voti|stelle|beoordeeld|beoordeling(?:en)?|recensies|stemmen|sterren)\b"
)
_LIMITS: Final = re.compile(  # a number that is allowed or promised, whatever it counts
    r"\b(?:per|a\s(?:day|week|month|year|minute|second|hour)|each|limits?|limited|max(?:imum)?|min(?:imum)?|up\sto|at\s(?:most|least)|"
    r"no\smore\sthan|allowed|included|pro\s(?:tag|monat|jahr|woche)|höchstens|mindestens|bis\szu|maximal|begrenzt|"
    r"par\s(?:jour|mois|an|semaine)|jusqu'à|au\s(?:plus|moins)|limit[eé]e?s?|al\s(?:día|mes|año|giorno|mese)|por\s(?:día|mes|año)|"
    r"hasta|como\smáximo|al\smenos|fino\sa|al\smassimo|almeno|hoogstens|minstens|tot\s(?:wel)?)\b|/\s?(?:day|month|min|s|h)\b",
    re.IGNORECASE,
)
_THRESHOLD: Final = re.compile(  # "after 50 posts"
    r"\b(?:after|every|nach|alle|après|tous\sles|toutes\sles|tras|después\sde|cada|dopo|ogni|na|elke)\s\Z",
    re.IGNORECASE,
)
_AUDIENCE: Final = re.compile(  # "1,204 visits a day" is a tally: who comes is not allowed to
    r"\s(?:views?|viewers?|visits?|visitors?|readers?|listeners?|besucher|besuche|aufrufe|leser|visiteurs?|vues?|lecteurs?|"
    r"visitas?|visitantes?|lectores?|visitatori|visualizzazioni|lettori|bezoekers?|weergaven|lezers)\b",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"\s[·|]\s")
_MODAL: Final = re.compile(
    r"\b(?:must|may|can|cannot|shall|darf|dürfen|kann|können|muss|müssen|peut|peuvent|doit|doivent|puede|pueden|debe|deben|"
    r"può|possono|deve|devono|mag|mogen|kan|kunnen|moet|moeten)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 11)  # the number is another one at every look, what stands beside it is not
def is_counted(before: str, after: str, sentence: bool) -> bool:
    """Whether a number says how many there are, not how many there may be, by what stands before and after it.

    A verb alone does not tell: headlines in front of a counter have verbs, too. Sentences end with a full stop.
    """
    if not COUNTED.search(small_letters(before)) and not COUNTED.search(small_letters(after)):
        return False
    if _LIMITS.search(before) or _THRESHOLD.search(before) or (_LIMITS.search(after) and not _AUDIENCE.match(after)):
        return False
    return not sentence or _MODAL.search(before) is None


def is_mark(number: str, text: str) -> bool:
    """Whether a number is what many together think of something, out of five or ten, as the text around it says.

    >>> is_mark("4.5", "4.5 out of 5 (1,204 reviews)"), is_mark("4.5", "Size 4.5"), is_mark("450", "450 reviews")
    (True, False, False)
    """
    if _MARK.fullmatch(number) is None or is_sentence(text):
        return False
    return _JUDGED.search(small_letters(text)) is not None


def is_limited(before: str, after: str) -> bool:
    """Whether a number is allowed or promised, by what stands before and after it.

    >>> is_limited("up to ", " users"), is_limited("", " visits")
    (True, False)
    """
    return _LIMITS.search(before) is not None or _LIMITS.search(after) is not None


@lru_cache(maxsize=1 << 11)
def is_among(mark: str, beside: str) -> bool:
    """Whether what stands beside a number has a phrase of a mark of the languages: "crowds", "raised", "identified".

    >>> is_among("crowds", " people found this helpful"), is_among("identified", "Room "), is_among("raised", " days")
    (True, True, False)
    """
    return heads(mark, folded_words(beside))


def counts_up(before: str, after: str) -> bool:
    """True for a large whole number that rose a little, as counters do between two looks."""
    if len(before) < 3:
        return False
    old, new = before.replace(",", "").replace(".", ""), after.replace(",", "").replace(".", "")
    if len(old) < 3 or "." in before[-3:] or "," in before[-3:]:
        return False
    return int(old) < int(new) < (1 + RISE) * int(old)


def is_sentence(text: str) -> bool:
    """True for a text, or a part of it behind a dot or bar, of so many words that its numbers are part of what it says.

    >>> is_sentence("Founded in 2014 by students, the club has grown."), is_sentence("Readers so far 10,204")
    (True, False)
    """
    if "·" in text or "|" in text:
        return any(map(is_sentence, _PARTS.split(text))) if _PARTS.search(text) else _is_sentence(text)
    return _is_sentence(text)


def _is_sentence(text: str) -> bool:
    count = len(text.rstrip(" .!?\u00a0\u202f").split())  # in French a blank stands before the mark
    return count >= MANY_WORDS or (count >= FEW_WORDS and text.rstrip().endswith((".", "?")))


def is_signed(before: str) -> bool:
    """True when what stands before a number ends with the sign of a currency.

    >>> is_signed("from $"), is_signed("from ")
    (True, False)
    """
    return bool(before) and category(before.rstrip()[-1:] or " ") == "Sc"
