-- +goose Up

-- What several servers must know of each other. None of it outlives a day, so the file of
-- SQLite, which has one server, has none of these tables, and no snapshot takes them.

-- The requests of a caller within the last minute (localserver/limit). counted has the time
-- of the last request, 1 where it was let through and 0 where not, and then the times of
-- those that were let through, the oldest first: in microseconds since 1970, by this
-- database's clock. Rows change with each request, so there is room for them to change
-- where they are, and no index but the key's. After a crash of the database there are none.
CREATE UNLOGGED TABLE callers (
    name    TEXT COLLATE "C" PRIMARY KEY,
    counted BIGINT[] NOT NULL
) WITH (fillfactor = 50);

-- +goose StatementBegin
-- Counts a request unless as many as the limit stand in the window. Whoever calls it has
-- locked the row, so that the clock is read in the order of the requests. A clock that was
-- set back since the last one takes the times with it: none of them gets younger than now.
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

-- Calls with an Idempotency-Key that a server is answering now, until the time (in
-- milliseconds, by this database's clock) at which nobody waits for it any more.
CREATE UNLOGGED TABLE calls_under_way (
    scope     TEXT COLLATE "C" NOT NULL,
    key       TEXT COLLATE "C" NOT NULL,
    body_hash TEXT NOT NULL,
    holder    TEXT COLLATE "C" NOT NULL,
    until     BIGINT NOT NULL,
    PRIMARY KEY (scope, key)
);

-- What the development provider keeps (localserver/identity), in JSON: sign-ins, codes and
-- devices under the hashes of their secrets, and the servers' public keys.
CREATE TABLE provider_records (
    kind       TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    content    TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
);
