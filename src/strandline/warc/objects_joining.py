"""Finishing what a dead worker left: the parts of a file become the file.

The caller has made sure that the worker is ended and that nothing it may still do is recorded (see
`PostgresCatalog.bury`): then the list of parts cannot grow by anything that counts. Cut short at any point, it is
done again from the start; the parts go last. Parts without their beginning are therefore what is left of a file that
is there as a whole: it was cut short while its parts were removed, or a worker that was thought dead sent one more.
"""

import tempfile
from collections import defaultdict
from pathlib import Path

from strandline.errors import ArchiveDamaged
from strandline.warc.fixity import complete_sums
from strandline.warc.objects import ARCHIVE, PARTS, Objects, part_name
from strandline.warc.objects_writer import remove_parts, send_whole


def unfinished(objects: Objects) -> dict[str, list[tuple[int, int]]]:
    """Files that are in parts: offset and length of each part, in order."""
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for name, size in objects.names(f"{ARCHIVE}/"):
        file, parts, offset = name.removeprefix(f"{ARCHIVE}/").partition(PARTS)
        if parts and offset.isdigit():
            found[file].append((int(offset), size))
    return {file: sorted(parts) for file, parts in found.items()}


def join(objects: Objects, file: str, parts: list[tuple[int, int]], folder: Path, recorded: int) -> int:
    """Make one object of a file's parts, see that it arrived, remove them; returns its size.

    `recorded` is the end of the last record that was promised. Where parts are missing before it, nothing is touched:
    ArchiveDamaged says so, and what is there can still be read. Parts behind a gap were never recorded, and go.
    """
    end = reach(parts)
    there = objects.size(f"{ARCHIVE}/{file}") or 0
    if end < max(recorded, there):
        if there < recorded:
            raise ArchiveDamaged(
                f"{file} cannot be finished: of {recorded} bytes only {max(end, there)} are there in a row; "
                "its parts are left as they are"
            )
        remove_parts(objects, file)
        return there
    with tempfile.TemporaryDirectory(prefix="join-", dir=folder) as place:
        (Path(place) / ARCHIVE).mkdir()
        path = Path(place) / ARCHIVE / file
        with path.open("wb") as out:
            for offset, _ in parts:
                if offset >= end:
                    break
                for piece in objects.stream(part_name(file, offset)):
                    out.write(piece)
        complete_sums(path.parent, file, path)
        send_whole(objects, file, path)
    return end


def reach(parts: list[tuple[int, int]]) -> int:
    """Where the parts that follow one another from the beginning end."""
    end = 0
    for offset, length in parts:
        if offset != end:
            break
        end += length
    return end
