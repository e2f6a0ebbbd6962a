-- Which part of what each source of a site says (sitemaps, feeds) is right, as of the site's last plan; `trust` is that of
-- the better one, for workers of releases that knew no more.
ALTER TABLE site_desks ADD COLUMN trusts jsonb;
