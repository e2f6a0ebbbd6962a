"""How the tests spread over processes: a file stays together, and what takes longest starts first.

A file is one unit of work, so that what its tests share (a crawled archive, a browser) is made once. Files that share
a server bear a mark `xdist_group` and start one after the other. They were one unit, but under pytest 9.2 xdist does
not see the marks: each process then starts a server of its own. Long tests that share nothing are units of their own.
The units of SECONDS start first, the longest of them at the front: the last ones to end are short, and no core waits.
"""

from xdist.scheduler import LoadGroupScheduling

SECONDS = {
    "cluster": 300,
    "interface": 200,
    "tests/web/test_script_pages_replayed.py": 150,
    "tests/browser/test_script_pages.py": 130,
    "tests/browser/test_mixed_site.py": 120,
    "tests/browser/test_killed_browsers.py": 80,
    "tests/lab/simulate/test_made_traces.py::test_no_rival_with_the_same_learner_is_ahead[flat]": 29,
    "tests/lab/simulate/test_made_traces.py::test_no_rival_with_the_same_learner_is_ahead[periodic]": 29,
    "tests/lab/simulate/test_made_traces.py::test_no_rival_with_the_same_learner_is_ahead[bursty]": 29,
    "tests/lab/simulate/test_made_traces.py::test_no_rival_with_the_same_learner_is_ahead[mixed]": 29,
    "tests/lab/simulate/test_made_traces.py": 28,
    "tests/report/test_replayed.py": 50,
    "tests/faults/test_erasing.py::test_nothing_of_what_was_erased_is_left_and_all_else_is_as_it_was[long]": 40,
    "watch": 75,
    "tests/faults/test_crashes.py::test_kill_9[long]": 55,
    "tests/journeys/test_crawl_crashes.py::test_kill_9_at_any_moment_of_a_crawl[long]": 50,
    "tests/journeys/test_daemon.py": 50,
    "tests/web/test_attack_pages.py": 90,
    "tests/cli/test_demonstration.py::test_a_slow_machine_sees_what_a_fast_one_sees": 45,
    "tests/house/test_house.py::test_tool_finds_nothing[mypy]": 40,
    "tests/journeys/test_hostile_site.py": 35,
    "tests/faults/test_watch_crashes.py::test_kill_9_at_any_moment_of_a_watch[long]": 35,
    "tests/lab/simulate/test_site_loops.py": 25,
    "tests/journeys/test_changes.py": 30,
    "tests/web/test_replay_in_browser.py": 30,
    "tests/learn/test_engine.py": 30,
    "tests/study/test_studying.py": 25,
    "tests/journeys/test_learning.py": 25,
    "tests/journeys/test_watch.py": 25,
    "tests/journeys/test_crawl_crashes.py": 20,
    "tests/faults/test_alert_crashes.py": 20,
    "tests/faults/test_system_calls.py": 20,
    "tests/fetch/test_hostile.py": 20,
    "tests/lab/simulate/test_traces.py": 20,
    "tests/warc/test_pywb.py": 15,
    "tests/web/test_beside_pywb.py": 15,
    "tests/web/test_demo_replay.py": 15,
    "tests/cli/test_demonstration.py": 15,
    "tests/journeys/test_planning.py": 15,
    "tests/journeys/test_news_planning.py": 15,
    "tests/journeys/test_skipping.py": 15,
    "tests/learn/test_learning.py": 15,
    "tests/web/test_operating.py": 15,
    "tests/kernels/test_shipped.py": 20,
    "tests/journeys/test_moving.py": 10,
    "tests/journeys/test_seeds.py": 10,
    "tests/journeys/test_first_archive.py": 10,
    "tests/learn/test_learning_memory.py": 10,
    "tests/journeys/test_alarmed_crawls.py": 10,
    "tests/web/test_api_schema.py": 10,
    "tests/exchange/test_parquet.py": 10,
    "tests/alerts/test_delivery.py": 10,
    "tests/core/test_content.py": 10,
    "tests/plan/test_next_visits.py": 10,
    "tests/plan/test_outlook.py": 10,
    "tests/lab/experiments/test_classes.py": 10,
    "tests/lab/experiments/test_near.py": 10,
    "tests/lab/experiments/test_quality.py": 10,
}
"""About how long a unit takes on its own: a mark, a file, or a test that is a unit of its own."""


def unit_of(nodeid: str) -> str:
    """The unit of a test that bears no mark."""
    return nodeid if nodeid in SECONDS else nodeid.partition("::")[0]


class LongestFirst(LoadGroupScheduling):
    """Hands out whole files."""

    def _split_scope(self, nodeid: str) -> str:
        scope = super()._split_scope(nodeid)
        return unit_of(nodeid) if scope == nodeid else scope
