import itertools

from strandline.core.discovery.traps import TrapLimits, TrapWatch, group_of, without_session


def crawl(watch, pages):
    """Fetch pages (address, body) until the watch refuses; how many were fetched."""
    fetched = 0
    for url, body in pages:
        if watch.refuses(url):
            break
        watch.found(url)
        watch.fetched(url, body)
        fetched += 1
    return fetched


def test_session_ids_leave_one_address():
    plain = "http://h/shop/item?id=7"
    for spelling in (
        "http://h/shop/item;jsessionid=AB12?id=7",
        "http://h/shop/item?PHPSESSID=9f8e&id=7",
        "http://h/shop/item?id=7&sid=x",
    ):
        assert without_session(spelling) == plain
    assert without_session("http://h/a?side=left&residence=x") == "http://h/a?side=left&residence=x"


def test_growing_and_repeating_paths_are_refused():
    watch = TrapWatch(TrapLimits())
    assert not watch.refuses("http://h/a/b/c/d")
    assert "repeated" in watch.refuses("http://h/a/b/a/b/a/b/")
    assert "endless path" in watch.refuses("http://h/" + "/".join(f"x{i}" for i in range(30)))
    assert not watch.refuses("http://h/2024/01/01/01/story")
    assert sum(watch.named.values()) == 2


def test_calendar_is_named_after_few_pages():
    watch = TrapWatch(TrapLimits())
    months = (
        (f"http://h/calendar/{2000 + i // 12}/{i % 12 + 1}", f"<h1>Month {i}</h1><p>No events planned".encode())
        for i in itertools.count()
    )
    assert crawl(watch, itertools.islice(months, 500)) <= 40
    assert any(name.startswith("calendar") for name in watch.named)


def test_facets_with_words_of_their_own_are_closed():
    watch = TrapWatch(TrapLimits())
    colours, sizes, orders = (
        ("green", "yellow", "purple"),
        ("small", "medium", "large"),
        ("newest", "cheapest", "nearest"),
    )
    pages = [
        (f"http://h/shop?colour={c}&size={s}&order={o}&page={p}", f"<p>Shirts {c} {s} {o} page {p}".encode())
        for p in range(20) for c in colours for s in sizes for o in orders
    ]  # fmt: skip
    assert crawl(watch, pages) <= 60
    assert any(name.startswith("facets") for name in watch.named)


def test_random_pages_and_soft_404_are_closed():
    watch = TrapWatch(TrapLimits())
    pages = (
        (f"http://h/random/{i * 7919:08x}", f"<p>You reached {i * 7919:08x}, go on <a href=/random/{i:08x}>".encode())
        for i in range(10, 400)
    )
    assert crawl(watch, pages) <= 40


def test_a_large_site_of_numbered_articles_is_no_trap():
    watch = TrapWatch(TrapLimits())
    letters = "abcdefghijklmnopqrstuvwxyz"
    word = lambda n: "".join(letters[(n // 26**k) % 26] for k in range(5))  # noqa: E731
    pages = [
        (f"http://h/news/{i}", f"<p>the story about {word(i * 31)} and {word(i * 17 + 5)} told daily".encode())
        for i in range(1500)
    ]
    assert crawl(watch, pages) == 1500
    assert not watch.named


def test_similar_pages_queue_behind_others():
    watch = TrapWatch(TrapLimits())
    first, *_, last = [watch.found(f"http://h/list/{i}") for i in range(200)]
    assert first < last
    assert watch.found("http://h/about") == 0.0


def test_groups():
    assert group_of("http://h/a/3f2504e0-4f89-11d3-9a0c-0305e82c3301") == "h/a/#"
    assert group_of("http://h/wiki/Deadbeef") == ""
    assert group_of("http://h:8080/x") == ""


def test_memory_is_bounded():
    watch = TrapWatch(TrapLimits(), largest=10)
    for i in range(100):
        watch.found(f"http://h/{chr(97 + i % 26) * (i + 1)}/7")
    assert len(watch._groups) == 10
