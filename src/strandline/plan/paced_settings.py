"""Settings of a watch whose hours are shorter than those of the clock, as in demonstrations."""

from dataclasses import replace
from typing import Final

from strandline.learn.known_pages import HOUR
from strandline.settings.schema import Settings

_COMMITS_AN_HOUR: Final = 10.0
"""Commits in an hour at least, when hours are short. Origin: a guess."""


def paced(settings: Settings, length: float, own_machine: bool) -> Settings:
    """Settings for hours of another length: what is counted in hours and days shrinks with them.

    Pauses between requests are owed to hosts in seconds of the clock. Only on the user's own machine do they shrink,
    too, and then only those nobody asked for.
    """
    pace = length / HOUR
    if pace >= 1.0:
        return settings
    politeness = settings.politeness
    if own_machine:
        politeness = replace(
            politeness,
            delay_factor=politeness.delay_factor * pace,
            shortest=politeness.shortest * pace,
            longest=politeness.longest * pace,
        )
    return replace(
        settings,
        politeness=politeness,
        study=replace(settings.study, hold=settings.study.hold * pace, double_fetch=settings.study.double_fetch * pace),
        keep=replace(settings.keep, commit_seconds=min(settings.keep.commit_seconds, length / _COMMITS_AN_HOUR)),
    )
