"""Pages written once and drawn in several markups: as tables, lists, `div` alone, tags that scripts define, and terms.

What is written in square brackets stands for the tags of a markup; the site around a page is made the same way.
"""

from collections.abc import Iterator
from typing import Any

PARTS = ["rows", "row", "key", "cell", "text", "head"]
MARKUPS = {
    "tables": ["table", "tr", "th", "td", "p", "h3"],
    "lists": ["ul", "li", "strong", "span", "p", "h2"],
    "divs": ["div class=g", "div class=g-r", "div class=g-k", "div class=g-v", "div class=g-t", "div class=g-h"],
    "tags": ["x-list", "x-entry", "x-name", "x-value", "x-text", "x-heading"],
    "terms": ["dl", "div", "dt", "dd", "p", "h4"],
}


def drawn(page: Any, markup: str) -> Any:
    """A page, or a part of it, with what stands in brackets made tags."""
    if isinstance(page, dict):
        return {name: drawn(part, markup) for name, part in page.items()}
    if isinstance(page, list):
        return [drawn(part, markup) for part in page]
    if not isinstance(page, str):
        return page
    for part, tag in zip(PARTS, MARKUPS[markup], strict=True):
        page = page.replace(f"[{part}]", f"<{tag}>").replace(f"[/{part}]", f"</{tag.split()[0]}>")
    return page


def both(page: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """A page in two of the markups, each in the site that is made so."""
    names = list(MARKUPS)
    for place in (number, number + 2):
        markup = names[place % len(names)]
        yield drawn(page, markup) | {"frame": markup}
