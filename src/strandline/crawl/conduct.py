"""How a crawl treats hosts: pauses, which sites may be asked now, with which fields, how far it goes.

Whoever starts a crawl may bring it and change it while the crawl runs: a watch does when its settings change.
"""

from collections.abc import Callable, Iterable
from random import random
from typing import Protocol

from strandline.core.politeness.delays import Manners, MannersSettings
from strandline.crawl.orders import Orders
from strandline.crawl.site_orders import Fields, Gate, rules_of, site_headers
from strandline.settings.schema import Settings


class Asked(Protocol):
    """What is needed of a prepared crawl."""

    @property
    def settings(self) -> Settings:
        """As they are in force."""

    @property
    def orders(self) -> Orders:
        """What it is to do."""

    @property
    def manners(self) -> MannersSettings:
        """How considerate it is."""


class Conduct:
    """Pauses, gate and fields of requests of one crawl."""

    def __init__(self, asked: Asked, hosts: Callable[[str], Iterable[str]] = lambda _: ()) -> None:
        """`hosts` names the known hosts of a registered domain."""
        self.manners = Manners(asked.manners, random)
        self.gate = Gate(rules_of(asked.settings), hosts)
        self._fields = site_headers(asked.settings)
        self._follow: Callable[[Orders], None] = lambda _: None

    def fields(self, authority: str) -> Fields:
        """Fields of requests to a host."""
        return self._fields(authority)

    def followed_by(self, follow: Callable[[Orders], None]) -> None:
        """The crawl that goes by it: it hears of another scope."""
        self._follow = follow

    def change(self, asked: Asked) -> None:
        """Go by other settings from now on; SettingError changes nothing."""
        rules, fields = rules_of(asked.settings), site_headers(asked.settings)
        self.manners.change(asked.manners)
        self.gate.change(rules)
        self._fields = fields
        self._follow(asked.orders)
