"""Directory rules in words and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from strandline.cli.output import iso, printable
from strandline.core.learn.learned import SiteRules
from strandline.core.learn.near import Thresholds

_SHOWN = 20
_DAY = 86_400.0


def counted(number: int, word: str) -> str:
    """A number of things.

    >>> counted(1, "page"), counted(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def rules_json(sites: Sequence[SiteRules], policy: bool) -> object:
    """The list of rules, or with `policy` everything known per site."""
    if policy:
        return {one.site: _site_data(one) for one in sites}
    return [rule.as_data() | ({"site": one.site} if one.site else {}) for one in sites for rule in one.rules]


def _site_data(one: SiteRules) -> dict[str, Any]:
    data = one.as_data()
    return data | {"period_days": one.period / _DAY, "first": _moment(one.first), "last": _moment(one.last)}


def _moment(time: float) -> str | None:
    return iso(time) if time else None


def rules_in_words(sites: Sequence[SiteRules]) -> Iterator[str]:
    """Lines for the terminal."""
    for one in sites:
        yield printable(_heading(one))
        if one.versions < 2:
            yield "  one version is too little to see change: rules need captures from at least two periods"
            continue
        for rule in one.rules:
            chain = " and ".join(path or "/" for path in rule.if_changed)
            measures = f"foc {rule.foc:.2f}, coc {rule.coc:.2f}, confidence {rule.confidence:.2f}"
            yield printable(f"  when {chain} change, skip {rule.skip}  ({measures})")
        dormant = "1 directory" if len(one.dormant) == 1 else f"{len(one.dormant)} directories"
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
