-- +goose Up

-- A user's players get a space of their own, so that a user_session_id that one user has
-- taken is free for everybody else. space is now '' on the web side for what is nobody's,
-- 'user:' and the user's id for what is a user's, and the key owner's id on the SDK side.
UPDATE players SET space = 'user:' || owner_id WHERE space = '' AND owner_id IS NOT NULL;

-- Finds the players of a name whoever they are.
CREATE INDEX players_name ON players (user_session_id, persona_id);
