"""The tables of trees and networks come back as they were written, and are of the numbers that are made today."""

import dataclasses

import numpy as np

from strandline.core.blocks.content_features import NAMES
from strandline.dom import content
from strandline.dom.content import JUDGES_FILE, shipped_judges, write_judges


def test_judges_come_back_as_they_were_written(tmp_path, monkeypatch):
    judges = shipped_judges()
    assert judges.trees.feature.max() < len(NAMES)
    assert judges.nets.hidden.shape == (len(NAMES), judges.nets.bias.size)
    write_judges(judges, str(tmp_path / JUDGES_FILE))
    monkeypatch.setattr(content, "files", lambda _package: tmp_path)
    again = shipped_judges.__wrapped__()
    for one, other in ((judges.trees, again.trees), (judges.nets, again.nets)):
        for name, value in dataclasses.asdict(one).items():
            assert np.array_equal(value, getattr(other, name)), name
            assert np.asarray(value).dtype == np.asarray(getattr(other, name)).dtype, name
