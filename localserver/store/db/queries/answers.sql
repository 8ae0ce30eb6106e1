-- name: Answer :one
SELECT body_hash, answer, player_id FROM answers
WHERE scope = sqlc.arg(scope) AND key = sqlc.arg(key) AND created_at >= sqlc.arg(since);

-- name: KeepAnswer :exec
INSERT INTO answers (scope, key, body_hash, answer, persona_id, player_id, session_id, created_at)
VALUES (sqlc.arg(scope), sqlc.arg(key), sqlc.arg(body_hash), sqlc.arg(answer), sqlc.arg(persona_id), sqlc.narg(player_id), sqlc.narg(session_id), sqlc.arg(created_at))
ON CONFLICT (scope, key) DO UPDATE
SET body_hash = excluded.body_hash, answer = excluded.answer, persona_id = excluded.persona_id,
    player_id = excluded.player_id, session_id = excluded.session_id, created_at = excluded.created_at;

-- name: DropSessionAnswers :exec
-- DropSessionAnswers deletes the answers to a session's messages. The answer to its opening
-- remains.
DELETE FROM answers WHERE session_id = sqlc.narg(session_id);

-- name: PurgeAnswers :exec
-- PurgeAnswers deletes at most 100 expired answers, so that no write takes long. It skips those
-- that another write is deleting.
DELETE FROM answers WHERE (scope, key) IN (
    SELECT a.scope, a.key FROM answers a WHERE a.created_at < sqlc.arg(since) ORDER BY a.created_at LIMIT 100
    FOR UPDATE SKIP LOCKED
);
