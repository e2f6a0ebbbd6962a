"""Directory rules in words and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from strandline.cli.output import iso, printable
from strandline.core.mining.learned import SiteRules
from strandline.core.mining.near import NearRule, Thresholds
from strandline.core.skip.price_choice import LEAST_VERSIONS
from strandline.core.skip.retests import Retests
from strandline.core.wording import counted
from strandline.crawl.skipping import SkipStanding

Standings = Mapping[str, SkipStanding]
_SHOWN = 20
_DAY = 86_400.0


def rules_json(sites: Sequence[SiteRules], policy: bool, standings: Standings) -> object:
    """The list of rules, or with `policy` everything known per site."""
    if policy:
        return {one.site: _site_data(one, standings.get(one.site)) for one in sites}
    return [_rule_data(one, rule, standings.get(one.site)) for one in sites for rule in one.rules]


def _rule_data(one: SiteRules, rule: NearRule, standing: SkipStanding | None) -> dict[str, Any]:
    data = rule.as_data() | ({"site": one.site} if one.site else {})
    for record in standing.records if standing else ():
        if record.method == "near" and record.directory == rule.skip:
            data |= {"tests": record.tests, "failed": record.failures, "active": record.in_force}
    return data


def _site_data(one: SiteRules, standing: SkipStanding | None) -> dict[str, Any]:
    data = one.as_data() | (standing.as_data() if standing else {})
    return data | {"period_days": one.period / _DAY, "first": _moment(one.first), "last": _moment(one.last)}


def _moment(time: float) -> str | None:
    return iso(time) if time else None


def rules_in_words(sites: Sequence[SiteRules], standings: Standings) -> Iterator[str]:
    """Lines for the terminal."""
    for one in sites:
        yield printable(_heading(one))
        if one.versions < 2:
            there = "one version is too little to see change" if one.versions else "an empty history: nothing was seen"
            yield f"  {there}; rules need captures from at least two periods"
            continue
        for rule in one.rules:
            chain = " and ".join(path or "/" for path in rule.if_changed)
            measures = f"foc {rule.foc:.2f}, coc {rule.coc:.2f}, confidence {rule.confidence:.2f}"
            yield printable(f"  when {chain} change, skip {rule.skip}  ({measures})")
        dormant = counted(len(one.dormant), "directory", "directories")
        yield f"{counted(len(one.rules), 'rule')}; {dormant} never changed at all{':' if one.dormant else ''}"
        yield from _listed([path or "/" for path in one.dormant])
        if one.directories:
            yield "changes expected a week, as the site-level policy sees it:"
            yield from _listed(
                [
                    f"{view.changes_a_week:6.1%}  {view.path or '/'}  ({counted(view.pages, 'page')}"
                    f"{', skipped by a rule' if view.near else ''}{', dormant' if view.dormant else ''})"
                    for view in one.directories
                ]
            )
        if one.site in standings:
            yield from _standing_in_words(standings[one.site])


def _standing_in_words(standing: SkipStanding) -> Iterator[str]:
    price = standing.price
    if price is None and standing.whole > LEAST_VERSIONS:
        yield (
            "crawl --skip policy would leave out nothing: in the versions of the site seen whole there was no change "
            "to fit its price on, or no price caught enough of them"
        )
    elif price is None:
        yield (
            f"crawl --skip policy would leave out nothing yet: {counted(standing.whole, 'version')} "
            f"of the site seen whole, and at least {LEAST_VERSIONS + 1} are needed"
        )
    else:
        yield (
            f"crawl --skip policy asks for pages from a chance of {price.price:.2%} on; on its last "
            f"{counted(price.tests, 'whole version')} that saved {price.bypass_ratio:.0%} of the requests "
            f"and caught {price.change_recall:.0%} of the changes"
        )
    if standing.records:
        active = sum(one.in_force for one in standing.records)
        yield f"left out by crawls: {active} of {counted(len(standing.records), 'directory', 'directories')} still are"
        worst_first = sorted(standing.records, key=lambda one: (one.in_force, -one.failures, one.directory))
        yield from _listed([_record_in_words(one) for one in worst_first])


def _record_in_words(one: Retests) -> str:
    if one.in_force:
        return f"{one.directory or '/'}  ({one.method}; {one.told()})"
    return f"{one.directory or '/'}  ({one.method}; {one.told()}; given up {iso(one.retired)}: {one.why})"


def _heading(one: SiteRules) -> str:
    about = f"{one.site}: " if one.site else ""
    if one.captures:
        weighing = ", changes weighed by importance" if one.weighted else ""
        about += f"{counted(one.captures, 'capture')} from {iso(one.first)[:10]} to {iso(one.last)[:10]}{weighing}; "
    heading = f"{about}{counted(one.versions, 'version')}; {_thresholds(one.thresholds)}"
    if one.bypass_ratio is None or one.change_recall is None:
        unfit = one.captures and one.versions > 1 and one.thresholds == Thresholds()
        return f"{heading} (none caught enough on its own history: skip nothing by rules)" if unfit else heading
    return f"{heading}; on its second half skipped {one.bypass_ratio:.0%} and caught {one.change_recall:.0%}"


def _thresholds(used: Thresholds) -> str:
    gamma = "automatic" if used.gamma is None else f"{used.gamma:g}"
    return f"alpha {used.alpha:g}, beta {used.beta:g}, theta {used.theta:g}, gamma {gamma}"


def _listed(lines: Sequence[str]) -> Iterator[str]:
    for line in lines[:_SHOWN]:
        yield printable(f"  {line}")
    if len(lines) > _SHOWN:
        yield f"  ... and {len(lines) - _SHOWN} more"
