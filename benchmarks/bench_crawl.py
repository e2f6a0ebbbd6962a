"""Whole crawls of one loopback site: Strandline, wget --warc-file, Scrapy writing WARC, and the bare pipeline.

Targets: per CPU-second >= 1.5x wget, >= 4x Scrapy, >= 0.6 of bare pycurl + fastwarc.
"""

import shutil
import sys
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from benchmarks.loopback import PAGES, loopback
from benchmarks.rivals import cpu_seconds, environment, scratch

TARGETS = {"bare pycurl + fastwarc": 0.6, "wget --warc-file": 1.5, "Scrapy + warcio": 4.0}

_SPIDER = """
import io, sys
import scrapy
from scrapy.crawler import CrawlerProcess
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

start, target = sys.argv[1:]
out = open(target, "wb")
writer = WARCWriter(out, gzip=True)

class Archiver(scrapy.Spider):
    name = "archiver"
    start_urls = [start]
    def parse(self, response):
        heads = [(k.decode(), v[0].decode()) for k, v in response.headers.items()]
        http = StatusAndHeaders(f"{response.status} OK", heads, protocol="HTTP/1.1")
        body = io.BytesIO(response.body)
        record = writer.create_warc_record(response.url, "response", payload=body, http_headers=http)
        writer.write_record(record)
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse)

process = CrawlerProcess({"LOG_ENABLED": False, "CONCURRENT_REQUESTS": 16, "ROBOTSTXT_OBEY": True,
                          "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_DELAY": 0, "TELNETCONSOLE_ENABLED": False})
process.crawl(Archiver)
process.start()
"""


def bare(start: str, folder: Path) -> tuple[float, float]:
    """Fetch the known addresses and write gzip WARC records: nothing is parsed, indexed or made durable."""
    script = folder / "bare.py"
    script.write_text(Path(__file__).with_name("bare_pipeline.py").read_text())
    return cpu_seconds([sys.executable, str(script), start, str(PAGES), str(folder / "bare.warc.gz")])


def strandline(start: str, folder: Path) -> tuple[float, float]:
    """The whole command, start-up included."""
    command = [str(Path(sys.executable).parent / "strandline"), "crawl", str(folder / "archive"), "--seeds", start]
    # No rival studies what changed: captures are left to be studied later.
    options = ["--delay", "0", "--allow-address", "127.0.0.1/32", "--set", "study.workers=0", "--json"]
    return cpu_seconds([*command, *options])


def wget(start: str, folder: Path) -> tuple[float, float]:
    """wget's own crawl with WARC output."""
    command = ["wget", "-q", "-r", "-l", "inf", "-np", f"--warc-file={folder / 'wget'}", "--delete-after", "-nd", start]
    return cpu_seconds(command, cwd=folder)


def scrapy(start: str, folder: Path) -> tuple[float, float] | None:
    """A plain spider that keeps every answer with warcio."""
    place = environment("scrapy-2.19", "scrapy==2.19.0", "warcio==1.8.1")
    if place is None:
        return None
    (folder / "spider.py").write_text(_SPIDER)
    return cpu_seconds([str(place / "python"), str(folder / "spider.py"), start, str(folder / "scrapy.warc.gz")])


def check(folder: Path, name: str) -> None:
    """A tool that did not keep every page has not been measured."""
    kept = 0
    for file in [*folder.glob(f"{name}*.warc.gz"), *(folder / name).glob("archive/*.warc.gz")]:
        with file.open("rb") as stream:
            kept += sum(1 for _ in ArchiveIterator(stream, record_types=WarcRecordType.response))
    if kept < PAGES:
        sys.exit(f"{name} kept {kept} of {PAGES} pages: not a measurement")


def main() -> None:
    rounds = 3
    rows: dict[str, list[tuple[float, float]]] = {}
    with loopback() as start:
        for _ in range(rounds):
            folder = scratch()
            rows.setdefault("strandline", []).append(strandline(start, folder))
            check(folder, "archive")
            rows.setdefault("bare pycurl + fastwarc", []).append(bare(start, folder))
            check(folder, "bare")
            if shutil.which("wget"):
                rows.setdefault("wget --warc-file", []).append(wget(start, folder))
                check(folder, "wget")
            measured = scrapy(start, folder)
            if measured:
                rows.setdefault("Scrapy + warcio", []).append(measured)
                check(folder, "scrapy")
            shutil.rmtree(folder)
    ours = min(seconds for seconds, _ in rows["strandline"])
    print(f"{PAGES} pages of 20-100 KB, best of {rounds}; CPU of the whole command, start-up included")
    print(f"{'':26}{'cpu-s':>8}{'pages/cpu-s':>13}{'peak MiB':>10}{'strandline is':>15}  target")
    for name, results in rows.items():
        seconds, peak = min(result[0] for result in results), max(result[1] for result in results)
        ratio = f"{seconds / ours:14.2f}x  {verdict(name, seconds / ours)}"
        print(f"{name:26}{seconds:8.2f}{PAGES / seconds:13.0f}{peak:10.0f}{ratio}")
    for missing in TARGETS.keys() - rows.keys():
        print(f"{missing}: not available here, not measured")


def verdict(name: str, ratio: float) -> str:
    """Whether the target beside a rival holds."""
    if name not in TARGETS:
        return ""
    return f">= {TARGETS[name]}x {'holds' if ratio >= TARGETS[name] else 'MISSED'}"


if __name__ == "__main__":
    main()
