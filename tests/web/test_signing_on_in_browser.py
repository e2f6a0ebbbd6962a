"""Signing on in a real browser: from the login page to the provider, back, and in; both widths, both colours."""

import pytest

from servers.openid_provider import CLIENT, SECRET, openid_provider
from strandline.keeping import openid
from strandline.keeping.people import add_person
from web.archives import served
from web.test_accounts import _archive
from web.test_pages_in_browser import AXE, Watched, _faults

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interface")]


def test_there_and_back_and_in(browser, tmp_path, monkeypatch):
    monkeypatch.setenv(openid.SECRET, SECRET)
    with openid_provider() as provider:
        said = {"people.oidc_issuer": provider.issuer, "people.oidc_client": CLIENT, "people.oidc_role": "rater"}
        archive = _archive(tmp_path, **{key: f'"{value}"' for key, value in said.items()})
        add_person(archive, "keeper", "keeper", by="test")
        with served(archive) as server:
            made = Watched(browser, server, color_scheme="light", bypass_csp=True)
            made.context.add_init_script(AXE)
            made.context.set_default_timeout(600_000)
            page = made.page
            page.goto(f"{server.interface}/login?to=/account")
            for width, colours in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=colours)
                assert _faults(page) == [], (width, colours)
            page.get_by_role("link", name="Sign on at 127.0.0.1").click()
            page.wait_for_url("**/account*")
            assert page.get_by_text("anna").first.is_visible()
            made.open("/people")
            assert page.get_by_text("needs the role Keeper; yours is Rater").is_visible()
            made.context.close()
    assert "/authorize" in provider.asked
    assert [one for one in made.complaints if "403" not in one] == []
