"""A load is bounded in every way unless somebody says otherwise."""

from dataclasses import astuple

from strandline.browser.load_bounds import Bounds, Wishes


def test_every_bound_is_there_and_little_is_done_unasked():
    assert all(bound > 0 for bound in astuple(Bounds()))
    assert Bounds().seconds > Bounds().loading > Bounds().settling > Bounds().idle
    assert not Wishes().more
    assert not Wishes().screenshots


def test_a_slow_machine_has_more_time_but_not_without_end_and_a_page_has_no_more_of_anything_else():
    usual = Bounds()
    assert usual.where_opening_took(0.1) == usual
    slow, stuck = usual.where_opening_took(1.5), usual.where_opening_took(1000.0)
    assert usual.settling < slow.settling < stuck.settling <= 6 * usual.settling
    assert usual.seconds < slow.seconds < stuck.seconds <= 6 * usual.seconds
    assert {(one.idle, one.requests, one.octets, one.memory) for one in (usual, slow, stuck)} == {
        (usual.idle, usual.requests, usual.octets, usual.memory)
    }
