"""`strandline backup`, `restore` and `upgrade`: an archive elsewhere, back again, and from an older release."""

from pathlib import Path
from typing import Annotated

import typer

from strandline.cli.options import Folder, Json, Quiet
from strandline.cli.output import answer, as_json, iso, size, tell
from strandline.core.wording import counted
from strandline.errors import ArchiveDamaged


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("backup", epilog="Example: strandline backup ./my-archive /mnt/backup/my-archive")(backup)
    app.command("restore", epilog="Example: strandline restore /mnt/backup/my-archive ./my-archive")(restore)
    app.command("upgrade", epilog="Example: strandline upgrade ./my-archive --dry-run")(upgrade)


def backup(
    folder: Folder,
    to: Annotated[str, typer.Argument(help="Folder, or object store such as s3://bucket/prefix.", metavar="TO")],
    check: Annotated[bool, typer.Option("--check", help="Read the backup that is there, and compare.")] = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring a backup up to date: only what is new is sent, all of it is read back; a watch may run meanwhile."""
    from strandline.app.opening import open_archive
    from strandline.keeping.backup import back_up, backup_place, check_backup

    archive = open_archive(folder)
    if check:
        listed, problems = check_backup(backup_place(to))
        document = {"ok": not problems, "files": len(listed.files), "time": listed.time, "problems": problems}
        answer(document, f"{counted(len(listed.files), 'file')} compared, {counted(len(problems), 'problem')}", json_)
        if problems:
            raise ArchiveDamaged(f"{to}: {problems[0]}" + (f" (and {len(problems) - 1} more)" if problems[1:] else ""))
        return
    done = back_up(archive, to, (lambda _: None) if quiet or json_ else tell)
    there = f"{counted(done.captures, 'capture')} in {counted(done.files, 'file')} ({size(done.bytes)})"
    answer(done.as_json(), f"{there}; {counted(done.sent, 'file')} ({size(done.sent_bytes)}) sent", json_)


def restore(
    source: Annotated[str, typer.Argument(help="Folder or object store with a backup.", metavar="FROM")],
    folder: Annotated[Path, typer.Argument(help="New archive folder.", metavar="DIR")],
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make an archive folder of a backup; everything is compared before the folder gets its name."""
    from strandline.keeping.backup import restore as restore_now

    listed = restore_now(source, folder, (lambda _: None) if quiet or json_ else tell)
    document = {"event": "restored", "captures": listed.captures, "files": len(listed.files), "time": listed.time}
    answer(document, f"{folder}: {counted(listed.captures, 'capture')}, as of {iso(listed.time)}", json_)


def upgrade(
    folder: Folder,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Try it on a copy of the catalog, and tell.")] = False,
    json_: Json = False,
) -> None:
    """Bring an archive of an older release up to the format of this one; the catalog of before is kept beside it."""
    from strandline.app.opening import open_archive
    from strandline.keeping.upgrading import upgrade as upgrade_now

    done = upgrade_now(open_archive(folder), dry_run)
    if json_:
        as_json(done.as_json())
        return
    if not done.steps:
        print(f"format {done.found} is the newest; nothing to do")
        return
    for step in done.steps:
        print(f"  {step}")
    what = f"format {done.found} to {done.newest}: {counted(done.captures, 'capture')}, {done.seconds:.1f} s"
    print(f"{what}; the catalog of before is {done.copy}" if done.done else f"{what} on a copy; nothing was changed")
