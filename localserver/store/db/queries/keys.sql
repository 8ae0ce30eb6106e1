-- name: InsertKey :exec
INSERT INTO api_keys (id, owner_id, name, prefix, hash, created_at)
VALUES (sqlc.arg(id), sqlc.arg(owner_id), sqlc.arg(name), sqlc.arg(prefix), sqlc.arg(hash), sqlc.arg(created_at));

-- name: Keys :many
SELECT * FROM api_keys WHERE owner_id = sqlc.arg(owner) AND revoked_at IS NULL ORDER BY created_at DESC, id DESC;

-- name: KeyByHash :one
SELECT * FROM api_keys WHERE hash = sqlc.arg(hash) AND revoked_at IS NULL;

-- name: RevokeKey :execrows
UPDATE api_keys SET revoked_at = sqlc.narg(revoked_at)
WHERE id = sqlc.arg(id) AND owner_id = sqlc.arg(owner) AND revoked_at IS NULL;

-- name: TouchKey :exec
UPDATE api_keys SET last_used_at = sqlc.narg(last_used_at) WHERE id = sqlc.arg(id);

-- name: HoldKeys :exec
-- HoldKeys locks an account's row, so that one call at a time changes its number of keys.
UPDATE users SET email = email WHERE id = sqlc.arg(owner);

-- name: CountKeys :one
SELECT CAST(count(*) AS BIGINT) FROM api_keys WHERE owner_id = sqlc.arg(owner) AND revoked_at IS NULL;

-- name: DropRevokedKeys :exec
-- DropRevokedKeys deletes an account's revoked keys except for the latest ones.
DELETE FROM api_keys
WHERE api_keys.owner_id = sqlc.arg(owner) AND api_keys.revoked_at IS NOT NULL AND api_keys.id NOT IN (
    SELECT k.id FROM api_keys k WHERE k.owner_id = sqlc.arg(owner) AND k.revoked_at IS NOT NULL
    ORDER BY k.revoked_at DESC, k.id DESC LIMIT CAST(sqlc.arg(most) AS BIGINT)
);
