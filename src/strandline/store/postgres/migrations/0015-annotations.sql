-- What people wrote about pages and captures: tags and notes. No WARC file holds it.

CREATE TABLE annotations (
    key     text COLLATE "C" PRIMARY KEY,
    kind    text             NOT NULL,
    url     text             NOT NULL,
    surt    text COLLATE "C" NOT NULL,
    capture double precision,
    text    text             NOT NULL,
    author  text             NOT NULL,
    time    double precision NOT NULL
);
CREATE INDEX annotations_surt ON annotations (surt, time);
CREATE INDEX annotations_text ON annotations (text) WHERE kind = 'tag';
