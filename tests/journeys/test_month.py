"""A month of a watch, with everything that befalls one, in accelerated time: real processes, real files.

The short form has four days on small sites, and every kind of event of the calendar once. `make month` has the month as
a whole, on 20,000 pages, and looks at what only a month can show: memory, files and disk from week to week, and what
was caught in week 4 beside week 2.
"""

import json
import os
from pathlib import Path

import pytest

from faults.loops import small_disk
from journeys.month import checks
from journeys.month.run import Month
from journeys.month.sites import Certificates

HOURS = int(os.environ.get("STRANDLINE_MONTH_HOURS", "96"))
HOUR = float(os.environ.get("STRANDLINE_MONTH_HOUR", "0.6"))
REPORT = os.environ.get("STRANDLINE_MONTH_REPORT", "")
"""Where the record goes."""
LONG = 336
"""Hours from which on weeks can be compared."""
SHORT_FORM = {"hosts": 4, "pages": 40, "budget": 40, "least": 1.5, "once": True}
LONG_FORM = {"hosts": 10, "pages": 1820, "budget": 150}
"""2,000 pages for each site, with those that come and go."""


@pytest.mark.xdist_group("month")
@pytest.mark.skipif(not Certificates.possible(), reason="openssl is not installed")
def test_a_watch_gets_through_a_month(tmp_path, capsys):
    whole = HOURS >= LONG
    # Other programs may have had the processors, and a day of the short form is fourteen seconds: then give it more.
    for hour in (HOUR,) if whole else (HOUR, 4 * HOUR):
        record = _lived(tmp_path / f"{hour:g}", hour, whole)
        with capsys.disabled():
            print(f"\n{checks.table(record)}")
        broken = checks.broken(record)
        if not broken:
            break
    assert broken == []
    if whole:
        assert checks.trends(record) == []


def _lived(folder, hour, whole):
    """What is written of a month with hours of so many seconds."""
    folder.mkdir()
    with small_disk(folder / "disk", "3g" if whole else "600m") as disk:
        month = Month(folder, disk, hours=HOURS, hour=hour, **(LONG_FORM if whole else SHORT_FORM))
        try:
            try:
                month.run()
            finally:  # an hour's record is worth keeping, whatever ended it
                record = month.record()
                if REPORT:
                    Path(REPORT).parent.mkdir(parents=True, exist_ok=True)
                    Path(REPORT).write_text(json.dumps(record))
        finally:
            month.close()
    return record
