"""Repositories that hold versions of pages: each commit of a file is one, at the time it was written by its author.

Open Terms Archive keeps `SERVICE/TERMS.md` (what it extracted) or `.html` (what it fetched); the address is in the
message of the commit (`X-source-document-location:`), or in `declarations/SERVICE.json`. Of other repositories, those
that fill themselves by fetching (git scraping), somebody has to say which file is which page. Its commits "Apply
technical or declaration upgrade" extract an old page anew, and are no versions.

Git is run as a program; nothing that the repository configures is run by it, and nothing is fetched.
"""

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from strandline.errors import UsageError
from strandline.exchange.holding import LARGEST, Holding, content_type, is_address
from strandline.exchange.page_versions import PageVersion

_SAFE = ("-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
         "-c", "protocol.allow=never")  # fmt: skip
_LOG = ("log", "--reverse", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--raw", "--no-abbrev",
        "-z", "--format=%x01%H %at%x00%B%x00")  # fmt: skip
_COMMIT = re.compile(rb"\x01([0-9a-f]{40,64}) (-?\d{1,12})\Z")
_ENTRY = re.compile(rb"\n*:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) ([A-Z])\d*\Z")
_LOCATION = re.compile(r"^x-source-document-location:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_UPGRADES = ("Apply technical or declaration upgrade", "Refilter")
_FILE_MODES = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class _Commit:
    """One version of one file."""

    time: float
    path: str
    blob: str
    commit: str
    location: str


def is_git(folder: Path) -> bool:
    """Whether a folder is a git repository, with files or without."""
    bare = all((folder / name).exists() for name in ("HEAD", "objects", "refs"))
    return folder.is_dir() and ((folder / ".git").exists() or bare)


def read_git(folder: Path, addresses: Mapping[str, str]) -> Holding:
    """What the commits of a repository hold. `addresses` says which file is which page; with `*` at the end of a
    file's name all that begin so are pages under the address.
    """
    holding = Holding("git")
    commits = list(_commits(folder, holding.left_out))
    declared = _declared(folder, commits)
    told = {one.path: one.location for one in commits if one.location}

    def address_of(one: _Commit) -> str:
        said = _said(one.path, addresses)
        return said or one.location or told.get(one.path, "") or _of_terms(one.path, declared)

    known = [(one, address) for one in commits if is_address(address := address_of(one))]
    unknown = sorted({one.path for one in commits} - {one.path for one, _ in known})
    if commits and not known:
        raise UsageError(f"{folder}: which page is {unknown[0]}? Say --url '{unknown[0]}=https://...'")
    if unknown:
        holding.left_out["files of which nobody said which page they are (--url FILE=ADDRESS)"] = len(unknown)

    def versions(_refused: Collection[Path]) -> Iterator[PageVersion]:
        with _Blobs(folder) as blobs:
            for one, address in sorted(known, key=lambda pair: pair[0].time):
                body = blobs.read(one.blob)
                kind = content_type(one.path, body) if body is not None else ""
                if body is None:
                    holding.left_out[f"versions of more than {LARGEST >> 20} MiB, or missing"] += 1
                elif not kind:
                    holding.left_out["versions of a kind of file that is no page"] += 1
                else:
                    yield PageVersion(address, one.time, body, kind, f"git {one.commit[:12]}")

    holding.versions = versions
    return holding


def _said(path: str, addresses: Mapping[str, str]) -> str:
    if path in addresses:
        return addresses[path]
    beginnings = [name for name in addresses if name.endswith("*") and path.startswith(name[:-1])]
    best = max(beginnings, key=len, default="")
    return addresses[best] + path[len(best) - 1 :] if best else ""


def _of_terms(path: str, declared: Mapping[tuple[str, str], str]) -> str:
    service, _, file = path.rpartition("/")
    return declared.get((service, file.rpartition(".")[0].partition(" #")[0]), "")


def _declared(folder: Path, commits: list[_Commit]) -> dict[tuple[str, str], str]:
    """Addresses by service and kind of terms, as the last declarations in the repository have them."""
    last = {one.path: one.blob for one in commits if one.path.startswith("declarations/")}
    found: dict[tuple[str, str], str] = {}
    with _Blobs(folder) as blobs:
        for path, blob in last.items():
            try:
                said = json.loads(blobs.read(blob) or b"{}")
                terms = said.get("terms") or said.get("documents") or {}
                for kind, one in terms.items():
                    parts = [one, *one.get("combine", ())]
                    url = next((part["fetch"] for part in parts if is_address(part.get("fetch"))), "")
                    found[Path(path).stem, kind] = url
            except (ValueError, AttributeError, TypeError, RecursionError):
                continue
    return found


def _commits(folder: Path, left_out: Counter[str]) -> Iterator[_Commit]:
    fields = iter(_git(folder, *_LOG).split(b"\0"))
    commit, time, message = "", 0.0, ""
    for field in fields:
        if start := _COMMIT.search(field):
            commit, time = start[1].decode(), float(start[2])
            message = next(fields, b"").decode("utf-8", "replace")
            if message.startswith(_UPGRADES):
                left_out["commits that extract an old page anew"] += 1
        elif (entry := _ENTRY.match(field)) and (path := next(fields, b"").decode("utf-8", "replace")):
            if entry[3] == b"D":
                left_out["deletions of files"] += 1
            elif entry[1] not in _FILE_MODES:
                left_out["links and submodules"] += 1
            elif not message.startswith(_UPGRADES):
                said = _LOCATION.search(message)
                yield _Commit(time, path, entry[2].decode(), commit, said[1] if said else "")


def _environment() -> dict[str, str]:
    return os.environ | {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _git(folder: Path, *words: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", "--no-pager", "-C", str(folder), *_SAFE, *words],
            capture_output=True, stdin=subprocess.DEVNULL, env=_environment(), check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise UsageError("git is not installed: it reads repositories") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        raise UsageError(f"{folder}: {said[0]}")
    return done.stdout


class _Blobs:
    """Contents of files by their ids, from one git process."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            ["git", "-C", str(folder), *_SAFE, "cat-file", "--batch"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
        )  # fmt: skip

    def __enter__(self) -> "_Blobs":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def read(self, blob: str) -> bytes | None:
        """A file's content; None when it is missing or too large."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(blob.encode() + b"\n")
        stdin.flush()
        head = stdout.readline().split()
        if len(head) != 3 or not head[2].isdigit():
            return None
        size = int(head[2])
        if size <= LARGEST:
            body = stdout.read(size)
            stdout.read(1)
            return body
        left = size + 1
        while left:
            left -= len(stdout.read(min(left, 1 << 20))) or left
        return None
