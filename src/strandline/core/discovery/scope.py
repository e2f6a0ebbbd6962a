"""Which addresses belong to a crawl.

A seed opens a scope: the page alone, its directory, its host, or all hosts of its registered domain. SURT prefixes
widen or narrow it; an exclusion always wins. Page requisites (images, styles, scripts) may come from anywhere, because
replay needs them, but nothing is followed from them.
"""

from collections.abc import Iterable
from typing import Final

from strandline.core.capture import Kind
from strandline.core.discovery.site_rules import ByHost
from strandline.core.quick_dataclass import dataclass
from strandline.core.request_keys import METHOD_KEY
from strandline.core.urls import authority, site, surt_key


@dataclass(frozen=True, slots=True)
class SiteScope:
    """What is said of one site; what is empty or 0 is as for all."""

    name: str
    reach: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hops: int = 0
    removed: bool = False
    """Whether its pages are out, whoever names them; their parts are not."""


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
    sites: tuple[SiteScope, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    """Stretches of SURT keys of pages that were put aside: nobody visits them, what other pages need is fetched."""

    def of(self, name: str) -> "ScopeRules":
        """The rules of one site."""
        own = next((one for one in self.sites if one.name == name), SiteScope(name))
        return ScopeRules(
            (),
            own.reach or self.reach,
            (*self.include, *own.include),
            (*self.exclude, *own.exclude),
            own.hops or self.hops,
            self.requisites,
        )


_REACHES: Final = ("page", "prefix", "host", "domain")


def wider(new: ScopeRules, old: ScopeRules) -> bool:
    """Whether rules may let in what others refused; where a crawl starts does not count.

    >>> narrow = ScopeRules((), "host", hops=1)
    >>> wider(ScopeRules((), "domain", hops=1), narrow), wider(ScopeRules((), "page", hops=1), narrow)
    (True, False)
    >>> wider(ScopeRules((), "page", hops=1, sites=(SiteScope("a", hops=2),)), narrow)
    True
    """
    if new.sites or old.sites:
        names = {one.name for one in (*new.sites, *old.sites)}
        if any(wider(new.of(name), old.of(name)) for name in names):
            return True
    return (
        _REACHES.index(new.reach) > _REACHES.index(old.reach)
        or new.hops > old.hops
        or new.requisites > old.requisites
        or not set(new.include) <= set(old.include)
        or not set(old.exclude) <= set(new.exclude)
        or not set(old.aside) <= set(new.aside)
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


class _Ground:
    """What the seeds of one site open, or those of all that have no rules of their own."""

    def __init__(self, rules: ScopeRules, name: str = "", removed: bool = False) -> None:
        if rules.reach not in _REACHES:
            raise ValueError(f"scope must be page, prefix, host or domain, not {rules.reach!r}")
        self.name = name
        self.removed = removed
        self.hops = rules.hops
        self._reach = rules.reach
        self._include = tuple(surt_prefix(rule) for rule in rules.include)
        self._exclude = tuple(surt_prefix(rule) for rule in rules.exclude)
        self._places: set[str] = set()
        self._prefixes: tuple[str, ...] = ()

    def open(self, seed: str) -> None:
        match self._reach:
            case "page":
                self._places.add(seed)
            case "prefix":
                self._prefixes = (*self._prefixes, _bare(seed.split("?")[0].rpartition("/")[0] + "/"))
            case "host":
                self._places.add(_without_www(authority(seed)))
            case _:
                self._places.add(site(seed))

    def excludes(self, url: str) -> bool:
        return bool(self._exclude) and surt_key(url).startswith(self._exclude)

    def inside(self, url: str) -> bool:
        match self._reach:
            case "page":
                inside = url in self._places
            case "prefix":
                inside = _bare(url).startswith(self._prefixes)
            case "host":
                inside = _without_www(authority(url)) in self._places
            case _:
                inside = site(url) in self._places
        return inside or bool(self._include and surt_key(url).startswith(self._include))


class Scope:
    """Answers for one address at a time; a seed that redirects elsewhere takes its scope along.

    A site with rules of its own opens what its own seeds reach by these; nobody else's seeds lead past its exclusions.
    """

    def __init__(self, rules: ScopeRules) -> None:
        self.change(rules)

    def change(self, rules: ScopeRules) -> None:
        """Go by other rules from now on; what seeds were found to have moved to has to be told again."""
        self._requisites = rules.requisites
        self._erased = rules.erased
        self._aside = rules.aside
        self._common = _Ground(rules)
        self._grounds = [_Ground(rules.of(one.name), one.name, one.removed) for one in rules.sites]
        self._by_host = ByHost(self._grounds)
        self._grounds.append(self._common)
        self.extend(rules.seeds)

    def _ground(self, url: str) -> _Ground:
        return self._by_host.of(authority(url)) or self._common if len(self._grounds) > 1 else self._common

    def extend(self, seeds: Iterable[str]) -> None:
        """Open the scope of further seeds (canonical addresses)."""
        for seed in seeds:
            self._ground(seed).open(seed)

    def moved(self, seed: str, target: str) -> None:
        """A seed leads elsewhere: the scope there is as wide as it was at the seed, unless the place has its own."""
        own = self._ground(target)
        (self._ground(seed) if own is self._common else own).open(target)

    def refuses(self, url: str, kind: Kind, hops: int) -> str:
        """Why an address is not fetched; empty when it is in scope."""
        if METHOD_KEY in url:  # stands for a request with a body; asked with GET it is another one
            return "no address of a page"
        own = self._ground(url)
        if own.excludes(url) or self._common.excludes(url):
            return "excluded"
        if self._erased and _within(self._erased, surt_key(url)):
            return "erased"
        if kind is Kind.REQUISITE:
            return "" if self._requisites else "requisites off"
        if kind is not Kind.PAGE:
            return ""
        if own.removed:
            return "site removed"
        if self._aside and _within(self._aside, surt_key(url)):
            return "put aside"
        near = [ground for ground in self._grounds if hops <= ground.hops]
        if not near:
            return "too many hops"
        if any(ground.inside(url) for ground in near):
            return ""
        far = len(near) < len(self._grounds) and any(ground.inside(url) for ground in self._grounds)
        return "too many hops" if far else "out of scope"


def _within(stretches: tuple[tuple[str, str], ...], key: str) -> bool:
    return any(low <= key < high for low, high in stretches)


def _without_www(place: str) -> str:
    return place.removeprefix("www.")


def _bare(url: str) -> str:
    """Address without scheme and `www`, so that http and https, www and bare host are one place."""
    return _without_www(url.split("//", 1)[1])
