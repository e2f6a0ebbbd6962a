"""Which sites an archive knows: whoever asks for another one is told so, instead of getting an empty answer."""

from itertools import islice

from strandline.archive.folder import Archive
from strandline.core.urls import canonical, site
from strandline.errors import UsageError

_NAMED = 10


def require_site(archive: Archive, name: str) -> None:
    """UsageError, naming some there are, unless the archive has this site: a registered domain, or one of its hosts."""
    if not name:
        return
    try:
        own = site(canonical(f"http://{name}/"))
    except (ValueError, IndexError):
        own = name
    hosts = [row.name for row in archive.reading.hosts(own)]
    if not hosts or (name != own and name not in hosts):
        known = [row.name for row in islice(archive.reading.sites(), _NAMED + 1)]
        more = ", ..." if len(known) > _NAMED else ""
        there = f"there are {', '.join(known[:_NAMED])}{more}" if known else "it is empty"
        raise UsageError(f"no site {name!r} in this archive; {there}")
