"""Links out of a page against a bare lexbor parse of the same page, in one process: CPU time per page and ratio.

    python benchmarks/bench_discovery.py

Pages as on a news site (145 links, 30 pictures, 50 KB), a small one, and one above the size for which a tree is built.
"""

import math
import random
import time

from selectolax.lexbor import LexborHTMLParser

from strandline.dom.documents import Documents

TARGET = 1.6
URL = "http://news.example/section/today.html"


def page(kib, links, seed=1):
    rng = random.Random(seed)
    words = [f"word{n}" for n in range(400)]
    head = "<!doctype html><html><head><title>News</title><link rel=stylesheet href=/s.css><script src=/a.js></script>"
    parts = [
        head,
        *(
            f'<li class="item"><a href="/section/{n % 9}/article-{n}.html">Headline {n}</a></li>\n'
            for n in range(links)
        ),
    ]
    parts += [f'<figure><img src="/img/{n}.jpg" alt="picture" width="300"></figure>\n' for n in range(links // 5)]
    size = sum(map(len, parts))
    while size < kib * 1024:
        text = f'<div class="c{rng.randint(1, 40)}"><p>{" ".join(rng.choices(words, k=60))}</p></div>\n'
        parts.append(text)
        size += len(text)
    return "".join(parts).encode()


def cpu(*functions):
    """Microseconds of CPU per call: the best of rounds in which the functions take turns on the same machine."""
    best = [math.inf] * len(functions)
    for _ in range(15):
        for nth, function in enumerate(functions):
            start = time.process_time()
            for _ in range(40):
                function()
            best[nth] = min(best[nth], (time.process_time() - start) / 40 * 1e6)
    return best


def main():
    documents = Documents()
    for kib, links in ((10, 40), (50, 145), (60, 400), (95, 300), (150, 300)):
        body = page(kib, links)
        bare, whole = cpu(
            lambda body=body: LexborHTMLParser(body),
            lambda body=body: documents.discover(URL, "text/html", body, "utf-8"),
        )
        found = len(documents.discover(URL, "text/html", body, "utf-8").named)
        print(
            f"{len(body) // 1024:4} KiB {found:4} addresses  parse {bare:7.0f} us  discover {whole:7.0f} us"
            f"  ratio {whole / bare:.2f} (target <= {TARGET})"
        )


if __name__ == "__main__":
    main()
