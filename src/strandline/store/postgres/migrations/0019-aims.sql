-- Collections with an objective of their own: core/plan/aims.py. Each desk leaves what the changes of its pages in them are worth a
-- period, by the objective of the archive and by theirs; an hour has the factors that make both the same over all sites.
ALTER TABLE site_desks ADD COLUMN worths jsonb;
ALTER TABLE plan_hours ADD COLUMN factors jsonb;
