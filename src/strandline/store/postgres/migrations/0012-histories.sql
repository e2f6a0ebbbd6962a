-- The versions of a page as a packed history; see ../../migrations/0010-histories.sql.

CREATE TABLE segments (
    segment  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page     bigint           NOT NULL REFERENCES pages,
    number   bigint           NOT NULL,
    start    double precision NOT NULL,
    versions bigint           NOT NULL,
    indexed  bigint           NOT NULL,
    layouts  bytea            NOT NULL,
    blocks   bytea            NOT NULL,
    frame    bytea            NOT NULL
);
CREATE UNIQUE INDEX segments_page ON segments (page, number);
ALTER TABLE segments ALTER COLUMN frame SET STORAGE EXTERNAL; -- it is packed already

CREATE TABLE history_counts (
    worker         bigint PRIMARY KEY,
    versions       bigint NOT NULL,
    indexed        bigint NOT NULL,
    blocks         bigint NOT NULL,
    indexed_blocks bigint NOT NULL
);

CREATE TABLE labels (
    url   text COLLATE "C" NOT NULL,
    path  text COLLATE "C" NOT NULL,
    label text             NOT NULL,
    time  double precision NOT NULL,
    PRIMARY KEY (url, path)
);

DROP TABLE block_words;
CREATE TABLE block_words (
    rowid bigint PRIMARY KEY,
    topic text NOT NULL,
    label text NOT NULL,
    text  text NOT NULL,
    words tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('simple', left(topic, 1000)), 'A') || setweight(to_tsvector('simple', left(label, 1000)), 'B')
            || to_tsvector('simple', left(text, 100000))) STORED
);
CREATE INDEX block_words_words ON block_words USING gin (words);
