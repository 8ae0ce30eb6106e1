-- name: ClaimCall :execrows
-- ClaimCall claims a call, or extends the holder's claim. It changes no row if somebody else has
-- claimed the call.
INSERT INTO calls_under_way AS c (scope, key, body_hash, holder, until)
VALUES (sqlc.arg(scope), sqlc.arg(key), sqlc.arg(body_hash), sqlc.arg(holder),
    CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) + CAST(sqlc.arg(lease) AS BIGINT))
ON CONFLICT (scope, key) DO UPDATE
SET body_hash = excluded.body_hash, holder = excluded.holder, until = excluded.until
WHERE c.holder = excluded.holder OR c.until < CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT);

-- name: CallUnderWay :one
SELECT body_hash FROM calls_under_way
WHERE scope = sqlc.arg(scope) AND key = sqlc.arg(key) AND until >= CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT);

-- name: EndCall :exec
DELETE FROM calls_under_way WHERE scope = sqlc.arg(scope) AND key = sqlc.arg(key) AND holder = sqlc.arg(holder);

-- name: ForgetCalls :exec
-- ForgetCalls deletes the expired claims of killed servers.
DELETE FROM calls_under_way WHERE (scope, key) IN (
    SELECT c.scope, c.key FROM calls_under_way c
    WHERE c.until < CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)
    FOR UPDATE SKIP LOCKED
);
