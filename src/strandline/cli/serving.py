"""Running the server from the terminal."""

from pathlib import Path

from strandline.app.archive import Archive


def run_server(archive: Archive, host: str | None, port: int | None, replay_port: int | None, token_file: Path | None) -> None:
    raise SystemExit("serve: not wired")
