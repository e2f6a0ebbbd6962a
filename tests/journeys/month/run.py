"""The run: a watch as somebody would leave it alone, and everything that happens to it meanwhile."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from faults.loops import promises_hold
from journeys.month import machine
from journeys.month.calendar import BEGUN_BY, MONTH, SUMMER, timeline
from journeys.month.sites import Certificates, Host
from made.receivers import Webhook
from strandline.demo.truth import Fetch, score

RESERVE = 128 << 20
"""Bytes the archive leaves free: a watch that pauses still writes what it studies, and the log of its database."""
PATIENCE = 300.0
"""Seconds a watch may take to start or to stop on a busy machine."""
KEPT_PROMISES = 40
"""Promises before each end of a watch that are looked up at the end of the month."""


class Month:
    """A month of so many hours, of so many seconds each; `record` is what is known of it afterwards."""

    def __init__(self, work, disk, *, hours, hour, hosts, pages, budget, least=0.0, once=False):
        """`least` is how many seconds what lasts goes on at least; with `once` each kind of event comes once."""
        self.work, self.disk, self.archive = work, disk, disk / "archive"
        self.hours, self.hour, self.budget, self.least = hours, hour, budget, least
        self.epoch = self.began = 0.0  # until everything is there
        self.events, self.not_tried, self.notes = timeline(hours, once), {}, []
        self.clock = machine.WallClock(work)
        self._certificates = Certificates(work / "certificates", f"127.0.1.{hosts}")
        self._context = self._certificates.context(time.time() + 86400.0)
        contexts = [None] * (hosts - 1) + [self._context]
        self.hosts = [
            Host(number, pages, hour, self.clock.now, context) for number, context in enumerate(contexts, start=1)
        ]
        self._away = False
        self._statuses = {}
        self.webhook = Webhook(self._received)
        self._told_at = []
        self._older = machine.older_package(BEGUN_BY, work / "older")
        self._log, self._out = work / "watch.log", work / "promises.jsonl"
        self._rotated = 0
        self.process = None
        self._orphans = []
        self.samples, self.starts, self.endings, self.budgets = [], [], [], []
        self._done = []
        words = [sys.executable, "-m", "strandline", "init", str(self.archive)]
        subprocess.run(words, env=self._environment(), check=True, capture_output=True)
        self._begin_now()
        self._set_budget(budget)
        if not self.clock.possible:
            self._leave_out(("clock", "clock while stopped"), "there is no C compiler")
        if self._older is None:
            self._leave_out(("upgrade",), "the history of the repository is not there")

    def _begin_now(self):
        """Everything is there: the first hour begins."""
        self.epoch, self.began = self.clock.now(), time.monotonic()
        for host in self.hosts:
            host.site.epoch = self.epoch
        expires = next(one.hour for one in self.events if one.what == "certificate expired")
        self._context.load_cert_chain(*self._certificates.until(self.epoch + expires * self.hour))

    def _leave_out(self, kinds, why):
        self.not_tried |= dict.fromkeys(kinds, why)
        self.events = [one for one in self.events if one.what not in kinds]

    def _received(self, number):
        self._told_at.append(time.monotonic())
        self._statuses[number] = 503 if self._away else 204
        return self._statuses[number]

    # -- settings ----------------------------------------------------------------------------------------------------

    def _set_budget(self, budget):
        self.budgets.append((time.monotonic(), budget))
        self._write_settings(f'budget = "{budget}/hour"')

    def _write_settings(self, plan):
        seeds = ", ".join(f'"{host.url}/"' for host in self.hosts)
        text = (
            f'[scope]\nseeds = [{seeds}]\n[plan]\n{plan}\n[fetch]\nallow_address = ["127.0.0.0/8"]\n'
            f'[keep]\ndisk_reserve = "{RESERVE >> 20} MiB"\nfile_size = "50 MB"\n'
            f'[alerts]\nwebhooks = ["{self.webhook.url} min=0.9"]\nallow_address = ["127.0.0.0/8"]\n'
        )
        fresh = self.archive / "settings.new"
        fresh.write_text(text)
        fresh.replace(self.archive / "strandline.toml")

    # -- the process -------------------------------------------------------------------------------------------------

    def start(self):
        """Start the watch, as its keeper would."""
        with self._log.open("a") as log, self._out.open("a") as out:
            self.process = subprocess.Popen(
                machine.watch_words(self.archive, self.hour), stdout=out, stderr=log, env=self._environment()
            )
        self.starts.append(time.monotonic())

    def _environment(self):
        summer = [self.epoch + part * self.hours / MONTH * self.hour for part in SUMMER]
        more = {"TZ": machine.summer_zone(*summer), "SSL_CERT_FILE": str(self._certificates.trusted)}
        if self._older is not None:
            more["PYTHONPATH"] = str(self._older)
        return os.environ | more | self.clock.environment()

    def stop(self):
        """As a system stops it."""
        self.process.send_signal(signal.SIGTERM)
        self._ended("stopped", self.process.wait(PATIENCE))

    def kill(self):
        """As nobody should."""
        before = machine.family(self.process.pid)[1:]
        self.process.kill()
        self._ended("killed", self.process.wait(PATIENCE))
        self._orphans.append((time.monotonic(), before))

    def _ended(self, how, code):
        promised = self._out.read_bytes().splitlines()[-KEPT_PROMISES:] if self._out.exists() else []
        self.endings.append((time.monotonic(), how, code, promised))

    def look_after(self):
        """What systemd does: a watch that ended by itself is started again. It is noted."""
        if self.process.poll() is None:
            return
        tail = self._log.read_text(errors="replace").splitlines()[-12:]
        self.notes.append({"hour": self.now(), "ended by itself": self.process.returncode, "log": tail})
        self._ended("by itself", self.process.returncode)
        time.sleep(1.0)
        self.start()

    # -- time --------------------------------------------------------------------------------------------------------

    def now(self):
        """Hour of the month."""
        return (time.monotonic() - self.began) / self.hour

    def run(self):
        """The whole month. What happens is done in its order; what lasts ends in between."""
        self.start()
        due = [(one.hour, number, "begins") for number, one in enumerate(self.events)]
        next_sample = 0.0
        while due or self.now() < self.hours:
            due.sort()
            if due and due[0][0] <= self.now():
                _, number, step = due.pop(0)
                ends = self._happens(number, step)
                if ends is not None:
                    due.append((ends, number, "ends"))
                continue
            self.look_after()
            if self.now() >= next_sample:
                self.sample()
                next_sample = int(self.now()) + 1.0
            time.sleep(max(0.01, min(0.2, self.hour / 5)))
        self.stop()
        self.sample()

    def _happens(self, number, step):
        """Something begins or ends; returns when it is to end."""
        event = self.events[number]
        if step == "begins":
            self._wait(self._at_work)
            self._done.append({"what": event.what, "where": event.where, "number": number, "begun": time.monotonic()})
        action = getattr(self, "_" + event.what.replace(" ", "_").replace("-", ""))
        action(event, step == "begins")
        if step == "begins" and event.lasting:
            return max(event.hour + event.lasting, self.now() + self.least / self.hour)
        next(one for one in self._done if one["number"] == number)["ended"] = time.monotonic()
        return None

    def _wait(self, condition):
        """On a busy machine a watch takes long to do what it does."""
        deadline = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < deadline:
            self.look_after()
            time.sleep(0.05)

    def _at_work(self):
        """Whether it has asked for something since it was started, or must not."""
        return self._ballast() or any(host.log and host.log[-1][0] > self.starts[-1] for host in self.hosts)

    def _ballast(self):
        return [path for path in self.disk.iterdir() if path.name in ("reserve reached", "disk full")]

    def _told(self, alarm, event):
        """How often the receiver took such a message."""
        return sum(row[3:5] == [alarm, event] and row[6] < 300 for row in self._messages())

    def sample(self):
        """How things stand."""
        pids = machine.family(self.process.pid) if self.process.poll() is None else []
        captures = 0
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(
                sqlite3.connect(f"file:{self.archive}/strandline.db?mode=ro", uri=True, timeout=1.0)
            ) as catalog,
        ):
            captures = catalog.execute("SELECT coalesce(max(seq), 0) FROM captures").fetchone()[0]
        self.samples.append(
            {
                "hour": self.now(),
                "run": len(self.starts),
                "memory": machine.resident(pids),
                "watch_memory": machine.resident(pids[:1]),
                "files": machine.open_files(pids),
                "processes": len(pids),
                "processor": machine.processor_seconds(pids) if pids else 0.0,
                "disk": machine.room_taken(self.archive),
                "log": machine.size(self.archive / "strandline.db-wal"),
                "captures": captures,
            }
        )

    # -- what happens ------------------------------------------------------------------------------------------------

    def _host(self, event):
        """Small months have fewer sites than the calendar names; the last one speaks TLS and has its own trouble."""
        return self.hosts[(event.where - 1) % (len(self.hosts) - 1)]

    def _redesign(self, _event, _begins):
        for host in self.hosts:
            host.site.dress += 1

    def _outage(self, event, begins):
        self._host(event).befalls(event.what if begins else "")

    _reset = _unavailable = _hanging = _outage

    def _log_rotated(self, _event, _begins):
        """As logrotate does it with copytruncate."""
        self._rotated += 1
        with self._log.open("rb+") as log:
            self._log.with_name(f"watch.log.{self._rotated}").write_bytes(log.read())
            log.truncate(0)

    def _upgrade(self, _event, _begins):
        self.stop()
        self._older = None
        self.start()

    def _restart(self, _event, _begins):
        self.stop()
        self.start()

    def _kill_9(self, _event, _begins):
        self.kill()
        self.start()

    def _worker_killed(self, _event, _begins):
        children = machine.family(self.process.pid)[1:]
        if children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(children[-1], signal.SIGKILL)

    def _budget(self, event, begins):
        self._set_budget(round(self.budget * event.much) if begins else self.budget)

    def _settings_with_a_mistake(self, _event, begins):
        if begins:
            self._write_settings('budgett = "9/hour"')
        else:
            self._write_settings(f'budget = "{self.budgets[-1][1]}/hour"')

    def _clock(self, event, begins):
        self.clock.set(event.much * self.hour if begins else 0.0)

    def _clock_while_stopped(self, event, begins):
        self.stop()
        self._clock(event, begins)
        self.start()

    def _certificate_expired(self, _event, begins):
        if not begins:  # its end is written in it
            self._context.load_cert_chain(*self._certificates.until(time.time() + 30 * 86400))

    def _robots(self, event, begins):
        self._host(event).robots = event.what.removeprefix("robots ") if begins else ""

    _robots_forbid = _robots_unavailable = _robots

    def _receiver_away(self, _event, begins):
        self._away = begins

    def _reserve_reached(self, event, begins):
        if not begins:
            self._wait(lambda: self._told("disk", "opened"))
        self._fill(event, RESERVE * 3 // 4, begins)

    def _disk_full(self, event, begins):
        self._fill(event, 0, begins)

    def _fill(self, event, left, begins):
        """Leave so many bytes free on the disk, or give back what was taken."""
        ballast = self.disk / event.what
        if not begins:
            ballast.unlink(missing_ok=True)
            return
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            stands = os.statvfs(self.disk)
            # Not all at once: where there is a little less by then, nothing at all would be taken.
            os.posix_fallocate(file.fileno(), 0, max(stands.f_bavail * stands.f_frsize - max(left, 8 << 20), 1))
            file.seek(0, os.SEEK_END)
            while not left:
                file.write(b"x" * 4096)

    # -- what is known afterwards --------------------------------------------------------------------------------------

    def close(self):
        """End everything."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for host in self.hosts:
            host.close()
        self.webhook.close()

    def record(self):
        """All that the checks need, as plain data; times are hours of the month."""
        hits = sorted((moment, host.place, path, status) for host in self.hosts for moment, _, path, status in host.log)
        return {
            "hours": self.hours,
            "hour_seconds": self.hour,
            "budget": self.budget,
            "pages": sum(len(host.site.pages) for host in self.hosts),
            "not_tried": self.not_tried,
            "requests": [[self._hour(moment), place, status, path] for moment, place, path, status in hits],
            "budgets": [[self._hour(moment), budget] for moment, budget in self.budgets],
            "samples": self.samples,
            "starts": [self._hour(moment) for moment in self.starts],
            "endings": [[self._hour(moment), how, code] for moment, how, code, _ in self.endings],
            "ended_by_itself": self.notes,
            "messages": self._messages(),
            "alarms": self._alarms(),
            "events": [self._event(one) for one in self._done],
            "weeks": self.weeks(),
            "promises_lost": self._lost(),
            "promises_looked_up": sum(len(one[3]) for one in self.endings),
            "still_running": [pid for _, pids in self._orphans for pid in pids if Path(f"/proc/{pid}").exists()],
            "verified": self._verified(),
            "log": self._log_figures(),
        }

    def _hour(self, moment):
        return round((moment - self.began) / self.hour, 4)

    def _event(self, done):
        host = self._host(self.events[done["number"]]) if done["where"] else None
        tls = done["what"] == "certificate expired"
        place = self.hosts[-1].place if tls else host.place if host else ""
        return {
            "what": done["what"],
            "place": place,
            "begun": self._hour(done["begun"]),
            "ended": self._hour(done.get("ended", done["begun"])),
            "much": self.events[done["number"]].much,
        }

    def _messages(self):
        rows = zip(self._told_at, self.webhook.got, strict=False)
        return [
            [self._hour(moment), said["id"], said["kind"], said.get("alarm", ""), said.get("event", ""),
             said.get("subject", said.get("url", "")), self._statuses[number]]
            for number, (moment, said) in enumerate(rows, start=1)
        ]  # fmt: skip

    def _alarms(self):
        with contextlib.closing(sqlite3.connect(self.archive / "strandline.db")) as catalog:
            rows = catalog.execute("SELECT kind, subject, opened, closed, explanation FROM alarms ORDER BY rowid")
            return [list(row) for row in rows]

    def weeks(self):
        """What was caught of what appeared, week by week; a shorter month has shorter weeks."""
        week = 168.0 * self.hours / MONTH
        found = []
        for number in range(4):
            caught = appeared = fetches = wasted = 0.0
            for host in self.hosts:
                hour = host.site.hour
                made = [Fetch(hour(now), path) for _, now, path, status in host.log if status in (200, 304)]
                judged = score(host.site.pages, made, number * week, (number + 1) * week)
                caught, appeared = caught + judged.caught, appeared + judged.appeared
                fetches, wasted = fetches + judged.fetches, wasted + judged.wasted
            found.append({"caught": caught, "appeared": appeared, "fetches": fetches, "wasted": wasted})
        return found

    def _lost(self):
        said = [json.loads(line) for *_, promised in self.endings for line in promised if line.endswith(b"}")]
        return promises_hold(self.archive, [one for one in said if one.get("event") == "captured"])

    def _verified(self):
        words = [sys.executable, "-m", "strandline", "verify", str(self.archive)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return {"code": done.returncode, "said": (done.stdout + done.stderr).splitlines()[-8:]}

    def _log_figures(self):
        """Lines of all logs, those that are no JSON, and how often each event was told."""
        files = sorted(self.work.glob("watch.log*"))
        lines = [line for file in files for line in file.read_bytes().splitlines()]
        told, odd = {}, []
        for line in lines:
            try:
                said = json.loads(line)
                told[said["event"]] = told.get(said["event"], 0) + 1
            except (ValueError, KeyError, TypeError):
                odd.append(line.decode(errors="replace")[:300])
        warnings = [line.decode(errors="replace")[:400] for line in lines if b'"level": "warning"' in line]
        return {"files": len(files), "told": told, "odd": odd[:40], "warnings": warnings[:200]}
