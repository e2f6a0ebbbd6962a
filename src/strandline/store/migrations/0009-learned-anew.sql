-- What was learned of patterns and rates before counted differences that are no change to plan for (a clock,
-- advertising) as changes. It is forgotten, and learned anew from the captures; rules of directories count them still.

DELETE FROM learned_from WHERE part IN ('patterns', 'classes');
DELETE FROM page_series;
DELETE FROM page_rates;
DELETE FROM trust;
