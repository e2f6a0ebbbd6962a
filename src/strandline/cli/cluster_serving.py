"""Serving a cluster from the terminal, as `serve` does for a folder."""

from pathlib import Path

from strandline.app.cluster.shared import cluster_holdings, open_cluster
from strandline.cli.serving import serve_options, tell_ready
from strandline.web.server import Service, serve_service


def run_server(
    database: str, host: str | None, port: int | None, replay_port: int | None, token_file: Path | None
) -> None:
    """Serve until interrupted."""
    cluster = open_cluster(database)
    options = serve_options(cluster.settings.serve, host, port, replay_port, token_file)
    serve_service(Service(cluster_holdings(cluster), options), tell_ready)
