-- The versions of a page as a packed history (core/changes/versions.py) instead of a row for each layout, block, version and
-- appearance: a fifth of the room. What was stored before is packed by store/histories_packed.py, which runs with this step.

CREATE TABLE segments (
    segment  INTEGER PRIMARY KEY,
    page     INTEGER NOT NULL REFERENCES pages,
    number   INTEGER NOT NULL,                 -- within the page, from 0
    start    REAL    NOT NULL,                 -- time of its first version
    versions INTEGER NOT NULL,
    indexed  INTEGER NOT NULL,                 -- versions whose words are in block_words
    layouts  BLOB    NOT NULL,                 -- 64-bit keys of the layouts that are new in it
    blocks   BLOB    NOT NULL,                 -- and of the blocks
    frame    BLOB    NOT NULL                  -- zstd: a line of JSON for each version
) STRICT;
CREATE UNIQUE INDEX segments_page ON segments (page, number);

-- How much there is, counted by whoever writes: a folder has one writer, a cluster has workers.
CREATE TABLE history_counts (
    worker         INTEGER PRIMARY KEY,
    versions       INTEGER NOT NULL,
    indexed        INTEGER NOT NULL,
    blocks         INTEGER NOT NULL,
    indexed_blocks INTEGER NOT NULL
) STRICT;

-- What people called blocks.
CREATE TABLE labels (
    url   TEXT NOT NULL,
    path  TEXT NOT NULL,
    label TEXT NOT NULL,
    time  REAL NOT NULL,
    PRIMARY KEY (url, path)
) STRICT, WITHOUT ROWID;

-- A block's number is made of the page and of its number in the page's history.
DROP TABLE block_words;
CREATE VIRTUAL TABLE block_words USING fts5 (topic, label, text, content = '', tokenize = 'unicode61 remove_diacritics 2');
