"""A cluster on this machine: leases a second from PostgreSQL, and captures a second of 1, 2, 4 and 8 workers, of many
hosts and of one.

    python -m benchmarks.bench_cluster [pages]

Both servers are real and are started here. Leases are taken in batches of 50, one page per host and batch, as a worker
with 50 connections would. The workers crawl small sites on the loopback interface without pauses, WARC goes to the S3
server; what matters is the ratio, because the servers, the sites and the workers share the same cores.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from servers import postgres, s3
from servers.sites import sites
from strandline.core.capture import Kind
from strandline.ports import Found
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.frontier import LeaseTerms

BATCH = 50
WANTED = 5_000


def lease_all(database: str, start: float, queue) -> None:
    """One process: take until nothing is left."""
    catalog = PostgresCatalog(database, LeaseTerms(300.0))
    catalog._frontier._asked = math.inf  # nobody gives hosts back here, so nobody may ask for them
    catalog.take(0, 200.0, 100.0, ())
    time.sleep(max(0.0, start - time.time()))
    leased, last, cpu = 0, time.time(), cpu_of(catalog)
    while time.time() < last + 2:
        tasks = catalog.take(BATCH, 200.0, 100.0, ())
        leased += len(tasks)
        last = time.time() if tasks else last
    queue.put((leased, last, cpu_of(catalog) - cpu))
    # The leases are not given back: that is not what is measured.
    catalog._heartbeat.stop()


def cpu_of(catalog: PostgresCatalog) -> float:
    """CPU seconds of this process and of the server's process that works for it."""
    words = Path(f"/proc/{catalog._session._connection.info.backend_pid}/stat").read_text().split()
    return time.process_time() + (int(words[13]) + int(words[14])) / os.sysconf("SC_CLK_TCK")


def leases(processes: int, pages: int, hosts: int) -> tuple[float, float]:
    database = postgres.running().database()
    catalog = PostgresCatalog(database)
    catalog.add(
        Found(f"http://h{n % hosts}.example/{n}", Kind.PAGE, "link", 0, 1, float(n % 7), 50.0) for n in range(pages)
    )
    catalog.waiting(100.0)
    with_statistics(database)
    context = get_context("spawn")
    queue, start = context.Queue(), time.time() + 4
    started = [context.Process(target=lease_all, args=(database, start, queue)) for _ in range(processes)]
    for process in started:
        process.start()
    found = [queue.get() for _ in started]
    for process in started:
        process.join()
    catalog.close()
    assert sum(count for count, _, _ in found) == pages, f"{found}: a page was leased twice, or not at all"
    return pages / (max(last for _, last, _ in found) - start), pages / sum(cpu for _, _, cpu in found)


def with_statistics(database: str) -> None:
    import psycopg

    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("ANALYZE")


def crawl(workers: int, hosts: int, pages: int) -> tuple[float, int]:
    """Captures a second of so many workers, from the first request to the last answer; and how many there were."""
    database, server = postgres.running().database(), s3.running()
    environment = os.environ | server.environment()
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder, sites(Path(folder), hosts, pages, 20_000) as site:
        seeds = [word for seed in site.seeds for word in ("--seeds", seed)]
        options = ["--set", "politeness.delay=0", "--set", "scope.sitemaps=false", "--set", "study.workers=0"]
        options += ["--allow-address", "127.0.0.0/8"]
        start = [sys.executable, "-m", "strandline"]
        subprocess.run(
            [*start, "cluster", "init", "--database", database, "--store", server.bucket(), *seeds, *options],
            env=environment,
            check=True,
            stderr=subprocess.DEVNULL,
        )
        words = [*start, "worker", "--database", database, "--json", "--quiet", "--commit-seconds", "1"]
        # Into files: a worker whose pipe is full would hold its pages while another is being read.
        told = [Path(folder) / f"worker-{number}.out" for number in range(workers)]
        running = [subprocess.Popen(words, env=environment, stdout=out.open("w")) for out in told]
        assert not any(one.wait() for one in running), "a worker failed"
        lines = [json.loads(line) for out in told for line in out.read_text().splitlines()]
        captured = sum(line["event"] == "captured" for line in lines)
        requests = site.requests()
        span = max(end for _, _, _, end in requests) - min(came for _, _, came, _ in requests)
        return captured / span, captured


def main() -> None:
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for processes in (1, 2, 4, 8):
        rate, per_cpu = leases(processes, pages, max(pages // 25, 1))
        mark = "" if processes != 4 else f" (wanted {WANTED})"
        print(f"leases, {processes} processes, batch {BATCH}: {rate:,.0f}/s, {per_cpu:,.0f}/cpu-s{mark}", flush=True)
    many = max(pages // 2000, 10)
    for hosts in (40, 1):
        first = 0.0
        for workers in (1, 2, 4, 8):
            rate, captured = crawl(workers, hosts, many if hosts > 1 else 10 * many)
            first = first or rate
            told = f"{hosts} {'hosts' if hosts > 1 else 'host'}, {workers} workers"
            print(f"crawl, {told}: {rate:.0f} captures/s of {captured}, x{rate / first:.2f}", flush=True)


if __name__ == "__main__":
    main()
