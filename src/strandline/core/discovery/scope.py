"""Which addresses belong to a crawl.

A seed opens a scope: the page alone, its directory, its host, or all hosts of its registered domain. SURT prefixes
widen or narrow it; an exclusion always wins. Page requisites (images, styles, scripts) may come from anywhere, because
replay needs them, but nothing is followed from them.
"""

from collections.abc import Iterable
from typing import Final

from strandline.core.capture import Kind
from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import authority, site, surt_key


@dataclass(frozen=True, slots=True)
class ScopeRules:
    """What the user wants: the seeds, how far from them, and exceptions as SURT prefixes."""

    seeds: tuple[str, ...]
    reach: str = "host"
    """page, prefix, host or domain."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hops: int = 20
    requisites: bool = True
    erased: tuple[tuple[str, str], ...] = ()
    """Stretches of SURT keys that were erased from the archive: they are not fetched again."""


_REACHES: Final = ("page", "prefix", "host", "domain")


def wider(new: ScopeRules, old: ScopeRules) -> bool:
    """Whether rules may let in what others refused; where a crawl starts does not count.

    >>> narrow = ScopeRules((), "host", hops=1)
    >>> wider(ScopeRules((), "domain", hops=1), narrow), wider(ScopeRules((), "page", hops=1), narrow)
    (True, False)
    """
    return (
        _REACHES.index(new.reach) > _REACHES.index(old.reach)
        or new.hops > old.hops
        or new.requisites > old.requisites
        or not set(new.include) <= set(old.include)
        or not set(old.exclude) <= set(new.exclude)
    )


def surt_prefix(text: str) -> str:
    """A scope rule in SURT form; a plain address is turned into the prefix of all below it.

    >>> surt_prefix("http://(org,example,)/a/"), surt_prefix("org,example"), surt_prefix("http://www.example.org/a/")
    ('org,example)/a/', 'org,example', 'org,example)/a/')
    """
    rule = text.strip()
    if "://(" in rule:
        rule = rule.split("://(", 1)[1].replace(",)", ")")
        return rule
    if rule.startswith(("http://", "https://")):
        key = surt_key(rule)
        return key + "/" if rule.endswith("/") and not key.endswith("/") else key
    return rule


class Scope:
    """Answers for one address at a time; a seed that redirects elsewhere takes its scope along."""

    def __init__(self, rules: ScopeRules) -> None:
        if rules.reach not in _REACHES:
            raise ValueError(f"scope must be page, prefix, host or domain, not {rules.reach!r}")
        self._rules = rules
        self._include = tuple(surt_prefix(rule) for rule in rules.include)
        self._exclude = tuple(surt_prefix(rule) for rule in rules.exclude)
        self._places: set[str] = set()
        self._prefixes: tuple[str, ...] = ()
        self.extend(rules.seeds)

    def extend(self, seeds: Iterable[str]) -> None:
        """Open the scope of further seeds (canonical addresses)."""
        for seed in seeds:
            match self._rules.reach:
                case "page":
                    self._places.add(seed)
                case "prefix":
                    self._prefixes = (*self._prefixes, _bare(seed.split("?")[0].rpartition("/")[0] + "/"))
                case "host":
                    self._places.add(_without_www(authority(seed)))
                case _:
                    self._places.add(site(seed))

    def refuses(self, url: str, kind: Kind, hops: int) -> str:
        """Why an address is not fetched; empty when it is in scope."""
        if self._exclude and surt_key(url).startswith(self._exclude):
            return "excluded"
        if self._rules.erased and self._was_erased(surt_key(url)):
            return "erased"
        if kind is Kind.REQUISITE:
            return "" if self._rules.requisites else "requisites off"
        if kind is not Kind.PAGE:
            return ""
        if hops > self._rules.hops:
            return "too many hops"
        return "" if self._inside(url) else "out of scope"

    def _was_erased(self, key: str) -> bool:
        return any(low <= key < high for low, high in self._rules.erased)

    def _inside(self, url: str) -> bool:
        match self._rules.reach:
            case "page":
                inside = url in self._places
            case "prefix":
                inside = _bare(url).startswith(self._prefixes)
            case "host":
                inside = _without_www(authority(url)) in self._places
            case _:
                inside = site(url) in self._places
        return inside or bool(self._include and surt_key(url).startswith(self._include))


def _without_www(place: str) -> str:
    return place.removeprefix("www.")


def _bare(url: str) -> str:
    """Address without scheme and `www`, so that http and https, www and bare host are one place."""
    return _without_www(url.split("//", 1)[1])
