"""How far a move is, kept with the target: marks of the files that were moved and compared, and of the catalog."""

import contextlib
import json
from pathlib import Path
from typing import Final, Protocol

from strandline.durable import sync_path
from strandline.store.postgres.session import Connection, Session
from strandline.warc.fixity import Replacing

_STATE: Final = "moved"


class Ledger(Protocol):
    """What is known of a move that is under way; kept with the target."""

    def get(self, name: str) -> str:
        """What is noted of a file, or of the catalog under an empty name; empty for nothing."""

    def put(self, name: str, value: str) -> None:
        """Note it durably; nothing is removed by an empty value."""

    def files(self) -> dict[str, str]:
        """What is noted of each file."""


class SharedLedger:
    """A ledger in the notes of a cluster."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, name: str) -> str:
        """What is noted of a file, or of the catalog under an empty name; empty for nothing."""

        def ask(connection: Connection) -> str:
            row = connection.execute(
                "SELECT value FROM notes WHERE kind = 'cluster' AND key = %s", (f"{_STATE} {name}",)
            ).fetchone()
            return bytes(row[0]).decode() if row else ""  # type: ignore[call-overload]

        return self._session.run(ask, at_once=True)

    def put(self, name: str, value: str) -> None:
        """Note it durably; nothing is removed by an empty value."""

        def write(connection: Connection) -> None:
            connection.execute("DELETE FROM notes WHERE kind = 'cluster' AND key = %s", (f"{_STATE} {name}",))
            if value:
                connection.execute("INSERT INTO notes VALUES ('cluster', %s, %s)", (f"{_STATE} {name}", value.encode()))

        self._session.run(write)

    def files(self) -> dict[str, str]:
        """What is noted of each file."""

        def ask(connection: Connection) -> dict[str, str]:
            rows = connection.execute(
                "SELECT key, value FROM notes WHERE kind = 'cluster' AND key LIKE %s", (f"{_STATE} _%",)
            ).fetchall()
            return {str(key).partition(" ")[2]: bytes(value).decode() for key, value in rows}  # type: ignore[call-overload]

        return self._session.run(ask, at_once=True)

    def clear(self) -> None:
        """The move is done."""
        self._session.run(
            lambda connection: connection.execute(
                "DELETE FROM notes WHERE kind = 'cluster' AND key LIKE %s", (f"{_STATE} %",)
            )
        )


class FolderLedger:
    """A ledger in a file that grows by lines; there as long as the move into this folder is not done."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, str] = {}
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        for line in lines:
            with contextlib.suppress(ValueError, TypeError):  # the last one may have been cut short
                name, value = json.loads(line)
                self._known[name] = value
        if lines:
            with Replacing(path) as out:
                out.write("".join(self._line(*one) for one in self._known.items()).encode())

    @staticmethod
    def _line(name: str, value: str) -> str:
        return json.dumps([name, value]) + "\n"

    def get(self, name: str) -> str:
        """What is noted of a file, or of the catalog under an empty name; empty for nothing."""
        return self._known.get(name, "")

    def put(self, name: str, value: str) -> None:
        """Note it durably; nothing is removed by an empty value."""
        self._known[name] = value
        with self._path.open("a", encoding="utf-8") as out:
            out.write(self._line(name, value))
        sync_path(self._path)

    def files(self) -> dict[str, str]:
        """What is noted of each file."""
        return {name: value for name, value in self._known.items() if name and value}
