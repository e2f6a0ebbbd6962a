"""Real pages with their content marked, where the shared data is."""

import json
import lzma
import os
from pathlib import Path

import pytest

_SHARED = Path(os.environ.get("STRANDLINE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
_MARKED = _SHARED / "content" / "wcxb_dev.jsonl.xz"

needs_real_pages = pytest.mark.skipif(not _MARKED.is_file(), reason="the shared pages with content marked are not here")


def real_pages():
    """Each page as a dictionary: url, type, html, and texts that are of its content (`with`) and that are not."""
    with lzma.open(_MARKED, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
