"""PDF files as small as they can be: pages of lines in Helvetica."""

import zlib


def made_pdf(*pages, made="D:20260101", packed=True, title="", also=b""):
    """A file with the lines of each page; `made` is when, `also` are instructions after those of each page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    objects.append(f"<< /CreationDate ({made}) /Title ({title}) >>".encode())
    kids = []
    for lines in pages:
        shown = b"".join(b"(%s) Tj T*\n" % line.encode("latin-1") for line in lines)
        told = b"BT /F1 11 Tf 14 TL 50 780 Td\n" + shown + b"ET\n" + also
        data, coding = (zlib.compress(told), b"/Filter /FlateDecode ") if packed else (told, b"")
        objects.append(b"<< %s/Length %d >>\nstream\n%s\nendstream" % (coding, len(data), data))
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R"
        objects.append(f"{page} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
    return with_objects(objects)


def with_objects(objects, trailer=b""):
    """A file of these objects, numbered from 1: the first is the catalog, the fourth says how it was made."""
    data = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R %s>>\nstartxref\n%d\n%%%%EOF\n"
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return data + head + table + end % (len(objects) + 1, trailer, len(data))
