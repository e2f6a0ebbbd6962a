"""Alerts are decided on once each and in order, whatever is studied, decided on, studied anew and started again."""

import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from made.news import News
from strandline.alerts.monitor import AlertMonitor
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.settings.schema import Settings
from strandline.store.outbox import Alert, Outbox, OutboxReading

STEPS = st.lists(st.sampled_from(["important", "small", "held", "decide", "anew", "restart"]), max_size=25)


@given(STEPS)
@settings(max_examples=25, deadline=None)
def test_once_each_and_in_order(steps):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        news, expected = News(folder), []
        monitor = AlertMonitor(folder, Settings())
        for step in [*steps, "decide"]:
            if step in ("important", "small", "held"):
                url = news.change(0.01 if step == "small" else 0.9, held=step == "held")
                expected += [url] * (step == "important")
            elif step == "decide":
                monitor.decide()
            elif step == "restart":
                monitor.close()
                monitor = AlertMonitor(folder, Settings())
            elif expected:
                _study_anew(news, expected[0])
        monitor.close()
        news.close()
        with closing(OutboxReading.open(folder / "strandline.db")) as reading:
            assert [alert.url for alert in reading.alerts()][::-1] == expected


def test_what_was_told_before_is_not_new(tmp_path):
    News(tmp_path).close()
    with closing(Outbox.open(tmp_path / "strandline.db")) as outbox:
        outbox.begin()
        one, other = (Alert("test", 1.0, "", "", 1.0, key=key) for key in "ab")
        assert [outbox.add(alerts, lambda _: ["t"], room=9) for alerts in ([one], [one, other], [one])] == [1, 1, 0]


def _study_anew(news, url):
    (change,) = news.catalog.studies.reading.changes_of(url)
    again = Observed(change.after_seq, change.by_seq, change.after, change.by, 0.9, 0.5, True)
    page = news.catalog.page(url).page
    news.catalog.studies.record([PageStudy(page, PageState(), (again,), anew=True)], 0)
