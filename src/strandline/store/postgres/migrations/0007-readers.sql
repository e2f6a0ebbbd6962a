-- What readers look at, are told and are alarmed by: ../migrations/0004 and 0005, and the hours of 0007. Times are UTC
-- epoch seconds.

-- Captures and changes per host and UTC day, kept in step by triggers. They are counted apart: who crawls a host and who
-- studies it never wait for one another's line.
CREATE TABLE capture_days (
    host      bigint NOT NULL REFERENCES hosts,
    day       bigint NOT NULL,
    captures  bigint NOT NULL,
    unchanged bigint NOT NULL,
    errors    bigint NOT NULL,
    PRIMARY KEY (host, day)
) WITH (fillfactor = 50);
CREATE TABLE change_days (
    host       bigint           NOT NULL REFERENCES hosts,
    day        bigint           NOT NULL,
    changes    bigint           NOT NULL,
    important  bigint           NOT NULL,
    importance double precision NOT NULL,
    PRIMARY KEY (host, day)
) WITH (fillfactor = 50);
CREATE VIEW host_days AS
    SELECT host, day, captures, unchanged, errors, 0::bigint AS changes, 0::bigint AS important,
        0::double precision AS importance FROM capture_days
    UNION ALL SELECT host, day, 0, 0, 0, changes, important, importance FROM change_days;

CREATE FUNCTION count_captures() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO capture_days
        SELECT host, trunc(time / 86400.0)::bigint, count(*), count(*) FILTER (WHERE revisit <> 0),
            count(*) FILTER (WHERE status >= 400)
        FROM added JOIN pages USING (page) GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (host, day) DO UPDATE SET captures = capture_days.captures + excluded.captures,
            unchanged = capture_days.unchanged + excluded.unchanged, errors = capture_days.errors + excluded.errors;
    RETURN NULL;
END $$;
CREATE TRIGGER captures_counted AFTER INSERT ON captures REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_captures();

-- Changes that were found and that nobody decided on yet: shall anyone be told? A page that is studied anew is not told
-- of again: its captures are no longer listed as unstudied.
CREATE TABLE undecided (
    change bigint PRIMARY KEY
);

CREATE FUNCTION count_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE change_days SET changes = change_days.changes - less.changes,
                important = change_days.important - less.important,
                importance = change_days.importance - less.importance
            FROM (SELECT host, trunc(by / 86400.0)::bigint AS day, count(*) AS changes,
                    count(*) FILTER (WHERE importance >= 0.1) AS important, sum(importance) AS importance
                FROM gone JOIN pages USING (page) WHERE visible <> 0 GROUP BY 1, 2) AS less
            WHERE change_days.host = less.host AND change_days.day = less.day;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO change_days
            SELECT host, trunc(by / 86400.0)::bigint, count(*), count(*) FILTER (WHERE importance >= 0.1),
                sum(importance)
            FROM added JOIN pages USING (page) WHERE visible <> 0 GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (host, day) DO UPDATE SET changes = change_days.changes + excluded.changes,
                important = change_days.important + excluded.important,
                importance = change_days.importance + excluded.importance;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO undecided SELECT change FROM added
            WHERE visible <> 0 AND held = 0 AND by_seq IN (SELECT seq FROM unstudied);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER changes_added AFTER INSERT ON changes REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_changes();
CREATE TRIGGER changes_replaced AFTER UPDATE ON changes REFERENCING OLD TABLE AS gone NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_changes();
CREATE TRIGGER changes_removed AFTER DELETE ON changes REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_changes();

INSERT INTO capture_days
    SELECT host, trunc(time / 86400.0)::bigint, count(*), count(*) FILTER (WHERE revisit <> 0),
        count(*) FILTER (WHERE status >= 400)
    FROM captures JOIN pages USING (page) GROUP BY 1, 2;
INSERT INTO change_days
    SELECT host, trunc(by / 86400.0)::bigint, count(*), count(*) FILTER (WHERE importance >= 0.1), sum(importance)
    FROM changes JOIN pages USING (page) WHERE visible <> 0 GROUP BY 1, 2;

CREATE INDEX pages_gone         ON pages (since)        WHERE evidence = 'absent';
CREATE INDEX page_series_shared ON page_series (shared) WHERE shared IS NOT NULL;
CREATE VIEW leases AS SELECT page FROM pages WHERE state = 3;

CREATE TABLE alerts (
    alert      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key        text COLLATE "C"  NOT NULL UNIQUE,
    time       double precision  NOT NULL,
    kind       text              NOT NULL,
    site       text              NOT NULL,
    url        text              NOT NULL,
    importance double precision  NOT NULL,
    document   text              NOT NULL
);
CREATE INDEX alerts_time ON alerts (time);

CREATE TABLE deliveries (
    target     text COLLATE "C" NOT NULL,
    alert      bigint           NOT NULL REFERENCES alerts,
    state      smallint         NOT NULL,
    tries      integer          NOT NULL,
    not_before double precision NOT NULL,
    time       double precision NOT NULL,
    detail     text             NOT NULL,
    PRIMARY KEY (target, alert)
);
CREATE INDEX deliveries_waiting ON deliveries (target, alert) WHERE state = 0;
CREATE INDEX deliveries_alert   ON deliveries (alert);

CREATE TABLE observations (
    observation bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site        text COLLATE "C" NOT NULL,
    signal      text             NOT NULL,
    time        double precision NOT NULL,
    value       double precision NOT NULL,
    visits      bigint           NOT NULL,
    strange     smallint         NOT NULL
);
CREATE INDEX observations_site ON observations (site, signal, observation);

CREATE TABLE rule_history (
    site    text COLLATE "C" NOT NULL,
    rule    text COLLATE "C" NOT NULL,
    made    double precision NOT NULL,
    retired double precision,
    PRIMARY KEY (site, rule, made)
);

CREATE TABLE watch_hours (
    hour       bigint PRIMARY KEY,
    start      double precision NOT NULL,
    allowed    double precision NOT NULL,
    planned    bigint           NOT NULL,
    requests   bigint           NOT NULL,
    revisits   bigint           NOT NULL,
    firsts     bigint           NOT NULL,
    parts      bigint           NOT NULL,
    changed    bigint           NOT NULL,
    unchanged  bigint           NOT NULL,
    failed     bigint           NOT NULL,
    octets     bigint           NOT NULL
);
