"""Documents whose coding or charset is not what they say. Bytes are stored as they come: every fetch is fine."""

import gzip
import zlib

import brotli

from hostile.wire import document

PAGE = "<title>café</title><a href='/good/1'>naïve</a>"
UTF8 = PAGE.encode()
GZ = gzip.compress(UTF8 * 50)


def raw_deflate() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(UTF8) + packer.flush()


document(__name__, "says-gzip-is-plain", UTF8, content_encoding="gzip")
document(__name__, "says-br-is-plain", UTF8, content_encoding="br")
document(__name__, "says-br-is-gzip", GZ, content_encoding="br")
document(__name__, "says-nothing-is-gzip", GZ)
document(__name__, "says-gzip-twice-is-once", GZ, content_encoding="gzip, gzip")
document(__name__, "gzip-cut", GZ[:-30], content_encoding="gzip")
document(__name__, "gzip-sum-wrong", GZ[:-8] + b"\0\0\0\0" + GZ[-4:], content_encoding="gzip")
document(__name__, "gzip-then-junk", GZ + b"junk" * 9, content_encoding="gzip")
document(__name__, "gzip-empty", b"", content_encoding="gzip")
document(__name__, "deflate-raw", raw_deflate, content_encoding="deflate")
document(__name__, "br-cut", brotli.compress(UTF8 * 50)[:-5], content_encoding="br")
document(__name__, "coding-unknown", UTF8, content_encoding="aes128gcm")
document(__name__, "coding-is-a-charset", UTF8, content_encoding="utf-8")
document(__name__, "charset-wrong", PAGE.encode("latin-1"), content_type="text/html; charset=utf-8")
document(__name__, "charset-unknown", UTF8, content_type="text/html; charset=klingon-8")
document(__name__, "charset-conflict", b"<meta charset=sjis>" + UTF8, content_type="text/html; charset=utf-8")
document(__name__, "charset-utf16-unmarked", PAGE.encode("utf-16-le"), content_type="text/html; charset=utf-16")
document(__name__, "charset-utf7", b"+ADw-script+AD4-", content_type="text/html; charset=utf-7")
document(__name__, "charset-invalid-utf8", b"<p>\xc3\x28\xf0\x90\xff\xed\xa0\x80</p>")
document(__name__, "type-missing", UTF8, content_type="")
document(__name__, "type-nonsense", UTF8, content_type="////;;;=,")
document(__name__, "type-says-image", UTF8, content_type="image/png")
