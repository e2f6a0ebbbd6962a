"""Sites come, rest and go while a watch runs, told by the command and taken up within moments."""

import json
import signal
import subprocess
import time

from journeys.command import start, strandline
from made.receivers import wait_for
from servers.sites import sites


def _count(there, host):
    return sum(one[0] == host for one in there.requests())


def _silent(there, host, seconds=3.0):
    """Whether nothing is asked of a host for some time, while others are."""
    before = _count(there, host)
    time.sleep(seconds)
    return _count(there, host) == before


def test_a_site_is_added_paused_resumed_and_removed_while_a_watch_runs(tmp_path):
    folder = tmp_path / "a"
    with sites(tmp_path, 2, 30, period=1.0) as there:
        one, two = there.hosts
        name = f"{two}:{there.port}"
        assert strandline("init", folder, "--seeds", there.seeds[0]).code == 0
        flags = ["--hour-seconds", "1", "--budget", "100/hour", "--delay", "0", "--allow-address", "127.0.0.0/8"]
        with (tmp_path / "log").open("wb") as log:
            watch = start("watch", folder, *flags, "--set", 'fetch.allow_address=["127.0.0.0/8"]', "--quiet",
                          stdout=subprocess.DEVNULL, stderr=log)  # fmt: skip
        try:
            assert wait_for(lambda: _count(there, one) > 20, 600)
            assert not _count(there, two)
            refused = strandline("site", "add", folder, there.seeds[1])
            assert refused.code == 4 and "contact" in refused.err
            assert strandline("site", "pause", folder, "nowhere.example").code == 2
            text = (folder / "strandline.toml").read_text()
            allowed = text.replace("allow_address = []", 'allow_address = ["127.0.0.0/8"]', 1)
            (folder / "strandline.toml").write_text(allowed)
            assert strandline("site", "add", folder, there.seeds[1], "weight=2").code == 0
            assert wait_for(lambda: _count(there, two) > 20, 600), "a site that was added is crawled at once"

            assert strandline("site", "pause", folder, name).code == 0
            assert wait_for(lambda: _silent(there, two), 600), "a site that is paused is asked nothing"
            before = _count(there, one)
            assert wait_for(lambda: _count(there, one) > before + 10, 600), "the others go on"
            assert _silent(there, two)
            listed = {line["site"]: line for line in strandline("sites", folder, "--json").lines}
            assert listed[name]["state"] == "paused" and listed[name]["settings"] == {
                "seeds": [there.seeds[1]],
                "weight": 2.0,
            }
            week = listed[name]["weeks"][0]
            assert week["requests"] > 20 and week["octets"] > 1000

            asked = _count(there, two)
            assert strandline("site", "resume", folder, name).code == 0
            assert wait_for(lambda: _count(there, two) > asked + 10, 600)
            assert strandline("site", "remove", folder, name).code == 0
            assert wait_for(lambda: _silent(there, two), 600)
            assert watch.poll() is None
        finally:
            watch.send_signal(signal.SIGTERM)
            assert watch.wait(600) == 11
        kept = strandline("sites", folder, "--json").lines
        assert {line["site"]: line["state"] for line in kept}[name] == "removed"
        assert json.loads(strandline("site", "show", folder, name, "--json").out)["captures"] > 20
        out = strandline("crawl", folder, "--seeds", there.seeds[1])
        assert out.code == 2 and "was removed" in out.err
