-- +goose Up

-- The same tables as in the file of SQLite (../sqlite). Times are
-- milliseconds since 1970, UTC: what the interface shows. Keys are compared byte by byte,
-- whatever the language of the database, so that no update of its system spoils an index.

CREATE TABLE users (
    id           TEXT COLLATE "C" PRIMARY KEY,
    email        TEXT NOT NULL,
    display_name TEXT NOT NULL
);

-- Lists read only this table; the documents stand in persona_versions.
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

-- The current version, and the older ones that a session still plays.
CREATE TABLE persona_versions (
    persona_id TEXT COLLATE "C" NOT NULL REFERENCES personas (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL,
    doc        TEXT NOT NULL,
    PRIMARY KEY (persona_id, version)
);

-- Machines keep their ids from version to version by their key. A row goes only
-- with its persona, so the tables of a player's progress, which go then too, name
-- machines without a foreign key and need no index for one.
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

-- turn counts the turns since the opening line; revision counts every write and
-- never goes back, so a turn can tell that a reset came between. entered is the
-- place of the session's opening in the player's route. A version that a session plays
-- cannot go; before a persona goes, its players do (queries/personas.sql).
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

-- seq keeps completions in order within a millisecond.
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

-- Only the hash of a key is kept.
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

-- An answer quotes the persona's lines, so it goes with the persona.
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
