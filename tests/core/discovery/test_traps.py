import itertools
import random

from strandline.core.discovery.traps import TrapLimits, TrapWatch, group_of, without_session


def crawl(watch, pages):
    """Fetch pages (address, body), each named by the one before, until the watch refuses; how many were fetched."""
    fetched, source = 0, "http://h/"
    for url, body in pages:
        reason, _ = watch.met(url, group_of(source))
        if reason:
            break
        if not watch.drops(url):
            watch.fetched(url, body)
            fetched += 1
        source = url
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
    assert watch.met("http://h/a/b/c/d", "") == ("", 0.0)
    assert "repeated" in watch.met("http://h/a/b/a/b/a/b/", "")[0]
    assert "endless path" in watch.met("http://h/" + "/".join(f"x{i}" for i in range(30)), "")[0]
    assert watch.met("http://h/2024/01/01/01/story", "") == ("", 0.0)
    assert sum(watch.named.values()) == 2


def test_calendar_is_named_after_few_pages():
    watch = TrapWatch(TrapLimits())
    months = (
        (f"http://h/calendar/{2000 + i // 12}/{i % 12 + 1}", f"<h1>Month {i}</h1><p>No events planned".encode())
        for i in itertools.count()
    )
    assert crawl(watch, itertools.islice(months, 500)) <= 45
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
    assert crawl(watch, pages) <= 90
    assert any(name.startswith("facets") for name in watch.named)


def test_random_pages_and_soft_404_are_closed():
    watch = TrapWatch(TrapLimits())
    pages = (
        (f"http://h/random/{i * 7919:08x}", f"<p>You reached {i * 7919:08x}, go on <a href=/random/{i:08x}>".encode())
        for i in range(10, 400)
    )
    assert crawl(watch, pages) <= 155


def test_a_large_site_whose_pages_name_each_other_is_no_trap():
    watch = TrapWatch(TrapLimits())
    words = ["harbour", "council", "station", "bridge", "museum", "library", "river", "market", "school", "theatre"]
    rng = random.Random(1)
    pages = [(f"http://h/news/{i}", " ".join(rng.choice(words) for _ in range(60)).encode()) for i in range(1500)]
    assert crawl(watch, pages) == 1500
    assert not watch.named


def test_pages_named_by_an_index_are_never_counted_however_alike():
    watch = TrapWatch(TrapLimits())
    for i in range(1000):
        url = f"http://h/page/{i}"
        assert watch.met(url, "") == ("", 0.0)
        assert watch.met(url, "h/page/#") == ("", 0.0), "its neighbours name it, too"
        watch.fetched(url, b"<p>Page")
    assert not watch.named


def test_similar_pages_queue_behind_others():
    watch = TrapWatch(TrapLimits())
    first, *_, last = [watch.met(f"http://h/list/{i}", "h/list/#")[1] for i in range(200)]
    assert 0 < first < last
    assert watch.met("http://h/about", "h/list/#") == ("", 0.0)


def test_what_waits_is_dropped_when_its_group_closes():
    watch = TrapWatch(TrapLimits(similar_pages=5))
    for i in range(20):
        watch.met(f"http://h/r/{i}", "h/r/#")
    for i in range(5):
        assert not watch.drops(f"http://h/r/{i}")
        watch.fetched(f"http://h/r/{i}", b"same")
    assert "nothing new" in watch.drops("http://h/r/7")
    assert not watch.drops("http://h/r/7777"), "named by somebody else"


def test_a_site_that_greets_everything_is_found_out_by_asking_for_nothing():
    watch = TrapWatch(TrapLimits())
    for i in range(40):
        watch.met(f"http://h/page/{i}", "")
        watch.fetched(f"http://h/page/{i}", b"<title>Page not found</title><p>Sorry, nothing here.")
    assert len(watch.suspects) == 1
    probe = watch.suspects.popleft()
    assert probe.startswith("http://h/page/")
    assert not watch.drops("http://h/page/77")
    watch.probed(probe, 200, b"<title>Page not found</title><p>Sorry, nothing here.")
    assert "soft 404" in watch.drops("http://h/page/77")


def test_an_honest_404_clears_a_site_of_small_pages():
    watch = TrapWatch(TrapLimits())
    for i in range(500):
        watch.met(f"http://h/page/{i}", "")
        watch.fetched(f"http://h/page/{i}", b"<p>Page %d" % i)
        while watch.suspects:
            watch.probed(watch.suspects.popleft(), 404, b"<p>Page 0")
    assert not watch.drops("http://h/page/501")
    assert not watch.named


def test_addresses_made_anew_at_each_look_of_which_none_is_there_are_asked_for_no_more():
    watch = TrapWatch(TrapLimits(query_variants=5))
    for i in range(5):
        assert watch.met(f"http://h/ad?x={i}", "") == ("", 0.0)
        watch.absent(f"http://h/ad?x={i}")
        watch.absent(f"http://h/ad?x={i}")
    assert "dead links" in watch.met("http://h/ad?x=99", "")[0], "whoever names it"
    assert "dead links" in watch.drops("http://h/ad?x=98"), "also what waits already"
    assert not watch.drops("http://h/ad?x=3"), "what was asked for may be there by now"
    assert watch.met("http://h/other?x=1", "") == ("", 0.0)
    watch.fetched("http://h/ad?x=3", b"<p>An advertisement")
    assert watch.met("http://h/ad?x=99", "") == ("", 0.0)
    assert not watch.drops("http://h/ad?x=98")


def test_a_few_pages_among_dead_links_keep_them_open():
    watch = TrapWatch(TrapLimits(query_variants=5, similar_pages=5))
    for i in range(50):
        watch.absent(f"http://h/item?id={i}")
        if i == 3:
            watch.fetched("http://h/item?id=77", b"<p>" + b"A large page. " * 2000)
        watch.absent(f"http://h/n/{i}") if i < 4 else None
    assert watch.met("http://h/item?id=99", "") == watch.met("http://h/n/99", "") == ("", 0.0)


def test_groups():
    assert group_of("http://h/a/3f2504e0-4f89-11d3-9a0c-0305e82c3301") == "h/a/#"
    assert group_of("http://h/wiki/Deadbeef") == ""
    assert group_of("http://h:8080/x") == ""


def test_memory_is_bounded():
    watch = TrapWatch(TrapLimits(), most_groups=10)
    for i in range(100):
        word = chr(97 + i % 26) * (i + 1)
        watch.met(f"http://h/{word}/7", f"h/{word}/#")
    assert len(watch._groups) == 10
