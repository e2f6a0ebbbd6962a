"""A plan as files that crawlers read.

urls         each page once, in the order of its first visit
json         every visit: url, due, urgency, reason
browsertrix  a YAML configuration (`crawl --config`): each page a seed of its own, scope `page`, in order
heritrix     a recovery journal: lines `F+ URI`, in order; Heritrix 3 looks every 30 s into a job's action directory
             and takes a file named `plan.force` (or `plan.schedule`, which leaves out what the job has already
             fetched); with `.s.` before the ending, `plan.s.force`, only what lies in the job's scope

One text is one crawl, and a crawl of another crawler fetches a page once and knows no hours. `schedule_files` keeps
both, repeated visits and their times: one file for each hour in which something is due, and a `crontab` that hands
each file over when its hour begins.
"""

import json
import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from strandline.errors import UsageError
from strandline.plan.due import Due

FORMATS: Final = ("urls", "json", "browsertrix", "heritrix")
HOURLY: Final = ("browsertrix", "heritrix")
"""Formats that can be had as a file for each hour."""
CRONTAB: Final = "crontab"
_HOUR: Final = 3600
"""Seconds. Origin: a unit."""
_CRON_HEADS: Final = {
    "browsertrix": (
        "# Each hour of the plan as a crawl of its own, begun at the full hour. WACZ files land under collections/",
        "# beside this file: strandline import takes them in.",
    ),
    "heritrix": (
        "# Hands each hour of the plan to a running Heritrix job: set JOB to the folder of the job.",
        "# A file is copied beside the action directory and moved in whole: Heritrix never reads half of it.",
        "JOB=/path/to/heritrix/jobs/JOB",
    ),
}
_CRON_LINES: Final = {
    "browsertrix": "docker run --rm -v {folder}:/crawls webrecorder/browsertrix-crawler crawl --config /crawls/{name}",
    "heritrix": "cp {folder}/{name} $JOB/ && mv $JOB/{name} $JOB/action/",
}


def schedule_text(visits: Iterable[Due], form: str) -> str:
    """A plan in a form, as one text; UsageError for one that does not exist."""
    match form:
        case "json":
            return json.dumps([due_data(visit) for visit in visits], ensure_ascii=False) + "\n"
        case "urls":
            return "".join(f"{visit.url}\n" for visit in _once(visits))
        case "browsertrix":
            return _browsertrix(_once(visits))
        case "heritrix":
            return _heritrix(_once(visits))
    raise UsageError(f"no format {form!r}; there are {', '.join(FORMATS)}")


def schedule_files(visits: Iterable[Due], form: str, folder: str) -> Mapping[str, str]:
    """A plan as a file for each hour, and a crontab for them; by name, as they are to lie in a folder.

    Cron knows the machine's own time: its lines are in the time zone in which the plan was made, the names of files
    in UTC.
    """
    if form not in HOURLY:
        raise UsageError(f"only {' and '.join(HOURLY)} can be written hour by hour, not {form}")
    hours: dict[int, list[Due]] = {}
    for visit in visits:
        hours.setdefault(int(visit.due // _HOUR), []).append(visit)
    files = {}
    place = shlex.quote(folder).replace("%", "\\%")  # to cron an unescaped % ends the line
    cron = [*_CRON_HEADS[form]]
    for hour, due in sorted(hours.items()):
        begins = datetime.fromtimestamp(hour * _HOUR, UTC)
        stem = f"plan-{begins:%Y%m%dT%H}Z"
        name, text = hour_text(due, form, stem)
        files[name] = text
        command = _CRON_LINES[form].format(folder=place, name=name)
        cron.append(f"{begins.astimezone():%-M %-H %-d %-m} *  {command}")
    return {**files, CRONTAB: "\n".join(cron) + "\n"}


def hour_text(visits: Iterable[Due], form: str, stem: str) -> tuple[str, str]:
    """One crawl as a file: its name, and what is in it."""
    pages = _once(visits)
    return (f"{stem}.yaml", _browsertrix(pages, stem)) if form == "browsertrix" else (f"{stem}.force", _heritrix(pages))


def due_data(visit: Due) -> dict[str, object]:
    """A visit for programs."""
    due = datetime.fromtimestamp(visit.due, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {"url": visit.url, "urgency": visit.urgency, "reason": visit.reason, "due": due}


def _once(visits: Iterable[Due]) -> list[Due]:
    """Each page at its first visit: one crawl of another crawler fetches a page once."""
    first: dict[str, Due] = {}
    for visit in visits:
        first.setdefault(visit.url, visit)
    return list(first.values())


def _heritrix(visits: list[Due]) -> str:
    return "".join(f"F+ {visit.url}\n" for visit in visits)


def _browsertrix(visits: list[Due], collection: str = "") -> str:
    lines = ["# Made by strandline plan. Pages in the order of their first visit; run with: crawl --config THIS-FILE"]
    if collection:
        lines += [f"collection: {collection}", "generateWACZ: true"]
    lines += ["scopeType: page", f"limit: {len(visits)}", "seeds:" if visits else "seeds: []"]
    # A JSON text is a YAML text: no address can break the file.
    lines += [f"  - url: {json.dumps(visit.url)}" for visit in visits]
    return "\n".join(lines) + "\n"
