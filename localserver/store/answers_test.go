package store

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
)

// keyed makes a call of a player idempotent.
func keyed(ref PlayerRef, key string) *IdempotentCall {
	return &IdempotentCall{Scope: "s", Key: key, BodyHash: "h", Player: &ref, Answer: []byte(key)}
}

// storedAnswers returns the keys with a stored answer for a player.
func storedAnswers(t *testing.T, s *Store, ref PlayerRef, keys ...string) (found []string, err error) {
	t.Helper()
	for _, key := range keys {
		answer, ok, failed := s.LoadAnswer(t.Context(), keyed(ref, key))
		if failed != nil {
			return nil, failed
		}
		if ok {
			found = append(found, string(answer))
		}
	}
	return found, nil
}

// TestAnswersGoWithTheirSession: a reply's answer is deleted with the session's history, all
// answers are deleted with the player, and no answer is returned to a caller who no longer owns the
// player.
func TestAnswersGoWithTheirSession(t *testing.T) {
	onEachDatabase(t, checkAnswersGoWithTheirSession)
}

func checkAnswersGoWithTheirSession(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	p := publishPersona(t, s, "gate", "cellar")
	w := PlayerRef{PersonaID: p.ID, UserSessionID: "v"}
	play := func() (sessionID string) {
		t.Helper()
		o := newOpening(p, "gate", "v")
		o.Idempotency = keyed(w, "open")
		_, err := s.SaveOpening(t.Context(), o)
		assert.NoError(t, err)
		turn := nextTurn(mustLoad(t, s, w, "gate"), "hello", false)
		turn.Idempotency = keyed(w, "say")
		assert.Value(s.SaveTurn(t.Context(), turn))(t)
		return o.Session.ID
	}
	check := func(after string, want ...string) {
		t.Helper()
		found, err := storedAnswers(t, s, w, "open", "say")
		if err != nil || !slices.Equal(found, want) || countRows(t, s, "answers") != len(want) {
			t.Errorf("after %s: answers %v of %d, %v, want %v", after, found, countRows(t, s, "answers"), err, want)
		}
	}
	id := play()
	check("a turn", "open", "say")
	_, err := s.RestartSessions(t.Context(), []Restart{{SessionID: id, Engine: engine.Session{State: "start"}}}, time.Now())
	assert.NoError(t, err)
	check("a reset", "open")
	assert.Value(s.ResetProgress(t.Context(), w))(t)
	check("DELETE progress")

	play()
	enterMachine(t, s, p, "gate", "v")
	check("another opening", "open")
	_, _, err = s.MigratePlayers(t.Context(), bob.ID, "v")
	assert.NoError(t, err)
	found, err := storedAnswers(t, s, w, "open")
	assert.Empty(t, found, "a stranger gets %v, %v", found, err)
	assert.NoError(t, s.DeletePersona(t.Context(), p.ID, alice.ID))
	assert.Equal(t, countRows(t, s, "answers"), 0, "answers outlive their persona")
}

// earlierAnswers are rows of a version that did not store the player of an answer. Keys that begin
// with "gone" are of answers whose player or session no longer exists.
const earlierAnswers = `
INSERT INTO users (id, email, display_name) VALUES ('u', 'e', 'n');
INSERT INTO personas (id, owner_id, public, version, name, description, created_at, updated_at) VALUES ('p', 'u', TRUE, 1, 'n', 'd', 1, 1);
INSERT INTO persona_versions (persona_id, version, doc) VALUES ('p', 1, '{}');
INSERT INTO players (id, space, persona_id, user_session_id, owner_id) VALUES ('pl', '', 'p', 'ann "x"', NULL), ('sdk', 'u', 'p', 'ann "x"', NULL);
INSERT INTO sessions (id, player_id, machine_id, persona_id, version, entered, state, score, redirects, follow_up_pending, outcome, turn, revision, summary, summary_to,
    player_name, player_gender, started_at, last_message_at, asides) VALUES ('s', 'pl', 'm', 'p', 1, 1, 'st', 0, 0, FALSE, '', 1, 2, '', 0, 'n', '', 1, 2, 0);
INSERT INTO answers (scope, key, body_hash, answer, persona_id, created_at) VALUES
    ('save:u', 'save', 'h', CAST('{"Persona": 1}' AS BLOB), 'p', 1),
    ('["init-session","","p","","ann \"x\""]', 'open', '["h","ann \"x\"",""]', CAST('{"session_id": "before"}' AS BLOB), 'p', 1),
    ('["message","","p","","ann \"x\""]', 'say', '["h","ann \"x\"",""]', CAST('{"session_id": "s"}' AS BLOB), 'p', 1),
    ('["message","u","p",""]', 'gone with its session', '["h","ann \"x\"",""]', CAST('{"session_id": "before"}' AS BLOB), 'p', 1),
    ('["init-session","","p","u"]', 'gone with its player', '["h","eve",""]', CAST('{"session_id": "s"}' AS BLOB), 'p', 1);`

// TestEarlierAnswers: answers of an earlier version find their players and sessions.
func TestEarlierAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	pool, err := openPool(fileURI(path)+commonOptions, 1)
	assert.NoError(t, err)
	assert.NoError(t, ownSteps().migrateSchemaTo(t.Context(), pool, 2))
	assert.Value(pool.Exec(earlierAnswers))(t)
	assert.NoError(t, pool.Close())
	s := openAt(t, Options{Path: path})
	list, err := listNames(t.Context(), inSQLite(s).writer, "SELECT key || ' ' || coalesce(player_id, '-') || ' ' || coalesce(session_id, '-') FROM answers ORDER BY key")
	if want := []string{"open pl -", "save - -", "say pl s"}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%q, %v, want %q", list, err, want)
	}
}
