"""Chains that jump over a directory which they exclude; test_near.py compares all rules with the definitions."""

from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds, mine_history


def history_of(listed):
    return SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))


def test_a_chain_jumps_over_an_excluded_directory():
    """`a` excludes `a/q`, of which little ever changes. Deep inside, `a/q/x` changes with `a`, and `a/q/x/y` never."""
    still = {f"a/q/p{number}": "1" for number in range(40)}
    listed = [{**still, "a/top": str(week), "a/q/x/z": str(week), "a/q/x/y/p": "1"} for week in range(6)]
    limits = Thresholds(alpha=0.02, beta=0.5, theta=0.8, gamma=0.3)
    quiet = Thresholds(alpha=0.03, beta=0.5, theta=0.8, gamma=0.3)
    rules = {(rule.if_changed, rule.skip) for rule in mine_history(history_of(listed), limits)}
    assert (("a", "a/q", "a/q/x"), "a/q/x/y") in rules, "everything on the way changes"
    rules = {(rule.if_changed, rule.skip) for rule in mine_history(history_of(listed), quiet)}
    assert {(("a",), "a/q"), (("a", "a/q/x"), "a/q/x/y"), (("a/q/x",), "a/q/x/y")} == rules
