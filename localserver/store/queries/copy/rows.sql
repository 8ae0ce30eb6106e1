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

-- name: read users
SELECT id, email, display_name
FROM users ORDER BY id;

-- name: write users
INSERT INTO users (id, email, display_name)
VALUES (?, ?, ?);

-- name: read personas
SELECT id, owner_id, public, version, name, description, created_at, updated_at
FROM personas ORDER BY id;

-- name: write personas
INSERT INTO personas (id, owner_id, public, version, name, description, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: read persona_versions
SELECT persona_id, version, doc
FROM persona_versions ORDER BY persona_id, version;

-- name: write persona_versions
INSERT INTO persona_versions (persona_id, version, doc)
VALUES (?, ?, ?);

-- name: read machines
SELECT id, persona_id, machine_key
FROM machines ORDER BY id;

-- name: write machines
INSERT INTO machines (id, persona_id, machine_key)
VALUES (?, ?, ?);

-- name: read players
SELECT id, space, persona_id, user_session_id, owner_id, root_id, parent_id, forked_machine_id, forked_turn, forked_at, label
FROM players ORDER BY id;

-- name: write players
INSERT INTO players (id, space, persona_id, user_session_id, owner_id, root_id, parent_id, forked_machine_id, forked_turn, forked_at, label)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: read sessions
SELECT id, player_id, machine_id, persona_id, version, entered, state, score, redirects, follow_up_pending, outcome, turn, revision, summary, summary_to,
    player_name, player_gender, started_at, last_message_at, asides, moment, begun
FROM sessions ORDER BY id;

-- name: write sessions
INSERT INTO sessions (id, player_id, machine_id, persona_id, version, entered, state, score, redirects, follow_up_pending, outcome, turn, revision, summary, summary_to,
    player_name, player_gender, started_at, last_message_at, asides, moment, begun)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: read messages
SELECT session_id, seq, id, role, content, state, score, decision, follow_up, created_at, trace, aside, moment, redirects, follow_up_pending, asides, outcome, summary, summary_to
FROM messages ORDER BY session_id, seq;

-- name: write messages
INSERT INTO messages (session_id, seq, id, role, content, state, score, decision, follow_up, created_at, trace, aside, moment, redirects, follow_up_pending, asides, outcome, summary, summary_to)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: read completions
SELECT player_id, machine_id, outcome, score, completed_at
FROM completions ORDER BY rowid;

-- name: write completions
INSERT INTO completions (player_id, machine_id, outcome, score, completed_at)
VALUES (?, ?, ?, ?, ?);

-- name: read unlocks
SELECT player_id, machine_id
FROM unlocks ORDER BY player_id, machine_id;

-- name: write unlocks
INSERT INTO unlocks (player_id, machine_id)
VALUES (?, ?);

-- name: read route
SELECT player_id, seq, machine_id, entered_at, moment
FROM route ORDER BY player_id, seq;

-- name: write route
INSERT INTO route (player_id, seq, machine_id, entered_at, moment)
VALUES (?, ?, ?, ?, ?);

-- name: read variables
SELECT player_id, key, value
FROM variables ORDER BY player_id, key;

-- name: write variables
INSERT INTO variables (player_id, key, value)
VALUES (?, ?, ?);

-- name: read earlier_progress
SELECT player_id, moment, completions, unlocks, variables
FROM earlier_progress ORDER BY player_id, moment;

-- name: write earlier_progress
INSERT INTO earlier_progress (player_id, moment, completions, unlocks, variables)
VALUES (?, ?, ?, ?, ?);

-- name: read api_keys
SELECT id, owner_id, name, prefix, hash, created_at, last_used_at, revoked_at
FROM api_keys ORDER BY id;

-- name: write api_keys
INSERT INTO api_keys (id, owner_id, name, prefix, hash, created_at, last_used_at, revoked_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: read answers
SELECT scope, key, body_hash, answer, persona_id, created_at, player_id, session_id
FROM answers ORDER BY scope, key;

-- name: write answers
INSERT INTO answers (scope, key, body_hash, answer, persona_id, created_at, player_id, session_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);
