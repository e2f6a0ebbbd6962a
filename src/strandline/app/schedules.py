"""A plan as files that crawlers read.

urls         each page once, in the order of its first visit
json         every visit: url, due, urgency, reason
browsertrix  a YAML configuration (`crawl --config`): each page a seed of its own, scope `page`, in order
heritrix     a recovery journal: lines `F+ URI`, in order; Heritrix 3 looks every 30 s into a job's action directory
             and takes a file named `plan.force` (or `plan.schedule`, which leaves out what the job has already
             fetched); with `.s.` before the ending, `plan.s.force`, only what lies in the job's scope
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from strandline.crawl.next import Due
from strandline.errors import UsageError

FORMATS: Final = ("urls", "json", "browsertrix", "heritrix")


def schedule_text(visits: Iterable[Due], form: str) -> str:
    """A plan in a form; UsageError for one that does not exist."""
    match form:
        case "json":
            return json.dumps([due_data(visit) for visit in visits], ensure_ascii=False) + "\n"
        case "urls":
            return "".join(f"{visit.url}\n" for visit in _once(visits))
        case "browsertrix":
            return _browsertrix(_once(visits))
        case "heritrix":
            return "".join(f"F+ {visit.url}\n" for visit in _once(visits))
    raise UsageError(f"no format {form!r}; there are {', '.join(FORMATS)}")


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


def _browsertrix(visits: list[Due]) -> str:
    lines = ["# Made by strandline plan. Pages in the order of their first visit; run with: crawl --config THIS-FILE"]
    lines += ["scopeType: page", f"limit: {len(visits)}", "seeds:" if visits else "seeds: []"]
    # A JSON text is a YAML text: no address can break the file.
    lines += [f"  - url: {json.dumps(visit.url)}" for visit in visits]
    return "\n".join(lines) + "\n"
