-- As in the embedded catalog (../migrations/0005): feeds of changes tell alarms, too. Nobody raises any in a cluster yet.
CREATE TABLE alarms (
    alarm       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text             NOT NULL,
    subject     text             NOT NULL,
    opened      double precision NOT NULL,
    closed      double precision,
    explanation text             NOT NULL,
    ending      text             NOT NULL
);
CREATE UNIQUE INDEX alarms_open ON alarms (kind, subject) WHERE closed IS NULL;
