"""Learning from an archive on an engine is learning from it here, and measures quality besides."""

import random
from contextlib import closing
from dataclasses import asdict, replace

import pytest

from learn.test_engine import NOW, SETTINGS, archive, comparable, embedded, learned_here, study  # noqa: F401
from strandline.archive.folder import open_archive
from strandline.cli.quality import quality_data
from strandline.engines.mining import LocalTasks
from strandline.errors import UsageError
from strandline.learn.engine import Mining
from strandline.plan.planning import Planning
from strandline.report.engine_learning import learn_on_engine
from strandline.report.measuring import measured
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.learned import LearnedReading


def test_an_archive_is_exported_mined_and_kept(archive, embedded):  # noqa: F811
    opened = open_archive(archive)
    with closing(LearnedReading.open(archive / DATABASE)) as reading:
        assert reading.learned_from("rules") is None
    told = []
    opened.settings = replace(opened.settings, learn=SETTINGS)
    with closing(open_catalog(archive)) as catalog:
        study(random.Random(2), catalog, 10**6)  # there are no records that could really be studied
    summary, quality = learn_on_engine(opened, (), Mining(LocalTasks()), NOW, told.append)
    wanted = comparable(learned_here(archive))
    with closing(LearnedReading.open(archive / DATABASE)) as reading:
        assert {rules.site for rules in reading.site_rules()} == set(wanted["clocks"])
        kept = {page: asdict(rate) for page, _, rate in reading.all_rates()}
        assert kept == wanted["rates"]
        series = {page: one.changes.tolist() for page, _, one, _ in reading.all_series()}
        assert series == {page: one[4] for page, one in wanted["series"].items()}
        assert reading.learned_from("patterns").captures == summary["captures"]
    assert (archive / "parquet" / "dataset.json").is_file() and any("sites learned" in line for line in told)
    assert quality_data(quality) == quality_data(measured(Planning(opened, NOW)))


def test_what_cannot_be_learned_is_told(archive):  # noqa: F811
    with pytest.raises(UsageError, match="cannot learn 'moods'"):
        learn_on_engine(open_archive(archive), ("moods",), Mining(LocalTasks()), NOW)
