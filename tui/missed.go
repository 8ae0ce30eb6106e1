package tui

import (
	"context"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// unseen is a session as the service has kept it, held against what the player
// has seen of it. It is read after a turn whose answer was lost.
type unseen struct {
	session  *session
	messages []wire.HistoryMessage // what was said unseen, the first first
	// unlocked are the ids of the machines that an unseen ending has opened. The
	// answer that was lost named them; the history does not.
	unlocked []string
}

// readUnseen reads a session again and finds what the player has not seen of it, the
// machines that an unseen ending has opened among it. before are the machines as
// they were last read, nil where they never were. Each failure comes at once.
func (d *requester) readUnseen(ctx context.Context, v *userSession, sc *session, before []listedMachine) (*unseen, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	h, err := d.service.HistoryAtOnce(ctx, v.persona.id, v.saved.UserSessionID, sc.machine.id)
	if err != nil {
		return nil, err
	}
	seen := sessionOf(sc.machine, h)
	m := &unseen{session: seen, messages: seen.messages[min(len(sc.messages), len(seen.messages)):]}
	if len(m.messages) == 0 || !seen.standing.isFinished() || sc.standing.isFinished() {
		return m, nil
	}
	after, _, err := d.listMachines(ctx, v)
	if err != nil {
		return nil, err
	}
	m.unlocked = v.persona.listOpened(sc.machine, seen.standing, before, after)
	return m, nil
}

// listOpened finds the machines that an ending has opened: open now, and not before.
// Where it is not known how they stood, those that have not been begun and to which
// a link leads that the ending satisfies.
func (c *persona) listOpened(from *machine, at standing, before, after []listedMachine) []string {
	var ids []string
	for _, now := range after {
		i := slices.IndexFunc(before, func(was listedMachine) bool { return was.id == now.id })
		closed := i < 0 || before[i].status == machineLocked
		if before == nil {
			closed = c.leadsTo(now, from, at)
		}
		if now.status == machineOpen && closed {
			ids = append(ids, now.id)
		}
	}
	return ids
}

// leadsTo tells whether a link that an ending satisfies leads to a machine.
func (c *persona) leadsTo(to listedMachine, from *machine, at standing) bool {
	return slices.ContainsFunc(c.links, func(l personas.Link) bool {
		return l.Source == from.key && l.Target == to.key && engine.Opens(&l, personas.Outcome(at.outcome), at.score)
	})
}
