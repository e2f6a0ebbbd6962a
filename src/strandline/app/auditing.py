"""A fixity audit of an archive, in a folder or in an object store: what is found, noted, and told.

Each file that is sound is noted in the catalog as it is done. An audit that leaves out what was found sound not long
ago therefore goes on where an earlier one, or the one beside a watch, was cut short. A file with a problem is never
left out: what was noted of it before does not count any more.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress

from strandline.alerts.fixity_audit import found_sound, note_sound, note_unsound
from strandline.app.alerts_listing import note_audit
from strandline.app.opening import place_of
from strandline.archive.folder import Archive
from strandline.errors import ArchiveBusy, OutOfSpace, SettingError, Unreachable, usage_errors
from strandline.settings.units import seconds
from strandline.store.alarming import AlarmReading, AlarmWriter
from strandline.store.catalog import DATABASE
from strandline.warc.verify import Audit, Course


def audit_archive(archive: Archive, older_than: str = "", begun: Callable[[str, int], None] | None = None) -> Audit:
    """Read all WARC files, or those that were not found sound for a while (such as `30 day`), and compare.

    An archive that cannot be written (a read-only disk) is audited all the same.
    """
    now = time.time()
    with usage_errors("--older-than: "):
        since = now - seconds(older_than) if older_than else float("inf")
    archive.reading.count()  # brings an older format up to date
    with closing(AlarmReading.open(archive.folder / DATABASE)) as reading:
        leave_out = found_sound(reading, since) if older_than else set()
    with ExitStack() as stack:
        writer = None
        with suppress(SettingError, OSError):
            writer = stack.enter_context(closing(place_of(archive).alarms()))

        def noted(note: Callable[[AlarmWriter], None]) -> None:
            if writer is not None:
                with suppress(
                    SettingError, OSError, ArchiveBusy, OutOfSpace, Unreachable
                ):  # it is read again next time
                    note(writer)

        def sound(name: str) -> None:
            noted(lambda writer: note_sound(writer, name, time.time()))

        found = archive.verify(Course(leave_out, begun or (lambda _name, _size: None), sound))
        for file in sorted({problem.file for problem in found.problems}):
            noted(lambda writer, file=file: note_unsound(writer, file))  # type: ignore[misc]
    with suppress(Unreachable):  # what hours of reading found is told here, at least
        note_audit(archive, len(found.problems), found.captures)
    return found
