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

// A machineView is a machine as shown in the picture of a player's progress. Its texts are safe for
// a terminal.
type machineView struct {
	title, word string
	// about is the end of the machine's line: outcome or state.
	about     string
	score     int
	threshold int  // 0 if the machine has no score
	started   bool // whether there is a score to show
	links     []linkView
}

// A linkView is a link to another machine: its target, its condition, and "opened" or "closed".
type linkView struct{ to, when, stands string }

// Words for the status of a machine.
const (
	wordWon    = "won"
	wordLost   = "lost"
	wordOut    = "went too far"
	wordHere   = "you are here"
	wordBegun  = "begun"
	wordOpen   = "open"
	wordLocked = "locked"
)

// wordLooks maps a word to its sign and colour. Colour is never the only distinction.
var wordLooks = map[string]struct {
	glyph, plain rune
	colour       string
}{
	wordWon: {'✓', '+', "2"}, wordLost: {'✗', 'x', "1"}, wordOut: {'✗', 'x', "1"},
	wordHere: {'▶', '>', "3"}, wordBegun: {'▷', '~', "3"}, wordOpen: {'○', 'o', "6"}, wordLocked: {'■', '#', "8"},
}

// drawProgress draws the progress for a terminal. If the service does not return the persona's
// machines, it prints lines of text.
func (o *progressOptions) drawProgress(ctx context.Context, s *service.Service, known settings.Session, p wire.Progress) error {
	full, err := s.FullPersona(ctx, known.PersonaID)
	if err != nil || len(full.Machines) == 0 {
		_, err = fmt.Fprint(o.Out, terminal.CleanLines(o.progressText(p)))
		return err
	}
	views := make([]machineView, len(full.Machines))
	for i := range full.Machines {
		if views[i], err = o.viewMachine(ctx, s, known, &full, &full.Machines[i], p); err != nil {
			return err
		}
	}
	d := progressDrawing{style: o.StyleFor(o.TTY.Out), width: o.Width(), signs: o.ShowsUnicode()}
	d.writeLine("%s", d.style.Renderer.NewStyle().Bold(true).Render(terminal.Clean(full.Persona.Name)))
	d.writeLine("%s", d.style.Faint(fmt.Sprintf("score %d, %s, %d of %s completed", p.TotalScore, conversation.RelationshipWords(p.RelationshipLevel), countCompleted(p), cli.Pluralize(len(views), "machine"))))
	d.writeLine("")
	d.writeMachines(views)
	d.writeVariables(p)
	_, err = fmt.Fprint(o.Out, d.text.String())
	return err
}

// countCompleted returns the number of completed machines. A machine that was completed several
// times counts once.
func countCompleted(p wire.Progress) int {
	ids := map[string]bool{}
	for _, m := range p.CompletedMachines {
		ids[m.MachineID] = true
	}
	return len(ids)
}

// viewMachine returns the view of one machine for a player.
func (o *progressOptions) viewMachine(ctx context.Context, s *service.Service, known settings.Session, full *wire.FullPersona, m *wire.Machine, p wire.Progress) (machineView, error) {
	st := machineView{title: terminal.Clean(m.Title()), word: wordLocked}
	if m.Mode() == personas.Scoring {
		st.threshold = m.Threshold()
	}
	under := wordHere
	for i := range p.AvailableMachines {
		a := &p.AvailableMachines[i]
		if a.MachineID != m.ID {
			continue
		}
		st.word = wordOpen
		if p.CurrentMachineID == nil || *p.CurrentMachineID != m.ID {
			under = wordBegun
		}
		if a.HasSession && a.SessionOutcome == nil {
			st.word = under
		}
	}
	ended := st.addOutcome(m, p)
	if st.word == wordHere || st.word == wordBegun {
		if err := o.addCurrentState(ctx, s, known, m, &st); err != nil {
			return st, err
		}
	}
	st.links = viewLinks(full, m, p, ended)
	return st, nil
}

// addOutcome adds the machine's last ending, unless the machine is being played again. It returns
// that ending, or nil.
func (st *machineView) addOutcome(m *wire.Machine, p wire.Progress) (ended *wire.CompletedMachine) {
	for i := range p.CompletedMachines {
		if c := &p.CompletedMachines[i]; c.MachineID == m.ID {
			ended = c
		}
	}
	if ended == nil || st.word == wordHere || st.word == wordBegun {
		return ended
	}
	st.started, st.score, st.about = true, ended.Score, terminal.Clean(ended.Outcome)
	switch ended.Outcome {
	case string(personas.Accept):
		st.word = wordWon
	case string(personas.KickOut):
		st.word = wordOut
	default:
		st.word = wordLost
	}
	return ended
}

// addCurrentState fetches the state and score of a machine that has not ended.
func (o *progressOptions) addCurrentState(ctx context.Context, s *service.Service, known settings.Session, m *wire.Machine, st *machineView) error {
	h, _, err := s.HistoryPart(ctx, known.PersonaID, known.UserSessionID, m.ID, client.HistoryPart{Limit: 1})
	switch {
	case wire.ErrorStatus(err) == http.StatusNotFound:
		return nil
	case err != nil:
		return fmt.Errorf("state of %s: %w", st.title, err)
	}
	st.started, st.score, st.about = true, h.Score, terminal.Clean(h.CurrentState)
	for i := range m.States {
		if m.States[i].Key == h.CurrentState {
			st.about = "at " + terminal.Clean(m.States[i].Title())
		}
	}
	return nil
}

// viewLinks returns the links from a machine. ended is the machine's last ending, or nil.
func viewLinks(full *wire.FullPersona, m *wire.Machine, p wire.Progress, ended *wire.CompletedMachine) []linkView {
	var links []linkView
	for _, l := range full.Links {
		if l.Source != m.Key {
			continue
		}
		d, isOpen := linkView{to: terminal.Clean(l.Target), stands: "closed"}, false
		for i := range full.Machines {
			if full.Machines[i].Key == l.Target {
				d.to, isOpen = terminal.Clean(full.Machines[i].Title()), full.Machines[i].IsEntry
			}
		}
		d.when = terminal.Clean(personafiles.DescribeCondition(l, isOpen))
		opens := ended != nil && engine.Opens(&l, personas.Outcome(ended.Outcome), ended.Score)
		for _, a := range p.AvailableMachines {
			if a.MachineKey == l.Target && opens {
				d.stands = "opened"
			}
		}
		links = append(links, d)
	}
	return links
}

// A progressDrawing is the picture of a player's progress. It is not wider than the terminal.
type progressDrawing struct {
	style cli.Style
	width int // 0 if unknown
	signs bool
	text  strings.Builder
}

// Widths in cells. usualWidth is used if the width of the terminal is unknown. On terminals
// narrower than narrowWidth, a machine takes two lines.
const (
	leastDrawn  = 20
	usualWidth  = 80
	narrowWidth = 64
	widestTitle = 32
	scoreWidth  = 10
)

func (d *progressDrawing) widthInCells() int {
	if d.width == 0 {
		return usualWidth
	}
	return max(d.width, leastDrawn)
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

func (d *progressDrawing) writeMachines(stages []machineView) {
	title, word := 0, 0
	for _, st := range stages {
		title = min(max(title, ansi.StringWidth(st.title)), widestTitle)
		word = max(word, len(st.word))
	}
	for _, st := range stages {
		look := wordLooks[st.word]
		glyph := string(look.plain)
		if d.signs {
			glyph = string(look.glyph)
		}
		head := d.style.Color(look.colour, glyph) + " " + cli.PadRight(st.title, title)
		about := d.style.Color(look.colour, cli.PadRight(st.word, word)) + "  " + d.scoreBar(st) + st.about
		if d.widthInCells() < narrowWidth {
			d.writeLine("%s", head)
			d.writeLine("  %s", about)
		} else {
			d.writeLine("%s  %s", head, about)
		}
		d.writeLinks(st.links)
	}
}

// scoreBar returns the score and the threshold, as a bar and as numbers.
func (d *progressDrawing) scoreBar(st machineView) string {
	switch {
	case !st.started && st.threshold == 0:
		return ""
	case st.threshold == 0:
		return "pass or fail  "
	case !st.started:
		return d.style.Faint(fmt.Sprintf("needs %d", st.threshold)) + "  "
	}
	figures := fmt.Sprintf("%d of %d  ", st.score, st.threshold)
	if st.score > st.threshold {
		figures = fmt.Sprintf("%d, %d needed  ", st.score, st.threshold)
	}
	if d.widthInCells() < narrowWidth || st.threshold < 0 {
		return figures
	}
	full := min(max(st.score, 0)*scoreWidth/max(st.threshold, 1), scoreWidth)
	return strings.Repeat(d.chooseSign("█", "#"), full) + strings.Repeat(d.chooseSign("░", "."), scoreWidth-full) + " " + figures
}

func (d *progressDrawing) writeLinks(doors []linkView) {
	for i, at := range doors {
		arm := d.chooseSign("├─▶ ", "|-> ")
		if i == len(doors)-1 {
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

// writeVariables writes the variables that machines share.
func (d *progressDrawing) writeVariables(p wire.Progress) {
	for i, name := range slices.Sorted(maps.Keys(p.CrossMachineVars)) {
		if i == 0 {
			d.writeLine("")
			d.writeLine("carried along")
		}
		d.writeLine("  %s: %s", terminal.Clean(name), terminal.Clean(p.CrossMachineVars[name]))
	}
}
