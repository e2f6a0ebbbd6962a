"""Running the server from the terminal."""

import os
import threading
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

from strandline.archive.folder import Archive
from strandline.cli.output import as_json, tell
from strandline.settings.serving import ServeSettings
from strandline.web.options import ServeOptions, is_loopback
from strandline.web.server import Addresses, serve


def run_server(
    archive: Archive,
    host: str | None,
    port: int | None,
    replay_port: int | None,
    token_file: Path | None,
    as_document: bool = False,
) -> None:
    """Serve until interrupted."""
    options = serve_options(archive.settings.serve, host, port, replay_port, token_file)
    serve(archive, options, tell_programs if as_document else tell_ready)


def show_server(archive: Archive, port: int) -> None:
    """Serve on this machine until interrupted, and show it in the browser of whoever asks."""

    def ready(addresses: Addresses) -> None:
        tell_ready(addresses)
        # Some browsers are waited for until they end: the server must not be.
        threading.Thread(target=webbrowser.open, args=(addresses.interface,), daemon=True).start()

    serve(archive, serve_options(archive.settings.serve, "127.0.0.1", port, 0, None), ready)


def serve_options(
    settings: ServeSettings, host: str | None, port: int | None, replay_port: int | None, token_file: Path | None
) -> ServeOptions:
    """Flags over settings; tokens from the environment."""
    outside = (urlsplit(settings.address).hostname or "").lower()
    return ServeOptions(
        host=host or settings.host,
        port=settings.port if port is None else port,
        replay_port=settings.replay_port if replay_port is None else replay_port,
        token_file=token_file,
        token=os.environ.get("STRANDLINE_TOKEN", ""),
        read_token=os.environ.get("STRANDLINE_READ_TOKEN", ""),
        names=(*settings.names, *filter(None, (outside,))),
        outside="" if outside in settings.names or is_loopback(outside) else outside,
        behind_tls=settings.behind_tls,
    )


def tell_programs(addresses: Addresses) -> None:
    """Where the server is, as a JSON document; a token that was drawn is told to people only."""
    as_json({"event": "ready", "interface": addresses.interface, "replay": addresses.replay})
    if addresses.token:
        tell(f"Access token, shown once: {addresses.token}")


def tell_ready(addresses: Addresses) -> None:
    """Where the server is, for programs on stdout, for people on stderr."""
    print(addresses.interface, flush=True)
    tell(f"Interface at {addresses.interface}, archived content at {addresses.replay}. Stop with Ctrl-C.")
    if addresses.token:
        tell(f"Access token, shown once: {addresses.token}")
