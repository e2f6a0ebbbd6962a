"""Learning what content is, on made pages."""

import pytest

from lab.experiments.test_content import marked_file
from strandline.lab.experiments import content as experiment


def test_cross_validation_judges_every_page_by_other_sites(tmp_path):
    pytest.importorskip("sklearn")
    from strandline.lab.experiments.content_training import cross_validated

    pages = experiment.read_pages(marked_file(tmp_path, 12))
    found = cross_validated(pages, lambda _: None)
    assert len(found) == 12
    assert all(0.0 <= one <= 1.0 for one in found)
