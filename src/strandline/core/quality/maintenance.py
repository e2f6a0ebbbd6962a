"""How good was a crawl that skipped part of a site, against the full next version?

Paper: NEAR-Miner and WARM (paper 000), equations 6 to 9.
    paper: Ns, Nm     here: skipped, maintained: pages of the next version that were skipped or fetched
    paper: Ct         here: changed: all inserts, deletes and updates
    paper: C1s, C2s   here: skipped_inserts, skipped_deletes
    paper: BR OP OR CR  here: bypass_ratio, overall_precision, overall_recall, change_recall
The printed change recall takes a skipped *update* for no loss. `change_recall_strict` counts it as missed.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Maintenance:
    """Counts of one crawl and the measures made of them."""

    skipped: int
    maintained: int
    changed: int
    skipped_inserts: int
    skipped_deletes: int
    skipped_updates: int

    @property
    def pages(self) -> int:
        """Pages of the next version."""
        return self.skipped + self.maintained

    @property
    def bypass_ratio(self) -> float:
        """BR: share of the pages that were skipped; 0 for a site without pages."""
        return self.skipped / self.pages if self.pages else 0.0

    @property
    def overall_precision(self) -> float:
        """OP, as printed; 1 when there is nothing."""
        kept = self.pages + self.skipped_deletes
        return (self.pages - self.skipped_inserts) / kept if kept else 1.0

    @property
    def overall_recall(self) -> float:
        """OR: share of the next version's pages that the archive knows; 1 when there are none."""
        return (self.pages - self.skipped_inserts) / self.pages if self.pages else 1.0

    @property
    def change_recall(self) -> float | None:
        """CR, as printed: skipped updates are no loss; None when nothing changed."""
        if not self.changed:
            return None
        return (self.changed - self.skipped_inserts - self.skipped_deletes) / self.changed

    @property
    def change_recall_strict(self) -> float | None:
        """Share of all changes that the crawl caught; None when nothing changed."""
        if not self.changed:
            return None
        return (self.changed - self.missed) / self.changed

    @property
    def missed(self) -> int:
        """Changes the crawl did not see."""
        return self.skipped_inserts + self.skipped_deletes + self.skipped_updates
