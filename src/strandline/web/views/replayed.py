"""How well pages are shown again, as it was last measured."""

from dataclasses import dataclass, field
from typing import Any

from strandline.access.timestamps import moment
from strandline.web.jobs import Job, Jobs
from strandline.web.views.values import Moment


@dataclass(frozen=True, slots=True)
class LostBlock:
    """A block that was seen live and is not shown, or only in part."""

    text: str
    weight: float
    shown: float


@dataclass(frozen=True, slots=True)
class LostRequest:
    """Something a page asked for that is not answered."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReplayedOne:
    """One page, live and replayed."""

    url: str
    captured: Moment
    score: float
    blocks: float
    parts: float
    requests: int
    missing_blocks: list[LostBlock]
    missing_requests: list[LostRequest]


@dataclass(frozen=True, slots=True)
class Replayed:
    """The last measurement; `state` is empty before there was any."""

    state: str = ""
    started: Moment | None = None
    ended: Moment | None = None
    problem: str = ""
    score: float | None = None
    sites: dict[str, float] = field(default_factory=dict)
    pages: list[ReplayedOne] = field(default_factory=list)
    """The worst first."""


def last_replayed(jobs: Jobs) -> Replayed:
    """What was measured last; while it is being measured anew, what was known before stays."""
    measured = [job for job in jobs.all() if job.kind == "quality"]
    if not measured:
        return Replayed()
    told = next((job for job in measured if isinstance(job.result, dict)), measured[0])
    newest = measured[0]
    found: dict[str, Any] = told.result if isinstance(told.result, dict) else {}
    pages = sorted((_page(one) for one in found.get("pages", [])), key=lambda one: (one.score, one.url))
    return Replayed(
        _state(newest), newest.started, told.ended, newest.problem, found.get("score"), found.get("sites", {}), pages
    )


def _state(job: Job) -> str:
    return "done" if job.state == "stopped" else job.state


def _page(one: dict[str, Any]) -> ReplayedOne:
    return ReplayedOne(
        url=one["url"],
        captured=moment(one["captured"]),
        score=one["score"],
        blocks=one["blocks"],
        parts=one["parts"],
        requests=one["requests"],
        missing_blocks=[LostBlock(lost["text"], lost["weight"], lost["shown"]) for lost in one["missing_blocks"]],
        missing_requests=[LostRequest(lost["url"], lost["reason"]) for lost in one["missing_requests"]],
    )
