"""What is looked up before anything is learned: times that answers claim, first sights of pages, weights of pages."""

from collections.abc import Callable
from itertools import islice

from strandline.archive.folder import Archive
from strandline.core.discovery.weight import weights
from strandline.core.urls import canonical
from strandline.core.wording import counted
from strandline.errors import SettingError
from strandline.learn.first_sights import first_sight, last_modified
from strandline.ports import CaptureReader
from strandline.store.learned import LearnedWriter
from strandline.store.reading import Claim

_BATCH = 500
"""Pages whose captures are read back together. Origin: a bound on memory."""

Tell = Callable[[str], None]


def read_captures(records: CaptureReader, writer: LearnedWriter, say: Tell) -> None:
    """Look at new captures: when they say they changed, and what new pages look like.

    Nothing is read while something is written: what is being read is of a moment, and SQLite refuses a write that rests
    on it once a watch has written meanwhile.
    """
    done = 0
    while batch := list(islice(writer.reading.heads_to_read(), _BATCH)):
        claims = []
        for _, page, capture in batch:
            time = last_modified(records, capture)
            if time is not None:
                claims.append(Claim(page, "last-modified", time, capture.time))
        writer.keep_claims(claims, batch[-1][0])
        done += len(batch)
        say(f"{counted(done, 'answer')} read for their time of change")
    done = last = 0
    while some := list(islice(writer.reading.unsighted(last), _BATCH)):
        found = ((page, first_sight(records, capture)) for page, capture in some)
        writer.keep_first_sights([(page, *sight) for page, sight in found if sight is not None])
        done, last = done + len(some), some[-1][0]
        say(f"{counted(done, 'page')} read for their first sight")


def weigh(archive: Archive, writer: LearnedWriter) -> int:
    """Weights of pages: PageRank over each site's links, then what the user's file says."""
    count, reading = 0, writer.reading
    for name in reading.learned_sites():
        numbers = [row.page for row in reading.pages(name)]
        found = weights(*reading.edges(name), numbers)
        writer.weigh(found.items())
        count += len(found)
    if archive.settings.scope.weights:
        writer.give_weights(_given_weights(archive))
    return count


def _given_weights(archive: Archive) -> list[tuple[str, float]]:
    file = archive.folder / archive.settings.scope.weights
    found = []
    try:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                address, _, weight = line.partition("\t")
                try:
                    value = float(weight)
                    if not 0.0 <= value < float("inf"):
                        raise ValueError("a weight is a number from 0 up")
                    found.append((canonical(address.strip()), value))
                except ValueError as problem:
                    raise SettingError(f"{file}, line {number}: {problem}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingError(f"scope.weights: {file} cannot be read: {problem}") from None
    return found
