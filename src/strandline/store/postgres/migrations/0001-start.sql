-- Pages, captures and the frontier, shared by many workers. Tables and columns are those of the embedded catalog
-- (../migrations) with what sharing needs besides: owners of hosts, fencing tokens, workers. Times are UTC epoch
-- seconds, but for leases: those are points on the clock of this database.

-- Every process that ever wrote here. A number is given once, so what a dead worker left can be told from anything new.
CREATE TABLE workers (
    worker   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name     text        NOT NULL,
    started  timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen     timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended    timestamptz,
    commits  bigint      NOT NULL DEFAULT 0,     -- number of the last commit: asked when its outcome is not known
    captures bigint      NOT NULL DEFAULT 0,
    octets   bigint      NOT NULL DEFAULT 0,     -- bytes of its captures as stored
    hungry   timestamptz NOT NULL DEFAULT '-infinity'  -- when it last found all hosts with others
);
CREATE INDEX workers_alive ON workers (seen) WHERE ended IS NULL;

CREATE SEQUENCE turns;

CREATE TABLE hosts (
    host       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    authority  text COLLATE "C"  NOT NULL UNIQUE,
    site       text COLLATE "C"  NOT NULL,
    turn       bigint            NOT NULL DEFAULT nextval('turns'),
    queued     integer           NOT NULL DEFAULT 0,   -- pages in state 1, 2 and 3
    backed_off integer           NOT NULL DEFAULT 0,
    leased     integer           NOT NULL DEFAULT 0,
    owner      bigint,                                 -- the one worker that may ask this host now
    token      bigint            NOT NULL DEFAULT 0,   -- grows with every change of owner: what comes late is refused
    held_until timestamptz       NOT NULL DEFAULT '-infinity',
    waiting    smallint          NOT NULL DEFAULT 0,
    not_before double precision  NOT NULL DEFAULT 0,
    failures   integer           NOT NULL DEFAULT 0,
    seconds    double precision  NOT NULL DEFAULT 0,
    pages      bigint            NOT NULL DEFAULT 0,
    captures   bigint            NOT NULL DEFAULT 0,
    first      double precision,
    last       double precision
) WITH (fillfactor = 50);
CREATE INDEX hosts_site    ON hosts (site);
CREATE INDEX hosts_ready   ON hosts (turn)       WHERE queued > 0 AND waiting = 0;
CREATE INDEX hosts_waiting ON hosts (not_before) WHERE queued > 0 AND waiting = 1;
CREATE INDEX hosts_leased  ON hosts (held_until) WHERE leased > 0;
CREATE INDEX hosts_active  ON hosts (host)       WHERE queued > 0 OR backed_off > 0 OR leased > 0;

CREATE TABLE robots (
    host   bigint PRIMARY KEY REFERENCES hosts,
    time   double precision NOT NULL,
    status integer NOT NULL,
    body   bytea   NOT NULL
);

CREATE TABLE pages (
    page          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key           uuid              NOT NULL UNIQUE,   -- of the url: see store/postgres_addresses.py
    url           text COLLATE "C"  NOT NULL,
    host          bigint            NOT NULL REFERENCES hosts,
    kind          text              NOT NULL,
    via           text              NOT NULL,
    hops          integer           NOT NULL,
    state         smallint          NOT NULL,          -- 0 resting, 1 queued, 2 backed off, 3 leased
    priority      double precision  NOT NULL,
    due           double precision  NOT NULL,
    not_before    double precision  NOT NULL DEFAULT 0,
    attempts      integer           NOT NULL DEFAULT 0,
    evidence      text              NOT NULL DEFAULT 'unknown',
    since         double precision  NOT NULL DEFAULT 0,
    outcome       text              NOT NULL DEFAULT '',
    detail        text              NOT NULL DEFAULT '',
    visited       double precision  NOT NULL DEFAULT 0,
    seconds       double precision  NOT NULL DEFAULT 0,
    weight        double precision  NOT NULL DEFAULT 1,
    weight_given  smallint          NOT NULL DEFAULT 0,
    captures      integer           NOT NULL DEFAULT 0,
    surt          text COLLATE "C",
    etag          text              NOT NULL DEFAULT '',
    last_modified text              NOT NULL DEFAULT '',
    conditional   integer           NOT NULL DEFAULT 0,
    origin        bigint
) WITH (fillfactor = 80);
CREATE INDEX pages_host    ON pages (host);
CREATE INDEX pages_resting ON pages (due)                  WHERE state = 0;
CREATE INDEX pages_queued  ON pages (host, priority, page) WHERE state = 1;
CREATE INDEX pages_backoff ON pages (not_before)           WHERE state = 2;
CREATE INDEX pages_leased  ON pages (host)                 WHERE state = 3;
CREATE INDEX pages_surt    ON pages (surt)                 WHERE surt IS NOT NULL;

-- The latest time by which pages were queued: those due later rest.
CREATE TABLE frontier (
    horizon double precision NOT NULL
);
INSERT INTO frontier VALUES ('-infinity');

CREATE TABLE passes (
    pass    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started double precision NOT NULL,
    ended   double precision
);
CREATE UNIQUE INDEX passes_open ON passes ((true)) WHERE ended IS NULL;

CREATE TABLE files (
    file bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE captures (
    seq             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page            bigint           NOT NULL REFERENCES pages,
    time            double precision NOT NULL,
    status          integer          NOT NULL,
    mime            text             NOT NULL,
    digest          text             NOT NULL,
    file            bigint           NOT NULL REFERENCES files,
    "offset"        bigint           NOT NULL,
    length          bigint           NOT NULL,
    revisit         smallint         NOT NULL,
    truncated       text             NOT NULL,
    redirect        text             NOT NULL,
    record_id       text             NOT NULL,
    entity          text             NOT NULL,
    original_url    text,
    original_time   double precision,
    original_digest text,
    original_record text
);
CREATE UNIQUE INDEX captures_place  ON captures (file, "offset");
CREATE INDEX        captures_page   ON captures (page, time);
CREATE INDEX        captures_entity ON captures USING hash (entity)
    WHERE entity <> '' AND revisit = 0 AND truncated = '';

CREATE TABLE links (
    source bigint NOT NULL,
    target bigint NOT NULL,
    via    text   NOT NULL,
    PRIMARY KEY (source, target)
);

CREATE TABLE claims (
    page   bigint NOT NULL,
    source text COLLATE "C" NOT NULL,
    time   double precision NOT NULL,
    seen   double precision NOT NULL,
    PRIMARY KEY (page, source, time)
);

CREATE TABLE refusals (
    reason text COLLATE "C" PRIMARY KEY,
    url    text   NOT NULL,
    count  bigint NOT NULL
);

-- Small state of the cluster and what was learned, by whoever learned it.
CREATE TABLE notes (
    kind  text COLLATE "C" NOT NULL,
    key   text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (kind, key)
);
