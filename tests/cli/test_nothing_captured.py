"""A crawl that could capture no page says so in one line, and a script sees it by the exit code."""

import json

import pytest
from typer.testing import CliRunner

from strandline.cli.crawling import summary
from strandline.cli.main import app
from strandline.crawl.tally import Tally
from strandline.demo.server import DemoServer
from strandline.errors import Unreachable

ALONE = ("--delay", "0", "--allow-address", "127.0.0.1/32", "--set", "study.workers=0", "--set", "crawl.patience=0")


def crawl(folder, *words):
    return CliRunner().invoke(app, ["crawl", str(folder), "--scope", "page", *ALONE, *words])


@pytest.fixture(scope="module")
def site():
    with DemoServer(hour_seconds=3600.0) as running:
        yield running


def test_no_page_at_all(tmp_path, site):
    seeds = [f"{site.url}nothing-here", f"{site.url}nor-here"]
    done = crawl(tmp_path / "a", "--seeds", seeds[0], "--seeds", seeds[1], "--quiet", "--json")
    assert isinstance(done.exception, Unreachable) and done.exception.exit_code == 9
    assert str(done.exception) == f"no page could be captured: {seeds[0]}: answered 404 (and 1 other seed)"
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["seeds_failed"] == dict.fromkeys(seeds, "answered 404")


def test_one_seed_of_two(tmp_path, site):
    lost = f"{site.url}nothing-here"
    done = crawl(tmp_path / "a", "--seeds", site.url, "--seeds", lost)
    assert done.exit_code == 0, done.output
    assert f"Seed not captured: {lost}: answered 404." in done.stderr


def test_nothing_due_is_no_failure(tmp_path, site):
    assert crawl(tmp_path / "a", "--seeds", site.url).exit_code == 0
    again = crawl(tmp_path / "a", "--seeds", site.url, "--set", "crawl.revisit=1 day")
    assert again.exit_code == 0, again.output


def test_pages_that_wait_are_told_after_a_pass_not_after_a_watch(capsys):
    tally = Tally(captured=3, waiting=1, ended="complete")
    summary(tally)
    assert "1 address waits for a later try, in the next crawl." in capsys.readouterr().err
    summary(tally, watched=True)
    assert "wait" not in capsys.readouterr().err


def test_a_watch_names_seeds_that_failed_and_goes_on_with_them(capsys):
    summary(
        Tally(failed=1, ended="complete", seeds_failed={"http://a.example/": "no-such-host: unknown"}), watched=True
    )
    assert "Seed not captured: http://a.example/: no-such-host: unknown." in capsys.readouterr().err
