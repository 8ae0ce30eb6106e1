-- +goose Up

-- Identifies the file as ours, also for other programs: "PRLY".
PRAGMA application_id = 1347570777;

-- Times are milliseconds since 1970, UTC, because the service's HTTP interface has this precision.

CREATE TABLE users (
    id           TEXT PRIMARY KEY,
    email        TEXT NOT NULL,
    display_name TEXT NOT NULL
) WITHOUT ROWID;

-- Lists read only this table. The documents are in persona_versions.
CREATE TABLE personas (
    id          TEXT PRIMARY KEY,
    owner_id    TEXT NOT NULL REFERENCES users (id),
    public      BOOLEAN NOT NULL,
    version     INTEGER NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX personas_public ON personas (public, created_at, id);
CREATE INDEX personas_owner ON personas (owner_id, created_at, id);

-- The current version of each persona, and older versions that a session still uses.
CREATE TABLE persona_versions (
    persona_id TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    doc        TEXT NOT NULL,
    PRIMARY KEY (persona_id, version)
);

-- A machine keeps its id over all versions with the same key. A row is deleted only with its
-- persona. The tables of a player's progress are deleted then too, so they refer to machines
-- without a foreign key and an index for it.
CREATE TABLE machines (
    id          TEXT PRIMARY KEY,
    persona_id  TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    machine_key TEXT NOT NULL,
    UNIQUE (persona_id, machine_key)
) WITHOUT ROWID;

-- space is '' for the web side and the key owner's id for the SDK side.
CREATE TABLE players (
    id              TEXT PRIMARY KEY,
    space           TEXT NOT NULL,
    persona_id      TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    user_session_id TEXT NOT NULL,
    owner_id        TEXT REFERENCES users (id),
    UNIQUE (space, user_session_id, persona_id)
) WITHOUT ROWID;

CREATE INDEX players_persona ON players (persona_id);

-- turn counts the turns since the opening line. revision counts all writes and never decreases, so
-- that a turn detects a reset in the meantime. entered is the index of the session's opening in the
-- player's route.
CREATE TABLE sessions (
    id                TEXT PRIMARY KEY,
    player_id         TEXT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    machine_id        TEXT NOT NULL,
    persona_id        TEXT NOT NULL,
    version           INTEGER NOT NULL,
    entered           INTEGER NOT NULL,
    state             TEXT NOT NULL,
    score             INTEGER NOT NULL,
    redirects         INTEGER NOT NULL,
    follow_up_pending BOOLEAN NOT NULL,
    outcome           TEXT NOT NULL,
    turn              INTEGER NOT NULL,
    revision          INTEGER NOT NULL,
    summary           TEXT NOT NULL,
    summary_to        INTEGER NOT NULL,
    player_name       TEXT NOT NULL,
    player_gender     TEXT NOT NULL,
    started_at        INTEGER NOT NULL,
    last_message_at   INTEGER NOT NULL,
    UNIQUE (player_id, machine_id),
    FOREIGN KEY (persona_id, version) REFERENCES persona_versions (persona_id, version)
) WITHOUT ROWID;

CREATE INDEX sessions_version ON sessions (persona_id, version);

-- The key keeps a session's messages together, so that a turn reads and writes in one place of the
-- table, regardless of the length of the conversation.
CREATE TABLE messages (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    id         TEXT NOT NULL,
    role       TEXT NOT NULL,
    content    TEXT NOT NULL,
    state      TEXT NOT NULL,
    score      INTEGER NOT NULL,
    decision   TEXT NOT NULL,
    follow_up  BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL,
    trace      TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
) WITHOUT ROWID;

CREATE TABLE completions (
    player_id    TEXT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    machine_id   TEXT NOT NULL,
    outcome      TEXT NOT NULL,
    score        INTEGER NOT NULL,
    completed_at INTEGER NOT NULL,
    PRIMARY KEY (player_id, machine_id)
);

CREATE TABLE unlocks (
    player_id  TEXT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    machine_id TEXT NOT NULL,
    PRIMARY KEY (player_id, machine_id)
) WITHOUT ROWID;

CREATE TABLE route (
    player_id  TEXT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    machine_id TEXT NOT NULL,
    entered_at INTEGER NOT NULL,
    PRIMARY KEY (player_id, seq)
) WITHOUT ROWID;

CREATE TABLE variables (
    player_id TEXT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    key       TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (player_id, key)
) WITHOUT ROWID;

-- Only the hash of a key is stored.
CREATE TABLE api_keys (
    id           TEXT PRIMARY KEY,
    owner_id     TEXT NOT NULL REFERENCES users (id),
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) WITHOUT ROWID;

CREATE INDEX api_keys_owner ON api_keys (owner_id, created_at);

-- An answer quotes the persona's lines, so it is deleted with the persona.
CREATE TABLE answers (
    id         INTEGER PRIMARY KEY,
    scope      TEXT NOT NULL,
    key        TEXT NOT NULL,
    body_hash  TEXT NOT NULL,
    answer     BLOB NOT NULL,
    persona_id TEXT NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    UNIQUE (scope, key)
);

CREATE INDEX answers_age ON answers (created_at);
CREATE INDEX answers_persona ON answers (persona_id);
