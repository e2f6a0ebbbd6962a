"""What a block is about, in a few words (paper 003, section 2.2).

paper: text_i    here: `PageBlock.lead`, the text that stands out by its format, else the first paragraph
paper: theta     here: `longest`, in words: a shorter text is the topic as it is, cut after so many letters: a paragraph
                 in a language written without blanks is one word here
paper: trim(text), first variant     `trim`: stop words dropped, the first distinct words
paper: trim(text), second variant    `trim(..., frequency=e)`: only words that occur more than e times
"""

from collections import Counter
from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.blocks.words import words

LONGEST: Final = 12
"""Words of a topic: theta. Origin: a guess, paper 003 leaves it open."""
_MOST_LETTERS: Final = 120
"""Letters of a topic, in a language written without blanks. Origin: a guess."""

STOP_WORDS: Final = frozenset(
    word
    for line in (
        "a an and are as at be but by can do for from has have if in into is it its may more no not of on or our",
        "shall so such that the their them then there these they this to under was we were what when which who",
        "will with you your au aux avec ce ces cette dans de des du elle en et il ils je la le les leur lui mais",
        "ne nous on ou par pas pour qu que qui sa se ses son sont sur un une vos votre vous aber als am auch auf",
        "aus bei das dem den der die durch ein eine einem einen einer es für im ist mit nach nicht oder sich sie",
        "sind und uns unser vom von vor wenn werden wie wir zu zum zur al como con del el ella esta este las lo",
        "los más nos o para pero por se si sin su sus y che di e gli i il non per una",
    )
    for word in line.split()
)


def topic(block: PageBlock, longest: int = LONGEST) -> str:
    """The topic of a block: its outstanding text, trimmed when it is longer than `longest` words."""
    if block.lead:
        return topic_of(block.lead, longest)
    named = next((item.text for item in block.items if item.text), "")
    return topic_of(named, longest)


def topic_of(text: str, longest: int = LONGEST) -> str:
    """A text as a topic.

    >>> topic_of("Opening hours")
    'Opening hours'
    >>> topic_of("The fees that we charge you are the fees of the bank and of the card", longest=4)
    'fees charge bank card'
    """
    said = text if len(text.split()) <= longest else " ".join(trim(text, longest))
    return said if len(said) <= _MOST_LETTERS else f"{said[: _MOST_LETTERS - 1].rstrip()}…"


def trim(text: str, longest: int, frequency: int = 0) -> list[str]:
    """The first `longest` distinct words that are no stop words, and that occur more than `frequency` times.

    >>> trim("rates and rates of interest, rates and fees", 3), trim("rates and rates of interest", 3, frequency=1)
    (['rates', 'interest', 'fees'], ['rates'])
    """
    kept = [word for word in words(text) if word not in STOP_WORDS]
    counts = Counter(kept)
    return [word for word in counts if counts[word] > frequency][:longest]
