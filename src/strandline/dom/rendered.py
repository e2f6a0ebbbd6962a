"""A page as a browser shows it, turned into the same layout tree: for pages without static text, and for reports.

One `DOMSnapshot.captureSnapshot` call gives every node with its box and computed style. A node is block-level when its
computed `display` is; what is hidden, transparent or without area is left out, and so is the inside of frames. The
partition then measures areas instead of characters, and cuts also where a node looks apart from the one before it:
another background, a column beside it, a gap, a rule. The window is made as high as the document first, so that nothing
is clipped.

Needs the optional extra `strandline[render]` and a Chromium. Costs about a hundred times the static reading.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from strandline.core.blocks.levels import PageLevel
from strandline.core.blocks.partition import partition
from strandline.core.blocks.roles import DIALOGS, LONGEST_NAMES, ROLE_OF_ARIA, ROLE_OF_TAG, hint_of, path_step
from strandline.core.blocks.tree import (
    BEGINNING,
    LINK_WEIGHT,
    PLAIN,
    BlockTree,
    Box,
    Item,
    ItemKind,
    LayoutTree,
    hashed,
    item_weight,
)
from strandline.errors import SettingError

CHROMIUM: Final = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
STYLES: Final = ("display", "visibility", "background-color", "font-size", "font-weight", "opacity", "white-space")
GAP: Final = 40.0  # pixels between two nodes that set them apart
_LOADED: Final = 15_000  # milliseconds a page may take to load
_SKIPPED: Final = {
    "script",
    "style",
    "noscript",
    "template",
    "head",
    "svg",
    "canvas",
    "object",
    "embed",
    "audio",
    "math",
}
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TRANSPARENT: Final = ("rgba(0, 0, 0, 0)", "transparent", "")


def chromium_path() -> str | None:
    """Where a Chromium is installed, if one is."""
    return next((path for path in CHROMIUM if Path(path).exists()), None)


@contextmanager
def browser(*, scripts: bool = False) -> "Iterator[Browser]":
    """A running browser for any number of stored pages; none reaches the network. `scripts` lets theirs run."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise SettingError("rendering needs the optional extra: pip install 'strandline[render]'") from None
    path = chromium_path()
    if path is None:
        raise SettingError(f"rendering needs Chromium at one of {', '.join(CHROMIUM)}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        try:
            yield Browser(chromium, scripts=scripts)
        finally:
            chromium.close()


class Browser:
    """Renders pages given as HTML, one at a time, without network. A live page's snapshot goes to `layout_of`."""

    def __init__(self, chromium: Any, *, scripts: bool = False) -> None:  # noqa: ANN401 - playwright is untyped here
        self._context = chromium.new_context(
            viewport={"width": 1366, "height": 1024}, java_script_enabled=scripts, offline=True
        )

    def snapshot(self, html: str) -> dict[str, Any]:
        """The DOM snapshot of a page, with the window as high as the document."""
        page = self._context.new_page()
        try:
            page.set_content(html, wait_until="commit", timeout=_LOADED)
            session = self._context.new_cdp_session(page)
            metrics = session.send("Page.getLayoutMetrics")
            height = int(min(max(metrics["cssContentSize"]["height"], 600), 30_000))
            page.set_viewport_size({"width": 1366, "height": height})
            taken: dict[str, Any] = session.send(
                "DOMSnapshot.captureSnapshot", {"computedStyles": list(STYLES), "includePaintOrder": False}
            )
            return taken
        finally:
            page.close()

    def blocks(self, html: str, *, url: str = "", level: int = 2, scale: int = 0) -> BlockTree:
        """The blocks of a page as it is shown."""
        return partition(layout_of(self.snapshot(html)), PageLevel(level, scale), url)

    def picture(self, html: str, path: Path, width: int = 900, height: int = 700) -> None:
        """Write a PNG of the top of a page."""
        page = self._context.new_page()
        try:
            page.set_viewport_size({"width": width, "height": height})
            page.set_content(html, wait_until="commit", timeout=_LOADED)
            page.screenshot(path=str(path))
        finally:
            page.close()


def layout_of(snapshot: dict[str, Any]) -> LayoutTree:
    """The layout tree of a DOM snapshot: its first document, frames left out."""
    document = snapshot["documents"][0]
    reader = _Reader(document, snapshot["strings"])
    reader.read()
    return reader.tree(document)


@dataclass(slots=True)
class _Open:
    """A block-level node whose children are being read."""

    node: int
    dom: int
    background: str


class _Reader:
    """Walks a snapshot in document order, once."""

    def __init__(self, document: dict[str, Any], strings: list[str]) -> None:
        nodes = document["nodes"]
        self._strings = [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in strings]
        self._names: list[int] = nodes["nodeName"]
        self._types: list[int] = nodes["nodeType"]
        self._values: list[int] = nodes["nodeValue"]
        self._attributes: list[list[int]] = nodes["attributes"]
        self._parents: list[int] = nodes["parentIndex"]
        layout = document["layout"]
        self._styles = dict(zip(layout["nodeIndex"], layout["styles"], strict=True))
        self._bounds = dict(zip(layout["nodeIndex"], layout["bounds"], strict=True))
        self._ends = self._subtree_ends()
        self.parents: list[int] = []
        self.ends: list[int] = []
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.dom: list[int] = []
        self.cuts: list[bool] = []
        self.roles: list[str] = []
        self.items: list[Item] = []
        self.item_nodes: list[int] = []
        self.prominence: list[int] = []
        self.link_weights: list[int] = []
        self._run: list[str] = []
        self._run_links = 0
        self._run_prominence = PLAIN

    def _subtree_ends(self) -> list[int]:
        ends = list(range(1, len(self._parents) + 1))
        for node in range(len(self._parents) - 1, 0, -1):
            parent = self._parents[node]
            if parent >= 0:
                ends[parent] = max(ends[parent], ends[node])
        return ends

    def read(self) -> None:
        """Fill the columns of the tree."""
        opened: list[_Open] = []
        links: list[int] = []  # ends of the links that are open
        node = 0
        while node < len(self._parents):
            while opened and node >= self._ends[opened[-1].dom]:
                self._close(opened.pop())
            while links and node >= links[-1]:
                links.pop()
            if self._types[node] == 3:
                self._text(node, in_link=bool(links))
            elif self._types[node] == 1:
                if self._unseen(node):
                    node = self._ends[node]
                    continue
                self._element(node, opened, links)
            node += 1
        while opened:
            self._close(opened.pop())

    def _element(self, node: int, opened: list[_Open], links: list[int]) -> None:
        tag = self._tag(node)
        style = self._style(node)
        if self._is_block(node, style) or not opened:
            self._end_run(opened)
            opened.append(self._open(node, style, opened))
        elif tag == "br":
            self._run.append(" ")
        address = self._linked(tag, node)
        if address:
            kind: ItemKind = "link" if tag == "a" else "image" if tag == "img" else "frame"
            name = self._attribute(node, "alt") if kind == "image" else ""
            self._add(Item(kind, name, address), opened[-1].node, LINK_WEIGHT if kind == "link" else 0)
            if kind == "link":
                links.append(self._ends[node])

    def _open(self, node: int, style: list[str], opened: list[_Open]) -> _Open:
        background = style[2] if style and style[2] not in _TRANSPARENT else (opened[-1].background if opened else "")
        number = len(self.parents)
        self.parents.append(opened[-1].node if opened else -1)
        self.ends.append(number + 1)
        self.firsts.append(len(self.items))
        self.lasts.append(len(self.items))
        self.dom.append(node)
        role = ROLE_OF_ARIA.get(self._attribute(node, "role").lower()) or ROLE_OF_TAG.get(self._tag(node), "")
        self.roles.append(role)
        self.cuts.append(self._looks_apart(number, background, opened))
        return _Open(number, node, background)

    def _looks_apart(self, number: int, background: str, opened: list[_Open]) -> bool:
        """Another background than around it, or beside or far below its elder sibling, or after a rule."""
        if not opened:
            return False
        if background != opened[-1].background:
            return True
        elder = self._elder(number, opened[-1].node)
        if elder < 0:
            return False
        above, here = self._box(self.dom[elder]), self._box(self.dom[number])
        if self._tag(self.dom[elder]) == "hr":
            return True
        if above is None or here is None:
            return False
        beside = here.x >= above.x + above.width - 1 and here.y < above.y + above.height - 1
        return beside or here.y - (above.y + above.height) > GAP

    def _elder(self, number: int, parent: int) -> int:
        """The sibling before a node, or -1."""
        elder = number - 1
        while elder > parent and self.parents[elder] != parent:
            elder = self.parents[elder]
        return elder if elder > parent else -1

    def _close(self, part: _Open) -> None:
        self._end_run([part])
        self.ends[part.node] = len(self.parents)
        self.lasts[part.node] = len(self.items)

    def _text(self, node: int, *, in_link: bool) -> None:
        value = self._string(self._values[node])
        if node not in self._bounds or not value.strip():
            if self._run and value:
                self._run.append(" ")
            return
        style = self._style(self._parents[node])
        self._run.append(value)
        self._run_prominence = min(self._run_prominence, self._stands_out(node, style))
        self._run_links += len(value.strip()) if in_link else 0

    def _stands_out(self, node: int, style: list[str]) -> int:
        """Prominence of a text: its heading's level, else bold, else plain."""
        above = node
        for _ in range(4):
            above = self._parents[above]
            if above < 0:
                break
            tag = self._tag(above)
            if tag in _HEADINGS:
                return int(tag[1])
        return 7 if style and style[4].isdigit() and int(style[4]) >= 600 else PLAIN

    def _end_run(self, opened: list[_Open]) -> None:
        text = " ".join("".join(self._run).split())
        if text and opened:
            self._add(Item("text", text), opened[-1].node, min(self._run_links, len(text)), self._run_prominence)
        self._run, self._run_links, self._run_prominence = [], 0, PLAIN

    def _add(self, item: Item, node: int, in_links: int, prominence: int = PLAIN) -> None:
        self.items.append(item)
        self.item_nodes.append(node)
        self.link_weights.append(in_links)
        self.prominence.append(prominence)

    # Single facts

    def _string(self, number: int) -> str:
        return self._strings[number] if number >= 0 else ""

    def _tag(self, node: int) -> str:
        return self._string(self._names[node]).lower()

    def _style(self, node: int) -> list[str]:
        return [self._string(number) for number in self._styles.get(node, ())]

    def _attribute(self, node: int, name: str) -> str:
        listed = self._attributes[node]
        for place in range(0, len(listed) - 1, 2):
            if self._string(listed[place]) == name:
                return self._string(listed[place + 1])
        return ""

    def _box(self, node: int) -> Box | None:
        bounds = self._bounds.get(node)
        return Box(*bounds) if bounds else None

    def _linked(self, tag: str, node: int) -> str:
        if tag == "a":
            return self._attribute(node, "href")
        return self._attribute(node, "src") if tag in ("img", "iframe", "frame") else ""

    def _unseen(self, node: int) -> bool:
        """What a reader does not see: skipped tags, no box at all, hidden, transparent."""
        tag = self._tag(node)
        if tag in _SKIPPED or tag.startswith("::"):
            return True
        style = self._style(node)
        if not style:  # no box of its own: `display: none`, or `contents`, whose children have boxes
            return not any(below in self._bounds for below in range(node, self._ends[node]))
        return style[1] == "hidden" or style[5] == "0"

    @staticmethod
    def _is_block(node: int, style: list[str]) -> bool:
        return bool(style) and not style[0].startswith("inline") and style[0] not in ("contents", "none", "ruby")

    def tree(self, document: dict[str, Any]) -> LayoutTree:
        """The columns as a layout tree."""
        boxes = [self._box(node) for node in self.dom]
        sizes = [box.width * box.height if box else 0.0 for box in boxes]
        if sizes:
            sizes[0] = max(sizes)
        return LayoutTree(
            parents=self.parents,
            ends=self.ends,
            firsts=self.firsts,
            lasts=self.lasts,
            roles=self.roles,
            apart=[bool(role) for role in self.roles],
            containers=[True] * len(self.parents),
            items=self.items,
            nodes=np.array(self.item_nodes, np.int64),
            weights=np.array([item_weight(item) for item in self.items], np.int64),
            link_weights=np.array(self.link_weights, np.int64),
            prominence=np.array(self.prominence, np.int64),
            hashes=np.array([hashed(item.identity[:BEGINNING]) for item in self.items], np.uint64),
            step=self._step,
            hint=self._hint,
            sizes=sizes,
            cuts=self.cuts,
            boxes=lambda node: boxes[node],
            title=self._string(document.get("title", -1)),
        )

    def _step(self, node: int) -> str:
        return path_step(self._tag(self.dom[node]), *self._given(node))

    def _hint(self, node: int) -> str:
        if self._tag(self.dom[node]) in _HEADINGS:  # their names repeat their words
            return ""
        role = self._attribute(self.dom[node], "role").lower()
        return hint_of(" ".join((*self._given(node), role if role in DIALOGS else "")))

    def _given(self, node: int) -> tuple[str, str]:
        """Id and classes of a node."""
        identifier, classes = (self._attribute(self.dom[node], name)[:LONGEST_NAMES] for name in ("id", "class"))
        return identifier, classes
