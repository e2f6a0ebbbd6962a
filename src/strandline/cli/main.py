"""The `strandline` command: one sub-command per verb, one clear line per problem, exit codes as in errors.py."""

import contextlib
import errno
import io
import os
import signal
import sys

import typer

from strandline.archive.long_run import tidy_less_often
from strandline.cli import (
    alerts,
    annotations,
    archive,
    backup,
    changes,
    cluster,
    collections,
    demo,
    doctor,
    exporting,
    feeding,
    learning,
    login,
    mining,
    moving,
    people,
    planning,
    reports,
    retain,
    serve,
    sites,
    status,
    takedown,
)
from strandline.cli.output import tell
from strandline.errors import Interrupted, StrandlineError
from strandline.version import __version__

_TYPER_INTERRUPTED = 130
_CODES = {
    2: (errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP),  # a name that somebody gave
    3: (errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    4: (errno.EACCES, errno.EPERM, errno.EROFS),
}
"""Exit codes of what the operating system refused."""

app = typer.Typer(
    name="strandline",
    help="An adaptive web archiver: standard WARC archives that say what changed, when, and how complete they are.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    # Plain help: drawing boxes costs more than half of the start.
    rich_markup_mode=None,
)

archive.register(app)
exporting.register(app)
changes.register(app)
mining.register(app)
learning.register(app)
planning.register(app)
feeding.register(app)
status.register(app)
sites.register(app)
collections.register(app)
annotations.register(app)
people.register(app)
login.register(app)
reports.register(app)
alerts.register(app)
serve.register(app)
cluster.register(app)
moving.register(app)
demo.register(app)
takedown.register(app)
retain.register(app)
backup.register(app)
doctor.register(app)


@app.callback(invoke_without_command=True)
def _start(version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True)) -> None:
    if version:
        print(f"strandline {__version__}")
        raise typer.Exit


def _only(name: str) -> None:
    """Typer takes the signatures of all commands apart, which is slow: a named command does without the rest."""
    named = [command for command in app.registered_commands if command.name == name]
    if named:
        app.registered_commands = named
        app.registered_groups = []


def main() -> None:
    """Run a command; whatever goes wrong ends in one line and a documented exit code."""
    tidy_less_often()
    with contextlib.suppress(OSError):  # standard output that was put in place of another may not be asked where it is
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # names of files that are no text, terminals that know few letters
                stream.reconfigure(errors="backslashreplace")
    _only("".join(sys.argv[1:2]))
    out = sys.stdout
    try:
        app()
    except StrandlineError as problem:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # how it ended is settled
        tell(f"strandline: {problem}")
        sys.exit(problem.exit_code)
    except SystemExit as end:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if sys.stdout is not out:
            # Typer put something else there because the reader of our output has gone (`| head`), which ends a command
            # as an interrupt does, but quietly.
            sys.exit(Interrupted.exit_code)
        if end.code != _TYPER_INTERRUPTED:
            raise
        print("strandline: interrupted", file=sys.stderr)
        sys.exit(Interrupted.exit_code)
    except ModuleNotFoundError as problem:
        if problem.name != "numba":
            raise
        tell(f"strandline: {problem}")  # no machine code here, and nothing to make it with
        sys.exit(1)
    except OSError as problem:
        code = next((code for code, kinds in _CODES.items() if problem.errno in kinds), 1)
        where = f"{problem.filename}: " if problem.filename else ""
        tell(f"strandline: {where}{problem.strerror or problem}")
        sys.exit(code)
    except Exception as problem:  # the last line of defence: a user sees one line, never a traceback
        if os.environ.get("STRANDLINE_DEBUG"):
            raise
        tell(f"strandline: unexpected {type(problem).__name__}: {problem}")
        print("strandline: this is a defect; STRANDLINE_DEBUG=1 shows where it happened", file=sys.stderr)
        sys.exit(1)
