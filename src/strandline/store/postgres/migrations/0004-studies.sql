-- What was found by reading captures back, and what was learned from that. Tables and columns are those of the embedded
-- catalog (../migrations/0002, 0003, 0006, 0007); whoever holds the desk of a site writes what belongs to it.

-- Workers commit in any order, so there is no number up to which all captures were studied: those that are not are
-- listed. The embedded catalog's number is the one before the first of them.
CREATE TABLE unstudied (
    seq  bigint PRIMARY KEY,
    host bigint NOT NULL
);
CREATE INDEX unstudied_host ON unstudied (host, seq);
INSERT INTO unstudied SELECT seq, host FROM captures JOIN pages USING (page) WHERE kind = 'page';
CREATE FUNCTION list_unstudied() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO unstudied SELECT seq, host FROM added JOIN pages USING (page) WHERE kind = 'page';
    RETURN NULL;
END $$;
CREATE TRIGGER captures_unstudied AFTER INSERT ON captures REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION list_unstudied();
CREATE VIEW study_progress AS
    SELECT coalesce((SELECT min(seq) - 1 FROM unstudied), (SELECT max(seq) FROM captures), 0) AS seq;

CREATE TABLE page_states (
    page        bigint PRIMARY KEY REFERENCES pages,
    level       bigint           NOT NULL,
    scale       bigint           NOT NULL,
    noise       bytea            NOT NULL,
    base        bigint           NOT NULL,
    digest      text             NOT NULL,
    visible     bigint           NOT NULL,
    seen        double precision NOT NULL,
    absent      bigint           NOT NULL,
    doubling    double precision NOT NULL,
    importance  double precision NOT NULL,
    changes     bigint           NOT NULL,
    passed_over double precision NOT NULL,
    time        double precision NOT NULL,
    seq         bigint           NOT NULL
);

CREATE TABLE changes (
    change     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page       bigint           NOT NULL REFERENCES pages,
    after_seq  bigint           NOT NULL,
    by_seq     bigint           NOT NULL UNIQUE,
    after      double precision NOT NULL,
    by         double precision NOT NULL,
    importance double precision NOT NULL,
    impch      double precision NOT NULL,
    visible    smallint         NOT NULL,
    held       smallint         NOT NULL,
    operations bigint           NOT NULL,
    blocks     bytea            NOT NULL
);
CREATE INDEX changes_page ON changes (page, by);
CREATE INDEX changes_time ON changes (by);

CREATE TABLE layouts (
    layout  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key     bytea NOT NULL UNIQUE,
    content bytea NOT NULL
);

CREATE TABLE blocks (
    block   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key     bytea    NOT NULL UNIQUE,
    topic   text     NOT NULL,
    label   text     NOT NULL,
    indexed smallint NOT NULL,
    base    bigint,
    content bytea    NOT NULL
);

CREATE TABLE versions (
    version bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page    bigint           NOT NULL REFERENCES pages,
    seq     bigint           NOT NULL,
    time    double precision NOT NULL,
    layout  bigint           NOT NULL REFERENCES layouts,
    blocks  bytea            NOT NULL,
    indexed smallint         NOT NULL
);
CREATE INDEX versions_page ON versions (page, time);

CREATE TABLE appearances (
    page  bigint           NOT NULL,
    block bigint           NOT NULL,
    first double precision NOT NULL,
    last  double precision,
    gone  double precision,
    PRIMARY KEY (page, block, first)
);
CREATE INDEX appearances_block ON appearances (block);
CREATE INDEX appearances_open  ON appearances (page) WHERE gone IS NULL;

-- Words are cut by core/blocks/words.py; a vector holds a megabyte at most, so the end of a very long block is left out.
CREATE TABLE block_words (
    rowid bigint PRIMARY KEY,
    topic text NOT NULL,
    text  text NOT NULL,
    words tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector('simple', left(topic, 1000)), 'A') || to_tsvector('simple', left(text, 100000))) STORED
);
CREATE INDEX block_words_words ON block_words USING gin (words);

CREATE TABLE ratings (
    url    text COLLATE "C" NOT NULL,
    path   text COLLATE "C" NOT NULL,
    rating text             NOT NULL,
    time   double precision NOT NULL,
    PRIMARY KEY (url, path)
);
-- Ratings that were moved here before there was a table for them: `url path`, `rating time`.
INSERT INTO ratings SELECT split_part(key, ' ', 1), substr(key, strpos(key, ' ') + 1),
        split_part(convert_from(value, 'UTF8'), ' ', 1), split_part(convert_from(value, 'UTF8'), ' ', 2)::float8
    FROM notes WHERE kind = 'rating';
DELETE FROM notes WHERE kind = 'rating';

CREATE TABLE study_problems (
    seq     bigint PRIMARY KEY,
    page    bigint NOT NULL,
    problem text   NOT NULL
);

CREATE TABLE learned_from (
    part      text COLLATE "C" PRIMARY KEY,
    seq       bigint NOT NULL,
    studied   bigint NOT NULL,
    captures  bigint NOT NULL,
    pages     bigint NOT NULL,
    unstudied bigint NOT NULL,
    first     double precision,
    last      double precision,
    data      text   NOT NULL
);

CREATE TABLE learned_sites (
    site    text COLLATE "C" PRIMARY KEY,
    zone    text NOT NULL,
    country text,
    reason  text NOT NULL
);

CREATE TABLE page_series (
    page     bigint PRIMARY KEY REFERENCES pages,
    zone     text   NOT NULL,
    country  text,
    cycle    text   NOT NULL,
    periods  bigint NOT NULL,
    captures bigint NOT NULL,
    last     double precision,
    sums     bytea  NOT NULL,
    shared   bigint
);

CREATE TABLE page_rates (
    page    bigint PRIMARY KEY REFERENCES pages,
    visits  bigint           NOT NULL,
    changes bigint           NOT NULL,
    found   double precision NOT NULL,
    watched double precision NOT NULL,
    prior   double precision NOT NULL,
    last    double precision NOT NULL
);

CREATE TABLE first_sights (
    page          bigint PRIMARY KEY REFERENCES pages,
    text_bytes    bigint NOT NULL,
    links         bigint NOT NULL,
    headings      bigint NOT NULL,
    images        bigint NOT NULL,
    emails        bigint NOT NULL,
    last_modified bigint,
    language      text   NOT NULL
);

CREATE TABLE heads_read (
    seq bigint NOT NULL
);
INSERT INTO heads_read VALUES (0);

CREATE TABLE trust (
    host         text COLLATE "C" NOT NULL,
    source       text COLLATE "C" NOT NULL,
    confirmed    double precision NOT NULL,
    false_alarms double precision NOT NULL,
    missed       double precision NOT NULL,
    consistent   double precision NOT NULL,
    worthless    double precision NOT NULL,
    PRIMARY KEY (host, source)
);

CREATE TABLE site_rules (
    site text COLLATE "C" PRIMARY KEY,
    data bytea NOT NULL
);

CREATE TABLE skip_tests (
    site      text COLLATE "C" NOT NULL,
    directory text COLLATE "C" NOT NULL,
    method    text COLLATE "C" NOT NULL,
    tests     bigint           NOT NULL,
    failures  bigint           NOT NULL,
    recent    bigint           NOT NULL,
    pass      double precision NOT NULL,
    failed    smallint         NOT NULL,
    retired   double precision NOT NULL,
    why       text             NOT NULL,
    PRIMARY KEY (site, directory, method)
);

CREATE TABLE site_rates (
    site text COLLATE "C" PRIMARY KEY,
    data bytea NOT NULL
);

CREATE TABLE watch_time (
    start  double precision PRIMARY KEY,
    hour   double precision NOT NULL,
    length double precision NOT NULL
);

-- Besides the next hour's plan, a site has captures to study; the whole archive, under the empty name, has a learner.
ALTER TABLE site_desks ADD COLUMN work text COLLATE "C" NOT NULL DEFAULT 'plan';
ALTER TABLE site_desks DROP CONSTRAINT site_desks_pkey;
ALTER TABLE site_desks ADD PRIMARY KEY (site, work);
DROP INDEX site_desks_planned;
CREATE INDEX site_desks_planned ON site_desks (work, planned);
