-- What was learned by reading captures back: changes, blocks and versions. All of it can be worked out again from the
-- WARC files, but for the ratings, which people gave. Times are UTC epoch seconds.

-- Captures are studied in the order they were recorded; all up to this number are done.
CREATE TABLE study_progress (
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO study_progress VALUES (0);

CREATE TABLE page_states (
    page        INTEGER PRIMARY KEY REFERENCES pages,
    level       INTEGER NOT NULL,              -- how the page is cut, kept so that versions are cut alike
    scale       INTEGER NOT NULL,
    noise       BLOB    NOT NULL,              -- see core/changes/noise/volatility.py
    base        INTEGER NOT NULL,              -- capture the next one is compared with; 0: none yet
    digest      TEXT    NOT NULL,              -- of that capture
    visible     INTEGER NOT NULL,              -- hash of what a reader sees in it, as signed 64 bits
    seen        REAL    NOT NULL,              -- when the page was last seen as in that capture
    absent      INTEGER NOT NULL,              -- answers 404 or 410 in a row; believed from the second on
    doubling    REAL    NOT NULL,              -- when a second fetch was asked for, to find noise; 0: not
    importance  REAL    NOT NULL,              -- sum over the changes
    changes     INTEGER NOT NULL,
    passed_over REAL    NOT NULL,              -- importance that waits to enter the search index
    time        REAL    NOT NULL,              -- of the last capture that was studied
    seq         INTEGER NOT NULL
) STRICT;

CREATE TABLE changes (
    change     INTEGER PRIMARY KEY,
    page       INTEGER NOT NULL REFERENCES pages,
    after_seq  INTEGER NOT NULL,               -- the change happened after this capture ...
    by_seq     INTEGER NOT NULL,               -- ... and by this one
    after      REAL    NOT NULL,
    by         REAL    NOT NULL,
    importance REAL    NOT NULL,
    impch      REAL    NOT NULL,
    visible    INTEGER NOT NULL,
    held       INTEGER NOT NULL,
    operations INTEGER NOT NULL,
    blocks     BLOB    NOT NULL                -- zstd of a JSON list: changed blocks with reasons
) STRICT;
CREATE UNIQUE INDEX changes_capture ON changes (by_seq);
CREATE INDEX        changes_page    ON changes (page, by);
CREATE INDEX        changes_time    ON changes (by);

-- The block repository of paper 003: layouts and blocks are stored once.
CREATE TABLE layouts (
    layout  INTEGER PRIMARY KEY,
    key     BLOB NOT NULL UNIQUE,
    content BLOB NOT NULL                      -- zstd
) STRICT;

CREATE TABLE blocks (
    block   INTEGER PRIMARY KEY,
    key     BLOB    NOT NULL UNIQUE,
    topic   TEXT    NOT NULL,
    label   TEXT    NOT NULL,
    indexed INTEGER NOT NULL,                  -- 1: its words are in block_words
    base    INTEGER,                           -- block whose content this one is stored as a difference from
    content BLOB    NOT NULL                   -- zstd
) STRICT;

CREATE TABLE versions (
    version INTEGER PRIMARY KEY,
    page    INTEGER NOT NULL REFERENCES pages,
    seq     INTEGER NOT NULL,                  -- the capture that first showed it
    time    REAL    NOT NULL,
    layout  INTEGER NOT NULL REFERENCES layouts,
    blocks  BLOB    NOT NULL,                  -- numbers of its blocks in page order, 32 bits each
    indexed INTEGER NOT NULL
) STRICT;
CREATE INDEX versions_page ON versions (page, time);

-- When a page showed a block.
CREATE TABLE appearances (
    page  INTEGER NOT NULL,
    block INTEGER NOT NULL,
    first REAL    NOT NULL,
    last  REAL,                                -- last seen; NULL: the page still shows it
    gone  REAL,                                -- first seen without it
    PRIMARY KEY (page, block, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX appearances_block ON appearances (block);
CREATE INDEX appearances_open  ON appearances (page) WHERE gone IS NULL;

-- Words are cut by core/blocks/words.py, which knows scripts without spaces; the text itself is in blocks.
CREATE VIRTUAL TABLE block_words USING fts5 (topic, text, content = '', tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE ratings (
    url    TEXT NOT NULL,
    path   TEXT NOT NULL,
    rating TEXT NOT NULL,                      -- noise or matters
    time   REAL NOT NULL,
    PRIMARY KEY (url, path)
) STRICT, WITHOUT ROWID;

-- Captures that could not be studied, and why.
CREATE TABLE study_problems (
    seq     INTEGER PRIMARY KEY,
    page    INTEGER NOT NULL,
    problem TEXT    NOT NULL
) STRICT;
