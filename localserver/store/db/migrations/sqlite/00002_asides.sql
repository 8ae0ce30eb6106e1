-- +goose Up

-- sessions.asides counts the consecutive asides in the session's current state. messages.aside
-- marks an aside.
ALTER TABLE sessions ADD COLUMN asides INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN aside BOOLEAN NOT NULL DEFAULT FALSE;
