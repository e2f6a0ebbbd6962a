-- What alarms ask each hour, without looking at every page: how many pages of each host are there, and which visits
-- were in vain lately. Workers wait with what they write until all pages are counted.

LOCK TABLE pages IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE present_pages (
    host  bigint PRIMARY KEY,
    pages bigint NOT NULL                        -- that are there as far as is known; no parts, feeds or sitemaps
) WITH (fillfactor = 50);

INSERT INTO present_pages
    SELECT host, count(*) FROM pages WHERE kind = 'page' AND evidence = 'present' GROUP BY host;

CREATE FUNCTION count_present() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.kind = 'page' AND OLD.evidence = 'present' THEN
        UPDATE present_pages SET pages = pages - 1 WHERE host = OLD.host;
    END IF;
    IF NEW.kind = 'page' AND NEW.evidence = 'present' THEN
        INSERT INTO present_pages VALUES (NEW.host, 1)
            ON CONFLICT (host) DO UPDATE SET pages = present_pages.pages + 1;
    END IF;
    RETURN NULL;
END $$;
-- Row by row: few visits find that a page is there, or is not, for the first time, and nothing else is asked of others.
CREATE TRIGGER present_changed AFTER UPDATE OF evidence, kind, host ON pages FOR EACH ROW
    WHEN ((OLD.kind = 'page' AND OLD.evidence = 'present') <> (NEW.kind = 'page' AND NEW.evidence = 'present')
        OR OLD.host <> NEW.host)
    EXECUTE FUNCTION count_present();

CREATE FUNCTION count_present_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO present_pages
        SELECT host, count(*) FROM added WHERE kind = 'page' AND evidence = 'present' GROUP BY host ORDER BY host
        ON CONFLICT (host) DO UPDATE SET pages = present_pages.pages + excluded.pages;
    RETURN NULL;
END $$;
CREATE TRIGGER present_added AFTER INSERT ON pages REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_present_added();

CREATE FUNCTION count_present_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE present_pages SET pages = present_pages.pages - found.pages FROM
        (SELECT host, count(*) AS pages FROM gone WHERE kind = 'page' AND evidence = 'present' GROUP BY host) AS found
        WHERE present_pages.host = found.host;
    RETURN NULL;
END $$;
CREATE TRIGGER present_removed AFTER DELETE ON pages REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_present_removed();

CREATE INDEX pages_in_vain ON pages (visited) WHERE attempts > 0;
