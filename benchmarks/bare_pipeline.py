"""The least that writes a WARC: pycurl fetches a known list, fastwarc writes gzip-6 records, nothing is parsed.

usage: bare_pipeline.py START PAGES OUT
"""

import io
import sys
from pathlib import Path

import pycurl
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType


def main(start: str, pages: int, out: str) -> None:
    waiting = [f"{start}d{n % 20}/p{n}.html" for n in range(pages)]
    multi = pycurl.CurlMulti()
    idle = [pycurl.Curl() for _ in range(16)]
    state = {}
    with Path(out).open("wb") as raw:
        stream = GzipWriter(raw, compression_level=6)
        while waiting or state:
            while waiting and idle:
                curl = idle.pop()
                head, body = io.BytesIO(), io.BytesIO()
                url = waiting.pop()
                curl.setopt(pycurl.URL, url)
                curl.setopt(pycurl.HEADERFUNCTION, head.write)
                curl.setopt(pycurl.WRITEFUNCTION, body.write)
                state[curl] = (url, head, body)
                multi.add_handle(curl)
            multi.perform()
            multi.select(0.05)
            _, ended, failed = multi.info_read()
            for curl in ended:
                url, head, body = state.pop(curl)
                multi.remove_handle(curl)
                idle.append(curl)
                record = WarcRecord()
                record.init_headers(WarcRecordType.response)
                record.headers["WARC-Target-URI"] = url
                record.set_bytes_content(head.getvalue() + body.getvalue())
                record.write(stream, checksum_data=True)
                stream.finish()
            assert not failed
        stream.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
