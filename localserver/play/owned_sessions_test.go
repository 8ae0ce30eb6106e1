package play

import (
	"fmt"
	"testing"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// TestOpenConversations: the owner alone gets the newest conversations that have not ended, and of a
// long one its first turns.
func TestOpenConversations(t *testing.T) {
	st := newServiceFixture(t, store.Volatile)
	st.open("")
	for i := range maxOpenTurns + 1 {
		st.say("gate", fmt.Sprintf("word %d [[aside]]", i))
	}
	list, err := st.OpenConversations(t.Context(), st.persona.ID, "alice")
	if err != nil || len(list) != 1 || len(list[0].Turns) != maxOpenTurns || list[0].Machine != "gate" || list[0].Opening != "hello" || list[0].Turns[1].Message != "word 1 [[aside]]" {
		t.Errorf("%d conversations, %v", len(list), err)
	}
	for i := range maxOpenConversations + 1 {
		_, err := st.Open(t.Context(), OpenRequest{Ref: Ref{PersonaID: st.persona.ID, UserSessionID: fmt.Sprint("p", i)}, PlayerName: "Kim", PlayerGender: "female"})
		assert.NoError(t, err)
	}
	ended := Ref{PersonaID: st.persona.ID, UserSessionID: fmt.Sprint("p", maxOpenConversations)}
	for _, words := range []string{"a [[pass]]", "b [[pass]]"} {
		assert.Value(st.Turn(t.Context(), TurnRequest{Ref: ended, Message: words}))(t)
	}
	list, err = st.OpenConversations(t.Context(), st.persona.ID, "alice")
	assert.True(t, err == nil && len(list) == maxOpenConversations && len(list[0].Turns) == 0, "%d conversations, %v", len(list), err)
	_, err = st.OpenConversations(t.Context(), st.persona.ID, "bob")
	refuses(t, "somebody else's", err, Forbidden)
	_, err = st.OpenConversations(t.Context(), "nothing", "alice")
	refuses(t, "no persona", err, NotFound)
}
