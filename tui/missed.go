package tui

import (
	"context"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// missed is a session as the service has kept it, held against what the player
// has seen of it. It is read after a turn whose answer was lost.
type missed struct {
	scene *scene
	news  []wire.HistoryMessage // what was said unseen, the first first
	// unlocked are the ids of the machines that an unseen ending has opened. The
	// answer that was lost named them; the history does not.
	unlocked []string
}

// missed reads a session again and finds what the player has not seen of it, the
// machines that an unseen ending has opened among it. before are the machines as
// they were last read, nil where they never were. Each failure comes at once.
func (d *desk) missed(ctx context.Context, v *visit, sc *scene, before []place) (*missed, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	h, err := d.service.HistoryAtOnce(ctx, v.cast.id, v.who.UserSessionID, sc.machine.id)
	if err != nil {
		return nil, err
	}
	seen := sceneOf(sc.machine, h)
	m := &missed{scene: seen, news: seen.messages[min(len(sc.messages), len(seen.messages)):]}
	if len(m.news) == 0 || !seen.at.finished() || sc.at.finished() {
		return m, nil
	}
	after, _, err := d.places(ctx, v)
	if err != nil {
		return nil, err
	}
	m.unlocked = v.cast.opened(sc.machine, seen.at, before, after)
	return m, nil
}

// opened finds the machines that an ending has opened: open now, and not before.
// Where it is not known how they stood, those that have not been begun and to which
// a link leads that the ending satisfies.
func (c *cast) opened(from *machine, at standing, before, after []place) []string {
	var ids []string
	for _, now := range after {
		i := slices.IndexFunc(before, func(was place) bool { return was.id == now.id })
		closed := i < 0 || before[i].status == placeLocked
		if before == nil {
			closed = c.leadsTo(now, from, at)
		}
		if now.status == placeOpen && closed {
			ids = append(ids, now.id)
		}
	}
	return ids
}

// leadsTo tells whether a link that an ending satisfies leads to a machine.
func (c *cast) leadsTo(to place, from *machine, at standing) bool {
	return slices.ContainsFunc(c.links, func(l personas.Link) bool {
		return l.Source == from.key && l.Target == to.key && engine.Opens(&l, personas.Outcome(at.outcome), at.score)
	})
}
