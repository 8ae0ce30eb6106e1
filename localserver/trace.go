package localserver

import (
	"context"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// trace answers the persona's owner why a session went as it did.
func (s *service) trace(ctx context.Context, c *call, in *sessionInput) (wire.Trace, error) {
	t, err := s.play.Trace(ctx, c.ref(in.PersonaID, in.UserSessionID, in.MachineID))
	turns := make([]wire.TurnTrace, len(t.Messages))
	for i := range t.Messages {
		turns[i] = turnTrace(&t.Messages[i])
	}
	return wire.Trace{SessionID: t.SessionID, PersonaID: t.PersonaID, MachineID: t.MachineID, Turns: turns}, err
}

func turnTrace(m *play.MessageTrace) wire.TurnTrace {
	t := wire.TurnTrace{
		MessageID: m.MessageID, CreatedAt: wire.Time{Time: m.At}, Evaluation: m.Evaluation, Holds: make([]wire.Hold, len(m.Holds)),
		Reply: m.Reply, Summary: m.Summary, Usage: map[string]wire.Usage{},
	}
	for i, h := range m.Holds {
		t.Holds[i] = wire.Hold(h)
	}
	for step, u := range m.Usage {
		t.Usage[step] = wire.Usage(u)
	}
	if m.Transition >= 0 {
		t.Transition = &m.Transition
	}
	return t
}
