"""robots.txt in all its variants, each on a host of its own: the server counts what was fetched."""

import json

from hostile.server import HostileSite
from journeys.command import UNSTUDIED, strandline

QUICK = (
    "--set",
    "fetch.first_byte=2s",
    "--set",
    "fetch.total=4s",
    "--set",
    "fetch.between_reads=2s",
    "--set",
    "crawl.patience=1s",
)


def test_every_variant_is_read_as_rfc_9309_says(tmp_path):
    with HostileSite() as site:
        seeds = tmp_path / "seeds.txt"
        seeds.write_text("".join(f"{place}/page\n" for place, _ in site.robots.values()))
        done = strandline("crawl", tmp_path / "archive", "--seeds", seeds, "--scope", "page", *UNSTUDIED, *QUICK)
        assert done.code == 0, done.err
        fetched = {name: site.robots_hits[name, "/page"] > 0 for name in site.robots}
        assert fetched == {name: allowed for name, (_, allowed) in site.robots.items()}
        skipped = json.loads(done.out.splitlines()[-1])["skipped"]
        assert skipped >= sum(not allowed for _, allowed in site.robots.values()) - 3


def test_unreachable_robots_can_be_allowed_by_name(tmp_path):
    with HostileSite() as site:
        shut = [site.robots[name][0] for name in ("error", "busy")]
        words = [word for place in shut for word in ("--seeds", f"{place}/page")]
        setting = ("--set", "politeness.robots_unreachable=allow")
        done = strandline("crawl", tmp_path / "archive", *words, "--scope", "page", *UNSTUDIED, *QUICK, *setting)
        assert done.code == 0, done.err
        assert {event["url"] for event in done.captured if event["url"].endswith("/page")} == {
            f"{p}/page" for p in shut
        }
