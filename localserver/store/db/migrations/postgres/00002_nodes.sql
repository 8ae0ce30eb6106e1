-- +goose Up

-- Data that servers with one database share. It is at most a day old. A SQLite file has only one
-- server, so it lacks these tables. Snapshots do not contain them.

-- The requests of a caller within the last minute (localserver/limit), in microseconds since 1970
-- on this database's clock. counted contains the time of the last request, 1 if that request was
-- admitted or 0 if not, and then the times of the admitted requests, the oldest first. Each request
-- changes a row, so pages have free space for updates in place, and only the key has an index.
-- After a crash of the database the table is empty.
CREATE UNLOGGED TABLE callers (
    name    TEXT COLLATE "C" PRIMARY KEY,
    counted BIGINT[] NOT NULL
) WITH (fillfactor = 50);

-- +goose StatementBegin
-- Counts a request unless the requests in the window have reached the limit most. The caller of the
-- function has locked the row, so that the requests read the clock one after the other. If the
-- clock was set back since the last request, the stored times are moved back by the same amount, so
-- that none of them is in the future.
CREATE FUNCTION count_request(counted BIGINT[], at BIGINT, most BIGINT, time_window BIGINT) RETURNS BIGINT[]
LANGUAGE plpgsql AS $$
DECLARE
    moment BIGINT := COALESCE(at, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT));
    back   BIGINT := GREATEST(COALESCE(counted[1], moment) - moment, 0);
    times  BIGINT[] := ARRAY(SELECT t - back FROM unnest(counted[3:]) AS t WHERE t - back > moment - time_window ORDER BY t);
BEGIN
    IF cardinality(times) < most THEN
        RETURN ARRAY[moment, 1] || times || moment;
    END IF;
    RETURN ARRAY[moment, 0] || times;
END
$$;
-- +goose StatementEnd

-- Calls with an Idempotency-Key that a server is answering now. A claim expires at the time until
-- (in milliseconds on this database's clock).
CREATE UNLOGGED TABLE calls_under_way (
    scope     TEXT COLLATE "C" NOT NULL,
    key       TEXT COLLATE "C" NOT NULL,
    body_hash TEXT NOT NULL,
    holder    TEXT COLLATE "C" NOT NULL,
    until     BIGINT NOT NULL,
    PRIMARY KEY (scope, key)
);

-- The data of the development provider (localserver/identity), as JSON: sign-ins, codes and devices
-- by the hashes of their secrets, and the servers' public keys.
CREATE TABLE provider_records (
    kind       TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    content    TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
);
