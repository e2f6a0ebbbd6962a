-- Pages whose changes were found anew after others may have read them: as in ../migrations/0008. `turn` comes from a
-- sequence: who reads it waits for the transactions under way (store/exporting_postgres.py).

CREATE TABLE restudied (
    page bigint PRIMARY KEY REFERENCES pages,
    turn bigint NOT NULL
);
CREATE INDEX restudied_turn ON restudied (turn);
CREATE SEQUENCE restudied_turns;

CREATE FUNCTION list_restudied() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO restudied SELECT changed.page, nextval('restudied_turns') FROM (SELECT DISTINCT page FROM gone) AS changed
        ON CONFLICT (page) DO UPDATE SET turn = excluded.turn;
    RETURN NULL;
END $$;
CREATE TRIGGER study_begun_anew AFTER DELETE ON page_states REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION list_restudied();

-- A change of a capture that was passed long ago: its page had no state that could have been deleted.
CREATE FUNCTION list_late_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO restudied SELECT late.page, nextval('restudied_turns') FROM (
            SELECT DISTINCT page FROM found WHERE by_seq <= (SELECT seq FROM study_progress)) AS late
        ON CONFLICT (page) DO UPDATE SET turn = excluded.turn;
    RETURN NULL;
END $$;
CREATE TRIGGER change_found_late AFTER INSERT ON changes REFERENCING NEW TABLE AS found
    FOR EACH STATEMENT EXECUTE FUNCTION list_late_changes();
