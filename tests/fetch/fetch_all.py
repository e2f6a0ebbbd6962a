"""Fetch addresses in a process of its own and say how each ended and how far memory grew. stdin, stdout: JSON."""

import json
import resource
import sys
from pathlib import Path

from strandline.core.capture import Request
from strandline.core.content import decode
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.http import HttpFetcher
from strandline.fetch.options import FetchLimits, FetchOptions


def peak_mebibytes() -> float:
    """Highest resident size of this process; getrusage would start from that of the parent."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def main() -> None:
    job = json.load(sys.stdin)
    if "files" in job:
        resource.setrlimit(resource.RLIMIT_NOFILE, (job["files"], job["files"]))
    options = FetchOptions(
        "test",
        FetchLimits(**job.get("limits", {})),
        AddressPolicy.allowing(job.get("allow", ["127.0.0.1/32"])),
        connections=job.get("connections", 32),
    )
    fetcher = HttpFetcher(options)
    urls = job["urls"]
    for ticket, url in enumerate(urls):
        fetcher.start(Request(url, ticket))
    before = peak_mebibytes()
    results = {}
    while fetcher.in_flight:
        for exchange in fetcher.finished(1.0):
            decoded = decode(exchange.body, exchange.header("content-encoding"), exchange.header("transfer-encoding"))
            results[exchange.request.ticket] = {
                "outcome": exchange.outcome,
                "truncated": exchange.truncated,
                "detail": exchange.detail,
                "status": exchange.status,
                "seconds": exchange.seconds,
                "whole_head": exchange.response_head.endswith((b"\r\n\r\n", b"\n\n")),
                "body_length": exchange.body_length,
                "decoded": len(decoded.data),
                "complete": decoded.complete,
            }
            exchange.body.close()
    fetcher.close()
    json.dump({"results": [results.get(i) for i in range(len(urls))], "grown": peak_mebibytes() - before}, sys.stdout)


if __name__ == "__main__":
    main()
