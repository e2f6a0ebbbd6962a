"""Figures of replay as they were last measured: the worst page first, what is missing named."""

from cli.test_replay_quality import PAGE
from strandline.archive.deployment import Address
from strandline.cli.replay_quality import replay_data
from strandline.report.replayed import ReplayQuality
from strandline.web.jobs import Job, Jobs
from strandline.web.views.replayed import last_replayed


def _jobs(*jobs):
    made = Jobs(Address("nowhere"))
    made._jobs = {job.number: job for job in jobs}
    return made


def test_before_anything_was_measured_there_is_nothing():
    assert last_replayed(_jobs()).state == ""
    assert last_replayed(_jobs(Job(1, "verify", (), 1.0, "done"))).pages == []


def test_the_last_answer_stays_while_it_is_measured_anew():
    done = Job(1, "quality", ("--replay",), 10.0, "done", 20.0, result=replay_data(ReplayQuality((PAGE,))))
    found = last_replayed(_jobs(done))
    assert (found.state, found.ended, found.score, len(found.pages)) == ("done", 20.0, 0.45, 1)
    page = found.pages[0]
    assert (page.url, page.captured, page.missing_blocks[0].text) == (PAGE.url, 0.0, "lost words")
    assert page.missing_requests[0].reason == "not captured"
    again = last_replayed(_jobs(done, Job(2, "quality", ("--replay",), 30.0)))
    assert (again.state, again.started, again.score) == ("running", 30.0, 0.45)
    failed = last_replayed(_jobs(Job(3, "quality", (), 40.0, "failed", 41.0, problem="no Chromium")))
    assert (failed.problem, failed.pages) == ("no Chromium", [])
