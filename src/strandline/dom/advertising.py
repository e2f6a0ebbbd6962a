"""Advertising by filter lists the user names (EasyList and its kind), beside the rule of paper 001.

No list is shipped: their licences differ from ours. Needs the optional extra `strandline[ads]`. Building the engine
from a list of 80,000 lines takes half a second, a check some microseconds: make a `FilterLists` once and ask it often.
"""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urljoin

from strandline.core.blocks.roles import AdRule, is_advertising
from strandline.errors import SettingError


class FilterLists:
    """Filter lists, loaded."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Load lists in the format of Adblock Plus; SettingError when a file or the extra is missing."""
        try:
            import adblock  # noqa: PLC0415 - an optional extra
        except ImportError:
            raise SettingError("filter lists need the optional extra: pip install 'strandline[ads]'") from None
        filters = adblock.FilterSet()
        for file in files:
            try:
                filters.add_filter_list(file.read_text("utf-8", "replace"))
            except OSError as problem:
                raise SettingError(f"filter list {file}: {problem.strerror or problem}") from None
        self._engine = adblock.Engine(filters)

    def rule(self, page: str) -> AdRule:
        """The rule for the links and images of one page: the lists, or the paper's own rule, say so."""

        def advertises(address: str) -> bool:
            if is_advertising(address):
                return True
            try:
                whole = urljoin(page, address)
                return bool(self._engine.check_network_urls(whole, page, "image").matched)
            except ValueError:  # no address, whatever the page calls it
                return False

        return advertises
