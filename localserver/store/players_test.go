package store

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestNamesBelongToUsers: a user's name is still free for everybody else.
func TestNamesBelongToUsers(t *testing.T) { onEachDatabase(t, checkNamesBelongToUsers) }

func checkNamesBelongToUsers(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	p := publishPersona(t, s, "gate")
	users := []string{bob.ID, alice.ID, ""}
	as := func(user string) PlayerRef {
		return PlayerRef{PersonaID: p.ID, UserSessionID: "player-1", UserID: user}
	}
	ids := map[string]string{}
	for _, user := range users {
		o := newOpening(p, "gate", "player-1")
		o.UserID = user
		assert.Value(s.SaveOpening(t.Context(), o))(t)
		ids[user] = o.Session.ID
		sayLine(t, s, as(user), "gate", "of "+user, false)
	}
	for _, user := range users {
		n, messages := readHistory(t, s, as(user), "")
		assert.True(t, n.ID == ids[user] && messages[1].Content == "of "+user, "%q sees session %s, %+v", user, n.ID, messages)
	}
	nobodys := func(want string) {
		t.Helper()
		st := assert.Value(s.LoadProgressWithRoute(t.Context(), as("")))(t)
		if found := len(st.Sessions) == 1; found != (want != "") || found && st.Sessions[0].ID != want {
			t.Errorf("without a token progress shows %+v, want session %q", st.Sessions, want)
		}
	}
	nobodys(ids[""])
	for _, c := range []struct{ user, shown string }{{"", ""}, {alice.ID, ids[bob.ID]}, {bob.ID, ""}} {
		n, err := s.ResetProgress(t.Context(), as(c.user))
		assert.True(t, n == 1 && err == nil, "reset progress as %q: %d, %v", c.user, n, err)
		nobodys(c.shown)
	}
}

// TestTraceOfAName: of several players with a name the author sees his own, else an anonymous one,
// else the one who began last.
func TestTraceOfAName(t *testing.T) { onEachDatabase(t, checkTraceOfAName) }

func checkTraceOfAName(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	p := publishPersona(t, s, "gate", "cellar")
	enter := func(user, machine string) string {
		t.Helper()
		o := newOpening(p, machine, "v")
		o.UserID = user
		assert.Value(s.SaveOpening(t.Context(), o))(t)
		return o.Session.ID
	}
	shows := func(want string) {
		t.Helper()
		h := assert.Value(s.OpenTraces(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: "v", UserID: alice.ID}, "", HistoryPart{}))(t)
		assert.Equal(t, h.Session.ID, want, "the trace is of session")
	}
	shows(enter(bob.ID, "gate"))
	shows(enter(bob.ID, "cellar"))
	hers := enter(alice.ID, "gate")
	shows(hers)
	nobodys := enter("", "gate")
	shows(hers)
	assert.Value(s.ResetProgress(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: "v", UserID: alice.ID}))(t)
	shows(nobodys)
}

// TestOwnedPlayersGetTheirSpace: what users owned before names belonged to them is theirs.
func TestOwnedPlayersGetTheirSpace(t *testing.T) { onEachDatabase(t, checkOwnedPlayersGetTheirSpace) }

func checkOwnedPlayersGetTheirSpace(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	p := publishPersona(t, s, "gate")
	own, sdk := newOpening(p, "gate", "hers"), newOpening(p, "gate", "hers")
	own.UserID, sdk.Space = alice.ID, alice.ID
	for _, o := range []Opening{own, sdk} {
		assert.Value(s.SaveOpening(t.Context(), o))(t)
	}
	nobodys := enterMachine(t, s, p, "gate", "v")
	undoMigrations(t, s, 4)
	_, err := rawPool(t, s).ExecContext(t.Context(), "UPDATE players SET space = '' WHERE owner_id IS NOT NULL")
	assert.NoError(t, err)
	later := open(t, Options{Path: addressOf(s)})
	for _, o := range []Opening{own, sdk, nobodys} {
		assert.Equal(t, mustLoad(t, later, o.PlayerRef, "").Session.ID, o.Session.ID, "%+v has session", o.PlayerRef)
	}
	_, err = later.LoadSession(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: "hers"}, "", 20)
	checkRefuses(t, "hers without a token", err, ErrNoSession)
}
