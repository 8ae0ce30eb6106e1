-- name: Sessions :many
SELECT * FROM sessions WHERE player_id = sqlc.arg(player_id) ORDER BY entered DESC;

-- name: NewestSession :one
SELECT * FROM sessions WHERE player_id = sqlc.arg(player_id) ORDER BY entered DESC LIMIT 1;

-- name: AuthorsSession :one
-- AuthorsSession returns a session for the persona's owner: the owner's own session, else an
-- anonymous one, else the latest of any user. It selects the session with one machine, or the one
-- that was opened last.
SELECT s.* FROM sessions s
JOIN players pl ON pl.id = s.player_id
JOIN personas p ON p.id = pl.persona_id
WHERE p.id = sqlc.arg(persona_id) AND p.owner_id = sqlc.arg(owner)
  AND pl.user_session_id = sqlc.arg(user_session_id) AND (pl.space = '' OR pl.owner_id IS NOT NULL)
  AND (CAST(sqlc.arg(machine_id) AS TEXT) = '' OR s.machine_id = CAST(sqlc.arg(machine_id) AS TEXT))
ORDER BY coalesce(pl.owner_id, '') = p.owner_id DESC, pl.space = '' DESC, s.started_at DESC, s.entered DESC
LIMIT 1;

-- name: SessionOn :one
SELECT * FROM sessions WHERE player_id = sqlc.arg(player_id) AND machine_id = sqlc.arg(machine_id);

-- name: DropSession :exec
DELETE FROM sessions WHERE player_id = sqlc.arg(player_id) AND machine_id = sqlc.arg(machine_id);

-- name: InsertSession :exec
INSERT INTO sessions (id, player_id, machine_id, persona_id, version, entered, state, score, redirects, follow_up_pending, asides, outcome,
    turn, revision, summary, summary_to, player_name, player_gender, started_at, last_message_at, moment, begun)
VALUES (sqlc.arg(id), sqlc.arg(player_id), sqlc.arg(machine_id), sqlc.arg(persona_id), sqlc.arg(version), sqlc.arg(entered),
    sqlc.arg(state), sqlc.arg(score), sqlc.arg(redirects), sqlc.arg(follow_up_pending), sqlc.arg(asides), sqlc.arg(outcome),
    sqlc.arg(turn), sqlc.arg(turn), sqlc.arg(summary), sqlc.arg(summary_to), sqlc.arg(player_name), sqlc.arg(player_gender), sqlc.arg(started_at), sqlc.arg(last_message_at),
    sqlc.arg(moment), sqlc.arg(begun));

-- name: NextMoment :one
-- NextMoment returns the number of a player's next opening, turn or reset.
SELECT CAST(coalesce(max(moment), 0) + 1 AS BIGINT) FROM sessions WHERE player_id = sqlc.arg(player_id);

-- name: AdvanceSession :execrows
-- AdvanceSession changes no row if the session was written since it was loaded.
UPDATE sessions
SET state = sqlc.arg(state), score = sqlc.arg(score), redirects = sqlc.arg(redirects), follow_up_pending = sqlc.arg(follow_up_pending),
    asides = sqlc.arg(asides), outcome = sqlc.arg(outcome), turn = sqlc.arg(turn), summary = sqlc.arg(summary), summary_to = sqlc.arg(summary_to),
    last_message_at = sqlc.arg(last_message_at), revision = revision + 1,
    moment = (SELECT max(o.moment) + 1 FROM sessions o WHERE o.player_id = sessions.player_id)
WHERE sessions.id = sqlc.arg(id) AND sessions.revision = sqlc.arg(revision);

-- name: RestartSession :execrows
UPDATE sessions
SET state = sqlc.arg(state), score = sqlc.arg(score), redirects = sqlc.arg(redirects), follow_up_pending = sqlc.arg(follow_up_pending),
    asides = sqlc.arg(asides), outcome = sqlc.arg(outcome), turn = 0, summary = '', summary_to = 0,
    last_message_at = sqlc.arg(last_message_at), revision = revision + 1,
    moment = (SELECT max(o.moment) + 1 FROM sessions o WHERE o.player_id = sessions.player_id),
    begun = (SELECT max(o.moment) + 1 FROM sessions o WHERE o.player_id = sessions.player_id)
WHERE sessions.id = sqlc.arg(id);

-- name: InsertMessage :exec
-- InsertMessage stores the opening line of a session.
INSERT INTO messages (session_id, seq, id, role, content, state, score, decision, follow_up, aside, created_at, trace, moment)
VALUES (sqlc.arg(session_id), sqlc.arg(seq), sqlc.arg(id), sqlc.arg(role), sqlc.arg(content), sqlc.arg(state), sqlc.arg(score),
    sqlc.arg(decision), sqlc.arg(follow_up), sqlc.arg(aside), sqlc.arg(created_at), sqlc.arg(trace),
    (SELECT s.moment FROM sessions s WHERE s.id = sqlc.arg(session_id)));

-- name: InsertTurnMessages :exec
-- InsertTurnMessages stores the two messages of a turn.
INSERT INTO messages (session_id, seq, id, role, content, state, score, decision, follow_up, aside, created_at, trace,
    moment, redirects, follow_up_pending, asides, outcome, summary, summary_to)
VALUES (sqlc.arg(session_id), sqlc.arg(said_seq), sqlc.arg(said_id), sqlc.arg(said_role), sqlc.arg(said_content), sqlc.arg(said_state), sqlc.arg(said_score), sqlc.arg(said_decision), sqlc.arg(said_follow_up), sqlc.arg(said_aside), sqlc.arg(said_created_at), sqlc.arg(said_trace),
        0, 0, FALSE, 0, '', '', 0),
    (sqlc.arg(session_id), sqlc.arg(reply_seq), sqlc.arg(reply_id), sqlc.arg(reply_role), sqlc.arg(reply_content), sqlc.arg(reply_state), sqlc.arg(reply_score), sqlc.arg(reply_decision), sqlc.arg(reply_follow_up), sqlc.arg(reply_aside), sqlc.arg(reply_created_at), sqlc.arg(reply_trace),
        (SELECT s.moment FROM sessions s WHERE s.id = sqlc.arg(session_id)), sqlc.arg(redirects), sqlc.arg(follow_up_pending), sqlc.arg(asides), sqlc.arg(outcome), sqlc.arg(summary), sqlc.arg(summary_to));

-- name: DropConversation :exec
-- DropConversation deletes a session's messages except for the opening.
DELETE FROM messages WHERE session_id = sqlc.arg(session_id) AND seq > 0;

-- name: SayOpeningAgain :one
UPDATE messages SET created_at = sqlc.arg(created_at), moment = (SELECT s.moment FROM sessions s WHERE s.id = sqlc.arg(session_id))
WHERE session_id = sqlc.arg(session_id) AND seq = 0
RETURNING content;

-- name: MessagesBetween :many
SELECT role, content, state, decision, follow_up, aside FROM messages
WHERE session_id = sqlc.arg(session_id) AND seq >= sqlc.arg(first) AND seq < sqlc.arg(behind)
ORDER BY seq;

-- name: SessionResets :one
-- SessionResets returns a number that only resets change.
SELECT CAST(revision - turn AS BIGINT) AS resets FROM sessions WHERE id = sqlc.arg(id);

-- name: MessageSizes :many
-- MessageSizes returns the lengths of texts in bytes, which databases know without reading the
-- texts.
SELECT seq, CAST(octet_length(content) AS BIGINT) AS content, CAST(octet_length(trace) AS BIGINT) AS trace
FROM messages
WHERE session_id = sqlc.arg(session_id) AND seq >= sqlc.arg(first) AND seq < sqlc.arg(behind)
ORDER BY seq
LIMIT CAST(sqlc.arg(top) AS BIGINT);

-- name: Messages :many
SELECT id, role, content, state, score, decision, follow_up, aside, created_at FROM messages
WHERE session_id = sqlc.arg(session_id) AND seq >= sqlc.arg(first) AND seq < sqlc.arg(behind)
ORDER BY seq;

-- name: Traces :many
SELECT id, created_at, trace FROM messages
WHERE session_id = sqlc.arg(session_id) AND seq >= sqlc.arg(first) AND seq < sqlc.arg(behind) AND trace <> ''
ORDER BY seq;

-- name: MessagePlace :one
-- MessagePlace returns the index of a message. It searches from the newest one.
SELECT seq FROM messages
WHERE session_id = sqlc.arg(session_id) AND id = sqlc.arg(id)
ORDER BY seq DESC
LIMIT 1;

-- name: TracePlace :one
-- TracePlace returns the index of the trace that has a number of later ones.
SELECT seq FROM messages
WHERE session_id = sqlc.arg(session_id) AND seq < sqlc.arg(behind) AND trace <> ''
ORDER BY seq DESC
LIMIT 1 OFFSET CAST(sqlc.arg(skipped) AS BIGINT);
