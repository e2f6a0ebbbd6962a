"""Pages of a catalog whose blocks say given words from one time to another; the same in a folder and in a cluster."""

from strandline.core.blocks.tree import Item
from strandline.core.changes.versions import BlockRecord, LayoutRecord, Sight

DAY = 86_400.0


def said(text: str) -> BlockRecord:
    return BlockRecord((Item("text", text),), len(text), 0, "topic")


def versions(texts: list[tuple[float, str]]) -> tuple[Sight, ...]:
    """A page of one block that says something else from each of these times on."""
    layout = LayoutRecord((("html/body/main", 0, "main", ""),), 2, 1)
    sights, before = [], texts[0][0]
    for seq, (time, text) in enumerate(texts, 1):
        sights.append(Sight(seq, before, time, layout, (said(text),), True))
        before = time
    return tuple(sights)


def fill(connection, histories, pages: dict[int, list[tuple[float, str]]]) -> None:
    """Write pages, by their numbers, into a catalog through a connection of either kind."""
    for page, texts in pages.items():
        seen = texts[-1][0]
        connection.execute(
            "INSERT INTO page_states VALUES (?, 2, 1, ?, 1, '', 0, ?, 0, 0, 1, 1, 0, ?, 1)", (page, b"", seen, seen)
        )
        histories.add(page, versions(texts), {})
