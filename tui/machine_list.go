package tui

import (
	"cmp"
	"context"
	"fmt"
	"github.com/parley-npc/parley/personas/wire"
	"slices"
	"strconv"
)

// listedMachine is a machine in a player's list of machines.
type listedMachine struct {
	id, key, title, about string
	status                machineStatus
	outcome               string // how it ended, "" else
	score                 int
	scoring               bool
	hint                  string // what opens it, only while it is locked
}

// machineStatus is how a machine stands for a player.
type machineStatus int

const (
	machineLocked machineStatus = iota
	machineOpen
	machineBegun
	machineEnded
)

func (p listedMachine) statusWords() string {
	switch p.status {
	case machineLocked:
		return "locked"
	case machineBegun:
		return "begun"
	case machineEnded:
		if p.scoring {
			return fmt.Sprintf("%s with %d", outcomeWords(p.outcome), p.score)
		}
		return outcomeWords(p.outcome)
	}
	return "open"
}

func (p *listedMachine) setAvailable(a wire.AvailableMachine) {
	p.hint, p.status = "", machineOpen
	if a.HasSession {
		p.status = machineBegun
	}
	if a.SessionOutcome != nil && *a.SessionOutcome != "" {
		p.status, p.outcome = machineEnded, *a.SessionOutcome
	}
}

// setCompleted notes a completion; a machine that is being played again stays begun.
func (p *listedMachine) setCompleted(done wire.CompletedMachine) {
	p.score = done.Score
	if p.status != machineBegun {
		p.status, p.outcome, p.hint = machineEnded, done.Outcome, ""
	}
}

// listMachines lists the persona's machines as they stand for the player.
func (d *requester) listMachines(ctx context.Context, v *userSession) ([]listedMachine, wire.Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, d.callTimeout)
	defer cancel()
	available, err := d.service.AvailableMachines(ctx, v.persona.id, v.saved.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	progress, err := d.service.Progress(ctx, v.persona.id, v.saved.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	return v.persona.listMachines(available, progress.CompletedMachines), progress, nil
}

func (c *persona) listMachines(available []wire.AvailableMachine, completed []wire.CompletedMachine) []listedMachine {
	list := make([]listedMachine, 0, max(len(c.machines), len(available)))
	for i := range c.machines {
		m := &c.machines[i]
		list = append(list, listedMachine{id: m.id, key: m.key, title: m.title, about: m.about, scoring: m.scoring, hint: c.unlockWords(m)})
	}
	for _, a := range available {
		i := slices.IndexFunc(list, func(p listedMachine) bool { return p.id == a.MachineID || p.key == a.MachineKey })
		if i < 0 {
			i = len(list)
			list = append(list, listedMachine{id: a.MachineID, key: a.MachineKey, title: Clean(cmp.Or(a.Name, a.MachineKey)), about: Clean(a.Description), scoring: true})
		}
		list[i].setAvailable(a)
	}
	for _, done := range completed {
		if i := slices.IndexFunc(list, func(p listedMachine) bool { return p.id == done.MachineID }); i >= 0 {
			list[i].setCompleted(done)
		}
	}
	return list
}

// findListed finds a machine by its number in the list or by its key.
func findListed(places []listedMachine, arg string) (listedMachine, error) {
	n, _ := strconv.Atoi(arg)
	for i, at := range places {
		if i+1 != n && at.key != arg && at.id != arg {
			continue
		}
		if at.status == machineLocked {
			return at, fmt.Errorf("%s is locked: %s", at.title, at.hint)
		}
		return at, nil
	}
	return listedMachine{}, fmt.Errorf("there is no machine %q: /machines lists them", Clean(arg))
}

func machineLines(places []listedMachine) []string {
	lines := make([]string, 0, len(places))
	for i, at := range places {
		line := fmt.Sprintf("%d. %s (%s): %s", i+1, at.title, Clean(at.key), at.statusWords())
		if at.hint != "" {
			line += ", " + at.hint
		}
		lines = append(lines, line+".")
	}
	return lines
}

// progressWords is a player's progress over all machines as lines of text.
func progressWords(p wire.Progress, places []listedMachine) []string {
	done := 0
	for _, at := range places {
		if at.status == machineEnded {
			done++
		}
	}
	lines := []string{fmt.Sprintf("%d of %d machines ended, total score %d, relationship %d.",
		done, len(places), p.TotalScore, p.RelationshipLevel)}
	return append(lines, machineLines(places)...)
}
