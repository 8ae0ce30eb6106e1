-- +goose Up

-- moment numbers the openings, turns and resets of a player with all machines, from 1. In rows from
-- before this migration it is 0, and times determine their order. begun is the moment of the first
-- message of a session: the session's opening or last reset.
ALTER TABLE sessions ADD COLUMN moment BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN begun BIGINT NOT NULL DEFAULT 0;
ALTER TABLE route ADD COLUMN moment BIGINT NOT NULL DEFAULT 0;

-- The state of the session after a reply (besides state and score, which exist already). summary is
-- set only by a turn that wrote a summary. In the row of a player's message all of these columns
-- are 0.
ALTER TABLE messages ADD COLUMN moment BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN redirects BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN follow_up_pending BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE messages ADD COLUMN asides BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN summary_to BIGINT NOT NULL DEFAULT 0;

-- A player's completions, unlocked machines and variables before the completion at a moment, as
-- JSON.
CREATE TABLE earlier_progress (
    player_id   TEXT COLLATE "C" NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    moment      BIGINT NOT NULL,
    completions TEXT NOT NULL,
    unlocks     TEXT NOT NULL,
    variables   TEXT NOT NULL,
    PRIMARY KEY (player_id, moment)
);

-- parent_id is the player from whom a player was forked, after a turn of a machine. root_id is the
-- first player of the tree. Both are not foreign keys: a branch remains when its parent is deleted.
-- All these columns are empty for a player who was not forked.
ALTER TABLE players ADD COLUMN root_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE players ADD COLUMN parent_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE players ADD COLUMN forked_machine_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE players ADD COLUMN forked_turn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE players ADD COLUMN forked_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE players ADD COLUMN label TEXT NOT NULL DEFAULT '';

CREATE INDEX players_root ON players (root_id) WHERE root_id <> '';

-- Lists the sessions with a persona for its owner.
CREATE INDEX sessions_persona ON sessions (persona_id, started_at, id);
