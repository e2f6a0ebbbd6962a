"""Who is told, and of what: targets of alerts from settings. Knows nothing of captures, so that a delivery process
starts fast.

Secrets stay in the environment: `$NAME` in the address of a webhook is put in when a message is sent, and is neither
kept nor shown.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from strandline.core.keeping.collections import Members
from strandline.core.urls import authority, canonical, surt_key
from strandline.errors import SettingError
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import AlertSettings
from strandline.settings.texts import told
from strandline.store.outbox import Alert

_NAME = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_MAIL = re.compile(r"[^@\s<>,;:\"]+@[^@\s<>,;:\"]+")

_KINDS = {"change": "changes", "alarm": "alarms", "search": "searches"}

Kind = Literal["webhook", "email"]


@dataclass(frozen=True, slots=True)
class Target:
    """Someone who is told, and of what."""

    kind: Kind
    name: str
    """As the settings write it: names of the environment stay names, so that no secret is kept or shown."""
    least: float = 0.3
    site: str = ""
    """Only this site (registered domain or host); empty for all."""
    only: str = ""
    """changes, alarms, searches, digest (once a week), or empty for all but the last."""
    collection: str = ""
    """Only what belongs to this collection; empty for all."""
    stretches: tuple[tuple[str, str], ...] = ()
    """The SURT keys of that collection."""

    def wants(self, alert: Alert) -> bool:
        """Whether an alert is for this target."""
        if alert.kind == "test":
            return True
        if alert.kind == "digest":
            return self.only == "digest" and alert.document.get("to") == self.name
        if self.only and self.only != _KINDS.get(alert.kind):
            return False
        if self.site and self.site != alert.site and not (alert.url and self.site == authority(alert.url)):
            return False
        if self.collection and not self._belongs(alert):
            return False
        return alert.kind != "change" or alert.importance >= self.least

    def _belongs(self, alert: Alert) -> bool:
        """Whether an alert is of the collection: of a page of it, or an alarm of a site that has pages of it."""
        key = surt_key(alert.url or f"http://{alert.site}/") if alert.url or alert.site else ""
        host = key.partition(")")[0]
        inside = any(low <= key < high for low, high in self.stretches)
        return inside or (not alert.url and bool(key) and any(low.startswith(host) for low, _ in self.stretches))


def targets_of(settings: AlertSettings, collections: Sequence[CollectionSettings] = ()) -> tuple[Target, ...]:
    """Targets from settings; SettingError names the entry that is wrong. One that names a collection that is not there
    any more is told nothing.
    """
    found = [_target("webhook", entry, settings) for entry in settings.webhooks]
    found += [_target("email", entry, settings) for entry in settings.email]
    if settings.email and not (settings.smtp and settings.sender):
        raise SettingError("alerts.email needs a mail server and a sender: set alerts.smtp and alerts.sender")
    names = [target.name for target in found]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise SettingError(f"alerts: {twice!r} is named twice")
    members = {one.name: Members(one.sites, one.pages).stretches for one in collections}
    return tuple(replace(one, stretches=members.get(one.collection, ())) if one.collection else one for one in found)


def _target(kind: Kind, entry: str, settings: AlertSettings) -> Target:
    key = "alerts.webhooks" if kind == "webhook" else "alerts.email"
    try:
        name, values = told(entry)
    except ValueError as problem:
        raise SettingError(f"{key}: {problem}") from None
    least = float(values.get("min", settings.min_importance))
    target = Target(kind, name, least, values.get("site", ""), values.get("only", ""), values.get("collection", ""))
    if kind == "email" and not _MAIL.fullmatch(name):
        raise SettingError(f"{key}: {name!r} is no e-mail address")
    if kind == "webhook":
        address_of(target, dict.fromkeys((a or b for a, b in _NAME.findall(name)), "x"))
    return target


def address_of(target: Target, environment: Mapping[str, str] | None = None) -> str:
    """The address of a webhook, with what the environment adds; SettingError when that is missing."""
    known = os.environ if environment is None else environment

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not known.get(name):
            raise SettingError(f"alerts.webhooks: {target.name}: {name} is not set in the environment")
        return known[name]

    address = _NAME.sub(value, target.name)
    try:
        if not address.startswith(("http://", "https://")) or "@" in address.split("/")[2]:
            raise ValueError("expected https://host/path; a password belongs into the environment, as $NAME")
        return canonical(address)
    except ValueError as problem:
        raise SettingError(f"alerts.webhooks: {target.name}: {problem}") from None


def shown(target: str) -> str:
    """A target as logs and metrics show it: paths of webhooks are often secrets.

    >>> shown("https://hooks.example/services/T0/B1?x=1"), shown("anna@example.org")
    ('https://hooks.example/...', 'anna@example.org')
    """
    return "/".join(target.split("/")[:3]) + "/..." if "://" in target else target
