-- name: Player :one
-- A player's owner is the only one who may go on; one without an owner is kept
-- by the secrecy of the user session id.
SELECT id, CAST(owner_id IS NULL OR owner_id = CAST(sqlc.arg(user_id) AS TEXT) AS BOOLEAN) AS allowed
FROM players
WHERE space = sqlc.arg(space) AND user_session_id = sqlc.arg(user_session_id) AND persona_id = sqlc.arg(persona_id);

-- name: ReadablePlayer :one
-- Progress may be read without a token, but not with another user's.
SELECT id, CAST(owner_id IS NULL OR CAST(sqlc.arg(user_id) AS TEXT) = '' OR owner_id = CAST(sqlc.arg(user_id) AS TEXT) AS BOOLEAN) AS allowed
FROM players
WHERE space = sqlc.arg(space) AND user_session_id = sqlc.arg(user_session_id) AND persona_id = sqlc.arg(persona_id);

-- name: PlayerMarks :one
-- What tells whether a player's sessions are as they were: an opening raises entered,
-- every other write of a session revisions.
SELECT CAST(pl.owner_id IS NULL OR pl.owner_id = CAST(sqlc.arg(user_id) AS TEXT) AS BOOLEAN) AS allowed,
    CAST(max(s.entered) AS INTEGER) AS entered, CAST(sum(s.revision) AS INTEGER) AS revisions, CAST(max(s.last_message_at) AS INTEGER) AS last_message_at
FROM players pl JOIN sessions s ON s.player_id = pl.id
WHERE pl.id = sqlc.arg(player_id)
GROUP BY pl.id, pl.owner_id;

-- name: InsertPlayer :exec
INSERT INTO players (id, space, persona_id, user_session_id, owner_id)
VALUES (sqlc.arg(id), sqlc.arg(space), sqlc.arg(persona_id), sqlc.arg(user_session_id), sqlc.narg(owner_id));

-- name: ClaimPlayer :exec
UPDATE players SET owner_id = sqlc.narg(owner_id)
WHERE id = sqlc.arg(id) AND owner_id IS NULL;

-- name: DeletePlayer :exec
DELETE FROM players WHERE id = sqlc.arg(id);

-- name: ForeignPlayers :one
SELECT CAST(count(*) AS INTEGER) FROM players
WHERE space = '' AND user_session_id = sqlc.arg(user_session_id)
  AND owner_id IS NOT NULL AND owner_id <> sqlc.narg(owner);

-- name: ClaimPlayers :exec
UPDATE players SET owner_id = sqlc.narg(owner_id)
WHERE space = '' AND user_session_id = sqlc.arg(user_session_id) AND owner_id IS NULL;

-- name: OwnPlayers :many
SELECT p.persona_id, CAST(count(s.id) AS INTEGER) AS sessions
FROM players p LEFT JOIN sessions s ON s.player_id = p.id
WHERE p.space = '' AND p.user_session_id = sqlc.arg(user_session_id) AND p.owner_id = sqlc.narg(owner_id)
GROUP BY p.id
ORDER BY p.persona_id;

-- name: Completions :many
SELECT machine_id, outcome, score, completed_at FROM completions
WHERE player_id = sqlc.arg(player_id)
ORDER BY completed_at, rowid;

-- name: DropCompletion :exec
DELETE FROM completions WHERE player_id = sqlc.arg(player_id) AND machine_id = sqlc.arg(machine_id);

-- name: InsertCompletion :exec
INSERT INTO completions (player_id, machine_id, outcome, score, completed_at)
VALUES (sqlc.arg(player_id), sqlc.arg(machine_id), sqlc.arg(outcome), sqlc.arg(score), sqlc.arg(completed_at));

-- name: Unlocked :many
SELECT machine_id FROM unlocks WHERE player_id = sqlc.arg(player_id);

-- name: Unlock :exec
INSERT INTO unlocks (player_id, machine_id)
VALUES (sqlc.arg(player_id), sqlc.arg(machine_id))
ON CONFLICT (player_id, machine_id) DO NOTHING;

-- name: Route :many
SELECT machine_id, entered_at FROM route WHERE player_id = sqlc.arg(player_id) ORDER BY seq;

-- name: NextEntry :one
SELECT CAST(coalesce(max(seq), 0) + 1 AS INTEGER) FROM route WHERE player_id = sqlc.arg(player_id);

-- name: InsertEntry :exec
INSERT INTO route (player_id, seq, machine_id, entered_at)
VALUES (sqlc.arg(player_id), sqlc.arg(seq), sqlc.arg(machine_id), sqlc.arg(entered_at));

-- name: Variables :many
SELECT key, value FROM variables WHERE player_id = sqlc.arg(player_id);

-- name: SetVariable :exec
INSERT INTO variables (player_id, key, value)
VALUES (sqlc.arg(player_id), sqlc.arg(key), sqlc.arg(value))
ON CONFLICT (player_id, key) DO UPDATE SET value = excluded.value;
