-- name: CountRequest :one
-- CountRequest counts a request of a caller and locks only the row of that caller. next is the time
-- of the request that must leave the window before the next one is admitted.
INSERT INTO callers AS c (name, counted)
VALUES (sqlc.arg(name), count_request('{}', sqlc.narg(at), sqlc.arg(most), sqlc.arg(time_window)))
ON CONFLICT (name) DO UPDATE
SET counted = count_request(c.counted, sqlc.narg(at), sqlc.arg(most), sqlc.arg(time_window))
RETURNING CAST(c.counted[1] AS BIGINT) AS asked, CAST(c.counted[2] = 1 AS BOOLEAN) AS passed,
    CAST(cardinality(c.counted) - 2 AS BIGINT) AS standing, CAST(c.counted[3] AS BIGINT) AS oldest,
    CAST(c.counted[GREATEST(cardinality(c.counted) - CAST(sqlc.arg(most) AS BIGINT) + 1, 3)] AS BIGINT) AS next;

-- name: UncountRequest :exec
-- UncountRequest removes the request that was counted at a time. The first two numbers of counted
-- are not times of requests.
UPDATE callers
SET counted = counted[:array_position(counted, CAST(sqlc.arg(at) AS BIGINT), 3) - 1] || counted[array_position(counted, CAST(sqlc.arg(at) AS BIGINT), 3) + 1:]
WHERE name = sqlc.arg(name) AND array_position(counted, CAST(sqlc.arg(at) AS BIGINT), 3) IS NOT NULL;

-- name: ForgetIdleCallers :exec
-- ForgetIdleCallers deletes the callers without a request in the window.
DELETE FROM callers WHERE name IN (
    SELECT i.name FROM callers i
    WHERE i.counted[1] <= COALESCE(CAST(sqlc.narg(at) AS BIGINT), CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)) - CAST(sqlc.arg(time_window) AS BIGINT)
    FOR UPDATE SKIP LOCKED
);

-- name: BoundCallers :exec
-- BoundCallers deletes all but a number of callers: those with the latest requests remain.
DELETE FROM callers WHERE name IN (
    SELECT o.name FROM callers o ORDER BY o.counted[1] DESC OFFSET CAST(sqlc.arg(most) AS BIGINT) FOR UPDATE SKIP LOCKED
);
