"""The API against its own description: whatever is asked, answers are those the description promises, and never 5xx."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from strandline.web.jobs import Jobs
from web.archives import Builder, served

EXAMPLES = int(os.environ.get("STRANDLINE_SCHEMA_EXAMPLES", "12"))
TOKEN = "operate-" + "x" * 20
AS_KEEPER = {"Authorization": f"Bearer {TOKEN}"}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("schema"))
    for day in range(1, 5):
        made.add("http://site.test/", f"<h1>Title</h1><p>words of day {day}</p>", when=f"2026-03-0{day}T12:00:00Z")
    made.add("http://site.test/a/b", "<p>b</p>")
    patch = pytest.MonkeyPatch()

    async def nothing(self, job):
        """Jobs are looked at elsewhere; here nothing may start crawling made-up addresses."""

    patch.setattr(Jobs, "_spawn", nothing)
    with served(made.archive(), token=TOKEN) as server:  # accounts are made, too, and would lock everybody else out
        yield schemathesis.openapi.from_url(f"{server.interface}/api/v1/openapi.json", headers=AS_KEEPER)
    patch.undo()


def test_answers_are_as_described(schema):
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 35
    for operation in operations:

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @schemathesis_given(operation)
        def check(case):
            case.call_and_validate(checks=CHECKS, timeout=60, headers=AS_KEEPER)

        check()


def schemathesis_given(operation):
    """Cases of one operation as a hypothesis test."""
    from hypothesis import given

    return given(case=operation.as_strategy())
