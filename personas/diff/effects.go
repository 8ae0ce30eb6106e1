package diff

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/personas/prove"
)

// Turn is the kind of an effect.
type Turn string

// The kinds of turns.
const (
	Gained Turn = "gained"
	Lost   Turn = "lost"
	Moved  Turn = "moved"
	Never  Turn = "never" // new and impossible
)

// Effect is a consequence of the changes for players. About is "machine", "outcome", "state",
// "transition", "link", "scores", "stuck" or "beginning". Name is the name of the subject, as in
// Change. Before and After are score ranges, such as "3 to inf", or keys of first machines. Reason
// explains an impossible effect.
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
	earlier, err := prove.Persona(c.before)
	if err != nil {
		r.Unproved = whyUnproved("the earlier version", err)
		return
	}
	later, err := prove.Persona(c.after)
	if err != nil {
		r.Unproved = whyUnproved("the later version", err)
		return
	}
	e := &effects{
		comparison: c, earlier: earlier, later: later,
		earlierStuck: stuckByMachine(earlier.Stuck), laterStuck: stuckByMachine(later.Stuck),
	}
	first, now := primaryKey(c.before), primaryKey(c.after)
	if laterKey(c.names.machine, first) != now {
		e.add(Effect{Turn: Moved, About: "beginning", Path: "machines", Before: first, After: now})
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
		couldOpen, link := p.before >= 0 && earlier.Links[p.before].CanOpen, &later.Links[p.after]
		about := Effect{About: "link", Name: LinkName(&c.after.Links[p.after]), Path: itemPath("machine_links", p.after)}
		e.addTurn(p.before >= 0, couldOpen, link.CanOpen, about, link.Reason)
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
	earlier, later *prove.Report
	list           []Effect

	earlierStuck, laterStuck map[string][]prove.Stuck // stuck states by machine
}

func (e *effects) add(effect Effect) { e.list = append(e.list, effect) }

// addTurn ignores a new thing (wasThere is false) if it is possible.
func (e *effects) addTurn(wasThere, before, after bool, about Effect, reason string) bool {
	switch {
	case after && wasThere && !before:
		about.Turn = Gained
	case !after && !wasThere:
		about.Turn, about.Reason = Never, reason
	case !after && before:
		about.Turn, about.Reason = Lost, reason
	default:
		return false
	}
	e.add(about)
	return true
}

func (e *effects) compareMachineEffects(machine pair) {
	later := &e.later.Machines[machine.after]
	path := itemPath("machines", machine.after)
	earlier := &prove.Machine{}
	if machine.before >= 0 {
		earlier = &e.earlier.Machines[machine.before]
	}
	about := Effect{About: "machine", Machine: later.Key, Name: later.Key, Path: path}
	e.addTurn(machine.before >= 0, earlier.Available, later.Available, about, later.Reason)
	e.compareOutcomes(machine, earlier, later)
	for _, s := range e.names.states[machine] {
		if s.after < 0 {
			continue
		}
		wasReachable, state := s.before >= 0 && earlier.States[s.before].Reachable, &later.States[s.after]
		about := Effect{About: "state", Machine: later.Key, Name: state.Key, Path: itemPath(path+".states", s.after)}
		e.addTurn(s.before >= 0, wasReachable, state.Reachable, about, state.Reason)
	}
	playedEarlier, playedLater := playedStates(earlier), playedStates(later)
	for _, t := range e.transitions[machine] {
		if t.after >= 0 && playedLater[e.after.Machines[machine.after].Transitions[t.after].From] {
			e.compareFiring(machine, t, earlier, later, playedEarlier)
		}
	}
	e.compareStuck(machine, later.Key)
}

func (e *effects) compareOutcomes(p pair, earlier, later *prove.Machine) {
	for i := range later.Outcomes {
		now := &later.Outcomes[i]
		earlierOutcome := earlier.OutcomeOf(now.Outcome)
		about := Effect{About: "outcome", Machine: later.Key, Name: string(now.Outcome), Path: itemPath("machines", p.after)}
		if earlierOutcome == nil {
			if now.Meant {
				e.addTurn(false, false, now.Reachable, about, now.Reason)
			}
			continue
		}
		if e.addTurn(true, earlierOutcome.Reachable, now.Reachable, about, now.Reason) || !now.Reachable {
			continue
		}
		if a, b := scoreBounds(earlierOutcome), scoreBounds(now); a != b {
			about.Turn, about.About, about.Before, about.After = Moved, "scores", a, b
			e.add(about)
		}
	}
}

func scoreBounds(o *prove.Outcome) string {
	if *o.Min == *o.Max {
		return o.Min.String()
	}
	return o.Min.String() + " to " + o.Max.String()
}

func (e *effects) compareFiring(machine, p pair, earlier, later *prove.Machine, playedBefore map[string]bool) {
	fired := p.before >= 0 && earlier.Transitions[p.before].Fires
	if p.before >= 0 && !fired && !playedBefore[e.before.Machines[machine.before].Transitions[p.before].From] {
		return
	}
	now := &later.Transitions[p.after]
	if fired == now.Fires {
		return
	}
	e.addTurn(p.before >= 0, fired, now.Fires, Effect{
		About: "transition", Machine: later.Key,
		Name: transitionName(&e.after.Machines[machine.after].Transitions[p.after]),
		Path: itemPath(itemPath("machines", machine.after)+".transitions", p.after),
	}, now.Reason)
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

func (e *effects) compareStuck(machine pair, key string) {
	stuckBefore := map[string]bool{}
	if machine.before >= 0 {
		for _, s := range e.earlierStuck[e.before.Machines[machine.before].Key] {
			stuckBefore[laterKey(e.names.state[s.Machine], s.State)] = true
		}
	}
	path := itemPath("machines", machine.after)
	for _, s := range e.laterStuck[key] {
		if !stuckBefore[s.State] {
			e.add(Effect{Turn: Lost, About: "stuck", Machine: key, Name: s.State, Path: path, Reason: s.Reason})
		}
		delete(stuckBefore, s.State)
	}
	for _, s := range e.after.Machines[machine.after].States {
		if stuckBefore[s.Key] {
			e.add(Effect{Turn: Gained, About: "stuck", Machine: key, Name: s.Key, Path: path})
		}
	}
}

// Text returns the effect as a sentence without a full stop.
func (e Effect) Text() string {
	prefix := ""
	if e.Machine != "" && e.About != "machine" {
		prefix = e.Machine + ": "
	}
	can := map[Turn]string{Gained: "can now", Lost: "can no longer", Never: "cannot"}[e.Turn]
	var text string
	switch e.About {
	case "beginning":
		return fmt.Sprintf("players start with %s, no longer with %s", e.After, e.Before)
	case "scores":
		return fmt.Sprintf("%s%s ends with a score of %s, before %s", prefix, e.Name, e.After, e.Before)
	case "stuck":
		if e.Turn == Gained {
			return prefix + "the state " + e.Name + " leads to an ending again"
		}
		return prefix + "the state " + e.Name + " is stuck: " + e.Reason
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
	return prefix + text
}
