"""Writer, reader and audit beside warcio and bare fastwarc, in one run: only the ratios count.

    python benchmarks/bench_warc.py [--records 400]

Records are pages of 20 to 100 KB. Every figure is per CPU-second of this process; peak memory is printed at the end.
"""

import argparse
import io
import random
import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from strandline.warc.captures import Kept, captures_of
from strandline.warc.importing import check_window
from strandline.warc.members import Window
from strandline.warc.reader import WarcReader
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from fastwarc.stream_io import GzipWriter
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
    from warcio.archiveiterator import ArchiveIterator as WarcioIterator
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter


def pages(count):
    """Bodies like HTML: tags and words, some of them rare."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(5000)]
    made = []
    for _ in range(count):
        size, parts, length = rng.randint(20_000, 100_000), [], 0
        while length < size:
            paragraph = f'<p class="c{rng.randint(0, 30)}">{" ".join(rng.choices(words, k=40))}</p>\n'
            parts.append(paragraph)
            length += len(paragraph)
        made.append("".join(parts).encode())
    return made


def timed(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def write_ours(bodies, folder):
    archive = folder / "archive"
    archive.mkdir()
    exchanges = [exchange(f"http://example.org/{i}", body) for i, body in enumerate(bodies)]

    def work():
        writer = WarcWriter(archive, ABOUT, StillClock(), WriterSettings(host="h"))
        captures = []
        for number, one in enumerate(exchanges):
            captures.append(writer.keep(one))
            if number % 64 == 63:
                writer.sync()
        writer.close()
        return captures

    return timed(work)


def write_fastwarc(bodies, path):
    """Answer and request with digests, one member each: what a bare pipeline does."""
    exchanges = [exchange(f"http://example.org/{i}", body) for i, body in enumerate(bodies)]

    def work():
        with path.open("wb") as raw:
            out = GzipWriter(raw, 6)
            for one, body in zip(exchanges, bodies, strict=True):
                for kind, content in (
                    (WarcRecordType.response, one.response_head + body),
                    (WarcRecordType.request, one.request_head),
                ):
                    record = WarcRecord()
                    record.init_headers(kind)
                    record.headers["WARC-Target-URI"] = one.request.url
                    record.is_http = True
                    record.set_bytes_content(content)
                    record.parse_http()
                    record.write(out, checksum_data=True)
                    out.finish()

    return timed(work)[0]


def write_warcio(bodies, path):
    def work():
        with path.open("wb") as raw:
            out = WARCWriter(raw, gzip=True, warc_version="WARC/1.1")
            for number, body in enumerate(bodies):
                url = f"http://example.org/{number}"
                head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
                request = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
                answer = out.create_warc_record(url, "response", io.BytesIO(body), http_headers=head)
                asked = out.create_warc_record(url, "request", io.BytesIO(b""), http_headers=request)
                out.write_request_response_pair(asked, answer)

    return timed(work)[0]


def read_fastwarc(path):
    def work():
        count = 0
        for record in ArchiveIterator(path.open("rb"), verify_digests=True):
            count += len(record.reader.read())
        return count

    return timed(work)[0]


def read_warcio(path):
    def work():
        with path.open("rb") as stream:
            for record in WarcioIterator(stream, check_digests=True):
                while record.raw_stream.read(1 << 16):
                    pass

    return timed(work)[0]


def beside(name, ours, others, rest=""):
    """One line of figures."""
    count, fast, warcio = others
    ratios = f"{fast / ours:5.2f} x fastwarc   {warcio / ours:5.2f} x warcio"
    print(f"{name:8s} {count / ours:7.0f} captures/cpu-s   {ratios}{rest}")


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=400)
    count = parser.parse_args().records
    bodies = pages(count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, captures = write_ours(bodies, folder)
        path = folder / "archive" / captures[0].place.file
        fast, warcio = write_fastwarc(bodies, folder / "f.warc.gz"), write_warcio(bodies, folder / "w.warc.gz")
        beside("write", ours, (count, fast, warcio))
        fast, warcio = read_fastwarc(path), read_warcio(path)
        ours, audit = timed(lambda: verify(path.parent, lambda: iter(captures)))
        assert audit.ok
        stored, unpacked = path.stat().st_size, sum(map(len, bodies))
        rates = f"   {unpacked / ours / 2**20:.0f} MiB/s of content, {stored / ours / 2**20:.0f} MiB/s of file"
        beside("verify", ours, (count, fast, warcio), rates)
        ours, kept = timed(lambda: sum(isinstance(item, Kept) for item in captures_of(path)))
        beside("reindex", ours, (kept, fast, warcio))
        window = Window(path)
        ours, _ = timed(lambda: check_window(window, "x"))
        window.close()
        print(f"import   {count / ours:7.0f} captures/cpu-s checked")
        reader = WarcReader(path.parent)
        ours, _ = timed(lambda: [reader.read(capture.place).body.read() for capture in captures])
        print(f"read     {count / ours:7.0f} captures/cpu-s in random access")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
