package diff

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/personas/prove"
)

// Turn is the kind of an effect: something became possible, became impossible, or is different.
type Turn string

// The kinds of turns.
const (
	Gained Turn = "gained"
	Lost   Turn = "lost"
	Moved  Turn = "moved"
	Never  Turn = "never" // something new that is impossible
)

// Effect is a consequence of the changes for players. It is found by comparing the proofs of both
// versions. About is the kind of its subject, which is a machine, an outcome, a state, a
// transition, a link, "scores", "stuck" or "beginning". Name is the subject's name, as in Change.
// Before and After are the ranges of a machine's final scores, such as "3 to inf", or the machines
// with which players start. Reason is the proof's explanation if something is impossible.
type Effect struct {
	Turn    Turn   `json:"turn"`
	About   string `json:"about"`
	Machine string `json:"machine_key,omitempty"`
	Name    string `json:"name,omitempty"`
	Path    string `json:"path"`
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

func (r *Report) addEffects(c *comparison) {
	before, err := prove.Persona(c.before)
	if err != nil {
		r.Unproved = whyUnproved("the earlier version", err)
		return
	}
	after, err := prove.Persona(c.after)
	if err != nil {
		r.Unproved = whyUnproved("the later version", err)
		return
	}
	e := &effects{comparison: c, x: before, y: after, stuckX: stuckByMachine(before.Stuck), stuckY: stuckByMachine(after.Stuck)}
	if first, now := primaryKey(c.before), primaryKey(c.after); laterKey(c.names.machine, first) != now {
		e.addEffect(Effect{Turn: Moved, About: "beginning", Path: "machines", Before: first, After: now})
	}
	for _, p := range c.names.machines {
		if p.after >= 0 {
			e.compareMachineEffects(p)
		}
	}
	for _, p := range c.links {
		if p.after < 0 {
			continue
		}
		was, l := p.before >= 0 && before.Links[p.before].CanOpen, &after.Links[p.after]
		e.addTurn(p.before >= 0, was, l.CanOpen, Effect{About: "link", Name: LinkName(&c.after.Links[p.after]), Path: itemPath("machine_links", p.after)}, l.Reason)
	}
	r.Effects = append(r.Effects, e.list...)
}

func whyUnproved(which string, err error) string {
	if errors.Is(err, prove.ErrTooWide) {
		return fmt.Sprintf("%s is %v", which, err)
	}
	return fmt.Sprintf("%s does not run: %v", which, err)
}

type effects struct {
	*comparison
	x, y           *prove.Report
	stuckX, stuckY map[string][]prove.Stuck // by machine: its stuck states
	list           []Effect
}

func (e *effects) addEffect(effect Effect) { e.list = append(e.list, effect) }

// addTurn adds an effect if something became possible or impossible. If known is false, the thing
// is new. Then addTurn adds an effect only if the thing is impossible.
func (e *effects) addTurn(known, before, after bool, about Effect, reason string) bool {
	switch {
	case after && known && !before:
		about.Turn = Gained
	case !after && !known:
		about.Turn, about.Reason = Never, reason
	case !after && before:
		about.Turn, about.Reason = Lost, reason
	default:
		return false
	}
	e.addEffect(about)
	return true
}

func (e *effects) compareMachineEffects(p pair) {
	y := &e.y.Machines[p.after]
	at := itemPath("machines", p.after)
	x := &prove.Machine{}
	if p.before >= 0 {
		x = &e.x.Machines[p.before]
	}
	e.addTurn(p.before >= 0, x.Available, y.Available, Effect{About: "machine", Machine: y.Key, Name: y.Key, Path: at}, y.Reason)
	e.compareOutcomes(p, x, y)
	for _, s := range e.names.states[p] {
		if s.after < 0 {
			continue
		}
		was := s.before >= 0 && x.States[s.before].Reachable
		e.addTurn(s.before >= 0, was, y.States[s.after].Reachable, Effect{About: "state", Machine: y.Key, Name: y.States[s.after].Key, Path: itemPath(at+".states", s.after)}, y.States[s.after].Reason)
	}
	playedX, playedY := playedStates(x), playedStates(y)
	for _, t := range e.transitions[p] {
		if t.after >= 0 && playedY[e.after.Machines[p.after].Transitions[t.after].From] {
			e.compareFiring(p, t, x, y, playedX)
		}
	}
	e.compareStuck(p, y.Key)
}

func (e *effects) compareOutcomes(p pair, x, y *prove.Machine) {
	for i := range y.Outcomes {
		now := &y.Outcomes[i]
		was := x.OutcomeOf(now.Outcome)
		about := Effect{About: "outcome", Machine: y.Key, Name: string(now.Outcome), Path: itemPath("machines", p.after)}
		if was == nil {
			if now.Meant {
				e.addTurn(false, false, now.Reachable, about, now.Reason)
			}
			continue
		}
		if e.addTurn(true, was.Reachable, now.Reachable, about, now.Reason) || !now.Reachable {
			continue
		}
		if a, b := scoreBounds(was), scoreBounds(now); a != b {
			about.Turn, about.About, about.Before, about.After = Moved, "scores", a, b
			e.addEffect(about)
		}
	}
}

func scoreBounds(o *prove.Outcome) string {
	if *o.Min == *o.Max {
		return o.Min.String()
	}
	return o.Min.String() + " to " + o.Max.String()
}

// compareFiring adds an effect if a transition became able or unable to fire. It adds none if the
// transition's state was not played before, because the effect is then reported for the state.
func (e *effects) compareFiring(machine, p pair, x, y *prove.Machine, playedBefore map[string]bool) {
	was := p.before >= 0 && x.Transitions[p.before].Fires
	if p.before >= 0 && !was && !playedBefore[e.before.Machines[machine.before].Transitions[p.before].From] {
		return
	}
	t := &y.Transitions[p.after]
	if was == t.Fires {
		return
	}
	e.addTurn(p.before >= 0, was, t.Fires, Effect{
		About: "transition", Machine: y.Key, Name: transitionName(&e.after.Machines[machine.after].Transitions[p.after]), Path: itemPath(itemPath("machines", machine.after)+".transitions", p.after),
	}, t.Reason)
}

func playedStates(m *prove.Machine) map[string]bool {
	played := make(map[string]bool, len(m.States))
	for i := range m.States {
		played[m.States[i].Key] = m.States[i].Plays
	}
	return played
}

func stuckByMachine(list []prove.Stuck) map[string][]prove.Stuck {
	sorted := map[string][]prove.Stuck{}
	for _, s := range list {
		if s.State != "" {
			sorted[s.Machine] = append(sorted[s.Machine], s)
		}
	}
	return sorted
}

// compareStuck adds an effect for each state that cannot reach an ending. If a whole machine is
// stuck, the effect is reported at its links.
func (e *effects) compareStuck(p pair, key string) {
	was := map[string]bool{}
	if p.before >= 0 {
		for _, s := range e.stuckX[e.before.Machines[p.before].Key] {
			was[laterKey(e.names.state[s.Machine], s.State)] = true
		}
	}
	for _, s := range e.stuckY[key] {
		if !was[s.State] {
			e.addEffect(Effect{Turn: Lost, About: "stuck", Machine: key, Name: s.State, Path: itemPath("machines", p.after), Reason: s.Reason})
		}
		delete(was, s.State)
	}
	for _, s := range e.after.Machines[p.after].States {
		if was[s.Key] {
			e.addEffect(Effect{Turn: Gained, About: "stuck", Machine: key, Name: s.Key, Path: itemPath("machines", p.after)})
		}
	}
}

// Text returns the effect as a sentence without a full stop.
func (e Effect) Text() string {
	in := ""
	if e.Machine != "" && e.About != "machine" {
		in = e.Machine + ": "
	}
	can := map[Turn]string{Gained: "can now", Lost: "can no longer", Never: "cannot"}[e.Turn]
	var text string
	switch e.About {
	case "beginning":
		return fmt.Sprintf("players start with %s, no longer with %s", e.After, e.Before)
	case "scores":
		return fmt.Sprintf("%s%s ends with a score of %s, before %s", in, e.Name, e.After, e.Before)
	case "stuck":
		if e.Turn == Gained {
			return in + "the state " + e.Name + " leads to an ending again"
		}
		return in + "the state " + e.Name + " is stuck: " + e.Reason
	case "outcome":
		text = fmt.Sprintf("the ending %s %s be reached", e.Name, can)
	case "machine":
		text = fmt.Sprintf("the machine %s %s be started", e.Name, can)
	case "link":
		text = fmt.Sprintf("the link %s %s open", e.Name, can)
	case "transition":
		text = fmt.Sprintf("the transition %s %s fire", e.Name, can)
	default:
		text = fmt.Sprintf("the state %s %s be reached", e.Name, can)
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return in + text
}
