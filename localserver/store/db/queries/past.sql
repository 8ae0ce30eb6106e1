-- name: PastMessage :one
-- PastMessage returns the last reply of a session at one of the player's moments.
SELECT seq, created_at, state, score, moment, redirects, follow_up_pending, asides, outcome FROM messages
WHERE session_id = sqlc.arg(session_id) AND role = 'assistant'
  AND moment <= sqlc.arg(moment)
ORDER BY seq DESC
LIMIT 1;

-- name: MessageAt :one
-- MessageAt returns the message at an index.
SELECT seq, created_at, state, score, moment, redirects, follow_up_pending, asides, outcome FROM messages
WHERE session_id = sqlc.arg(session_id) AND seq = sqlc.arg(seq);

-- name: PastSummary :one
SELECT summary, summary_to FROM messages
WHERE session_id = sqlc.arg(session_id) AND seq <= sqlc.arg(seq) AND summary_to > 0
ORDER BY seq DESC
LIMIT 1;

-- name: KeepEarlierProgress :exec
INSERT INTO earlier_progress (player_id, moment, completions, unlocks, variables)
SELECT s.player_id, s.moment, sqlc.arg(completions), sqlc.arg(unlocks), sqlc.arg(variables) FROM sessions s WHERE s.id = sqlc.arg(session_id);

-- name: TrimEarlierProgress :exec
-- TrimEarlierProgress deletes all but a number of a player's latest rows.
DELETE FROM earlier_progress
WHERE earlier_progress.player_id = sqlc.arg(player_id) AND earlier_progress.moment <= (
    SELECT e.moment FROM earlier_progress e WHERE e.player_id = sqlc.arg(player_id)
    ORDER BY e.moment DESC LIMIT 1 OFFSET CAST(sqlc.arg(most) AS BIGINT)
);

-- name: EarlierProgress :one
-- EarlierProgress returns a player's progress at a moment, if the player has completed a machine
-- since then. older is the number of rows up to that moment, kept the number of all rows.
SELECT e.completions, e.unlocks, e.variables,
    CAST((SELECT count(*) FROM earlier_progress o WHERE o.player_id = e.player_id AND o.moment <= sqlc.arg(moment)) AS BIGINT) AS older,
    CAST((SELECT count(*) FROM earlier_progress o WHERE o.player_id = e.player_id) AS BIGINT) AS kept
FROM earlier_progress e
WHERE e.player_id = sqlc.arg(player_id) AND e.moment > sqlc.arg(moment)
ORDER BY e.moment
LIMIT 1;

-- name: PlayerRow :one
SELECT * FROM players WHERE id = sqlc.arg(id);

-- name: InsertFork :exec
INSERT INTO players (id, space, persona_id, user_session_id, owner_id, root_id, parent_id, forked_machine_id, forked_turn, forked_at, label)
VALUES (sqlc.arg(id), sqlc.arg(space), sqlc.arg(persona_id), sqlc.arg(user_session_id), sqlc.narg(owner_id),
    sqlc.arg(root_id), sqlc.arg(parent_id), sqlc.arg(forked_machine_id), sqlc.arg(forked_turn), sqlc.arg(forked_at), sqlc.arg(label));

-- name: CopyMessages :exec
INSERT INTO messages (session_id, seq, id, role, content, state, score, decision, follow_up, aside, created_at, trace,
    moment, redirects, follow_up_pending, asides, outcome, summary, summary_to)
SELECT sqlc.arg(session_id), m.seq, m.id, m.role, m.content, m.state, m.score, m.decision, m.follow_up, m.aside, m.created_at, m.trace,
    m.moment, m.redirects, m.follow_up_pending, m.asides, m.outcome, m.summary, m.summary_to
FROM messages m WHERE m.session_id = sqlc.arg(source_id) AND m.seq <= sqlc.arg(seq) ORDER BY m.seq;

-- name: CopyEarlierProgress :exec
INSERT INTO earlier_progress (player_id, moment, completions, unlocks, variables)
SELECT sqlc.arg(player_id), e.moment, e.completions, e.unlocks, e.variables
FROM earlier_progress e WHERE e.player_id = sqlc.arg(source_id) AND e.moment <= sqlc.arg(moment);

-- name: TreeSize :one
-- TreeSize counts the branches of a tree and their messages.
SELECT CAST(count(DISTINCT p.id) AS BIGINT) AS branches, CAST(coalesce(sum(1 + 2 * s.turn), 0) AS BIGINT) AS messages
FROM players p JOIN sessions s ON s.player_id = p.id
WHERE p.id = sqlc.arg(root_id) OR p.root_id = sqlc.arg(root_id) AND p.root_id <> '';

-- name: Branches :many
-- Branches lists the branches of a tree that the caller may use, oldest first, each with the
-- session that was played last.
SELECT p.id, p.user_session_id, p.parent_id, p.forked_machine_id, p.forked_turn, p.forked_at, p.label,
    s.id AS session_id, s.machine_id, s.turn, s.state, s.score, s.redirects, s.outcome, s.last_message_at
FROM players p JOIN sessions s ON s.player_id = p.id
WHERE (p.id = sqlc.arg(root_id) OR p.root_id = sqlc.arg(root_id) AND p.root_id <> '')
  AND p.space IN (sqlc.arg(space), sqlc.arg(shared))
  AND s.id = (SELECT l.id FROM sessions l WHERE l.player_id = p.id ORDER BY l.moment DESC, l.last_message_at DESC, l.entered DESC LIMIT 1)
ORDER BY p.forked_at, p.id;

-- name: RepeatedReply :one
-- RepeatedReply returns the parent's reply to the same message, after the turn of the fork and in
-- the same version of the persona.
SELECT r.content, r.decision, r.follow_up, r.aside, r.trace
FROM players b
JOIN sessions s ON s.player_id = b.parent_id AND s.machine_id = b.forked_machine_id
JOIN messages said ON said.session_id = s.id AND said.seq = 2 * b.forked_turn + 1
JOIN messages r ON r.session_id = s.id AND r.seq = 2 * b.forked_turn + 2
WHERE b.id = sqlc.arg(player_id) AND b.forked_machine_id = sqlc.arg(machine_id) AND b.forked_turn = sqlc.arg(turn)
  AND s.version = sqlc.arg(version) AND said.content = sqlc.arg(words);

-- name: OwnedSessions :many
-- OwnedSessions lists the sessions of all players with a persona for its owner, newest first.
SELECT s.id, s.machine_id, s.version, s.state, s.score, s.outcome, s.turn, s.started_at, s.last_message_at,
    CAST(pl.parent_id <> '' AS BOOLEAN) AS is_branch
FROM sessions s
JOIN players pl ON pl.id = s.player_id
JOIN personas p ON p.id = s.persona_id
WHERE s.persona_id = sqlc.arg(persona_id) AND p.owner_id = sqlc.arg(owner)
  AND (CAST(sqlc.arg(outcome) AS TEXT) = '*' OR s.outcome = CAST(sqlc.arg(outcome) AS TEXT))
  AND (CAST(sqlc.arg(state) AS TEXT) = '' OR s.state = CAST(sqlc.arg(state) AS TEXT))
  AND (CAST(sqlc.arg(version) AS BIGINT) = 0 OR s.version = CAST(sqlc.arg(version) AS BIGINT))
  AND s.last_message_at >= sqlc.arg(since)
  AND s.started_at <= sqlc.arg(before) AND (s.started_at < sqlc.arg(before) OR s.id < sqlc.arg(before_id))
ORDER BY s.started_at DESC, s.id DESC
LIMIT CAST(sqlc.arg(top) AS BIGINT);

-- name: OwnedPlayer :one
-- OwnedPlayer returns the player of a session for the persona's owner.
SELECT s.player_id FROM sessions s JOIN personas p ON p.id = s.persona_id
WHERE s.id = sqlc.arg(id) AND s.persona_id = sqlc.arg(persona_id) AND p.owner_id = sqlc.arg(owner);

-- name: DropOwnedSession :exec
DELETE FROM sessions WHERE id = sqlc.arg(id);

-- name: CountSessions :one
SELECT count(*) FROM sessions WHERE player_id = sqlc.arg(player_id);

-- name: IdlePlayers :many
-- IdlePlayers lists players without a message in any session since a time.
SELECT p.id, p.persona_id FROM players p
WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.player_id = p.id)
  AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.player_id = p.id AND s.last_message_at >= sqlc.arg(since))
LIMIT CAST(sqlc.arg(top) AS BIGINT);

-- name: DeleteIdlePlayer :execrows
DELETE FROM players WHERE players.id = sqlc.arg(id)
  AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.player_id = players.id AND s.last_message_at >= sqlc.arg(since));

-- name: NamedPersonas :many
SELECT id, owner_id FROM personas WHERE name = sqlc.arg(name) ORDER BY created_at, id;

-- name: PersonaSessions :many
SELECT * FROM sessions WHERE persona_id = sqlc.arg(persona_id) AND id > sqlc.arg(after) ORDER BY id LIMIT CAST(sqlc.arg(top) AS BIGINT);
