"""How an archive stands, in the text format of Prometheus. The names are part of the outside: docs/running.md."""

from collections.abc import Iterator
from typing import NamedTuple

from strandline.alerts.targets import shown
from strandline.app.status import Status, status
from strandline.archive.folder import Archive
from strandline.errors import StrandlineError


class Metric(NamedTuple):
    """A family of samples: labels and values."""

    name: str
    kind: str
    text: str
    samples: tuple[tuple[str, float], ...]


def status_metrics(found: Status) -> str:
    """All metrics of the archive and its watch."""
    return "".join(map(family, (captures_metric(found.captures), *metrics_of(found))))


def captures_metric(count: int) -> Metric:
    """How much there is."""
    return Metric("strandline_captures", "gauge", "Captures in the archive.", (("", float(count)),))


def archive_metrics(archive: Archive) -> str:
    """The same for a server, which counts captures itself and cannot wait for estimates."""
    try:
        return "".join(map(family, metrics_of(status(archive, errors=0))))
    except (StrandlineError, OSError) as problem:  # the server's own counters are told all the same
        return f"# the archive cannot be read: {' '.join(str(problem).split())}\n"


def metrics_of(found: Status) -> Iterator[Metric]:
    """The metrics as values."""
    known = found.watch.document if found.watch else {}

    def one(name: str, text: str, value: float | None, kind: str = "gauge") -> Metric:
        return Metric(f"strandline_{name}", kind, text, (("", float(value)),) if value is not None else ())

    runs = found.state in ("running", "paused")
    yield one("watch_up", "1 while a watch runs, paused or not.", runs)
    yield one("watch_paused", "1 while the watch asks for nothing.", found.state == "paused")
    yield one("watch_started_seconds", "When the watch was started.", found.watch.started if found.watch else None)
    yield one("watch_updated_seconds", "When the watch last said how it stands.", found.watch and found.watch.updated)
    for name, key, text in (
        ("watch_requests_total", "requests", "Requests of this run, of all kinds."),
        ("watch_captured_total", "captured", "Captures of this run with a payload of their own."),
        ("watch_unchanged_total", "unchanged", "Captures of this run kept as revisits."),
        ("watch_failed_total", "failed", "Visits of this run that led to no whole answer."),
        ("watch_received_bytes_total", "octets", "Bytes received in this run."),
    ):
        yield one(name, text, known.get(key), "counter")
    for name, key, text in (
        ("budget_allowed", "allowed", "What the budget allows this hour, with what was carried over."),
        ("budget_spent_hour", "spent_hour", "Spent in the last hour, in requests or bytes as the budget counts."),
        ("budget_spent_day", "spent_day", "Spent in the last day."),
        ("plan_visits", "planned", "Visits left of this hour's plan."),
    ):
        yield one(name, text, known.get(key) if runs else None)
    if "workers" in known:
        yield one("workers", "Workers of the cluster that are at work.", known["workers"])
    yield one("sites", "Sites in the archive.", found.sites)
    yield one("pages", "Pages that are known.", found.pages)
    yield one("due_pages", "Pages that are due.", found.queued)
    yield one("waiting_hosts", "Hosts that asked to be left alone for now.", found.hosts_waiting)
    yield one("unstudied_captures", "Captures that are still to be studied.", found.unstudied)
    yield one("unlearned_captures", "Captures newer than what was learned.", found.unlearned)
    yield one("directory_rules", "Directory rules in force.", found.learned["rules"])
    yield one("last_capture_seconds", "Time of the latest capture.", found.last)
    if found.room is not None:
        yield one("disk_free_bytes", "Free space on the disk of the archive.", found.room.free)
        yield one("disk_reserve_bytes", "Free space that is left alone.", found.room.reserve)
    if found.completeness is not None:
        yield one("completeness_ratio", "Completeness, estimated.", found.completeness.value)
    alarms = tuple((f'kind="{_label(a.kind)}",subject="{_label(a.subject)}"', 1.0) for a in found.alarms)
    yield Metric("strandline_alarm", "gauge", "1 for each open alarm.", alarms)
    queues = [(f'target="{_label(shown(queue.target))}"', queue) for queue in found.queues]
    waiting = tuple((label, float(queue.waiting)) for label, queue in queues)
    yield Metric("strandline_alerts_waiting", "gauge", "Alerts that wait for a target.", waiting)
    states = tuple(
        (f'{label},state="{state}"', float(count))
        for label, queue in queues
        for state, count in (
            ("delivered", queue.delivered),
            ("given_up", queue.given_up),
            ("pushed_out", queue.pushed_out),
        )
    )
    yield Metric("strandline_alerts", "gauge", "Alerts of the last 90 days by target and what became of them.", states)


def family(metric: Metric) -> str:
    """A metric as it is written."""
    lines = [f"# HELP {metric.name} {metric.text}", f"# TYPE {metric.name} {metric.kind}"]
    lines += [f"{metric.name}{f'{{{labels}}}' if labels else ''} {value:.15g}" for labels, value in metric.samples]
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
