"""The answer of `quality`, as a table and as JSON."""

from collections import Counter
from typing import TYPE_CHECKING

from strandline.core.wording import counted

if TYPE_CHECKING:
    from strandline.access.quality import Quality
    from strandline.report.measuring import Measured

LISTED = 20
"""Mementos shown in the table; JSON has all."""


def quality_data(found: "Measured") -> dict[str, dict[str, object]]:
    """Per site; the whole archive comes last, under the name `archive`."""
    data = {one.site: _measures(found, one) for one in found.sites}
    last = found.sites[0].site if found.whole is None else "archive"
    if found.whole is not None:
        data["archive"] = _measures(found, found.whole)
    data[last] |= {
        "visits": {
            "intended": found.visiting.intended,
            "achieved": found.visiting.achieved,
            "failed": found.visiting.failed,
        },
        "budget": found.budget,
        "more": {"requests": 100, "per": "day", "gain": round(found.more.gain, 6)},
    }
    if found.shown is not None:
        data[last] |= {
            "mementos": [
                {
                    "url": found.url(one.page),
                    "captured": found.time(one.captured),
                    "evidence": one.evidence,
                    "chance": round(one.chance, 6),
                }
                for one in found.shown.mementos
            ],
            "coherent_instant": found.time(found.shown.instant),
            "coherent_share": round(found.shown.share, 6),
        }
    return data


def _measures(found: "Measured", one: "Quality") -> dict[str, object]:
    return {
        "completeness": round(one.completeness.value, 6),
        "completeness_low": round(one.completeness.low, 6),
        "completeness_high": round(one.completeness.high, 6),
        "coherence": round(one.coherence, 6),
        "freshness": round(one.freshness, 6),
        "coverage": round(one.coverage, 6),
        "pages": one.pages,
        "dead_links": one.dead,
        "hollow": dict(one.hollow.most_common()),
        "captures": one.captures,
        "from": found.time(one.since),
        "until": found.time(one.until),
    }


def quality_text(found: "Measured") -> list[str]:
    """Lines for people."""
    lines = [f"{'site':32}{'completeness':>22}{'coherence':>11}{'freshness':>11}{'coverage':>10}{'pages':>8}"]
    every = found.sites if found.whole is None else [*found.sites, found.whole]
    lines += [_line(one) for one in every]
    visiting, more = found.visiting, found.more
    lines.append("")
    for one in found.sites:
        if one.hollow:
            kinds = ", ".join(f"{kind} {count}" for kind, count in one.hollow.most_common())
            pages = counted(sum(one.hollow.values()), "page")
            lines.append(f"{one.site}: {pages} without content ({kinds}): counted as not captured")
    dead = found.whole.dead if found.whole is not None else sum(one.dead for one in found.sites)
    if dead:
        lines.append(f"{counted(dead, 'dead link')} left out: never a page there (`strandline report` names them)")
    made = f"{counted(visiting.achieved, 'visit')} made"
    asked = f"a watch of {found.budget} intends {visiting.intended}"
    if visiting.watched:
        made = f"{counted(visiting.intended, 'visit')} planned, {visiting.achieved} made"
        asked = f"budget {found.budget}"
    lines.append(f"last day: {made}, {counted(visiting.failed, 'page')} failed ({asked})")
    lines.append(f"100 more requests a day would catch {100 * more.gain:+.1f} %")
    if found.shown is not None:
        lines += _shown(found)
    return lines


def _line(one: "Quality") -> str:
    whole = one.completeness
    interval = f"{whole.value:.2f} ({whole.low:.2f}-{whole.high:.2f})"
    return (
        f"{one.site[:31]:32}{interval:>22}{one.coherence:>11.2f}{one.freshness:>11.2f}{one.coverage:>10.2f}"
        f"{one.pages:>8}"
    )


def _shown(found: "Measured") -> list[str]:
    assert found.shown is not None
    mementos = found.shown.mementos
    kinds = Counter(one.evidence for one in mementos)
    told = ", ".join(f"{kinds[kind]} {kind}" for kind in ("proved", "probable", "violated"))
    lines = ["", f"shown at this time: {len(mementos)} mementos ({told})"]
    lines.append(
        f"most coherent instant within a day: {found.time(found.shown.instant)} ({100 * found.shown.share:.0f} %)"
    )
    weakest = sorted(mementos, key=lambda one: one.chance)[:LISTED]
    lines += [
        f"  {one.evidence:9} {one.chance:5.2f}  {found.time(one.captured)}  {found.url(one.page)}" for one in weakest
    ]
    if len(mementos) > LISTED:
        lines.append(f"  ... and {len(mementos) - LISTED} with better evidence")
    return lines
