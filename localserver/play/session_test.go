package play

import (
	"context"
	"testing"

	"github.com/parley-npc/parley/localserver/store"
)

// TestSession looks at a session without its messages, on each side.
func TestSession(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	ctx := context.Background()
	_, err := st.Session(ctx, st.ref(""))
	refuses(t, "none", err, NotFound)
	opening := st.open("gate")
	st.say("gate", "hm [[redirect]]")
	n, err := st.Session(ctx, st.ref(""))
	h := st.history("gate")
	if err != nil || n.SessionID != opening.SessionID || n.MachineID != opening.MachineID || n.PersonaID != st.persona.ID || n.PlayerName != "Kim" ||
		n.CurrentState != h.CurrentState || n.Score != h.Score || n.Outcome != nil || h.Outcome != nil || !n.StartedAt.Equal(h.StartedAt.Time) || !n.LastMessageAt.Equal(h.LastMessageAt.Time) {
		t.Errorf("%+v, history %+v, %v", n, h, err)
	}
	_, err = st.Session(ctx, st.ref("cellar"))
	refuses(t, "another machine", err, NotFound)
	for space, kind := range map[string]Kind{"alice": NotFound, "bob": Forbidden} {
		r := st.ref("")
		r.Space = space
		_, err := st.Session(ctx, r)
		refuses(t, "in the space of "+space, err, kind)
	}
}
