-- +goose Up

-- Each user's players get a separate space, so that a user_session_id that one user has taken is
-- free for everybody else. On the web side, space is now '' for anonymous players and 'user:' with
-- the user's id for a user's players. On the SDK side it is the key owner's id.
UPDATE players SET space = 'user:' || owner_id WHERE space = '' AND owner_id IS NOT NULL;

-- Finds the players with a user_session_id in all spaces.
CREATE INDEX players_name ON players (user_session_id, persona_id);
