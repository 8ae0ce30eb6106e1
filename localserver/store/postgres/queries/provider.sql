-- name: ProviderRecord :one
SELECT content FROM provider_records WHERE kind = sqlc.arg(kind) AND id = sqlc.arg(id);

-- name: MarkedProviderRecord :one
SELECT id, content FROM provider_records WHERE kind = sqlc.arg(kind) AND mark = sqlc.arg(mark) ORDER BY id LIMIT 1;

-- name: ProviderRecords :many
SELECT content FROM provider_records WHERE kind = sqlc.arg(kind) AND expires_at >= sqlc.arg(since) ORDER BY expires_at DESC, id;

-- name: CountProviderRecords :one
-- Those of an owner, or of all.
SELECT count(*) FROM provider_records
WHERE kind = sqlc.arg(kind) AND expires_at >= sqlc.arg(since) AND (owner = sqlc.narg(owner) OR sqlc.narg(owner) IS NULL);

-- name: KeepProviderRecord :exec
INSERT INTO provider_records (kind, id, mark, owner, content, expires_at)
VALUES (sqlc.arg(kind), sqlc.arg(id), sqlc.arg(mark), sqlc.arg(owner), sqlc.arg(content), sqlc.arg(expires_at))
ON CONFLICT (kind, id) DO UPDATE
SET mark = excluded.mark, owner = excluded.owner, content = excluded.content, expires_at = excluded.expires_at;

-- name: DropProviderRecord :execrows
DELETE FROM provider_records WHERE kind = sqlc.arg(kind) AND id = sqlc.arg(id);

-- name: ForgetProviderRecords :exec
-- Those that have expired, and past so many those that expire first.
DELETE FROM provider_records WHERE (kind, id) IN (
    SELECT r.kind, r.id FROM provider_records r WHERE r.kind = sqlc.arg(kind) AND r.expires_at < sqlc.arg(since)
    UNION
    (SELECT o.kind, o.id FROM provider_records o WHERE o.kind = sqlc.arg(kind) ORDER BY o.expires_at DESC, o.id OFFSET CAST(sqlc.arg(most) AS BIGINT))
);
