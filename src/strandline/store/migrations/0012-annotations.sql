-- What people wrote about pages and captures: tags and notes. No WARC file holds it; `reindex` takes it over.

CREATE TABLE annotations (
    key     TEXT PRIMARY KEY,                  -- drawn at random: the same in every archive it is moved to
    kind    TEXT NOT NULL,                     -- tag or note
    url     TEXT NOT NULL,
    surt    TEXT NOT NULL,
    capture REAL,                              -- time of the capture it is about; NULL for the page
    text    TEXT NOT NULL,
    author  TEXT NOT NULL,
    time    REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX annotations_surt ON annotations (surt, time);
CREATE INDEX annotations_text ON annotations (text) WHERE kind = 'tag';
