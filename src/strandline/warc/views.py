"""Records of what a browser showed, beside the answer it was made from, under the names other archivers use."""

from collections import OrderedDict
from typing import Final

from strandline.core.capture import Capture, Place
from strandline.core.shown import DOCUMENT, VIEW, WHOLE_VIEW, Shown
from strandline.warc.output import OpenWarc
from strandline.warc.records import (
    RECORD_END,
    RENDERED_FIELD,
    DigestName,
    digest_of,
    header_block,
    new_record_id,
    warc_date,
)

SAME_FIELD: Final = "Strandline-Same-Picture"
"""Digest of the picture that would stand here, if an earlier look had not the same."""
_MOST_PICTURES: Final = 10_000
"""Pictures whose digests are remembered. Origin: a bound on memory."""


class Pictures:
    """The last pictures of pages: one that is the same at the next look is not kept again."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, str] = OrderedDict()

    def same(self, name: str, digest: str) -> bool:
        """Whether it is the last one under a name; from now on it is."""
        before = self._digests.pop(name, "")
        self._digests[name] = digest
        if len(self._digests) > _MOST_PICTURES:
            self._digests.popitem(last=False)
        return before == digest

    def forget(self) -> None:
        """What was kept lately may be lost."""
        self._digests.clear()


def add_views(
    file: OpenWarc, shown: Shown, records: tuple[str, str], url: str, how: tuple[DigestName, Pictures]
) -> list[Capture]:
    """Append a `resource` record for each view; `records` are the ids of the answer and of the warcinfo. For the index
    each is a capture of its own; the one of a document that stands for the page comes first. Where a picture is not
    kept again, the record in its place names it.
    """
    (answer, about), (digest_name, pictures) = records, how
    made: list[Capture] = []
    same = ""
    for view in shown.views:
        digest, name = digest_of(digest_name, view.data), f"urn:{view.name}:{url}"
        if view.name in (WHOLE_VIEW, VIEW) and shown.stands and pictures.same(name, digest):
            same = digest if view.name == WHOLE_VIEW else same
            continue
        stands = view.name == DOCUMENT and shown.stands
        fields = (
            ("WARC-Type", "resource"),
            ("WARC-Record-ID", new_record_id()),
            ("WARC-Date", warc_date(shown.time)),
            ("WARC-Target-URI", name),
            ("WARC-Warcinfo-ID", about),
            ("WARC-Concurrent-To", answer),
            (RENDERED_FIELD, answer if stands else ""),
            (SAME_FIELD, same),
            ("WARC-Payload-Digest", digest),
            ("WARC-Block-Digest", digest),
            ("Content-Type", view.mime),
        )
        file.add(header_block(fields, len(view.data)) + view.data + RECORD_END)
        end = file.end_record()
        place = Place(file.name, end - file.last_length, file.last_length)
        mime = view.mime.split(";")[0]
        same = ""
        made.insert(0 if stands else len(made), Capture(name, shown.time, 0, mime, digest, place))
    return made
