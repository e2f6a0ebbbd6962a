"""A worker in which some pages kill the worker."""

import os
import signal

from strandline.study import worker
from strandline.study.page_study import study_page

prepare = worker.prepare


class _Deadly:
    def __init__(self, reader):
        self._reader = reader

    def __getattr__(self, name):
        return getattr(self._reader, name)

    def visible_hash(self, document):
        if b"deadly" in document.data:
            os.kill(os.getpid(), signal.SIGKILL)
        return self._reader.visible_hash(document)


def study(state, work, begins):
    return study_page(work, _Deadly(state.reader), state.rules, begins)
