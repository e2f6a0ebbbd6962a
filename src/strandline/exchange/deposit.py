"""A deposit: what a repository or library takes in for good, as a bag (BagIt 1.0, RFC 8493) with an RO-Crate 1.1 in it.

    bagit.txt bag-info.txt          what this is, from whom, how many bytes
    manifest-sha256.txt             a checksum for each file under data/
    tagmanifest-sha256.txt          and for each file beside it
    data/NAME.wacz                  the captures, with index and pages, as `export` writes them
    data/ro-crate-metadata.json     the description, for programs

The folder appears as a whole or not at all.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from strandline.archive.folder import Archive
from strandline.archive.known_collections import known_collection
from strandline.durable import sync_path
from strandline.errors import UsageError
from strandline.exchange.moving import Wanted, export, outgoing_of
from strandline.settings.collection_tables import DUBLIN_CORE
from strandline.version import __version__

_CRATE = "ro-crate-metadata.json"
_LABELS = {
    "title": "External-Identifier",
    "description": "External-Description",
    "publisher": "Source-Organization",
}
"""Fields of bag-info.txt that elements of Dublin Core fill."""


def deposit(archive: Archive, wanted: Wanted) -> int:
    """Write a bag into a new folder, `wanted.target`; returns how many captures are in it."""
    target = wanted.target.absolute()
    if target.exists():
        raise UsageError(f"{wanted.target}: exists already; a bag is a folder of its own")
    if not target.parent.is_dir():
        raise UsageError(f"{wanted.target}: there is no folder {target.parent}")
    settings = outgoing_of(archive).settings
    own = known_collection(settings, wanted.collection) if wanted.collection else None
    described: dict[str, object] = {key: value for key in DUBLIN_CORE if (value := getattr(own, key, None))}
    described.setdefault("title", wanted.collection or wanted.site or settings.archive.description or target.name)
    described.setdefault("publisher", settings.archive.operator)
    making = target.with_name(f"{target.name}.new")
    shutil.rmtree(making, ignore_errors=True)
    (making / "data").mkdir(parents=True)
    try:
        file = making / "data" / f"{wanted.collection or wanted.site or 'archive'}.wacz"
        captures = export(archive, Wanted(file, wanted.site, wanted.start, wanted.end, wanted.collection))
        (making / "data" / _CRATE).write_text(_crate(file, described, captures), "utf-8")
        _close_bag(making, described, settings.archive.contact)
        for one in (*sorted(making.rglob("*")), making):
            sync_path(one)
        making.rename(target)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise
    sync_path(target.parent)
    return captures


def _crate(file: Path, described: Mapping[str, object], captures: int) -> str:
    """The description in JSON-LD: the crate, the deposit as a data set, and the file it holds."""
    day = time.strftime("%Y-%m-%d", time.gmtime())
    text = {key: _text(described.get(key, "")) for key in DUBLIN_CORE}
    title = text["title"]
    said = {
        "name": title,
        "description": text["description"] or f"Web archive: {title}",
        "datePublished": day,
        "license": text["rights"] or "not stated",
        "creator": text["creator"],
        "publisher": text["publisher"],
        "keywords": text["subject"],
        "inLanguage": text["language"],
        "temporalCoverage": text["date"],
    }
    part = {
        "@id": file.name,
        "@type": "File",
        "name": f"Web archive, {captures} captures",
        "encodingFormat": "application/wacz",
        "contentSize": str(file.stat().st_size),
        "sha256": _sum(file),
    }
    graph = [
        {
            "@id": _CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        {"@id": "./", "@type": "Dataset", **{k: v for k, v in said.items() if v}, "hasPart": [{"@id": file.name}]},
        part,
    ]
    document = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _close_bag(bag: Path, described: Mapping[str, object], contact: str) -> None:
    """Write what makes a folder with `data/` a bag."""
    files = sorted(one for one in (bag / "data").rglob("*") if one.is_file())
    info = [(label, _text(described.get(key, ""))) for key, label in _LABELS.items()]
    size = sum(one.stat().st_size for one in files)
    info += [
        ("Contact-Email" if "@" in contact else "Contact-Name", contact),
        ("Bagging-Date", time.strftime("%Y-%m-%d", time.gmtime())),
        ("Payload-Oxum", f"{size}.{len(files)}"),
        ("Bag-Software-Agent", f"Strandline/{__version__}"),
    ]
    (bag / "bagit.txt").write_text("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n", "utf-8")
    (bag / "bag-info.txt").write_text("".join(f"{label}: {value}\n" for label, value in info if value), "utf-8")
    (bag / "manifest-sha256.txt").write_text(_manifest(bag, files), "utf-8")
    beside = sorted(one for one in bag.iterdir() if one.is_file())
    (bag / "tagmanifest-sha256.txt").write_text(_manifest(bag, beside), "utf-8")


def _manifest(bag: Path, files: list[Path]) -> str:
    return "".join(f"{_sum(one)}  {one.relative_to(bag).as_posix()}\n" for one in files)


def _sum(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _text(value: object) -> str:
    """One line: bag-info.txt has a field a line."""
    values = value if isinstance(value, tuple | list) else (value,)
    return "; ".join(" ".join(str(one).split()) for one in values if one)
