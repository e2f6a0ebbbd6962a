"""In shorter hours what is counted in hours shrinks; pauses are owed in seconds, unless the machine is one's own."""

import pytest

from strandline.plan.paced_settings import paced
from strandline.settings.schema import Settings


def test_hours_of_the_clock_change_nothing():
    assert paced(Settings(), 3600.0, own_machine=True) == Settings()


@pytest.mark.parametrize("own", [True, False])
def test_shorter_hours(own):
    plain, found = Settings(), paced(Settings(), 36.0, own)
    assert found.study.hold == pytest.approx(plain.study.hold / 100)
    assert found.keep.commit_seconds <= 3.6
    assert found.politeness.shortest == pytest.approx(plain.politeness.shortest / (100 if own else 1))
