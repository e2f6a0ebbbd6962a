"""Lists narrowed to a collection (stretches of SURT keys) and to what has a tag, as conditions of queries."""

from typing import Final, NamedTuple

_OF_TAG: Final = "SELECT surt FROM annotations WHERE kind = 'tag' AND text = ?"


class Narrow(NamedTuple):
    """What a list is narrowed to."""

    stretches: tuple[tuple[str, str], ...] | None = None
    """Only pages with these keys; None for all."""
    tag: str = ""
    """Only pages, or changes, with this tag; empty for all."""

    def pages(self) -> tuple[str, list[object]]:
        """A condition on `pages`, and its values: pages that have the tag, or a capture that has it."""
        where, values = self._within()
        if self.tag:
            where, values = f"{where} AND pages.surt IN ({_OF_TAG})", [*values, self.tag]
        return where, values

    def changes(self, by: str = "changes.by") -> tuple[str, list[object]]:
        """A condition on changes beside `pages`: the page has the tag, or the capture that shows the change."""
        where, values = self._within()
        if self.tag:
            where += f""" AND (pages.surt IN ({_OF_TAG} AND capture IS NULL)
                OR {by} IN (SELECT capture FROM annotations WHERE kind = 'tag' AND text = ? AND surt = pages.surt))"""
            values = [*values, self.tag, self.tag]
        return where, values

    def _within(self) -> tuple[str, list[object]]:
        if self.stretches is None:
            return "true", []
        return _any(len(self.stretches)), [key for stretch in self.stretches for key in stretch]


EVERYTHING: Final = Narrow()


def _any(stretches: int) -> str:
    """One of so many stretches. Halves of halves: databases bound how deep a condition may be.

    >>> _any(0), _any(1)
    ('false', '(pages.surt >= ? AND pages.surt < ?)')
    """
    if stretches <= 1:
        return "(pages.surt >= ? AND pages.surt < ?)" if stretches else "false"
    half = stretches // 2
    return f"({_any(half)} OR {_any(stretches - half)})"
