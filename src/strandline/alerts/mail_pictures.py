"""The pictures that a mail brings: of pages before and after a change, with what changed framed.

They are made by `strandline compare --pictures`, a process for each change, when the mail is sent: it reads the archive
as readers do, so what was taken down since has none. One that fails, or takes too long, costs the mail its pictures and
nothing else.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from strandline.alerts.mail import MailPictures
from strandline.store.outbox import Alert

MOST: Final = 4
"""Changes of one mail that have pictures, the most important ones. Origin: a bound on its size, 800 kB."""
SECONDS: Final = 60.0
"""For all pictures of a mail. Origin: a bound; who delivers for a cluster is taken for dead after four minutes."""
LARGEST: Final = 100_000
"""Bytes of one. Origin: dom/framed_picture.py, which makes none that are larger."""
_SECOND: Final = timedelta(milliseconds=999)
"""Alerts tell times to the second; captures have milliseconds."""


def pictures_for(alerts: Sequence[Alert], archive: str) -> dict[str, MailPictures]:
    """Of changes that have pictures, by the keys of their alerts; `archive` is a folder or a database's address."""
    wanted = [alert for alert in alerts if alert.kind == "change" and alert.document.get("pictured")]
    wanted.sort(key=lambda alert: -alert.importance)
    end, found = time.monotonic() + SECONDS, {}
    for alert in wanted[:MOST]:
        made = _made(alert, archive, end - time.monotonic())
        if made is not None:
            found[alert.key] = made
    return found


def _made(alert: Alert, archive: str, seconds: float) -> MailPictures | None:
    if seconds <= 0.0:
        return None
    start, end = (_end_of(str(alert.document[name])) for name in ("after", "by"))
    with TemporaryDirectory(prefix="strandline-") as folder:
        words = ["compare", "--from", start, "--to", end, "--pictures", folder, "--part", "--", archive, alert.url]
        try:
            subprocess.run(
                [sys.executable, "-m", "strandline", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                check=True,
            )
            both = [(Path(folder) / f"{name}.jpg").read_bytes() for name in ("before", "after")]
        except (subprocess.SubprocessError, OSError):
            return None
    return MailPictures(*both) if max(map(len, both)) <= LARGEST else None


def _end_of(moment: str) -> str:
    """The end of a second."""
    return (datetime.fromisoformat(moment).astimezone(UTC) + _SECOND).isoformat(timespec="milliseconds")
