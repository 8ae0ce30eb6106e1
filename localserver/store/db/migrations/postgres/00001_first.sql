-- +goose Up

-- The same tables as in the SQLite file (../sqlite). Times are milliseconds since 1970, UTC,
-- because the service's HTTP interface has this precision. Keys are compared byte by byte, so that
-- an update of the operating system's collation cannot damage an index.

CREATE TABLE users (
    id           TEXT COLLATE "C" PRIMARY KEY,
    email        TEXT NOT NULL,
    display_name TEXT NOT NULL
);

-- Lists read only this table. The documents are in persona_versions.
CREATE TABLE personas (
    id          TEXT COLLATE "C" PRIMARY KEY,
    owner_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    public      BOOLEAN NOT NULL,
    version     BIGINT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

CREATE INDEX personas_public ON personas (public, created_at, id);
CREATE INDEX personas_owner ON personas (owner_id, created_at, id);

-- The current version of each persona, and older versions that a session still uses.
CREATE TABLE persona_versions (
    persona_id TEXT COLLATE "C" NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL,
    doc        TEXT NOT NULL,
    PRIMARY KEY (persona_id, version)
);

-- A machine keeps its id over all versions with the same key. A row is deleted only with its
-- persona. The tables of a player's progress are deleted then too, so they refer to machines
-- without a foreign key and an index for it.
CREATE TABLE machines (
    id          TEXT COLLATE "C" PRIMARY KEY,
    persona_id  TEXT COLLATE "C" NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    machine_key TEXT COLLATE "C" NOT NULL,
    UNIQUE (persona_id, machine_key)
);

-- space is '' for the web side and the key owner's id for the SDK side.
CREATE TABLE players (
    id              TEXT COLLATE "C" PRIMARY KEY,
    space           TEXT COLLATE "C" NOT NULL,
    persona_id      TEXT COLLATE "C" NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    user_session_id TEXT COLLATE "C" NOT NULL,
    owner_id        TEXT COLLATE "C" REFERENCES users (id),
    UNIQUE (space, user_session_id, persona_id)
);

CREATE INDEX players_persona ON players (persona_id);

-- turn counts the turns since the opening line. revision counts all writes and never decreases, so
-- that a turn detects a reset in the meantime. entered is the index of the session's opening in the
-- player's route. A version that a session uses cannot be deleted; before a persona is deleted, its
-- players are (queries/personas.sql).
CREATE TABLE sessions (
    id                TEXT COLLATE "C" PRIMARY KEY,
    player_id         TEXT COLLATE "C" NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    machine_id        TEXT COLLATE "C" NOT NULL,
    persona_id        TEXT COLLATE "C" NOT NULL,
    version           BIGINT NOT NULL,
    entered           BIGINT NOT NULL,
    state             TEXT NOT NULL,
    score             BIGINT NOT NULL,
    redirects         BIGINT NOT NULL,
    follow_up_pending BOOLEAN NOT NULL,
    outcome           TEXT NOT NULL,
    turn              BIGINT NOT NULL,
    revision          BIGINT NOT NULL,
    summary           TEXT NOT NULL,
    summary_to        BIGINT NOT NULL,
    player_name       TEXT NOT NULL,
    player_gender     TEXT NOT NULL,
    started_at        BIGINT NOT NULL,
    last_message_at   BIGINT NOT NULL,
    asides            BIGINT NOT NULL,
    UNIQUE (player_id, machine_id),
    FOREIGN KEY (persona_id, version) REFERENCES persona_versions (persona_id, version)
);

CREATE INDEX sessions_version ON sessions (persona_id, version);

CREATE TABLE messages (
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq        BIGINT NOT NULL,
    id         TEXT NOT NULL,
    role       TEXT NOT NULL,
    content    TEXT NOT NULL,
    state      TEXT NOT NULL,
    score      BIGINT NOT NULL,
    decision   TEXT NOT NULL,
    follow_up  BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    trace      TEXT NOT NULL,
    aside      BOOLEAN NOT NULL,
    PRIMARY KEY (session_id, seq)
);

-- seq keeps the order of completions within a millisecond.
CREATE TABLE completions (
    player_id    TEXT COLLATE "C" NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    machine_id   TEXT COLLATE "C" NOT NULL,
    outcome      TEXT NOT NULL,
    score        BIGINT NOT NULL,
    completed_at BIGINT NOT NULL,
    seq          BIGINT GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (player_id, machine_id)
);

CREATE TABLE unlocks (
    player_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    machine_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (player_id, machine_id)
);

CREATE TABLE route (
    player_id  TEXT COLLATE "C" NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    seq        BIGINT NOT NULL,
    machine_id TEXT COLLATE "C" NOT NULL,
    entered_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, seq)
);

CREATE TABLE variables (
    player_id TEXT COLLATE "C" NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    key       TEXT COLLATE "C" NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (player_id, key)
);

-- Only the hash of a key is stored.
CREATE TABLE api_keys (
    id           TEXT COLLATE "C" PRIMARY KEY,
    owner_id     TEXT COLLATE "C" NOT NULL REFERENCES users (id),
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    hash         TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at   BIGINT
);

CREATE INDEX api_keys_owner ON api_keys (owner_id, created_at);

-- An answer quotes the persona's lines, so it is deleted with the persona.
CREATE TABLE answers (
    scope      TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    body_hash  TEXT NOT NULL,
    answer     BYTEA NOT NULL,
    persona_id TEXT COLLATE "C" NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (scope, key)
);

CREATE INDEX answers_age ON answers (created_at);
CREATE INDEX answers_persona ON answers (persona_id);
