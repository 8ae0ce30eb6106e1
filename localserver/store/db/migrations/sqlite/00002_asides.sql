-- +goose Up

-- asides counts the messages in a row that decided nothing in the session's state;
-- of a message it says whether it was one.
ALTER TABLE sessions ADD COLUMN asides INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN aside BOOLEAN NOT NULL DEFAULT FALSE;
