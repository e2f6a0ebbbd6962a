"""Finishing what a dead worker left: the parts of a file become the file.

The caller has made sure that the worker is ended and that nothing it may still do is recorded (see
`PostgresCatalog.bury`): then the list of parts cannot grow by anything that counts. Cut short at any point, it is
done again from the start; the parts go last.
"""

import tempfile
from collections import defaultdict
from pathlib import Path

from strandline.warc.fixity import complete_sums
from strandline.warc.objects import ARCHIVE, PARTS, Objects
from strandline.warc.objects_writer import send_whole


def unfinished(objects: Objects) -> dict[str, list[tuple[int, int]]]:
    """Files that are in parts: offset and length of each part, in order."""
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for name, size in objects.names(f"{ARCHIVE}/"):
        file, parts, offset = name.removeprefix(f"{ARCHIVE}/").partition(PARTS)
        if parts and offset.isdigit():
            found[file].append((int(offset), size))
    return {file: sorted(parts) for file, parts in found.items()}


def join(objects: Objects, file: str, parts: list[tuple[int, int]], folder: Path) -> int:
    """Make one object of a file's parts, see that it arrived, remove them; returns its size.

    Parts behind a gap are left alone: a worker that could not send a part recorded nothing behind it.
    """
    with tempfile.TemporaryDirectory(prefix="join-", dir=folder) as place:
        (Path(place) / ARCHIVE).mkdir()
        path = Path(place) / ARCHIVE / file
        end = 0
        with path.open("wb") as out:
            for offset, length in parts:
                if offset != end:
                    break
                for piece in objects.stream(f"{ARCHIVE}/{file}{PARTS}{offset:016d}"):
                    out.write(piece)
                end += length
        complete_sums(path.parent, file, path)
        send_whole(objects, file, path)
    return end
