package cmd

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

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

// A machineView is a machine in the picture of a player's progress, with texts that are safe for a
// terminal.
type machineView struct {
	statusLook

	title     string
	about     string // outcome or state
	score     int
	threshold int  // 0 if the machine has no score
	started   bool // the machine has a score to show
	links     []linkView
}

// A linkView is a link to another machine. when is the link's condition, and stands is "opened" or
// "closed".
type linkView struct{ to, when, stands string }

// A statusLook shows a machine's status. Colour is never the only difference.
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

// drawProgress draws the progress for a terminal. It prints lines of text if the service does not
// return the machines.
func (o *progressOptions) drawProgress(ctx context.Context, s *service.Service, known settings.Session, p wire.Progress) error {
	full, err := s.FullPersona(ctx, known.PersonaID)
	if err != nil || len(full.Machines) == 0 {
		_, err = fmt.Fprint(o.Out, terminal.CleanLines(o.progressText(p)))
		return err
	}
	persona := conversation.NewPersona(known.PersonaID, full)
	list := persona.ListMachines(p.AvailableMachines, p.CompletedMachines)[:len(full.Machines)]
	views := make([]machineView, len(list))
	for i, m := range list {
		view := machineView{statusLook: lookOf(m, p.CurrentMachineID != nil && *p.CurrentMachineID == m.ID), title: m.Title, links: viewLinks(&full, list, m, p)}
		if persona.Machines[i].Scoring {
			view.threshold = persona.Machines[i].Threshold
		}
		if m.Status == conversation.MachineEnded {
			view.started, view.score, view.about = true, m.Score, terminal.Clean(m.Outcome)
		}
		if m.Status == conversation.MachineBegun {
			if err := view.addState(ctx, s, known, &full.Machines[i]); err != nil {
				return err
			}
		}
		views[i] = view
	}
	d := progressDrawing{style: o.StyleFor(o.TTY.Out), width: o.Width(), signs: o.ShowsUnicode()}
	d.writeLine("%s", d.style.Renderer.NewStyle().Bold(true).Render(terminal.Clean(full.Persona.Name)))
	d.writeLine("%s", d.style.Faint(fmt.Sprintf("score %d, %s, %d of %s completed", p.TotalScore, conversation.RelationshipWords(p.RelationshipLevel), conversation.CountPlayed(list), cli.Pluralize(len(list), "machine"))))
	d.writeLine("")
	d.writeMachines(views)
	for i, name := range slices.Sorted(maps.Keys(p.CrossMachineVars)) {
		if i == 0 {
			d.writeLine("")
			d.writeLine("carried values")
		}
		d.writeLine("  %s: %s", terminal.Clean(name), terminal.Clean(p.CrossMachineVars[name]))
	}
	_, err = fmt.Fprint(o.Out, d.text.String())
	return err
}

func (v *machineView) addState(ctx context.Context, s *service.Service, known settings.Session, m *wire.Machine) error {
	h, _, err := s.HistoryPart(ctx, known.PersonaID, known.UserSessionID, m.ID, client.HistoryPart{Limit: 1})
	switch {
	case wire.ErrorStatus(err) == http.StatusNotFound:
		return nil
	case err != nil:
		return fmt.Errorf("state of %s: %w", v.title, err)
	}
	v.started, v.score, v.about = true, h.Score, terminal.Clean(h.CurrentState)
	for i := range m.States {
		if m.States[i].Key == h.CurrentState {
			v.about = "at " + terminal.Clean(m.States[i].Title())
		}
	}
	return nil
}

func viewLinks(full *wire.FullPersona, list []conversation.ListedMachine, from conversation.ListedMachine, p wire.Progress) []linkView {
	var links []linkView
	for _, l := range full.Links {
		if l.Source != from.Key {
			continue
		}
		view, isEntry, opens := linkView{to: terminal.Clean(l.Target), stands: "closed"}, false, false
		if i := slices.IndexFunc(full.Machines, func(m wire.Machine) bool { return m.Key == l.Target }); i >= 0 {
			view.to, isEntry = list[i].Title, full.Machines[i].IsEntry
		}
		view.when = terminal.Clean(personafiles.DescribeCondition(l, isEntry))
		for _, c := range p.CompletedMachines { // the last ending counts
			if c.MachineID == from.ID {
				opens = engine.Opens(&l, personas.Outcome(c.Outcome), c.Score)
			}
		}
		if opens && slices.ContainsFunc(p.AvailableMachines, func(a wire.AvailableMachine) bool { return a.MachineKey == l.Target }) {
			view.stands = "opened"
		}
		links = append(links, view)
	}
	return links
}

type progressDrawing struct {
	style cli.Style
	width int // 0 if unknown
	signs bool
	text  strings.Builder
}

// Widths in cells. usualWidth is for an unknown terminal, and below narrowWidth a machine takes two
// lines.
const (
	minWidth      = 20
	usualWidth    = 80
	narrowWidth   = 64
	maxTitleWidth = 32
	scoreWidth    = 10
)

func (d *progressDrawing) widthInCells() int {
	if d.width == 0 {
		return usualWidth
	}
	return max(d.width, minWidth)
}

func (d *progressDrawing) writeLine(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.text.WriteString(strings.TrimRight(ansi.Truncate(text, d.widthInCells(), d.chooseSign("…", ".")), " ") + "\n")
}

func (d *progressDrawing) chooseSign(nice, plain string) string {
	if d.signs {
		return nice
	}
	return plain
}

func (d *progressDrawing) writeMachines(views []machineView) {
	title, word := 0, 0
	for _, v := range views {
		title = min(max(title, ansi.StringWidth(v.title)), maxTitleWidth)
		word = max(word, len(v.word))
	}
	for _, v := range views {
		head := d.style.Color(v.colour, d.chooseSign(string(v.glyph), string(v.plain))) + " " + cli.PadRight(v.title, title)
		about := d.style.Color(v.colour, cli.PadRight(v.word, word)) + "  " + d.scoreBar(v) + v.about
		if d.widthInCells() < narrowWidth {
			d.writeLine("%s", head)
			d.writeLine("  %s", about)
		} else {
			d.writeLine("%s  %s", head, about)
		}
		d.writeLinks(v.links)
	}
}

func (d *progressDrawing) scoreBar(v machineView) string {
	switch {
	case !v.started && v.threshold == 0:
		return ""
	case v.threshold == 0:
		return "pass or fail  "
	case !v.started:
		return d.style.Faint(fmt.Sprintf("needs %d", v.threshold)) + "  "
	}
	figures := fmt.Sprintf("%d of %d  ", v.score, v.threshold)
	if v.score > v.threshold {
		figures = fmt.Sprintf("%d, %d needed  ", v.score, v.threshold)
	}
	if d.widthInCells() < narrowWidth || v.threshold < 0 {
		return figures
	}
	full := min(max(v.score, 0)*scoreWidth/max(v.threshold, 1), scoreWidth)
	return strings.Repeat(d.chooseSign("█", "#"), full) + strings.Repeat(d.chooseSign("░", "."), scoreWidth-full) + " " + figures
}

func (d *progressDrawing) writeLinks(links []linkView) {
	for i, at := range links {
		arm := d.chooseSign("├─▶ ", "|-> ")
		if i == len(links)-1 {
			arm = d.chooseSign("└─▶ ", "`-> ")
		}
		text := at.to + ": " + at.stands + ","
		if at.stands == "opened" {
			text = d.style.Color("2", text)
		}
		if d.widthInCells() < narrowWidth {
			d.writeLine("    %s%s", d.style.Faint(arm), text)
			d.writeLine("        %s", d.style.Faint(at.when))
			continue
		}
		d.writeLine("    %s%s %s", d.style.Faint(arm), text, d.style.Faint(at.when))
	}
}
