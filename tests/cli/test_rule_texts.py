"""Directory rules in words."""

from dataclasses import replace

import pytest

from strandline.cli.rule_texts import rules_in_words
from strandline.core.history.site_versions import SiteHistory
from strandline.core.skip.price_choice import choose_price
from strandline.crawl.skipping import SkipStanding
from strandline.learn.rules import RuleWish, learn_rules


def last_line(standing):
    rules = replace(learn_rules("h.example", [], RuleWish()).learned, versions=10)
    return list(rules_in_words([rules], {"h.example": standing}))[-1]


def test_why_the_policy_leaves_out_nothing():
    """A site that was emptied and filled again changed, and still nothing could have found its new pages."""
    versions = [{"h/a": "1", "h/b": "1"}] * 5 + [{}, {"h/c": "1"}, {}, {"h/d": "2"}, {}]
    history = SiteHistory.from_versions((str(number), pages) for number, pages in enumerate(versions))
    price = choose_price(history, range(10))
    assert price is None
    assert "no price caught enough" in last_line(SkipStanding("h.example", 10, price, ()))


@pytest.mark.parametrize("whole", [0, 4])
def test_too_few_whole_versions_are_counted(whole):
    assert f"{whole} versions of the site seen whole, and at least 5" in last_line(
        SkipStanding("h.example", whole, None, ())
    )
