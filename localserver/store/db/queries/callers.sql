-- name: CountRequest :one
-- Counts a request of a caller, in one statement that locks the caller's row and no other.
-- next is the request after whose time the limit has room again.
INSERT INTO callers AS c (name, counted)
VALUES (sqlc.arg(name), count_request('{}', sqlc.narg(at), sqlc.arg(most), sqlc.arg(time_window)))
ON CONFLICT (name) DO UPDATE
SET counted = count_request(c.counted, sqlc.narg(at), sqlc.arg(most), sqlc.arg(time_window))
RETURNING CAST(c.counted[1] AS BIGINT) AS asked, CAST(c.counted[2] = 1 AS BOOLEAN) AS passed,
    CAST(cardinality(c.counted) - 2 AS BIGINT) AS standing, CAST(c.counted[3] AS BIGINT) AS oldest,
    CAST(c.counted[GREATEST(cardinality(c.counted) - CAST(sqlc.arg(most) AS BIGINT) + 1, 3)] AS BIGINT) AS next;

-- name: UncountRequest :exec
-- Takes a request back that was counted at that time; the first two numbers are no requests.
UPDATE callers
SET counted = counted[:array_position(counted, CAST(sqlc.arg(at) AS BIGINT), 3) - 1] || counted[array_position(counted, CAST(sqlc.arg(at) AS BIGINT), 3) + 1:]
WHERE name = sqlc.arg(name) AND array_position(counted, CAST(sqlc.arg(at) AS BIGINT), 3) IS NOT NULL;

-- name: ForgetIdleCallers :exec
-- Those whose last request is a window ago.
DELETE FROM callers WHERE name IN (
    SELECT i.name FROM callers i
    WHERE i.counted[1] <= COALESCE(CAST(sqlc.narg(at) AS BIGINT), CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)) - CAST(sqlc.arg(time_window) AS BIGINT)
    FOR UPDATE SKIP LOCKED
);

-- name: BoundCallers :exec
-- Past so many callers, those whose last request is longest ago.
DELETE FROM callers WHERE name IN (
    SELECT o.name FROM callers o ORDER BY o.counted[1] DESC OFFSET CAST(sqlc.arg(most) AS BIGINT) FOR UPDATE SKIP LOCKED
);
