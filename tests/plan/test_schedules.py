"""Plans as other crawlers read them: what is due when is kept, hour by hour."""

import subprocess
from datetime import UTC, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from strandline.errors import UsageError
from strandline.plan.due import Due
from strandline.plan.schedules import CRONTAB, schedule_files, schedule_text

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC).timestamp()
BROWSERTRIX = {"collection": str, "generateWACZ": bool, "scopeType": str, "limit": int, "seeds": list}
"""The options of Browsertrix Crawler's own command line that a plan uses, with their types; it refuses others."""


def visits(*times):
    return [Due(number, url, 1.0, "because", NOON + 60.0 * minute) for number, (url, minute) in enumerate(times)]


def test_every_hour_is_a_crawl_of_its_own():
    plan = visits(
        ("http://a.example/", 0), ("http://b.example/", 30), ("http://a.example/", 65), ("http://a.example/", 200)
    )
    files = schedule_files(plan, "heritrix", "/plans")
    assert files["plan-20260314T12Z.force"] == "F+ http://a.example/\nF+ http://b.example/\n"
    assert files["plan-20260314T13Z.force"] == "F+ http://a.example/\n"
    assert sorted(files) == [CRONTAB, *(f"plan-20260314T{hour}Z.force" for hour in (12, 13, 15))]


def test_a_browsertrix_configuration_has_only_options_it_knows():
    odd = "http://a.example/?q=\"#: {x}&y='"
    files = schedule_files(visits((odd, 0), ("http://b.example/", 1)), "browsertrix", "/plans")
    (name,) = (name for name in files if name != CRONTAB)
    made = yaml.safe_load(files[name])
    assert {key: type(value) for key, value in made.items()} == BROWSERTRIX
    assert made["seeds"] == [{"url": odd}, {"url": "http://b.example/"}]
    assert (made["scopeType"], made["limit"]) == ("page", 2)
    assert yaml.safe_load(schedule_text([], "browsertrix"))["seeds"] == []


@given(
    st.lists(st.tuples(st.sampled_from(["http://a.example/", "http://b.example/"]), st.integers(0, 3000)), max_size=40)
)
def test_no_visit_loses_its_hour(times):
    plan = sorted(visits(*times), key=lambda visit: visit.due)
    files = schedule_files(plan, "heritrix", "/plans")
    kept = {(name, line[3:]) for name, text in files.items() if name != CRONTAB for line in text.splitlines()}
    wanted = {(f"plan-{datetime.fromtimestamp(one.due, UTC):%Y%m%dT%H}Z.force", one.url) for one in plan}
    assert kept == wanted
    assert files[CRONTAB].count("/action/") == len(files) - 1


def test_a_line_of_the_crontab_hands_over_its_file_whole(tmp_path):
    folder = tmp_path / "plans 100%"
    job = tmp_path / "job"
    (job / "action").mkdir(parents=True)
    folder.mkdir()
    files = schedule_files(visits(("http://a.example/", 0)), "heritrix", str(folder))
    for name, text in files.items():
        (folder / name).write_text(text)
    line = next(line for line in files[CRONTAB].splitlines() if not line.startswith(("#", "JOB=")))
    minute, hour, day, month, any_day, command = line.split(None, 5)
    assert (minute, any_day) == ("0", "*")
    local = datetime.fromtimestamp(NOON, UTC).astimezone()
    assert (int(hour), int(day), int(month)) == (local.hour, local.day, local.month)
    subprocess.run(command.replace("\\%", "%"), shell=True, check=True, env={"JOB": str(job), "PATH": "/usr/bin:/bin"})
    assert [path.name for path in (job / "action").iterdir()] == ["plan-20260314T12Z.force"]
    assert not list(job.glob("*.force"))


def test_only_crawls_are_written_by_the_hour():
    with pytest.raises(UsageError, match="hour by hour"):
        schedule_files([], "urls", "/plans")
