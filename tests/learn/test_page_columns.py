"""Pages as columns are the pages that were put in, whatever is written and arranged."""

import random
from copy import deepcopy

import numpy as np
import pytest

from strandline.learn.known_pages import Known
from strandline.learn.page_columns import KnownPages, PageNumbers, PageRows, SharedTexts, WrittenTexts


def some_page(chance: random.Random, number: int) -> Known:
    host = f"h{chance.randrange(5)}.example"
    return Known(
        number,
        f"http://{host}/{'ä' * chance.randrange(3)}{number}?q={chance.randrange(9)}",
        host.partition(".")[2],
        host,
        weight=chance.random(),
        size=float(chance.randrange(3)),
        barred=chance.choice(["", "", "robots: no", f"failed at {chance.randrange(50)}"]),
        not_before=chance.choice([0.0, 1e9 + chance.random()]),
        visited=chance.choice([0.0, 1e9 + chance.random()]),
        zone=chance.choice(["UTC", "Europe/Vienna"]),
        shift=chance.randrange(-12, 15),
        tests=chance.choice(["", "/quiet"]),
        cost=1.0 + chance.randrange(2) * chance.random(),
    )


@pytest.mark.parametrize("seed", range(20))
def test_columns_are_the_pages_that_were_put_in(seed: int) -> None:
    chance = random.Random(seed)
    pages = [some_page(chance, number) for number in range(chance.randrange(1, 60))]
    columns = KnownPages(pages)
    for _ in range(80):  # written over, added, copied, arranged
        step = chance.randrange(4)
        if step == 0:
            row = chance.randrange(len(pages))
            pages[row] = some_page(chance, chance.randrange(1000))
            columns[row] = pages[row]
        elif step == 1:
            more = [some_page(chance, 1000 + number) for number in range(3)]
            pages += more
            columns.extend(more)
        elif step == 2:
            other = columns.copy()
            other[0] = some_page(chance, 5)
            other.extend(pages[:1])
        else:
            order = chance.sample(range(len(pages)), chance.randrange(1, len(pages) + 1))
            assert set(columns.sites_of(np.array(order))) == {pages[row].site for row in order}
            pages, columns = [pages[row] for row in order], columns.arranged(np.array(order))
        assert list(columns) == pages
    assert columns[1:3] == pages[1:3] and columns[-1] == pages[-1]
    assert list(deepcopy(columns)) == pages
    assert list(columns.urls()) == [page.url for page in pages]
    assert columns.numbers.tolist() == [page.page for page in pages]
    assert columns.column("visited", 1).tolist() == [page.visited for page in pages[1:]]
    assert columns.barred(1).tolist() == [bool(page.barred) for page in pages[1:]]
    assert columns.where("host", "h1.example".__eq__).tolist() == [page.host == "h1.example" for page in pages]
    assert set(columns.hosts) == {page.host for page in pages}
    assert set(columns.sites) == {page.site for page in pages}


def test_reasons_that_nobody_has_any_more_are_forgotten() -> None:
    pages = KnownPages([Known(1, "http://a.example/", "a.example", "a.example")] * 2)
    for moment in range(10_000):
        pages[0] = pages[0]._replace(barred=f"failed at {moment}")
    assert len(pages._texts["barred"]) == 2
    assert len(pages._texts["barred"]._texts) < 5
    assert len(pages._addresses) < 100


def test_a_text_in_use_is_not_forgotten() -> None:
    texts = SharedTexts()
    a, b = texts.hold("a"), texts.hold("b", 2)
    texts.release(b)
    texts.release(a)
    c = texts.hold("c")
    assert (texts[b], texts[c], set(texts)) == ("b", "c", {"b", "c"})
    assert texts.that("b".__eq__).tolist() == [number == b for number in range(2)]


def test_pages_take_a_third_of_what_objects_take() -> None:
    pages = KnownPages(
        Known(n, f"http://site.example/d{n % 17}/page{n}.html", "site.example", "site.example", visited=float(n))
        for n in range(10_000)
    )
    room = sum(one.itemsize * len(one) for one in (*pages._columns.values(), *pages._codes.values()))
    assert (room + 12 * len(pages) + len(pages._addresses)) / len(pages) < 135


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_those_of_a_dictionary(seed: int) -> None:
    chance = random.Random(seed)
    wide = chance.choice([100, 5_000, 10**12])
    rows, true = PageRows(), dict[int, int]()
    for row in range(400):
        page = chance.randrange(-2, wide)
        rows[page] = true[page] = row
    assert dict(rows) == true and len(rows) == len(true)
    for page in [*range(-5, 120), *true]:
        assert rows.get(page) == true.get(page) and (page in rows) == (page in true)
    with pytest.raises(KeyError):
        rows[-77]
    assert dict(deepcopy(rows)) == true


def test_rows_of_a_catalog_take_a_few_bytes_each() -> None:
    rows = PageRows(range(1, 100_001))
    assert not rows._others or max(rows._others) <= 0
    assert len(rows._table) < 120_000
    few = PageRows(10**6 * number for number in range(1, 50))
    assert len(few._table) <= 1_000


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_pages_are_those_of_a_dictionary(seed: int) -> None:
    chance = random.Random(seed)
    numbers, true_numbers = PageNumbers(), dict[int, float]()
    for _ in range(300):
        page = chance.choice([chance.randrange(200), chance.randrange(10**12)])
        numbers[page] = true_numbers[page] = chance.random()
    assert dict(numbers) == true_numbers
    assert len(numbers) == len(true_numbers)
    with pytest.raises(KeyError):
        numbers[-1]


@pytest.mark.parametrize("seed", range(5))
def test_written_texts_are_those_of_a_list(seed: int) -> None:
    chance = random.Random(seed)
    texts, wanted = WrittenTexts(), list[str]()
    for _ in range(100):
        text = "ä\udc80x"[: chance.randrange(4)] * chance.randrange(9)
        if wanted and chance.random() < 0.3:
            row = chance.randrange(len(wanted))
            texts[row] = wanted[row] = text
        else:
            texts.append(text)
            wanted.append(text)
    assert list(texts) == wanted and texts[7:40:3] == wanted[7:40:3]
    with pytest.raises(IndexError):
        texts[len(wanted)]
