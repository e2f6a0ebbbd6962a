-- Pages whose changes were found anew after others may have read them: who copies changes elsewhere (Parquet) takes
-- these pages again. `turn` grows with every such page, so each reader remembers how far it came.

CREATE TABLE restudied (
    page INTEGER PRIMARY KEY REFERENCES pages,
    turn INTEGER NOT NULL
) STRICT;
CREATE INDEX restudied_turn ON restudied (turn);

CREATE TRIGGER study_begun_anew AFTER DELETE ON page_states BEGIN
    INSERT INTO restudied VALUES (OLD.page, (SELECT coalesce(max(turn), 0) + 1 FROM restudied))
        ON CONFLICT DO UPDATE SET turn = excluded.turn;
END;

-- A change of a capture that was passed long ago: its page had no state that could have been deleted.
CREATE TRIGGER change_found_late AFTER INSERT ON changes
    WHEN NEW.by_seq <= (SELECT seq FROM study_progress) BEGIN
    INSERT INTO restudied VALUES (NEW.page, (SELECT coalesce(max(turn), 0) + 1 FROM restudied))
        ON CONFLICT DO UPDATE SET turn = excluded.turn;
END;
