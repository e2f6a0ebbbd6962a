"""Which blocks are lists of articles, links or posts, and what is told of their entries: headlines, not counters."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from strandline.core.blocks.tree import PageBlock, plain_address
from strandline.core.changes.words.bylines import without_byline

LISTED: Final = 0.5
"""Part of a block in links that makes it a list of them. Origin: a guess."""
_DOCUMENTS: Final = (
    ".pdf", ".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".ods", ".csv", ".ppt", ".pptx", ".epub", ".zip"
)  # fmt: skip
_POSTS: Final = ("post", "comment", "reply", "replies", "message", "thread", "discussion")


def is_list(block: PageBlock) -> bool:
    """Whether most of a block is links."""
    return block.linked >= LISTED


def entries_of(block: PageBlock) -> str:
    """What the entries of a list are, links beside the content being no articles; empty for what is no list."""
    if is_list(block):
        return "link" if block.hint or block.role not in ("", "main", "article") else "article"
    return "post" if _is_thread(f"{block.path} {block.hint}") else ""


@lru_cache(maxsize=1 << 9)
def _is_thread(place: str) -> bool:
    folded = place.lower()
    return any(word in folded for word in _POSTS)


@lru_cache(maxsize=1 << 10)  # asked for more than once of the same change
def long_texts(texts: str) -> tuple[str, ...]:
    """Those of the lines that are headlines or posts, not a byline or a counter."""
    found = [without_byline(text) for text in texts.split("\n") if " " in text]
    return tuple([text for text in found if text.count(" ") > 1 or (" " in text and not any(map(str.isdigit, text)))])


def names_document(block: PageBlock, text: str) -> bool:
    """Whether a text of a block is that of a link to a document."""
    links = (item for item in block.items if item[0] == "link" and item[1] and item[1] in text)
    return any(plain_address(item[2]).lower().endswith(_DOCUMENTS) for item in links)


def heads_of(texts: Sequence[str]) -> list[str]:
    """Without the teasers that stand below headlines.

    >>> heads_of(["Fire in the mill", "Two people were hurt.", "Port is open again", "Ferries go."])
    ['Fire in the mill', 'Port is open again']
    """
    ends = [text.rstrip().endswith((".", "!", "…")) for text in texts]
    return [text for place, text in enumerate(texts) if not (place and ends[place] and not all(ends[:place]))]
