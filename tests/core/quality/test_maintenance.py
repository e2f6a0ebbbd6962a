from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.directories import tree_difference
from strandline.core.quality.maintenance import Maintenance

paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)
versions = st.dictionaries(paths, st.sampled_from("12"), max_size=10)


def maintenance(before, after, skipped):
    """A crawl from one version to another that skipped the pages for which `skipped` holds, counted page by page."""
    difference = tree_difference(before, after)
    passed_over = sum(1 for path in after if skipped(path))
    return Maintenance(
        skipped=passed_over,
        maintained=len(after) - passed_over,
        changed=len(difference.changed),
        skipped_inserts=sum(1 for path in difference.inserted if skipped(path)),
        skipped_deletes=sum(1 for path in difference.deleted if skipped(path)),
        skipped_updates=sum(1 for path in difference.updated if skipped(path)),
    )


@given(versions, versions, st.sets(st.sampled_from("abc")))
def test_measures_equal_direct_set_counts(before, after, tops):
    skipped = {path for path in {**before, **after} if path[0] in tops}
    result = maintenance(before, after, lambda path: path[0] in tops)
    inserts = {path for path in after if path not in before}
    deletes = {path for path in before if path not in after}
    updates = {path for path in after if path in before and before[path] != after[path]}
    ns, nm = len(after.keys() & skipped), len(after.keys() - skipped)
    ct, c1, c2 = len(inserts) + len(deletes) + len(updates), len(inserts & skipped), len(deletes & skipped)
    assert (result.skipped, result.maintained, result.changed) == (ns, nm, ct)
    assert result.bypass_ratio == (ns / (ns + nm) if after else 0.0)
    assert result.overall_precision == ((ns + nm - c1) / (ns + nm + c2) if ns + nm + c2 else 1.0)
    assert result.overall_recall == ((ns + nm - c1) / (ns + nm) if after else 1.0)
    if ct:
        assert result.change_recall == (ct - c1 - c2) / ct
        assert result.change_recall_strict == len((inserts | deletes | updates) - skipped) / ct
    else:
        assert result.change_recall is None
        assert result.change_recall_strict is None


def test_skipping_nothing_and_everything():
    nothing = Maintenance(0, 10, 4, 0, 0, 0)
    assert (nothing.bypass_ratio, nothing.change_recall, nothing.change_recall_strict) == (0.0, 1.0, 1.0)
    everything = Maintenance(10, 0, 4, 1, 1, 2)
    assert (everything.bypass_ratio, everything.change_recall, everything.change_recall_strict) == (1.0, 0.5, 0.0)
