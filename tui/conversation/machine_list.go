package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// ListedMachine is a machine in a player's list of machines.
type ListedMachine struct {
	ID, Key, Title, About string
	Status                MachineStatus
	Outcome               string // of the last play
	Score                 int
	scoring               bool
	played                bool   // ended at least once
	Hint                  string // how a locked machine opens
}

// MachineStatus is the state of a machine for a player.
type MachineStatus int

const (
	MachineLocked MachineStatus = iota
	MachineOpen
	MachineBegun
	MachineEnded
)

// StatusMark returns the sign before a machine in a list.
func (l ListedMachine) StatusMark() string {
	switch {
	case l.Status == MachineLocked:
		return "×"
	case l.Status == MachineBegun:
		return "◐"
	case l.Status == MachineEnded && l.Outcome == string(personas.Accept):
		return "✓"
	case l.Status == MachineEnded:
		return "−"
	}
	return "○"
}

// StatusWords describes the status, for example "made it, score 2".
func (l ListedMachine) StatusWords() string {
	switch l.Status {
	case MachineLocked:
		return "closed"
	case MachineBegun:
		return "begun"
	case MachineEnded:
		if l.scoring {
			return fmt.Sprintf("%s, score %d", EndingOf(l.Outcome).Short, l.Score)
		}
		return EndingOf(l.Outcome).Short
	}
	return "open"
}

// CountPlayed returns the number of parts that have ended at least once.
func CountPlayed(list []ListedMachine) int {
	n := 0
	for _, listed := range list {
		if listed.played {
			n++
		}
	}
	return n
}

// AddEnding updates the list after the ending of a session. unlocked contains machine ids.
func AddEnding(list []ListedMachine, session *Session, unlocked []string) {
	for i := range list {
		listed := &list[i]
		switch {
		case listed.ID == session.Machine.ID:
			listed.Status, listed.Hint, listed.played = MachineEnded, "", true
			listed.Outcome, listed.Score = session.Standing.Outcome, session.Standing.Score
		case listed.Status == MachineLocked && slices.Contains(unlocked, listed.ID):
			listed.Status, listed.Hint = MachineOpen, ""
		}
	}
}

// ListMachines reads the player's progress and the status of each machine.
func (r *Requester) ListMachines(ctx context.Context, user *UserSession) ([]ListedMachine, wire.Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	available, err := r.Service.AvailableMachines(ctx, user.Persona.ID, user.Saved.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	progress, err := r.Service.Progress(ctx, user.Persona.ID, user.Saved.UserSessionID)
	if err != nil {
		return nil, wire.Progress{}, err
	}
	return user.Persona.ListMachines(available, progress.CompletedMachines), progress, nil
}

// ListMachines returns the persona's machines with their status from the service.
func (p *Persona) ListMachines(available []wire.AvailableMachine, completed []wire.CompletedMachine) []ListedMachine {
	list := make([]ListedMachine, 0, max(len(p.Machines), len(available)))
	for i := range p.Machines {
		m := &p.Machines[i]
		list = append(list, ListedMachine{
			ID: m.ID, Key: m.Key, Title: m.Title, About: m.about, scoring: m.Scoring, Hint: p.unlockWords(m),
		})
	}
	for _, entry := range available {
		i := slices.IndexFunc(list, func(m ListedMachine) bool {
			return m.ID == entry.MachineID || m.Key == entry.MachineKey
		})
		if i < 0 {
			i = len(list)
			list = append(list, ListedMachine{
				ID: entry.MachineID, Key: entry.MachineKey, scoring: true,
				Title: terminal.Clean(cmp.Or(entry.Name, entry.MachineKey)), About: terminal.Clean(entry.Description),
			})
		}
		l := &list[i]
		l.Hint, l.Status = "", MachineOpen
		if entry.HasSession {
			l.Status = MachineBegun
		}
		if entry.SessionOutcome != nil && *entry.SessionOutcome != "" {
			l.Status, l.Outcome, l.played = MachineEnded, *entry.SessionOutcome, true
		}
	}
	for _, done := range completed {
		i := slices.IndexFunc(list, func(m ListedMachine) bool { return m.ID == done.MachineID })
		if i < 0 {
			continue
		}
		l := &list[i]
		l.Score, l.played = done.Score, true
		if l.Status != MachineBegun { // A restarted machine stays begun.
			l.Status, l.Outcome, l.Hint = MachineEnded, done.Outcome, ""
		}
	}
	p.hideFarHints(list)
	return list
}

// hideFarHints hides hints that name another locked machine.
func (p *Persona) hideFarHints(list []ListedMachine) {
	locked := map[string]bool{}
	for _, m := range list {
		locked[m.Key] = m.Status == MachineLocked
	}
	for i := range list {
		isFar := slices.ContainsFunc(p.Links, func(l personas.Link) bool {
			return l.Target == list[i].Key && locked[l.Source]
		})
		if isFar && list[i].Hint != "" {
			list[i].Hint = "opens later"
		}
	}
}

// ClosedWords explains how a locked part opens.
func (l ListedMachine) ClosedWords() string {
	return "that part is closed: it " + cmp.Or(l.Hint, "opens later")
}

// FindListed finds a machine by number, key or id. A locked or unknown machine is a Slip.
func FindListed(list []ListedMachine, arg string) (ListedMachine, error) {
	n, _ := strconv.Atoi(arg)
	for i, listed := range list {
		if i+1 != n && listed.Key != arg && listed.ID != arg {
			continue
		}
		if listed.Status == MachineLocked {
			return listed, Slip(listed.ClosedWords())
		}
		return listed, nil
	}
	return ListedMachine{}, Slip(fmt.Sprintf("unknown part %q: /parts lists the parts", terminal.Clean(arg)))
}

const unknownPart = "???"

// ShownTitle returns the title. A locked title could spoil the story and is "???" for players.
func (l ListedMachine) ShownTitle(author bool) string {
	if l.Status == MachineLocked && !author {
		return unknownPart
	}
	return l.Title
}

// MachineLines formats the machines as lines, numbered from 1.
func MachineLines(list []ListedMachine, author bool) []string {
	lines := make([]string, 0, len(list))
	for i, listed := range list {
		line := fmt.Sprintf("%d. %s: %s", i+1, listed.ShownTitle(author), listed.StatusWords())
		if listed.Hint != "" {
			line += ", " + listed.Hint
		}
		lines = append(lines, line+".")
	}
	return lines
}

// ProgressWords formats the player's progress in all machines as lines. A part is marked if only an
// earlier play was won.
func (user *UserSession) ProgressWords(p wire.Progress, list []ListedMachine, author bool) []string {
	lines := []string{fmt.Sprintf("%d of %d parts ended, total score %d.",
		CountPlayed(list), len(list), p.TotalScore)}
	endings, won := user.countFound(nil), string(personas.Accept)
	for i, line := range MachineLines(list, author) {
		if list[i].Outcome != won && slices.Contains(endings.Keys, list[i].Key+"/"+won) {
			line = strings.TrimSuffix(line, ".") + "; you won it before."
		}
		lines = append(lines, line)
	}
	if words := endings.Words(); words != "" {
		lines = append(lines, playwords.FoundSoFar(words))
	}
	return lines
}
