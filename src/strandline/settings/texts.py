"""What the text of a setting may say: each form is a function that raises ValueError with what is wrong.

A value that cannot work is told where it is set or read, not when a crawl fails by it hours later. What depends on the
machine (a file that is to be there, a name in the environment) is looked at by whoever needs it. Passwords are not
repeated. Modules that are slow to load are loaded when a text needs them; the defaults need none.
"""

import math
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from strandline.settings.units import Rate, octets, rate, seconds

STRATEGIES: Final = (
    "change-class", "change-class-bayesian", "coherence", "frequency", "freshness", "importance", "importance-pattern",
    "importance-pattern-online", "lambda-crawl", "nutch", "pattern", "priced-plan", "relevance", "relevance-top",
    "round-robin", "sharc",
)  # fmt: skip
"""Those of core/rivals/catalogue.py, which takes long to load."""
_LETTERS: Final = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ "
    "CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO "
    "FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE "
    "JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO "
    "MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW "
    "PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM "
    "TN TO TR TT TV TW TZ UA UG UK UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"
)
COUNTRIES: Final = frozenset(_LETTERS.split())
"""Countries whose public holidays are known to the library that core/history/calendar.py asks."""
_CONTACT: Final = re.compile(r"(https?://[^\s/?#]+\S*|mailto:[^\s@]+@[^\s@]+)", re.IGNORECASE)
HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)+(:\d+)?(/|$)")
"""What looks like an address whose scheme was left out."""
_PREFIX: Final = re.compile(r"([^/.\x00-\x1f][^/\x00-\x1f]*)?")
_LONGEST_PREFIX: Final = 120
_MAIL: Final = re.compile(r"[^@\s<>,;:\"]+@[^@\s<>,;:\"]+")
_ENVIRONMENT: Final = re.compile(r"\$(?:\{\w+\}|\w+)")
_CAMPAIGN: Final = re.compile(r"\s*([^:]+):\s+(\S+)\s+from\s+(\S+)\s+to\s+(\S+)(?:\s+x\s*(\d+(?:\.\d+)?))?\s*")
_OUR_FIELDS: Final = frozenset(
    {
        "host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect", "accept-encoding",
        "if-none-match", "if-modified-since", "user-agent", "range",
    }
)  # fmt: skip
"""Fields of requests a site cannot have of its own: they carry the exchange, say who asks, or what is known."""
_LONGEST_DESCRIPTION: Final = 4_000
"""Characters of a field that describes a collection. Origin: a guess."""
_PROXIES: Final = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")


def line(text: str) -> None:
    """Any text of one line: it becomes a line of a WARC record, or a message."""
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c != "\t" for c in text):
        raise ValueError("expected one line of text without control characters")


def contact(text: str) -> None:
    """A page or a mailbox, or nothing: it is sent with every request, as part of a header."""
    if text and not (_CONTACT.fullmatch(text) and text.isprintable() and text.isascii()):
        raise ValueError(
            f"{text!r} is no address where site owners reach you; use https://your.page/ or mailto:you@your.page"
        )


def address(text: str) -> None:
    """The address of a page."""
    from strandline.core.urls import canonical  # noqa: PLC0415

    try:
        canonical(text)
    except ValueError as problem:
        hint = f"; did you mean https://{text}?" if HOST.match(text) else ""
        raise ValueError(f"{problem}{hint}") from None


def surt(text: str) -> None:
    """A SURT prefix, or an address that stands for one. Nothing would stand for the whole web.

    >>> surt("example.org/calendar")
    Traceback (most recent call last):
    ValueError: 'example.org/calendar' is no SURT prefix; write it like org,example)/calendar or as https://...
    """
    rule = text.strip()
    host = re.split(r"[)/:]", rule)[0]
    numeric = host.replace(".", "").isdigit()
    if "://" in rule and "://(" not in rule:
        address(rule)
    elif not rule or re.search(r"\s", rule) or "*" in host or ("." in host and not numeric):
        raise ValueError(f"{text!r} is no SURT prefix; write it like org,example)/calendar or as https://...")


def block(text: str) -> None:
    """A block of addresses of machines."""
    from ipaddress import ip_network  # noqa: PLC0415

    try:
        ip_network(text.strip())
    except ValueError as problem:
        raise ValueError(f"{problem}; write it like 127.0.0.1/32 or 10.0.0.0/8") from None


def query_key(text: str) -> None:
    """The name of a query argument, without its value."""
    if "=" in text:
        raise ValueError("name the key alone; its value belongs into STRANDLINE_QUERY")
    if not re.fullmatch(r"[^\s&?#]+", text):
        raise ValueError(f"{text!r} is no query key")


def proxy(text: str) -> None:
    """A proxy, or nothing."""
    if not text:
        return
    parts = _split(text if "://" in text else f"http://{text}", "http://proxy.example:3128")
    if parts.password is not None:
        raise ValueError("the password belongs into STRANDLINE_PROXY_PASSWORD; write http://user@proxy.example:3128")
    named = "://" in text or parts.port
    if parts.scheme not in _PROXIES or not named or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(
            f"{text!r} is no proxy; write it like http://proxy.example:3128 or socks5h://proxy.example:1080"
        )


def _split(text: str, example: str) -> SplitResult:
    """The parts of an address of any scheme with a host; ValueError when it is none. Reads the port, too."""
    hidden = re.sub(r"//[^@/]*@", "//...@", text)
    try:
        parts = urlsplit(text)
        usable = bool(parts.hostname) and not re.search(r"\s", text) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"{hidden!r} is no address of a machine; write it like {example}")
    return parts


def delay(text: str) -> None:
    """A pause: a duration, or auto."""
    if text != "auto":
        seconds(text)


def retention(text: str) -> None:
    """A rule by which less is kept."""
    from strandline.core.keeping.retention import rule_of  # noqa: PLC0415 - most commands need no rules

    rule_of(text)


def reserve(text: str) -> None:
    """Room on disk: a size, or auto."""
    if text.strip() != "auto":
        octets(text)


def prefix(text: str) -> None:
    """The first part of names of files."""
    if not _PREFIX.fullmatch(text) or len(text.encode()) > _LONGEST_PREFIX:
        raise ValueError(f"{text[:40]!r} cannot begin the names of files; use letters, digits, hyphens")


def strategy(text: str) -> None:
    """A strategy of ours, or one that another package registered."""
    if text.removesuffix("-learned") in STRATEGIES:
        return
    from importlib.metadata import entry_points  # noqa: PLC0415

    known = sorted({*STRATEGIES, *(entry.name for entry in entry_points(group="strandline.strategies"))})
    if text.removesuffix("-learned") not in known:
        raise ValueError(f"{text!r} is not one of {', '.join(known)}")


def place_budget(text: str) -> tuple[str, Rate]:
    """A site or host, and the most requests it gets."""
    place, space, budget = text.strip().partition(" ")
    if not space or "/" in place:
        raise ValueError(f'{text!r} should name a place and a budget, for example "example.org 100/day"')
    found = rate(budget)
    if found.in_bytes:
        raise ValueError(f"{text!r}: caps of sites and hosts are counted in requests")
    return place, found


class Campaign(NamedTuple):
    """What matters more for some time; times are UTC epoch seconds."""

    name: str
    place: str
    start: float
    end: float
    factor: float


def campaign(text: str) -> Campaign:
    """A campaign as the settings write it.

    >>> campaign("floods: https://news.example/rhine/ from 2026-03-01 to 2026-03-14 x5").factor
    5.0
    """
    match = _CAMPAIGN.fullmatch(text)
    try:
        if match is None:
            raise ValueError('write it like "floods: https://news.example/rhine/ from 2026-03-01 to 2026-03-14 x10"')
        name, place, start, end, factor = match.groups()
        found = Campaign(name.strip(), place, _time(start), _time(end), float(factor or 10.0))
        if not found.end > found.start or not 0.0 < found.factor < math.inf:
            raise ValueError("a campaign must end after it starts and multiply by more than zero")
    except (ValueError, OverflowError) as problem:
        raise ValueError(f"{text!r}: {problem}") from None
    return found


def _time(text: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no date; use 2026-03-01 or 2026-03-01T12:00Z") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def zone(text: str) -> None:
    """A time zone, or auto."""
    if text == "auto":
        return
    from zoneinfo import ZoneInfo  # noqa: PLC0415

    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"there is no time zone {text!r}; write it like Europe/Paris") from None


def country(text: str) -> None:
    """A country by its two letters, auto, or none."""
    if text.lower() not in ("auto", "none", "") and text.upper() not in COUNTRIES:
        raise ValueError(f"there is no country {text!r}; write two letters such as FR, auto or none")


def site_clock(text: str) -> None:
    """A site, its zone and perhaps its country."""
    words = text.split()
    if len(words) not in (2, 3):
        raise ValueError(f'{text!r} is not of the form "example.org Asia/Tokyo JP"')
    zone(words[1])
    country(words[2] if len(words) == 3 else "none")


def site_browser(text: str) -> tuple[str, str]:
    """A site or host, and whether its pages are shown in a browser."""
    place, _, choice = text.strip().partition(" ")
    if choice.strip() not in ("never", "auto", "always") or "/" in place:
        raise ValueError(f'{text!r} is not of the form "example.org always"; it is never, auto or always')
    return place.lower(), choice.strip()


def host(text: str) -> None:
    """A name or an address to listen on."""
    from ipaddress import ip_address  # noqa: PLC0415

    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        if not re.fullmatch(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?", text):
            raise ValueError(f"{text!r} is no address to listen on; write it like 127.0.0.1 or ::1") from None


def told(text: str) -> tuple[str, dict[str, str]]:
    """Whom to tell, and what narrows it: min, site, collection, only."""
    name, *words = text.split() or [""]
    options: dict[str, str] = {}
    for word in words:
        option, equals, value = word.partition("=")
        if not equals or option not in ("min", "site", "collection", "only") or not value:
            raise ValueError(f"{word!r}: write min=0.5, site=example.org, collection=news or only=changes")
        options[option] = value
    if not re.fullmatch(r"\d*\.?\d+|\d+\.?", options.get("min", "0")):
        raise ValueError(f"min={options['min']} is no number")
    if options.get("only", "changes") not in ("changes", "alarms", "searches", "digest"):
        raise ValueError(f"only={options['only']} is none of changes, alarms, searches and digest")
    return name, options


def saved(text: str) -> tuple[str, str]:
    """A search that was saved: its name and its words, in one line."""
    name, colon, words = (part.strip() for part in text.partition(":"))
    there = re.search(r"[^\W_]", re.sub(r'(?:^|\s)-(?:"[^"]*"?|\S+)', " ", words))
    if not (colon and there and re.fullmatch(r"[^\W_][\w .-]{0,59}", name) and words.isprintable()):
        raise ValueError(f'{text[:80]!r}: write a name, and words that are there: prices: "new price" OR sale -closed')
    return name, words


def webhook(text: str) -> None:
    """An address that is told; names of the environment stand for parts of it."""
    from strandline.core.urls import canonical  # noqa: PLC0415

    place = _ENVIRONMENT.sub("x", told(text)[0])
    parts = _split(place, "https://hooks.example/path")
    if parts.scheme not in ("http", "https") or "@" in parts.netloc:
        raise ValueError("expected https://host/path; a password belongs into the environment, as $NAME")
    canonical(place)


def mailbox(text: str) -> None:
    """Somebody who gets mail."""
    name = told(text)[0]
    if not _MAIL.fullmatch(name):
        raise ValueError(f"{name!r} is no e-mail address")


def sender(text: str) -> None:
    """Whom mail comes from, or nobody."""
    if text and not _MAIL.fullmatch(text):
        raise ValueError(f"{text!r} is no e-mail address")


def mail_server(text: str) -> None:
    """Where mail is handed in, or nothing."""
    if not text:
        return
    parts = _split(text, "smtps://mail.example:465 or smtp://mail.example:587")
    if parts.username is not None or parts.password is not None:
        raise ValueError("user and password belong into STRANDLINE_SMTP_USER and STRANDLINE_SMTP_PASSWORD")
    if parts.scheme not in ("smtp", "smtps") or parts.path.strip("/"):
        raise ValueError(f"{text!r} is no mail server; write smtps://mail.example:465 or smtp://mail.example:587")


def link(text: str) -> None:
    """The address of the interface, or nothing."""
    if text:
        address(text)


def site_or_all(text: str) -> None:
    """A registered domain, a host, or "*" for every site."""
    if text != "*" and ("/" in text or not text.strip() or text != text.strip()):
        raise ValueError(f'{text!r} is no site; write it like example.org, or "*" for all')


def site_name(text: str) -> None:
    """A registered domain or a host, without scheme and path."""
    if not re.fullmatch(r"(\[[0-9a-f:.]+\]|[\w-]+(\.[\w-]+)*)(:\d{1,5})?", text) or text != text.lower():
        raise ValueError(f"{text!r} is no name of a site; write it like example.org or news.example.org")


def collection_name(text: str) -> None:
    """A short name of a collection, which fits into an address."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,59}", text):
        raise ValueError(f"{text[:60]!r} is no name of a collection; use small letters, digits, dots and hyphens")


def described(text: str) -> None:
    """What describes a collection: one line, of which packages and records make fields."""
    line(text)
    if len(text) > _LONGEST_DESCRIPTION:
        raise ValueError(f"at most {_LONGEST_DESCRIPTION} characters")


def member(text: str) -> None:
    """A page, or a beginning of addresses with * at its end."""
    if "://" not in text or "*" in text[:-1]:
        raise ValueError(f"{text!r} is no address; write it like https://example.org/a or https://example.org/news/*")
    address(text.removesuffix("*"))


def site_delay(text: str) -> None:
    """A pause, or nothing."""
    if text:
        delay(text)


def site_budget(text: str) -> None:
    """The most requests a site gets, or nothing."""
    if text:
        place_budget(f"site {text}")


def hours(text: str) -> None:
    """Hours of days of the week."""
    from strandline.core.discovery.site_rules import windows_of  # noqa: PLC0415

    windows_of(text)


def header(text: str) -> tuple[str, str]:
    """A field of a request: its name, and its value, which may name the environment.

    >>> header("Accept-Language: de"), header("Cookie: $NEWS_COOKIE")[1]
    (('Accept-Language', 'de'), '$NEWS_COOKIE')
    """
    name, colon, value = text.partition(":")
    value = value.strip()
    if not colon or not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) or not value or not value.isprintable():
        raise ValueError(f'{name[:40]!r} is no field of a request; write it like "Accept-Language: de"')
    if name.lower() in _OUR_FIELDS:
        raise ValueError(f"{name} is ours to set")
    if max(value) > "\u00ff":
        raise ValueError(f"{name}: fields of requests know Latin letters only")
    return name, value


def header_name(text: str) -> None:
    """The name of a field of requests, or nothing."""
    if text and not re.fullmatch(r"[A-Za-z0-9-]{1,100}", text):
        raise ValueError(f"{text!r} is no name of a field; write it like X-Remote-User")


FORMS: Final[dict[str, Callable[[str], object]]] = {
    form.__name__: form
    for form in (
        line, contact, address, surt, block, query_key, proxy, delay, reserve, prefix, strategy, place_budget,
        campaign, zone, country, site_clock, site_browser, host, saved, webhook, mailbox, sender, mail_server, link,
        site_or_all, retention, site_name, site_delay, site_budget, hours, header, header_name,
        collection_name, described, member,
    )
}  # fmt: skip
"""By the names that the schema uses."""
