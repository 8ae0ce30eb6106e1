package cmd

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

type statusLook struct {
	word         string
	glyph, plain rune
	colour       string
}

func lookOf(m conversation.ListedMachine, here bool) statusLook {
	switch {
	case m.Status == conversation.MachineLocked:
		return statusLook{"locked", '■', '#', "8"}
	case m.Status == conversation.MachineOpen:
		return statusLook{"open", '○', 'o', "6"}
	case m.Status == conversation.MachineBegun && here:
		return statusLook{"you are here", '▶', '>', "3"}
	case m.Status == conversation.MachineBegun:
		return statusLook{"begun", '▷', '~', "3"}
	case m.Outcome == string(personas.Accept):
		return statusLook{"won", '✓', '+', "2"}
	case m.Outcome == string(personas.KickOut):
		return statusLook{"went too far", '✗', 'x', "1"}
	}
	return statusLook{"lost", '✗', 'x', "1"}
}

func (o *progressOptions) drawProgress(ctx context.Context, s *service.Service, known settings.Session,
	progress wire.Progress) error {
	full, err := s.FullPersona(ctx, known.PersonaID)
	if err != nil {
		full = wire.FullPersona{}
		full.Persona.Name = known.PersonaName
	}
	persona := conversation.NewPersona(known.PersonaID, full)
	list := persona.ListMachines(progress.AvailableMachines, progress.CompletedMachines)
	style := o.StyleFor(o.TTY.Out)
	var b strings.Builder
	total := fmt.Sprintf("score %d, %s, %d of %s completed", progress.TotalScore,
		conversation.RelationshipWords(progress.RelationshipLevel),
		conversation.CountPlayed(list), cli.Pluralize(len(list), "machine"))
	fmt.Fprintf(&b, "%s\n%s\n\n", style.Bold(terminal.Clean(full.Persona.Name)), style.Faint(total))
	for i, listed := range list {
		look := lookOf(listed, progress.CurrentMachineID != nil && *progress.CurrentMachineID == listed.ID)
		machine := &wire.Machine{ID: listed.ID}
		if i < len(full.Machines) {
			machine = &full.Machines[i]
		}
		about, err := describePlay(ctx, s, known, machine, listed)
		if err != nil {
			return err
		}
		sign := look.plain
		if o.ShowsUnicode() {
			sign = look.glyph
		}
		fmt.Fprintf(&b, "%s %s: %s%s\n", style.Color(look.colour, string(sign)), terminal.Clean(listed.Title),
			style.Color(look.colour, look.word), about)
		for _, line := range describeLinks(&full, list, listed, progress) {
			fmt.Fprintf(&b, "    %s\n", style.Faint(line))
		}
	}
	for i, name := range slices.Sorted(maps.Keys(progress.CrossMachineVars)) {
		if i == 0 {
			b.WriteString("\ncarried values\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n", terminal.Clean(name), terminal.Clean(progress.CrossMachineVars[name]))
	}
	_, err = fmt.Fprint(o.Out, b.String())
	return err
}

func describePlay(ctx context.Context, s *service.Service, known settings.Session, machine *wire.Machine,
	listed conversation.ListedMachine) (string, error) {
	score, about := listed.Score, listed.Outcome
	switch listed.Status {
	case conversation.MachineEnded:
	case conversation.MachineBegun:
		h, _, err := s.HistoryPart(ctx, known.PersonaID, known.UserSessionID, machine.ID, client.HistoryPart{Limit: 1})
		if wire.ErrorStatus(err) == http.StatusNotFound {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("state of %s: %w", listed.Title, err)
		}
		score, about = h.Score, h.CurrentState
		if i := slices.IndexFunc(machine.States, func(s personas.State) bool { return s.Key == about }); i >= 0 {
			about = "at " + machine.States[i].Title()
		}
	default:
		return "", nil
	}
	if len(machine.States) > 0 && machine.Mode() != personas.PassFail {
		about = fmt.Sprintf("score %d, %d needed, %s", score, machine.Threshold(), about)
	}
	return ", " + terminal.Clean(about), nil
}

func describeLinks(full *wire.FullPersona, list []conversation.ListedMachine, from conversation.ListedMachine,
	progress wire.Progress) []string {
	var lines []string
	for _, link := range full.Links {
		if link.Source != from.Key {
			continue
		}
		target, isEntry, opens := link.Target, false, false
		if i := slices.IndexFunc(full.Machines, func(m wire.Machine) bool { return m.Key == link.Target }); i >= 0 {
			target, isEntry = list[i].Title, full.Machines[i].IsEntry
		}
		for _, c := range progress.CompletedMachines { // the last ending counts
			if c.MachineID == from.ID {
				opens = engine.Opens(&link, personas.Outcome(c.Outcome), c.Score)
			}
		}
		status := "closed"
		if opens && slices.ContainsFunc(progress.AvailableMachines, func(a wire.AvailableMachine) bool {
			return a.MachineKey == link.Target
		}) {
			status = "opened"
		}
		lines = append(lines,
			terminal.Clean(fmt.Sprintf("-> %s: %s, %s", target, status, personafiles.DescribeCondition(link, isEntry))))
	}
	return lines
}
