-- The tables of a snapshot, each after those that its rows name. Columns and order of rows
-- are the same in both kinds of database, so that the same rows have the same hash. What
-- is not here is no part of a snapshot.

-- name: count
SELECT 'users', count(*) FROM users
UNION ALL SELECT 'personas', count(*) FROM personas
UNION ALL SELECT 'persona_versions', count(*) FROM persona_versions
UNION ALL SELECT 'machines', count(*) FROM machines
UNION ALL SELECT 'players', count(*) FROM players
UNION ALL SELECT 'sessions', count(*) FROM sessions
UNION ALL SELECT 'messages', count(*) FROM messages
UNION ALL SELECT 'completions', count(*) FROM completions
UNION ALL SELECT 'unlocks', count(*) FROM unlocks
UNION ALL SELECT 'route', count(*) FROM route
UNION ALL SELECT 'variables', count(*) FROM variables
UNION ALL SELECT 'earlier_progress', count(*) FROM earlier_progress
UNION ALL SELECT 'api_keys', count(*) FROM api_keys
UNION ALL SELECT 'answers', count(*) FROM answers;

-- name: look again
-- A transaction sees the connections as they were when it first asked.
SELECT pg_stat_clear_snapshot();

-- name: others
-- Connections of servers: those that have the name of ours.
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = current_setting('application_name') AND pid <> pg_backend_pid();

-- name: differing columns
-- How many columns one of two tables has and the other has not, or of another type.
WITH ours AS (SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1),
    theirs AS (SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $2)
SELECT count(*) FROM ((SELECT * FROM ours EXCEPT SELECT * FROM theirs) UNION ALL (SELECT * FROM theirs EXCEPT SELECT * FROM ours)) AS differing;

-- name: clear
DELETE FROM answers;
DELETE FROM api_keys;
DELETE FROM earlier_progress;
DELETE FROM variables;
DELETE FROM route;
DELETE FROM unlocks;
DELETE FROM completions;
DELETE FROM messages;
DELETE FROM sessions;
DELETE FROM players;
DELETE FROM machines;
DELETE FROM persona_versions;
DELETE FROM personas;
DELETE FROM users;

-- name: read users
SELECT id, email, display_name
FROM users ORDER BY id;

-- name: read personas
SELECT id, owner_id, public, version, name, description, created_at, updated_at
FROM personas ORDER BY id;

-- name: read persona_versions
SELECT persona_id, version, doc
FROM persona_versions ORDER BY persona_id, version;

-- name: read machines
SELECT id, persona_id, machine_key
FROM machines ORDER BY id;

-- name: read players
SELECT id, space, persona_id, user_session_id, owner_id, root_id, parent_id, forked_machine_id, forked_turn, forked_at, label
FROM players ORDER BY id;

-- name: read sessions
SELECT id, player_id, machine_id, persona_id, version, entered, state, score, redirects, follow_up_pending, outcome, turn, revision, summary, summary_to,
    player_name, player_gender, started_at, last_message_at, asides, moment, begun
FROM sessions ORDER BY id;

-- name: read messages
SELECT session_id, seq, id, role, content, state, score, decision, follow_up, created_at, trace, aside, moment, redirects, follow_up_pending, asides, outcome, summary, summary_to
FROM messages ORDER BY session_id, seq;

-- name: read completions
SELECT player_id, machine_id, outcome, score, completed_at
FROM completions ORDER BY seq;

-- name: read unlocks
SELECT player_id, machine_id
FROM unlocks ORDER BY player_id, machine_id;

-- name: read route
SELECT player_id, seq, machine_id, entered_at, moment
FROM route ORDER BY player_id, seq;

-- name: read variables
SELECT player_id, key, value
FROM variables ORDER BY player_id, key;

-- name: read earlier_progress
SELECT player_id, moment, completions, unlocks, variables
FROM earlier_progress ORDER BY player_id, moment;

-- name: read api_keys
SELECT id, owner_id, name, prefix, hash, created_at, last_used_at, revoked_at
FROM api_keys ORDER BY id;

-- name: read answers
SELECT scope, key, body_hash, answer, persona_id, created_at, player_id, session_id
FROM answers ORDER BY scope, key;
