-- +goose Up

-- moment numbers the openings, turns and resets of a player, over all machines, from 1. It
-- is 0 for what was written before this migration, which times put in order. begun is the
-- moment at which the messages of a session begin: its opening or its last reset.
ALTER TABLE sessions ADD COLUMN moment BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN begun BIGINT NOT NULL DEFAULT 0;
ALTER TABLE route ADD COLUMN moment BIGINT NOT NULL DEFAULT 0;

-- What the session was after a reply (state and score are there already). summary is set
-- only by a turn that wrote one. A player's message leaves all of it at 0.
ALTER TABLE messages ADD COLUMN moment BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN redirects BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN follow_up_pending BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE messages ADD COLUMN asides BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN summary_to BIGINT NOT NULL DEFAULT 0;

-- A player's completions, unlocked machines and variables before the completion at a
-- moment, as JSON.
CREATE TABLE earlier_progress (
    player_id   TEXT COLLATE "C" NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    moment      BIGINT NOT NULL,
    completions TEXT NOT NULL,
    unlocks     TEXT NOT NULL,
    variables   TEXT NOT NULL,
    PRIMARY KEY (player_id, moment)
);

-- A player who was forked of another one, at a turn of a machine. root_id is the player
-- with whom all began. Neither is a reference: a branch stays when its parent goes. All is
-- empty for a player who was not forked.
ALTER TABLE players ADD COLUMN root_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE players ADD COLUMN parent_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE players ADD COLUMN forked_machine_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE players ADD COLUMN forked_turn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE players ADD COLUMN forked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE players ADD COLUMN label TEXT NOT NULL DEFAULT '';

CREATE INDEX players_root ON players (root_id) WHERE root_id <> '';

-- Lists the sessions of a persona for its owner.
CREATE INDEX sessions_persona ON sessions (persona_id, started_at, id);
