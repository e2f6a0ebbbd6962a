"""Small state in the catalog, under a kind and a key. The statements are the same for both databases."""

from strandline.store.annotations import Writing


def keep_note(connection: Writing, kind: str, key: str, value: bytes | None) -> None:
    """Keep a value in the place of the one before; None removes it."""
    if value is None:
        connection.execute("DELETE FROM notes WHERE kind = ? AND key = ?", (kind, key))
    else:
        connection.execute("REPLACE INTO notes VALUES (?, ?, ?)", (kind, key, value))


def kept_note(connection: Writing, kind: str, key: str) -> bytes | None:
    """What is kept now, for whoever is about to replace it."""
    row = connection.execute("SELECT value FROM notes WHERE kind = ? AND key = ?", (kind, key)).fetchone()
    return None if row is None else bytes(row[0])
