import numpy as np
import pytest

from strandline.lab.simulate.site_generator import GeneratorSettings, generate_history, generate_site


def test_size_depth_and_change_are_as_asked():
    settings = GeneratorSettings(nodes=5000, fanout=10, depth=6, versions=8, change=0.12)
    site = generate_site(settings, np.random.default_rng(2))
    assert site.shape.directories == 500
    depth = np.zeros(500, dtype=int)
    for directory in range(1, 500):
        depth[directory] = depth[site.shape.parents[directory]] + 1
    assert depth.max() == 4  # the site root is level 1, pages take level 6
    assert len(site.changes) == 8
    for changes in site.changes[1:]:
        assert len(changes) == pytest.approx(0.12 * 5000, abs=4)
    for pages, _ in site.listings():
        assert len(pages) == 4500


def test_listings_follow_the_differences():
    site = generate_site(GeneratorSettings(200, 5, 5, 6, 0.2), np.random.default_rng(3))
    before: dict[int, int] = {}
    for changes, (pages, digests) in zip(site.changes, site.listings(), strict=True):
        after = dict(zip(pages.tolist(), digests.tolist(), strict=True))
        assert after.keys() - before.keys() == set(changes.inserted.tolist())
        assert before.keys() - after.keys() == set(changes.deleted.tolist())
        assert {p for p in before if p in after and before[p] != after[p]} == set(changes.updated.tolist())
        before = after


def test_the_same_seed_gives_the_same_history():
    settings = GeneratorSettings(300, 6, 5, 4, 0.1)
    first, second = (generate_history(settings, np.random.default_rng(5)) for _ in range(2))
    assert [len(changes) for changes in first.changes] == [len(changes) for changes in second.changes]
    assert [first.index.page_path(page) for page in range(5)] == [second.index.page_path(page) for page in range(5)]
    assert first.versions == 4


def test_no_versions_and_no_change():
    assert generate_site(GeneratorSettings(versions=0), np.random.default_rng(1)).changes == []
    still = generate_site(GeneratorSettings(100, 5, 4, 3, 0.0), np.random.default_rng(1))
    assert [len(changes) for changes in still.changes] == [80, 0, 0]


def test_what_cannot_be_generated():
    with pytest.raises(ValueError, match="do not fit"):
        generate_site(GeneratorSettings(10_000, 3, 3, 2), np.random.default_rng(1))
    with pytest.raises(ValueError, match="at least 2 nodes"):
        GeneratorSettings(nodes=1)
    with pytest.raises(ValueError, match="change must lie"):
        GeneratorSettings(change=2.0)
