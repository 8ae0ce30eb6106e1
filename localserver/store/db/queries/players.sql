-- name: Player :one
-- Player returns the caller's own player with a user_session_id, or else the anonymous one: that id
-- is a secret.
SELECT id FROM players
WHERE space IN (sqlc.arg(space), sqlc.arg(shared)) AND user_session_id = sqlc.arg(user_session_id) AND persona_id = sqlc.arg(persona_id)
ORDER BY space DESC
LIMIT 1;

-- name: WebPlayers :many
-- WebPlayers returns at most two players with a user_session_id on the web side, the anonymous one
-- first. Two mean that the id is ambiguous.
SELECT id, space FROM players
WHERE user_session_id = sqlc.arg(user_session_id) AND persona_id = sqlc.arg(persona_id) AND (space = '' OR owner_id IS NOT NULL)
ORDER BY space
LIMIT 2;

-- name: PlayerMarks :one
-- PlayerMarks returns values that change with every write of the player's sessions: an opening
-- raises entered, any other write raises revisions.
SELECT CAST(pl.space IN (sqlc.arg(space), sqlc.arg(shared)) AS BOOLEAN) AS allowed,
    CAST(max(s.entered) AS BIGINT) AS entered, CAST(sum(s.revision) AS BIGINT) AS revisions, CAST(max(s.last_message_at) AS BIGINT) AS last_message_at
FROM players pl JOIN sessions s ON s.player_id = pl.id
WHERE pl.id = sqlc.arg(player_id)
GROUP BY pl.id, pl.space;

-- name: InsertPlayer :exec
INSERT INTO players (id, space, persona_id, user_session_id, owner_id)
VALUES (sqlc.arg(id), sqlc.arg(space), sqlc.arg(persona_id), sqlc.arg(user_session_id), sqlc.narg(owner_id));

-- name: ClaimPlayer :exec
UPDATE players SET space = sqlc.arg(space), owner_id = sqlc.narg(owner_id)
WHERE id = sqlc.arg(id) AND space = '';

-- name: DeletePlayer :exec
DELETE FROM players WHERE id = sqlc.arg(id);

-- name: DoublePlayer :one
-- DoublePlayer returns a persona for which both the user and an anonymous player have the
-- user_session_id.
SELECT own.persona_id FROM players own
JOIN players open ON open.user_session_id = own.user_session_id AND open.persona_id = own.persona_id
WHERE own.space = sqlc.arg(space) AND own.user_session_id = sqlc.arg(user_session_id) AND open.space = ''
ORDER BY own.persona_id
LIMIT 1;

-- name: ClaimPlayers :exec
UPDATE players SET space = sqlc.arg(space), owner_id = sqlc.narg(owner_id)
WHERE space = '' AND user_session_id = sqlc.arg(user_session_id);

-- name: OwnPlayers :many
SELECT p.persona_id, CAST(count(s.id) AS BIGINT) AS sessions
FROM players p LEFT JOIN sessions s ON s.player_id = p.id
WHERE p.space = sqlc.arg(space) AND p.user_session_id = sqlc.arg(user_session_id)
GROUP BY p.id
ORDER BY p.persona_id;

-- name: Completions :many
SELECT machine_id, outcome, score, completed_at FROM completions
WHERE player_id = sqlc.arg(player_id)
ORDER BY completed_at, seq;

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
SELECT seq, machine_id, entered_at, moment FROM route WHERE player_id = sqlc.arg(player_id) ORDER BY seq;

-- name: NextEntry :one
SELECT CAST(coalesce(max(seq), 0) + 1 AS BIGINT) FROM route WHERE player_id = sqlc.arg(player_id);

-- name: InsertEntry :exec
INSERT INTO route (player_id, seq, machine_id, entered_at, moment)
VALUES (sqlc.arg(player_id), sqlc.arg(seq), sqlc.arg(machine_id), sqlc.arg(entered_at), sqlc.arg(moment));

-- name: TrimRoute :exec
-- TrimRoute deletes the oldest entries.
DELETE FROM route WHERE player_id = sqlc.arg(player_id) AND seq <= sqlc.arg(last);

-- name: Variables :many
SELECT key, value FROM variables WHERE player_id = sqlc.arg(player_id);

-- name: SetVariable :exec
INSERT INTO variables (player_id, key, value)
VALUES (sqlc.arg(player_id), sqlc.arg(key), sqlc.arg(value))
ON CONFLICT (player_id, key) DO UPDATE SET value = excluded.value;
