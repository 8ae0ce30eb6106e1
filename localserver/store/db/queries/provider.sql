-- name: ProviderRecord :one
SELECT content FROM provider_records WHERE kind = sqlc.arg(kind) AND id = sqlc.arg(id) AND expires_at > sqlc.arg(now);

-- name: ProviderRecords :many
SELECT id, content FROM provider_records WHERE kind = sqlc.arg(kind) AND expires_at > sqlc.arg(now) ORDER BY expires_at DESC, id;

-- name: KeepProviderRecord :exec
INSERT INTO provider_records (kind, id, content, expires_at)
VALUES (sqlc.arg(kind), sqlc.arg(id), sqlc.arg(content), sqlc.arg(expires_at))
ON CONFLICT (kind, id) DO UPDATE
SET content = excluded.content, expires_at = excluded.expires_at;

-- name: ForgetProviderRecords :exec
-- ForgetProviderRecords deletes the expired records, and all but a number of the others.
DELETE FROM provider_records p WHERE p.kind = sqlc.arg(kind) AND (p.expires_at <= sqlc.arg(now) OR p.id IN (
    SELECT o.id FROM provider_records o WHERE o.kind = sqlc.arg(kind) ORDER BY o.expires_at DESC, o.id OFFSET CAST(sqlc.arg(most) AS BIGINT)
));
