"""Serving a cluster from the terminal, as `serve` does for a folder."""

from pathlib import Path
from typing import Final

from strandline.cli.output import tell
from strandline.cli.serving import run_server as serve_archive
from strandline.cluster.archive import open_shared
from strandline.cluster.background import BackgroundThread
from strandline.cluster.monitor import stand_in_job

_PATIENCE: Final = 1.0
"""Seconds a reader waits for a database that is away, before the interface says so."""


def run_server(
    database: str, host: str | None, port: int | None, replay_port: int | None, token_file: Path | None
) -> None:
    """Serve until interrupted; beside it, tell people when all workers are dead."""
    archive = open_shared(database, _PATIENCE)
    with BackgroundThread(stand_in_job(archive.cluster), lambda line: tell(f"strandline: {line}")):
        serve_archive(archive, host, port, replay_port, token_file)
