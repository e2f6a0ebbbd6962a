"""The pages of a plan as columns: what a plan knows of each in some hundred bytes, and an object while it is asked for.

As objects they take 400 bytes each, and the table from numbers to rows another hundred: half a gigabyte of a million
pages, in every process that plans or measures.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.strategy import Floats, Rows
from strandline.learn.known_pages import Known

Flags = NDArray[np.bool_]

_NUMBERS: Final = {"page": "q", "shift": "i"} | dict.fromkeys(("weight", "size", "not_before", "visited", "cost"), "d")
"""Columns of numbers, and how they are written (`array`). Origin: a definition."""
_TEXTS: Final = ("site", "host", "zone", "barred", "tests")
"""Columns of texts that many pages share. Origin: a definition."""
_PLACE: Final = {name: place for place, name in enumerate(Known._fields)}
"""Where a column is found in a page. Origin: a definition."""
_CODING: Final = ("utf-8", "surrogatepass")
"""How addresses are written. Origin: a definition."""
_SPARSE, _ROOM = 4, 1_000
"""Numbers of pages are looked up in a table up to this many times the pages there are, and up to this one at least.
Origin: a bound on memory."""


class SharedTexts:
    """Texts with a number each, which are forgotten when nobody holds them any more: reasons come and go for years.

    >>> texts = SharedTexts()
    >>> texts.hold("a"), texts.hold("b"), texts.hold("a"), texts[1]
    (0, 1, 0, 'b')
    >>> texts.release(1), texts.hold("c"), len(texts)
    (None, 1, 2)
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []
        self._held: list[int] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __getitem__(self, number: int) -> str:
        return self._texts[number]

    def hold(self, text: str, times: int = 1) -> int:
        """The number of a text, which is held once more, or so many times."""
        number = self._numbers.get(text)
        if number is None:
            if self._free:
                number = self._free.pop()
                self._texts[number], self._held[number] = text, 0
            else:
                number = len(self._texts)
                self._texts.append(text)
                self._held.append(0)
            self._numbers[text] = number
        self._held[number] += times
        return number

    def release(self, number: int) -> None:
        """Hold a text once less."""
        self._held[number] -= 1
        if not self._held[number]:
            del self._numbers[self._texts[number]]
            self._texts[number] = ""
            self._free.append(number)

    def that(self, fits: Callable[[str], bool]) -> Flags:
        """Of each number, whether its text fits."""
        found = np.zeros(len(self._texts), dtype=np.bool_)
        for text, number in self._numbers.items():
            found[number] = fits(text)
        return found


class WrittenTexts(Sequence[str]):
    """A text for each row, one behind the other; another one for a row is written behind all.

    >>> texts = WrittenTexts()
    >>> texts.append("http://a.example/"), texts.append("http://b.example/"), texts[1], len(texts)
    (None, None, 'http://b.example/', 2)
    """

    def __init__(self) -> None:
        self._written = bytearray()
        self._begin, self._length = array("q"), array("i")

    def __len__(self) -> int:
        return len(self._begin)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        begin = self._begin[row]
        return self._written[begin : begin + self._length[row]].decode(*_CODING)

    def __setitem__(self, row: int, text: str) -> None:
        if text != self[row]:
            self._begin[row], self._length[row] = self._write(text)

    def append(self, text: str) -> None:
        """Add a row."""
        begin, length = self._write(text)
        self._begin.append(begin)
        self._length.append(length)

    def _write(self, text: str) -> tuple[int, int]:
        """Where a text begins, and its length."""
        begin = len(self._written)
        self._written += text.encode(*_CODING)
        return begin, len(self._written) - begin

    def arranged(self, rows: Rows) -> "WrittenTexts":
        """Some of them, in this order."""
        other = WrittenTexts()
        if 2 * len(rows) < len(self):  # the texts of all would be many more
            for row in rows.tolist():
                other.append(self[row])
            return other
        other._written = self._written.copy()
        other._begin, other._length = _taken(self._begin, rows), _taken(self._length, rows)
        return other


class KnownPages(Sequence[Known]):
    """Pages in the order they were found. What is asked for is made anew: to write to it changes nothing here.

    >>> pages = KnownPages([Known(7, "http://a.example/", "a.example", "a.example"), Known(9, "http://b.example/", "b", "b")])
    >>> pages[1].url, [page.page for page in pages], pages.numbers.tolist(), list(pages.hosts)
    ('http://b.example/', [7, 9], [7, 9], ['a.example', 'b'])
    """  # noqa: E501 - one line is easier to read

    def __init__(self, pages: Iterable[Known] = ()) -> None:
        self._columns: dict[str, Any] = {name: array(kind) for name, kind in _NUMBERS.items()}
        self._codes: dict[str, Any] = {name: array("i") for name in _TEXTS}
        self._texts = {name: SharedTexts() for name in _TEXTS}
        self._addresses = WrittenTexts()
        self.extend(pages)

    def __len__(self) -> int:
        return len(self._addresses)

    @overload
    def __getitem__(self, row: int) -> Known: ...
    @overload
    def __getitem__(self, row: slice) -> list[Known]: ...
    def __getitem__(self, row: int | slice) -> Known | list[Known]:
        if isinstance(row, slice):
            return [self[one] for one in range(*row.indices(len(self)))]
        numbers, codes, texts = self._columns, self._codes, self._texts
        return Known(
            numbers["page"][row],
            self.url(row),
            texts["site"][codes["site"][row]],
            texts["host"][codes["host"][row]],
            numbers["weight"][row],
            numbers["size"][row],
            texts["barred"][codes["barred"][row]],
            numbers["not_before"][row],
            numbers["visited"][row],
            texts["zone"][codes["zone"][row]],
            numbers["shift"][row],
            texts["tests"][codes["tests"][row]],
            numbers["cost"][row],
        )

    def __iter__(self) -> Iterator[Known]:
        return map(self.__getitem__, range(len(self)))

    def __setitem__(self, row: int, page: Known) -> None:
        for name, column in self._columns.items():
            column[row] = getattr(page, name)
        for name, codes in self._codes.items():
            texts, old = self._texts[name], codes[row]
            codes[row] = texts.hold(getattr(page, name))
            texts.release(old)
        self._addresses[row] = page.url

    def extend(self, pages: Iterable[Known]) -> None:
        """Add pages at the end."""
        columns = [(_PLACE[name], column) for name, column in self._columns.items()]
        codes: list[tuple[int, Any, SharedTexts]] = [
            (_PLACE[name], self._codes[name], self._texts[name]) for name in _TEXTS
        ]
        for page in pages:
            for place, column in columns:
                column.append(page[place])
            for place, numbers, texts in codes:
                numbers.append(texts.hold(str(page[place])))
            self._addresses.append(page.url)

    def arranged(self, rows: Rows) -> "KnownPages":
        """Some of them, each once, in this order."""
        other = KnownPages()
        other._columns = {name: _taken(column, rows) for name, column in self._columns.items()}
        for name, codes in self._codes.items():
            own = np.array(codes, dtype=np.int64)[rows]
            left, new = np.unique(own, return_inverse=True)
            for number, count in zip(left.tolist(), np.bincount(new).tolist(), strict=True):
                other._texts[name].hold(self._texts[name][number], count)
            other._codes[name] = array("i", new.astype(np.intc).tobytes())
        other._addresses = self._addresses.arranged(rows)
        return other

    def copy(self) -> "KnownPages":
        """Others that go their own way."""
        return self.arranged(np.arange(len(self)))

    # Columns ----------------------------------------------------------------------------------------------------------

    def url(self, row: int) -> str:
        """The address of a page."""
        return self._addresses[row]

    def urls(self) -> Iterator[str]:
        """All addresses."""
        return map(self.url, range(len(self)))

    def cost(self, row: int) -> float:
        """Requests that a visit of a page is expected to take."""
        return float(self._columns["cost"][row])

    def column(self, name: str, since: int = 0) -> Floats:
        """A column of numbers, from a row on; a copy."""
        return np.array(self._columns[name][since:], dtype=np.float64)

    @property
    def numbers(self) -> Rows:
        """Of all pages; a copy."""
        return np.array(self._columns["page"], dtype=np.int64)

    @property
    def hosts(self) -> Iterable[str]:
        """Those of the pages, each once."""
        return self._texts["host"]

    @property
    def sites(self) -> Iterable[str]:
        """Those of the pages, each once."""
        return self._texts["site"]

    def where(self, name: str, fits: Callable[[str], bool], since: int = 0) -> Flags:
        """Of each page from a row on, whether a text that many of them share fits: it is asked once of each text."""
        return self._texts[name].that(fits)[np.array(self._codes[name][since:], dtype=np.int64)]

    def sites_of(self, rows: Rows) -> list[str]:
        """Those of some pages, each once."""
        numbers = np.unique(np.array(self._codes["site"], dtype=np.intc)[rows])
        return [self._texts["site"][number] for number in numbers.tolist()]

    def barred(self, since: int = 0) -> Flags:
        """Whether pages from a row on must not be fetched."""
        return self.where("barred", bool, since)


class PageRows(Mapping[int, int]):
    """The row of each page by its number: a table as long as the numbers, where these are about as many as the pages,
    as in a catalog; the others, as of one site among many, as a dictionary.

    >>> rows = PageRows([5, 3, 70_000_000_000])
    >>> rows[3], rows.get(4), 70_000_000_000 in rows, len(rows), list(rows)
    (1, None, True, 3, [3, 5, 70000000000])
    """

    def __init__(self, pages: Iterable[int] = ()) -> None:
        self._table = array("i")
        self._others: dict[int, int] = {}
        self._count = 0
        for row, page in enumerate(pages):
            self[page] = row

    def __setitem__(self, page: int, row: int) -> None:
        if page not in self:
            self._count += 1
        if not 0 <= page < len(self._table):
            if not 0 <= page < max(_ROOM, _SPARSE * self._count):
                self._others[page] = row
                return
            self._widen(page)
        self._others.pop(page, None)
        self._table[page] = row

    def _widen(self, page: int) -> None:
        more = max(page + 1 - len(self._table), len(self._table) // 8)
        self._table.frombytes(np.full(more, -1, dtype=np.intc).tobytes())

    def __getitem__(self, page: int) -> int:
        found: int | None = self.get(page)
        if found is None:
            raise KeyError(page)
        return found

    def get(self, page: int, default: Any = None) -> Any:  # noqa: ANN401 - as of any mapping
        """The row of a page."""
        if 0 <= page < len(self._table) and (row := self._table[page]) >= 0:
            return row
        return self._others.get(page, default)

    def __contains__(self, page: object) -> bool:
        return isinstance(page, int | np.integer) and self.get(int(page)) is not None

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        for page, row in enumerate(self._table):
            if row >= 0:
                yield page
        yield from self._others


class PageNumbers(Mapping[int, float]):
    """A number of each page.

    >>> numbers = PageNumbers()
    >>> numbers[7] = 0.5
    >>> numbers[7], len(numbers), numbers.get(8)
    (0.5, 1, None)
    """

    def __init__(self) -> None:
        self._rows = PageRows()
        self._values = array("d")

    def __setitem__(self, page: int, value: float) -> None:
        if (row := self._rows.get(page)) is not None:
            self._values[row] = value
            return
        self._rows[page] = len(self._values)
        self._values.append(value)

    def __getitem__(self, page: int) -> float:
        return self._values[self._rows[page]]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def _taken(column: Any, rows: Rows) -> Any:  # noqa: ANN401 - an array of any kind
    """Some rows of an array."""
    return array(column.typecode, np.array(column)[rows].tobytes())
