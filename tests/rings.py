"""Which tests `make test` runs, and which only `make test-all`.

The first ring is what a change can break: units, contracts, one journey of each command, a short form of each loop of
faults. A test is in it unless it is of one of the KINDS below, by a line in SECOND or by a mark of its own
(`@pytest.mark.long` on the long form of a loop). FIRST names tests of such files that are in the first ring after all.
Tests of random examples (hypothesis) are in both, with an eighth of their examples in the first and a sixth in the
second; `make explore` tries all.
"""

import hypothesis

RINGS = ("first", "second")

KINDS = {
    "browser": "in a real Chromium",
    "cluster": "on PostgreSQL and an object store",
    "pywb": "beside pywb",
    "experiment": "an experiment or a simulation as a whole",
    "long": "the long form of a loop or journey",
}

SECOND = {
    "browser": (
        "tests/browser/test_chromium.py",
        "tests/browser/test_killed_browsers.py",
        "tests/browser/test_login_window.py",
        "tests/browser/test_mixed_site.py",
        "tests/browser/test_no_way_out.py",
        "tests/browser/test_page_load.py",
        "tests/browser/test_pages.py",
        "tests/browser/test_script_pages.py",
        "tests/dom/test_rendered.py",
        "tests/report/test_replayed.py",
        "tests/web/test_attack_pages.py",
        "tests/web/test_demo_replay.py",
        "tests/web/test_first_site_in_browser.py",
        "tests/web/test_pages_in_browser.py",
        "tests/web/test_replay_in_browser.py",
        "tests/web/test_script_pages_replayed.py",
        "tests/web/test_signing_on_in_browser.py",
    ),
    "cluster": (
        "tests/test_cluster.py",
        "tests/cluster/test_monitor.py",
        "tests/cluster/test_move_ledger.py",
        "tests/cluster/test_move_passes.py",
        "tests/cluster/test_moved_files.py",
        "tests/cluster/test_archive.py",
        "tests/cluster/test_auditing.py",
        "tests/cluster/test_changed_pictures.py",
        "tests/cluster/test_coming_visits.py",
        "tests/cluster/test_erasing.py",
        "tests/cluster/test_exporting.py",
        "tests/cluster/test_finishing.py",
        "tests/cluster/test_importing.py",
        "tests/cluster/test_logins.py",
        "tests/cluster/test_shared.py",
        "tests/cluster/test_storage.py",
        "tests/cluster/test_site_leases.py",
        "tests/cluster/test_shared_budget.py",
        "tests/cluster/test_watching.py",
        "tests/exchange/test_parquet_cluster.py",
        "tests/learn/test_mining_objects.py",
        "tests/keeping/test_annotations.py::test_a_cluster_keeps_the_same",
        "tests/keeping/test_collections.py::test_a_cluster_keeps_the_same",
        "tests/keeping/test_people.py::test_a_cluster_keeps_the_same",
        "tests/keeping/test_sites.py::test_a_cluster_tells_and_keeps_the_same",
        "tests/journeys/test_cluster.py",
        "tests/journeys/test_cluster_faults.py",
        "tests/journeys/test_cluster_fencing.py",
        "tests/journeys/test_cluster_settings.py",
        "tests/journeys/test_cluster_skipping.py",
        "tests/journeys/test_cluster_told.py",
        "tests/journeys/test_cluster_watch.py",
        "tests/journeys/test_migrating.py",
        "tests/journeys/test_moving_while_running.py",
        "tests/journeys/test_told_by_hubs.py",
        "tests/journeys/test_failing_pages.py::test_hours_of_workers_count_errors_of_the_server_as_failures_and_not_as_changes",
        "tests/plan/test_feed_hubs.py",
        "tests/store/test_collections.py::test_a_cluster_counts_the_same",
        "tests/store/test_costs.py",
        "tests/store/test_matching.py::test_a_cluster_finds_the_same_in_time",
        "tests/store/test_matching.py::test_a_cluster_takes_the_pages_found_last_and_the_best_of_them_first",
        "tests/store/test_narrowing.py::test_lists_of_a_cluster",
        "tests/store/postgres/test_catalog.py",
        "tests/store/postgres/test_clock_back.py",
        "tests/store/postgres/test_erasing.py",
        "tests/store/postgres/test_levelling.py",
        "tests/store/postgres/test_moving.py",
        "tests/store/postgres/test_session.py",
        "tests/store/postgres/test_takedowns.py",
        "tests/store/postgres/test_touched.py",
        "tests/keeping/test_backup_objects.py",
        "tests/store/postgres/test_troubles.py",
        "tests/store/postgres/test_workers.py",
        "tests/warc/test_objects.py",
        "tests/warc/test_objects_faults.py",
        "tests/warc/test_objects_verify.py",
        "tests/web/test_cluster_pages.py",
    ),
    "pywb": ("tests/warc/test_pywb.py", "tests/web/test_beside_pywb.py"),
    "experiment": (
        "tests/plan/test_as_simulated.py",
        "tests/lab/experiments/test_classes.py",
        "tests/lab/experiments/test_near.py",
        "tests/lab/experiments/test_news.py::test_news_of_a_kind_of_page_score_higher_than_what_only_moves",
        "tests/lab/experiments/test_quality.py",
        "tests/papers/test_paper_001_patterns.py::test_patterns_of_real_news_pages",
        "tests/papers/test_paper_002.py::test_first_sight_ranks_pages_of_sites_it_never_saw",
        "tests/lab/simulate/test_bounds.py::test_known_patterns_are_nearly_as_good_as_their_bound",
        "tests/lab/simulate/test_site_loops.py::test_never_far_behind_the_best_of_its_rivals",
        "tests/lab/simulate/test_made_traces.py::test_with_the_same_learner_no_rival_is_far_ahead",
        "tests/lab/simulate/test_traces.py",
        "tests/lab/simulate/test_signals.py::test_good_signals_help_and_bad_ones_are_soon_ignored",
        "tests/core/changes/score/test_real_frames.py",
        "tests/lab/experiments/test_content_training.py",
        "tests/lab/experiments/test_news.py::test_a_report_has_all_kinds_and_every_target_can_fail",
        "tests/report/test_engine_learning.py::test_an_archive_is_exported_mined_and_kept",
    ),
    "long": (
        "tests/faults/test_erasing.py::test_every_step_can_be_the_last",
        "tests/kernels/test_shipped.py::test_commands_need_no_compiler",
        "tests/plan/test_next_visits.py::test_a_decision_looks_at_as_many_pages_whatever_their_number",
        "tests/watch/test_agenda.py::test_a_dead_link_is_asked_for_after_a_week_and_ever_more_rarely_also_by_a_watch_started_anew",
        "tests/watch/test_lessons.py::test_a_larger_archive_is_learned_from_in_a_process_of_its_own",
        "tests/web/test_slow_queries.py::test_measures_do_not_hang_on_what_was_asked_before",
        "tests/plan/test_coming_visits.py",
        "tests/learn/test_engine.py",
        "tests/learn/test_learning_memory.py",
        "tests/engines/test_mining.py::test_what_does_not_fit_into_memory_goes_to_disk_until_that_is_full",
        "tests/cli/test_demonstration.py::test_a_slow_machine_sees_what_a_fast_one_sees",
        "tests/core/plan/test_sibling_value.py::test_directories_that_change_as_one_are_looked_at_page_by_page",
        "tests/journeys/test_alarmed_crawls.py",
        "tests/journeys/test_backup_beside_watch.py",
        "tests/journeys/test_changes.py",
        "tests/journeys/test_daemon.py",
        "tests/journeys/test_hostile_site.py",
        "tests/journeys/test_sites.py",
        "tests/journeys/test_month.py",
        "tests/journeys/test_learning.py::test_new_captures_are_added_to_what_was_learned",
        "tests/journeys/test_skipping.py::test_from_learning_to_leaving_out_to_giving_up",
        "tests/journeys/test_spent_budget.py",
        "tests/journeys/test_watch_soak.py",
        "tests/journeys/test_watch_trial.py",
        "tests/web/test_api_schema.py",
    ),
}
"""Files, or tests of files, by what they are."""

FIRST: tuple[str, ...] = ()
"""Tests of the files above that belong to the first ring: the one journey of a command, for instance."""

_KIND = {name: kind for kind, names in SECOND.items() for name in names}
_FILES_IN_BOTH = {name.partition("::")[0] for name in FIRST}


def _named(nodeid: str) -> tuple[str, str, str]:
    """The names a table may give a test by: with parameters, without, and its file."""
    return nodeid, nodeid.partition("[")[0], nodeid.partition("::")[0]


def kind_of(nodeid: str) -> str:
    """The kind a line of the table says; none for most tests."""
    if any(name in FIRST for name in _named(nodeid)):
        return ""
    return next((_KIND[name] for name in _named(nodeid) if name in _KIND), "")


def ring_of(nodeid: str, marks: set[str]) -> str:
    """The ring of a test with these of the KINDS as marks."""
    return "second" if kind_of(nodeid) or (marks and not any(name in FIRST for name in _named(nodeid))) else "first"


def wholly_second(file: str) -> bool:
    """Whether no test of a file is in the first ring."""
    return file in _KIND and file not in _FILES_IN_BOTH


def thin_out(test, part: int) -> None:
    """Leave a test of random examples one in so many; once, though it comes once for each of its parameters."""
    if not hasattr(test, "thinned_out"):
        chosen = test._hypothesis_internal_use_settings
        fewer = hypothesis.settings(chosen, max_examples=max(chosen.max_examples // part, 1))
        test._hypothesis_internal_use_settings, test.thinned_out = fewer, True
