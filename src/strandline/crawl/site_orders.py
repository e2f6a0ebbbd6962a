"""What settings say of single sites, as a crawl needs it: scope, whether and when a site is asked, how politely, and
with which fields of requests.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from strandline.archive.site_clocks import site_clock
from strandline.core.discovery.scope import SiteScope
from strandline.core.discovery.site_rules import ByHost, SiteRule, SiteRules, windows_of
from strandline.core.politeness.delays import MannersSettings
from strandline.core.urls import site as site_of
from strandline.errors import SettingError
from strandline.settings import texts
from strandline.settings.in_force import with_collections
from strandline.settings.schema import Settings
from strandline.settings.units import seconds

Fields = tuple[tuple[str, str], ...]


def scopes_of(settings: Settings) -> tuple[SiteScope, ...]:
    """How far single sites go."""
    return tuple(
        SiteScope(one.name, one.scope, one.include, one.exclude, one.hops, one.state == "removed")
        for one in settings.site
        if one.scope or one.include or one.exclude or one.hops or one.state == "removed"
    )


def rules_of(settings: Settings) -> SiteRules:
    """Whether single sites are asked, and at which hours of their own time."""
    return SiteRules(
        SiteRule(
            one.name,
            "paused" if one.state == "paused" else "removed" if one.state == "removed" else "active",
            tuple(window for text in one.hours for window in windows_of(text)),
            site_clock(site_of(f"http://{one.name}/"), settings.learn, None).zone if one.hours else "UTC",
        )
        for one in with_collections(settings).site
    )


def manners_with_sites(settings: Settings, usual: MannersSettings) -> MannersSettings:
    """How single sites are treated, beside all others."""
    own = []
    for one in settings.site:
        found = usual
        if one.delay:
            found = replace(found, delay=None if one.delay == "auto" else seconds(one.delay))
        if one.connections:
            found = replace(found, per_host=one.connections)
        if found is not usual:
            own.append((one.name, found))
    return replace(usual, sites=tuple(own))


class _SiteFields(NamedTuple):
    name: str
    fields: Fields


def site_headers(settings: Settings) -> Callable[[str], Fields]:
    """Fields of requests to a host; SettingError names what the environment does not have."""
    found: ByHost[_SiteFields] = ByHost(
        _SiteFields(one.name, tuple(_fields(one.name, one.headers))) for one in settings.site if one.headers
    )

    def of(authority: str) -> Fields:
        own = found.of(authority)
        return () if own is None else own.fields

    return of


def _fields(site: str, headers: Iterable[str]) -> Iterable[tuple[str, str]]:
    for text in headers:
        name, value = texts.header(text)

        def known(found: re.Match[str]) -> str:
            key = found[1] or found[2]
            if key not in os.environ:
                raise SettingError(f"site {site}: headers name ${key}, which is not in the environment")
            return os.environ[key]

        value = re.sub(r"\$(?:\{(\w+)\}|(\w+))", known, value)
        if not value.isprintable():
            raise SettingError(f"site {site}: the value of {name} cannot be sent as a field of a request")
        yield name, value


class Gate:
    """Which hosts may not be asked now, because of what was said of their sites. Whoever brings it to a crawl may
    change it while the crawl runs.
    """

    def __init__(self, rules: SiteRules | None = None, hosts: Callable[[str], Iterable[str]] = lambda _: ()) -> None:
        """`hosts` names the hosts of a registered domain that are known."""
        self._hosts = hosts
        self._met: set[str] = set()
        self.change(rules or SiteRules())

    def change(self, rules: SiteRules) -> None:
        """Go by other rules from now on."""
        self.rules = rules
        self._closed: frozenset[str] = frozenset()
        self._until = -1.0

    def pause(self, site: str) -> None:
        """Ask nothing of a site any more, whatever else is said of it."""
        self.change(SiteRules([*(rule for rule in self.rules.rules if rule.name != site), SiteRule(site, "paused")]))

    def why_not(self, authority: str, now: float) -> str:
        """Why a host may not be asked now; empty when it may be. A host that may not is closed from then on."""
        why = self.rules.why_not(authority, now) if self.rules.rules else ""
        if why and authority not in self._closed:
            self._met.add(authority)
            self._closed |= {authority}
        return why

    def closed(self, now: float) -> frozenset[str]:
        """Known hosts that may not be asked now; looked for again each minute."""
        if not self.rules.rules:
            return self._closed
        if not self._until - _LOOK <= now < self._until:
            self._until = (now // _LOOK + 1) * _LOOK
            self._closed = closed_hosts(self.rules, now, self._hosts) | {
                one for one in self._met if self.rules.why_not(one, now)
            }
        return self._closed


_LOOK = 60.0
"""Seconds after which hosts are looked for again. Origin: a unit, a minute: hours of sites begin and end with one."""


def closed_hosts(rules: SiteRules, now: float, hosts: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """Known hosts that may not be asked now."""
    sites = {site_of(f"http://{rule.name}/") for rule in rules.closed(now)}
    return frozenset(host for site in sites for host in hosts(site) if rules.why_not(host, now))
