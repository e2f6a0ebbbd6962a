"""Small state in the catalog, under a kind and a key. The statements are the same for both databases."""

from strandline.store.annotations import Writing


def keep_note(connection: Writing, kind: str, key: str, value: bytes | None) -> None:
    """Keep a value in the place of the one before; None removes it."""
    if value is None:
        connection.execute("DELETE FROM notes WHERE kind = ? AND key = ?", (kind, key))
    else:
        connection.execute("REPLACE INTO notes VALUES (?, ?, ?)", (kind, key, value))
