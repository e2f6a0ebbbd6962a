"""Studying what is pending before a command answers, with progress for people."""

import sys

from strandline.archive.folder import Archive
from strandline.cli.output import tell
from strandline.core.wording import counted
from strandline.errors import ArchiveBusy, SettingError, Unreachable
from strandline.study.pending import study


def study_pending(archive: Archive, quiet: bool) -> None:
    """Study what is pending, if this process may write; whatever is known is shown in any case."""
    pending = archive.studies.waiting()
    if not pending:
        return
    told = 0

    def progress(done: int, left: int) -> None:
        nonlocal told
        if not quiet and sys.stderr.isatty() and left and done - told >= 1000:
            told = done
            tell(f"{counted(done, 'capture')} studied, {left} to go")

    try:
        study(archive, progress)
    except (ArchiveBusy, SettingError, Unreachable) as problem:
        tell(f"{counted(pending, 'capture is', 'captures are')} still to be studied ({problem})")
