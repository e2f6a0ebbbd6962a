"""Pages that have to be studied again from their captures, because some of what they were studied from was erased."""

from strandline.archive.folder import Archive
from strandline.store.erasing import AGAIN, to_study_again
from strandline.study.pending import studying_of


def study_again(archive: Archive) -> int:
    """Study the pages that wait for it; returns how many. Without workers for study they go on waiting."""
    with archive.writing("study") as catalog:
        waiting = archive.beside(to_study_again)
        if not waiting or not archive.settings.study.workers:
            return 0
        with studying_of(archive, catalog) as studying:
            for page, url, level in waiting:
                studying.relearn(url, page, level or archive.settings.study.level)
                catalog.note(AGAIN, [(str(page), None)])
        return len(waiting)
