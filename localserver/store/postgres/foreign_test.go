package postgres

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/assert"
)

// spyFunctions fail when they are called, so that every call is noticed.
const spyFunctions = `CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it was executed'; END $$;
CREATE FUNCTION spied(x TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'it was executed'; END $$;
CREATE FUNCTION spies(x TEXT) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'it was executed'; END $$`

// TestOpenRefusesForeignCode: a database is not opened, copied or reported as sound if another
// program has added something to its tables that PostgreSQL would execute, or that hides rows.
func TestOpenRefusesForeignCode(t *testing.T) {
	for name, c := range map[string]struct{ statement, want string }{
		"trigger":             {"CREATE TRIGGER spy BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION spy()", "the unexpected trigger spy on table messages"},
		"trigger of versions": {"CREATE TRIGGER spy BEFORE INSERT ON parley_migrations FOR EACH ROW EXECUTE FUNCTION spy()", "the unexpected trigger spy on table parley_migrations"},
		"disabled trigger":    {"CREATE TRIGGER spy BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION spy(); ALTER TABLE api_keys DISABLE TRIGGER spy", "the unexpected trigger spy on table api_keys"},
		"trigger of nodes":    {"CREATE TRIGGER spy AFTER UPDATE ON callers FOR EACH STATEMENT EXECUTE FUNCTION spy()", "the unexpected trigger spy on table callers"},
		"rule":                {"CREATE TABLE copied (said TEXT); CREATE RULE spy AS ON INSERT TO messages DO ALSO INSERT INTO copied VALUES (NEW.content)", "the unexpected rule spy on table messages"},
		"row security":        {"ALTER TABLE messages ENABLE ROW LEVEL SECURITY", "the unexpected row security of table messages"},
		"default":             {"ALTER TABLE users ALTER COLUMN email SET DEFAULT spied('x')", "the unexpected default of column email of table users"},
		"check":               {"ALTER TABLE messages ADD CONSTRAINT spying CHECK (spies(content)) NOT VALID", "the unexpected constraint spying of table messages"},
		"index":               {"CREATE INDEX spying ON messages (spied(content))", "the unexpected index spying of table messages"},
		"type":                {"CREATE DOMAIN spying AS TEXT CHECK (spies(VALUE)); ALTER TABLE users ADD COLUMN seen spying", "the unexpected type of column seen of table users"},
		"view for a table":    {"DROP TABLE variables; CREATE VIEW variables AS SELECT ''::text AS player_id, spied('x') AS key, '' AS value", "the unexpected rule _RETURN on table variables"},
		"function": {"CREATE OR REPLACE FUNCTION count_request(counted BIGINT[], at BIGINT, most BIGINT, time_window BIGINT) RETURNS BIGINT[] LANGUAGE plpgsql AS $$ BEGIN RETURN counted; END $$",
			"the unexpected changed function count_request"},
	} {
		t.Run(name, func(t *testing.T) {
			address := newAddress(t)
			openAt(t, address)
			execRaw(t, address, spyFunctions, c.statement)
			o := Options{Address: address, Now: time.Now}
			_, opened := Open(t.Context(), o)
			_, checked := Check(t.Context(), o)
			_, read := OpenRows(t.Context(), o)
			for what, err := range map[string]error{"open": opened, "check": checked, "copy": read} {
				assert.True(t, errors.Is(err, db.ErrForeignCode) && strings.Contains(err.Error(), c.want),
					"%s: got %v, want %q", what, err, c.want)
			}
		})
	}
}

// TestOpenTakesWhatIsNotExecuted: additions by other programs that our statements never use are
// accepted.
func TestOpenTakesWhatIsNotExecuted(t *testing.T) {
	address := newAddress(t)
	openAt(t, address)
	execRaw(t, address, spyFunctions, "CREATE INDEX more ON messages (lower(content))", "CREATE VIEW said AS SELECT content FROM messages",
		"CREATE TABLE notes (x TEXT DEFAULT spied('x'))", "CREATE TRIGGER spy BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION spy()",
		"CREATE TABLE restored_personas (LIKE personas)", "ALTER TABLE users ADD COLUMN seen TIMESTAMP DEFAULT now()")
	openAt(t, address)
}
