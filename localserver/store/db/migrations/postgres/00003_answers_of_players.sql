-- +goose Up

-- An answer to a player is deleted with the player, and the answer to a message also with the
-- session. Answers to saving a persona have neither a player nor a session.
ALTER TABLE answers ADD COLUMN player_id TEXT COLLATE "C" REFERENCES players (id) ON DELETE CASCADE;
ALTER TABLE answers ADD COLUMN session_id TEXT COLLATE "C" REFERENCES sessions (id) ON DELETE CASCADE;

-- The scope of an answer to a player is a list: operation, space, persona, user. The stored hash of
-- the body is also a list: hash, user_session_id, machine.
UPDATE answers SET player_id = (SELECT p.id FROM players p WHERE p.space = answers.scope::json->>1
    AND p.persona_id = answers.scope::json->>2 AND p.user_session_id = answers.body_hash::json->>1)
WHERE scope LIKE '["%';
UPDATE answers SET session_id = (SELECT s.id FROM sessions s WHERE s.id = convert_from(answers.answer, 'UTF8')::json->>'session_id')
WHERE scope LIKE '["message",%';

-- The players or sessions of these answers do not exist any more.
DELETE FROM answers WHERE scope LIKE '["%' AND player_id IS NULL OR scope LIKE '["message",%' AND session_id IS NULL;

CREATE INDEX answers_player ON answers (player_id);
CREATE INDEX answers_session ON answers (session_id);
