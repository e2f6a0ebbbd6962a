import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.features import (
    LINK_FEATURES,
    MODEL_FEATURES,
    PAPER_FEATURES,
    Directories,
    PageSummary,
    model_features,
    paper_features,
    read_address,
    summary_of,
)
from strandline.core.blocks.tree import Item, LayoutTree


@pytest.mark.parametrize(
    ("path", "directory", "level", "index"),
    [
        ("/", (), 0, True),
        ("", (), 0, True),
        ("/index.html", (), 0, True),
        ("/about.html", (), 0, False),
        ("/docs/", (), 1, True),
        ("/docs/index.php", (), 1, True),
        ("/docs/a.html", ("docs",), 1, False),
        ("/docs/a/b/", ("docs", "a"), 3, True),
        ("/docs/?page=2", ("docs",)[:0], 1, False),
        ("/docs//a.html", ("docs", ""), 2, False),
        ("/straße/ä.html", ("straße",), 1, False),
    ],
)
def test_addresses(path, directory, level, index):
    address = read_address(path)
    assert (address.directory, address.level, address.is_index) == (directory, level, index)


def test_years_and_digits():
    assert read_address("/2014/12/post-3.html").has_year
    assert not read_address("/item/120145/").has_year
    assert not read_address("/news/").has_year
    assert read_address("/2014/12/post-3.html").digits == 7


def test_pages_below_and_beside():
    paths = ["/", "/docs/", "/docs/a.html", "/docs/b/", "/docs/b/c.html", "/docs/b/d.html", "/docs/b.html"]
    table = model_features([read_address(path) for path in paths], [0] * 7, [0] * 7, [0] * 7)
    below = np.expm1(table[:, MODEL_FEATURES.index("log1p pages below this one")]).round().astype(int)
    beside = np.expm1(table[:, MODEL_FEATURES.index("log1p pages in the directory")]).round().astype(int)
    # The root page counts all; /docs/ what is in docs and below; /docs/b/ and /docs/b.html the two pages in b.
    assert below.tolist() == [7, 5, 0, 2, 0, 0, 2]
    assert beside.tolist() == [2, 2, 3, 3, 2, 2, 3]


paths = st.lists(
    st.lists(st.sampled_from(["a", "b", "index.html", "x.html", "", "2019"]), max_size=5).map("/".join), max_size=25
)


@settings(max_examples=60)
@given(paths)
def test_directory_totals_equal_a_slow_count(pages):
    addresses = [read_address(page) for page in pages]
    directories = Directories(addresses)
    weights = np.arange(1.0, len(pages) + 1)
    totals = directories.totals(weights)
    for name, number in directories.number.items():
        wanted = sum(w for w, address in zip(weights, addresses, strict=True) if address.directory[: len(name)] == name)
        assert totals[number] == pytest.approx(wanted)
    assert (directories.parent[1:] < np.arange(1, directories.parent.size)).all()


def test_a_path_of_any_depth():
    deep = read_address("/a" * 3000 + "/x.html")
    directories = Directories([deep, read_address("/a/y.html")])
    assert directories.totals(np.ones(2))[:3].tolist() == [2.0, 2.0, 1.0]
    assert directories.parent.size == 3001


def test_no_pages_no_rows():
    assert model_features([], [], [], []).shape == (0, 9)


def test_paper_features_are_the_six_then_two():
    page = PageSummary(text_bytes=120, links=3, images=1, emails=2, last_modified=None)
    values = paper_features(page, "/a/b.html", in_links=4, rank=0.25)
    assert len(values) == len(PAPER_FEATURES) + len(LINK_FEATURES)
    assert values == (3.0, 2.0, 0.0, 120.0, 1.0, 2.0, 4.0, 0.25)


def test_a_summary_counts_what_the_parser_saw():
    items = [
        Item("text", "News"), Item("text", "today"), Item("link", "more", "/more"), Item("image", "", "/a.png"),
        Item("text", "body"), Item("link", "write", "mailto:me@example.org"),
    ]  # fmt: skip
    layout = LayoutTree(
        parents=[-1, 0, 0], ends=[3, 2, 3], firsts=[0, 0, 2], lasts=[6, 2, 6], roles=["", "", ""],
        apart=[False] * 3, containers=[True] * 3, items=items, nodes=np.array([1, 1, 2, 2, 2, 2]),
        weights=np.array([4, 5, 8, 40, 4, 8]), link_weights=np.zeros(6, np.int64),
        prominence=np.array([1, 1, 9, 9, 9, 9]), hashes=np.zeros(6, np.uint64), step=lambda _: "",
        hint=lambda _: "",
    )  # fmt: skip
    page = summary_of(layout, last_modified=True, emails=True)
    assert page == PageSummary(text_bytes=13, links=2, headings=1, images=1, emails=1, last_modified=True)


def test_a_real_parse_is_summed_up():
    from strandline.dom.html import layout

    text, forty = "eight ch", "x" * 40  # texts that weigh as much as a link or a picture
    html = (
        f"<html><body><h1>Title</h1><p>{text}</p><p>{forty}</p><a href='mailto:a@b.c'>write</a><a href='/x'>go on</a>"
        "<h2>Second</h2><img src='/i.png'><img src='/j.png'></body></html>"
    ).encode()
    page = summary_of(layout(html), emails=True)
    assert (page.links, page.images, page.emails, page.headings) == (2, 2, 1, 2)
    assert page.text_bytes == len("Title") + 8 + 40 + len("write go on") + len("Second"), "links are parted by a blank"
    assert summary_of(layout(b"")) == PageSummary()
