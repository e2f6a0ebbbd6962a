"""A load is bounded in every way unless somebody says otherwise."""

from dataclasses import astuple

from strandline.browser.load_bounds import Bounds, Wishes


def test_every_bound_is_there_and_little_is_done_unasked():
    assert all(bound > 0 for bound in astuple(Bounds()))
    assert Bounds().seconds > Bounds().loading > Bounds().settling > Bounds().idle
    assert not Wishes().more
    assert not Wishes().screenshots
