"""Records of what a browser showed, beside the answer it was made from, under the names other archivers use."""

from strandline.core.capture import Capture, Place
from strandline.core.shown import DOCUMENT, Shown
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


def add_views(
    file: OpenWarc, shown: Shown, records: tuple[str, str], url: str, digest_name: DigestName
) -> list[Capture]:
    """Append a `resource` record for each view; `records` are the ids of the answer and of the warcinfo. For the index
    each is a capture of its own; the one of a document that stands for the page comes first.
    """
    answer, about = records
    made: list[Capture] = []
    for view in shown.views:
        digest, name = digest_of(digest_name, view.data), f"urn:{view.name}:{url}"
        stands = view.name == DOCUMENT and shown.stands
        fields = (
            ("WARC-Type", "resource"),
            ("WARC-Record-ID", new_record_id()),
            ("WARC-Date", warc_date(shown.time)),
            ("WARC-Target-URI", name),
            ("WARC-Warcinfo-ID", about),
            ("WARC-Concurrent-To", answer),
            (RENDERED_FIELD, answer if stands else ""),
            ("WARC-Payload-Digest", digest),
            ("WARC-Block-Digest", digest),
            ("Content-Type", view.mime),
        )
        file.add(header_block(fields, len(view.data)) + view.data + RECORD_END)
        end = file.end_record()
        place = Place(file.name, end - file.last_length, file.last_length)
        mime = view.mime.split(";")[0]
        made.insert(0 if stands else len(made), Capture(name, shown.time, 0, mime, digest, place))
    return made
