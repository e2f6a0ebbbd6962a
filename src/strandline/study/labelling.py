"""What people call the blocks of pages: a label is given to a place on a page, and found by it.

A block also answers to its role (main, nav, footer, ...) and to what its names say it is (menu, cookie, share, ...).
"""

from collections.abc import Iterator

from strandline.archive.folder import Archive
from strandline.errors import UsageError
from strandline.store.studying import label_beside
from strandline.study.comparing import known_address, require_blocks
from strandline.study.rating import keep

_LONGEST = 80
"""Letters of a label. Origin: a guess."""


def label(archive: Archive, url: str, block: str, name: str) -> None:
    """Call a block of a page something; an empty name takes the label back. What it is called is found at once.

    A crawl or watch that runs meanwhile is not in the way.
    """
    address = known_address(archive, url)
    name = " ".join(name.split())
    if len(name) > _LONGEST:
        raise UsageError(f"a label has at most {_LONGEST} letters")
    if name and not any(letter.isalnum() for letter in name):
        raise UsageError(f"a label has letters or digits, unlike {name!r}")
    if name:
        require_blocks(archive, address, [block])
    keep(
        archive,
        "label",
        lambda studies: studies.label(address, block, name),
        lambda database: label_beside(database, address, block, name),
    )


def given_labels(archive: Archive, url: str = "") -> Iterator[tuple[str, str, str, float]]:
    """Labels people gave: address, path, label, time; of one page when it is named."""
    address = known_address(archive, url) if url else ""
    return (row for row in archive.studies.all_labels() if address in ("", row[0]))
