"""The bar: every page of it is there, explains itself, and is found from its group."""

import pytest

from strandline.web.menu import GROUPS, here
from strandline.web.texts import say
from web.archives import Builder, served

TOKEN, READER = "operate-" + "x" * 20, "read-" + "y" * 20


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("menu"))
    with served(made.archive(), token=TOKEN, read_token=READER) as running:
        yield running


def _page(server, path, token=TOKEN):
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/html"}
    status, _, body = server.get(path, headers, origin="interface")
    return status, body.decode()


@pytest.mark.parametrize("page", [page for group in GROUPS for page in group.pages], ids=lambda page: page.name)
def test_every_page_of_an_empty_archive_says_what_it_is(server, page):
    status, text = _page(server, page.path)
    assert status == 200
    assert say(f"about_{page.name}").split("&")[0][:40].replace("'", "&#39;") in text
    assert f'<a href="{page.path}" aria-current="page">' in text


def test_the_bar_has_five_groups_and_one_is_where_the_reader_is(server):
    text = _page(server, "/patterns")[1]
    bar = text[text.index('class="menu"') : text.index("</nav>")]
    assert [f">{say(f'group_{group.name}')}<" in bar for group in GROUPS] == [True] * 5
    assert bar.count("aria-current") == 1


def test_what_is_for_keepers_is_not_in_the_bar_of_readers(server):
    assert 'href="/takedowns"' not in _page(server, "/health", READER)[1]
    shown = [page.name for page in here("/health", "keeper").pages]
    assert shown == ["health", "replayed", "storage", "takedowns", "people", "journal"]
    assert here("/nowhere", "reader").group == ""
