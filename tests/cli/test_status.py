"""`status`, `alerts`, `alarms` and `feed` answer while a watch runs, after it was killed, and when there was none."""

import contextlib
import json
import os
import pty
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from lxml import etree
from typer.testing import CliRunner

from journeys.command import ENVIRONMENT
from made.news import News
from made.receivers import Webhook
from strandline.app.status import status
from strandline.app.status_metrics import metrics_of, status_metrics
from strandline.archive.folder import create, open_archive
from strandline.cli.main import app
from strandline.settings.edit import change_settings
from strandline.store.alarming import AlarmWriter
from strandline.store.watching import WatchState


@pytest.fixture
def folder(tmp_path):
    create(tmp_path / "a")
    return tmp_path / "a"


def run(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.stdout


def stand(folder, **changes):
    news = News(folder)
    news.change()
    document = {"budget": "500/day", "strategy": "priced-plan", "spent_hour": 3.0, "planned": 7, "requests": 11}
    document |= {"looks": 4, "left_out": 9, "why_left_out": "every page was looked at within the last 1 hour"}
    state = WatchState(os.getpid(), socket.gethostname(), time.time() - 60, time.time(), "", document)._replace(
        **changes
    )
    news.catalog.watch.stands(state.started, state.updated, state.ended, state.document)
    if state.pid != os.getpid():
        news.catalog._connection.execute("UPDATE watch_state SET pid = ?", (state.pid,))
    news.close()


def test_an_empty_archive(folder):
    found = json.loads(run("status", folder, "--json"))
    assert found["state"] == "none" and found["captures"] == 0 and found["completeness"] is None
    assert "no watch was started yet" in run("status", folder)
    assert run("alarms", folder) == "No open alarms.\n"
    assert json.loads(run("alerts", folder, "--json")) == {"alerts": [], "targets": []}


def test_a_running_watch(folder):
    stand(folder)
    found = json.loads(run("status", folder, "--json", "--quick"))
    assert found["state"] == "running" and found["budget"]["planned"] == 7 and found["captures"] == 1
    assert (found["budget"]["looks"], found["budget"]["left_out"]) == (4, 9) and found["budget"]["why_left_out"]
    assert found["rates"]["hour"]["captures"] == 1 and found["disk"]["free"] > 0
    text = " ".join(run("status", folder, "--quick").split())
    assert "running since" in text and "7 visits left" in text


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"ended": "complete"}, "ended"),
        ({"pid": 2**22 + 1}, "killed"),
        ({"document": {"paused": "no room"}}, "paused"),
    ],
)
def test_a_watch_that_does_not_run(folder, changes, state):
    stand(folder, **changes)
    found = json.loads(run("status", folder, "--json", "--quick"))
    assert found["state"] == state and found["why"]
    text = " ".join(run("status", folder, "--quick").split())
    if state != "paused":
        assert "3 spent in its last hour" in text and "this hour" not in text and "left of" not in text
        assert "strandline_budget_spent_hour 3" not in status_metrics(status(open_archive(folder)))


def test_alarms_and_errors_are_shown(folder):
    stand(folder)
    with closing(AlarmWriter.open(folder / "strandline.db")) as writer:
        writer.raise_alarm("refused", "news.example", time.time(), "100 % of the last 40 visits")
        writer.raise_alarm("disk", "", time.time() - 9, "full")
        writer.clear_alarm("disk", "", time.time(), "room again")
    (alarm,) = json.loads(run("status", folder, "--json", "--quick"))["alarms"]
    assert alarm["kind"] == "refused" and alarm["closed"] is None
    assert "refused news.example since" in run("alarms", folder)
    assert len(json.loads(run("alarms", folder, "--all", "--json"))) == 2


def test_metrics_are_named_as_documented(folder):
    stand(folder)
    found = status(open_archive(folder))
    text = status_metrics(found)
    assert "strandline_watch_up 1\n" in text and "strandline_plan_visits 7\n" in text
    assert run("status", folder, "--metrics", "--quick").count("# TYPE") == text.count("# TYPE")
    documented = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
    for metric in metrics_of(found):
        short = metric.name.removeprefix("strandline_watch")
        assert metric.name in documented or f"`{short}`" in documented, metric.name
    for line in text.splitlines():
        assert line.startswith("#") or len(line.split()) == 2, line


def test_a_feed_of_a_site_and_of_a_page(folder):
    news = News(folder)
    url = news.change(0.9)
    news.change(0.01)
    news.close()
    atom = etree.fromstring(run("feed", folder, "--site", "news.example").encode())
    assert len(atom.findall("{*}entry")) == 1
    rss = etree.fromstring(run("feed", folder, "--page", url, "--format", "rss").encode())
    assert "2 new words (six)" in rss.findtext("channel/item/description")
    assert len(json.loads(run("feed", folder, "--min-importance", "0", "--json"))["entries"]) == 2
    assert run("feed", folder, "--page", "https://other.example/").count("<entry>") == 0


def test_trying_the_targets(folder):
    good, bad = Webhook(), Webhook(lambda _: 500)
    values = {"alerts.webhooks": json.dumps([good.url]), "alerts.allow_address": '["127.0.0.1/32"]'}
    change_settings(folder, values)
    assert json.loads(run("alerts", folder, "--test", "--json")) == [
        {"target": "/".join(good.url.split("/")[:3]) + "/...", "taken": True, "detail": "answered 204"}
    ]
    change_settings(folder, {"alerts.webhooks": json.dumps([good.url, bad.url])})
    assert "NOT taken: answered 500" in run("alerts", folder, "--test", code=9)
    assert [message["kind"] for message in good.got] == ["test", "test"]
    assert json.loads(run("alerts", folder, "--json"))["alerts"][0]["deliveries"][0]["target"].endswith("/...")
    good.close()
    bad.close()


def test_nobody_to_be_told_is_said(folder):
    done = CliRunner().invoke(app, ["alerts", str(folder), "--test"])
    assert "nobody is to be told" in str(done.exception)


def test_following_it_on_a_terminal_ends_quietly(folder):
    stand(folder)
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "strandline", "status", str(folder), "--live", "--quick"]
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=ENVIRONMENT)
    os.close(slave)
    seen = b""
    while seen.count(b"running since") < 2:
        seen += os.read(master, 1 << 16)
    process.send_signal(signal.SIGINT)
    with contextlib.suppress(OSError):  # the other end has gone
        while os.read(master, 1 << 16):
            pass
    assert process.wait(600) == 0, process.stderr.read()
    process.stderr.close()
    os.close(master)
