-- Pages that were studied for the first time and that nobody decided on yet: is there something that saved searches are
-- to be told of? As with changes, one that is studied anew, or was moved here from a folder, is not told of again.

CREATE TABLE new_pages (
    page bigint PRIMARY KEY
);

CREATE FUNCTION list_new_pages() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO new_pages SELECT page FROM added
        WHERE (SELECT min(captures.seq) FROM captures WHERE captures.page = added.page) IN (
            SELECT unstudied.seq FROM unstudied
            WHERE unstudied.seq > coalesce((SELECT max(alert_progress.seq) FROM alert_progress), 0))
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER pages_first_studied AFTER INSERT ON page_states REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION list_new_pages();
