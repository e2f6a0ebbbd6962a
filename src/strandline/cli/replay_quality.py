"""The answer of `quality --replay`, as text and as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING

from strandline.cli.output import as_json, print_lines
from strandline.core.wording import counted

if TYPE_CHECKING:
    from strandline.report.replayed import PageReplay, ReplayQuality

LISTED = 5
"""Missing blocks and requests shown of a page; JSON has all."""
_LETTERS = 70


def show_replay_quality(folder: Path, url: str, site: str, again: bool, json: bool) -> None:
    """Replay, compare and print; with `again`, visits are planned of what can be mended."""
    from strandline.app.opening import open_archive
    from strandline.archive.folder import web_address
    from strandline.report.replayed import mend, replay_quality

    archive = open_archive(folder)
    found = replay_quality(archive, web_address(url) if url else "", site)
    if again:
        found = mend(archive, found)
    if json:
        as_json(replay_data(found))
        return
    print_lines(replay_text(found))


def replay_data(found: "ReplayQuality") -> dict[str, object]:
    """Everything that was found."""
    from strandline.access.timestamps import timestamp

    return {
        "score": None if found.score is None else round(found.score, 6),
        "sites": {name: round(score, 6) for name, score in found.sites().items()},
        "pages": [
            {
                "url": page.url,
                "captured": timestamp(page.time),
                "score": round(page.score, 6),
                "blocks": round(page.blocks, 6),
                "parts": round(page.parts, 6),
                "requests": page.requests,
                "missing_blocks": [
                    {"text": block.text, "weight": round(block.weight, 6), "shown": round(block.share, 6)}
                    for block in page.missing_blocks
                ],
                "missing_requests": [{"url": url, "reason": reason} for url, reason in page.missing_requests],
                "outside": list(page.outside),
                "ended": page.ended,
                "mendable": page.mendable,
            }
            for page in found.pages
        ],
        "planned": list(found.planned),
    }


def replay_text(found: "ReplayQuality") -> list[str]:
    """Lines for people."""
    if not found.pages:
        return ["no page was shown in a browser: there is nothing to compare a replay with"]
    lines = []
    for page in sorted(found.pages, key=lambda page: page.score):
        lines += _page(page)
    lines += [f"{name}: replays {_figure(score)}" for name, score in found.sites().items()]
    mendable = sum(page.mendable for page in found.pages)
    if mendable:
        lines.append(f"{counted(mendable, 'page')} asked for what was not captured: another visit may mend that")
    if found.planned:
        lines.append(f"{counted(len(found.planned), 'visit')} planned")
    return lines


def _page(page: "PageReplay") -> list[str]:
    lines = [f"{_figure(page.score)}  {page.url}"]
    for block in page.missing_blocks[:LISTED]:
        lines.append(f"      block of weight {block.weight:.2f}, {block.share:.0%} shown: {block.text[:_LETTERS]}")
    for url, reason in page.missing_requests[:LISTED]:
        lines.append(f"      {reason}: {url[: 2 * _LETTERS]}")
    more = max(0, len(page.missing_blocks) - LISTED) + max(0, len(page.missing_requests) - LISTED)
    return [*lines, f"      ... and {more} more"] if more else lines


def _figure(score: float) -> str:
    return f"{score:.2f}".removeprefix("0")
