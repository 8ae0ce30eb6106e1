package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// ListedMachine is a machine in a player's list of machines.
type ListedMachine struct {
	ID, Key, Title, About string
	Status                MachineStatus
	outcome               string // how it ended, "" else
	score                 int
	scoring               bool
	Hint                  string // what opens it, only while it is locked
}

// MachineStatus is how a machine stands for a player.
type MachineStatus int

const (
	MachineLocked MachineStatus = iota
	MachineOpen
	MachineBegun
	MachineEnded
)

// StatusWords is how the machine stands: "locked", "begun", "accepted with 2".
func (l ListedMachine) StatusWords() string {
	switch l.Status {
	case MachineLocked:
		return "locked"
	case MachineBegun:
		return "begun"
	case MachineEnded:
		if l.scoring {
			return fmt.Sprintf("%s with %d", OutcomeWords(l.outcome), l.score)
		}
		return OutcomeWords(l.outcome)
	}
	return "open"
}

func (l *ListedMachine) setAvailable(a wire.AvailableMachine) {
	l.Hint, l.Status = "", MachineOpen
	if a.HasSession {
		l.Status = MachineBegun
	}
	if a.SessionOutcome != nil && *a.SessionOutcome != "" {
		l.Status, l.outcome = MachineEnded, *a.SessionOutcome
	}
}

// setCompleted notes a completion; a machine that is being played again stays begun.
func (l *ListedMachine) setCompleted(done wire.CompletedMachine) {
	l.score = done.Score
	if l.Status != MachineBegun {
		l.Status, l.outcome, l.Hint = MachineEnded, done.Outcome, ""
	}
}

// ListMachines lists the persona's machines as they stand for the player.
func (r *Requester) ListMachines(ctx context.Context, v *UserSession) ([]ListedMachine, wire.Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	available, err := r.Service.AvailableMachines(ctx, v.Persona.ID, v.Saved.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	progress, err := r.Service.Progress(ctx, v.Persona.ID, v.Saved.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	return v.Persona.ListMachines(available, progress.CompletedMachines), progress, nil
}

// ListMachines joins the persona's machines with how the service says they stand.
func (p *Persona) ListMachines(available []wire.AvailableMachine, completed []wire.CompletedMachine) []ListedMachine {
	list := make([]ListedMachine, 0, max(len(p.Machines), len(available)))
	for i := range p.Machines {
		m := &p.Machines[i]
		list = append(list, ListedMachine{ID: m.ID, Key: m.Key, Title: m.Title, About: m.about, scoring: m.Scoring, Hint: p.unlockWords(m)})
	}
	for _, a := range available {
		i := slices.IndexFunc(list, func(m ListedMachine) bool { return m.ID == a.MachineID || m.Key == a.MachineKey })
		if i < 0 {
			i = len(list)
			list = append(list, ListedMachine{ID: a.MachineID, Key: a.MachineKey, Title: terminal.Clean(cmp.Or(a.Name, a.MachineKey)), About: terminal.Clean(a.Description), scoring: true})
		}
		list[i].setAvailable(a)
	}
	for _, done := range completed {
		if i := slices.IndexFunc(list, func(m ListedMachine) bool { return m.ID == done.MachineID }); i >= 0 {
			list[i].setCompleted(done)
		}
	}
	return list
}

// FindListed finds a machine by its number in the list or by its key.
func FindListed(places []ListedMachine, arg string) (ListedMachine, error) {
	n, _ := strconv.Atoi(arg)
	for i, at := range places {
		if i+1 != n && at.Key != arg && at.ID != arg {
			continue
		}
		if at.Status == MachineLocked {
			return at, fmt.Errorf("%s is locked: %s", at.Title, at.Hint)
		}
		return at, nil
	}
	return ListedMachine{}, fmt.Errorf("there is no machine %q: /machines lists them", terminal.Clean(arg))
}

// MachineLines are machines as lines of text, numbered from 1.
func MachineLines(places []ListedMachine) []string {
	lines := make([]string, 0, len(places))
	for i, at := range places {
		line := fmt.Sprintf("%d. %s (%s): %s", i+1, at.Title, terminal.Clean(at.Key), at.StatusWords())
		if at.Hint != "" {
			line += ", " + at.Hint
		}
		lines = append(lines, line+".")
	}
	return lines
}

// ProgressWords is a player's progress over all machines as lines of text.
func ProgressWords(p wire.Progress, places []ListedMachine) []string {
	done := 0
	for _, at := range places {
		if at.Status == MachineEnded {
			done++
		}
	}
	lines := []string{fmt.Sprintf("%d of %d machines ended, total score %d, %s.",
		done, len(places), p.TotalScore, RelationshipWords(p.RelationshipLevel))}
	return append(lines, MachineLines(places)...)
}
