package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// stage is a machine as a picture of the progress shows it. Its texts are clean.
type stage struct {
	title, word string
	// about is the rest of its line: score, state.
	about     string
	score     int
	threshold int  // 0: no score counts
	started   bool // a score can be shown
	doors     []door
}

// door is what leads from a machine to another one.
type door struct{ to, when, stands string }

// The words of a stage.
const (
	wordWon    = "won"
	wordLost   = "lost"
	wordOut    = "thrown out"
	wordHere   = "you are here"
	wordBegun  = "begun"
	wordOpen   = "open"
	wordLocked = "locked"
)

// looks are the sign and the colour of a word; colour is never the only hint.
var looks = map[string]struct {
	glyph, plain rune
	colour       string
}{
	wordWon: {'✓', '+', "2"}, wordLost: {'✗', 'x', "1"}, wordOut: {'✗', 'x', "1"},
	wordHere: {'▶', '>', "3"}, wordBegun: {'▷', '~', "3"}, wordOpen: {'○', 'o', "6"}, wordLocked: {'■', '#', "8"},
}

// picture draws the progress for a terminal. A service that does not show the
// persona's machines gets it in words.
func (o *progressOptions) picture(ctx context.Context, s *service.Service, known config.Session, p wire.Progress) error {
	full, err := s.FullPersona(ctx, known.PersonaID)
	if err != nil || len(full.Machines) == 0 {
		_, err = fmt.Fprint(o.Out, terminal.CleanLines(progressText(p)))
		return err
	}
	stages := make([]stage, len(full.Machines))
	for i := range full.Machines {
		if stages[i], err = o.stage(ctx, s, known, &full, &full.Machines[i], p); err != nil {
			return err
		}
	}
	d := drawing{style: o.StyleFor(o.TTY.Out), width: o.Width(), signs: o.ShowsUnicode()}
	d.line("%s", d.style.Renderer.NewStyle().Bold(true).Render(terminal.Clean(full.Persona.Name)))
	d.line("%s", d.style.Faint(fmt.Sprintf("score %d, relationship %d, %d of %s completed", p.TotalScore, p.RelationshipLevel, completedOf(p), cli.Pluralize(len(stages), "machine"))))
	d.line("")
	d.stages(stages)
	d.carried(p)
	_, err = fmt.Fprint(o.Out, d.text.String())
	return err
}

// completedOf counts machines, not endings: one can be played again.
func completedOf(p wire.Progress) int {
	ids := map[string]bool{}
	for _, m := range p.CompletedMachines {
		ids[m.MachineID] = true
	}
	return len(ids)
}

// stage says where a player stands with one machine.
func (o *progressOptions) stage(ctx context.Context, s *service.Service, known config.Session, full *wire.FullPersona, m *wire.Machine, p wire.Progress) (stage, error) {
	st := stage{title: terminal.Clean(m.Title()), word: wordLocked}
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
	ended := st.finish(m, p)
	if st.word == wordHere || st.word == wordBegun {
		if err := o.underWay(ctx, s, known, m, &st); err != nil {
			return st, err
		}
	}
	st.doors = doorsOf(full, m, p, ended)
	return st, nil
}

// finish adds how a machine ended, the last time. One that is played again is
// under way all the same.
func (st *stage) finish(m *wire.Machine, p wire.Progress) (ended *wire.CompletedMachine) {
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

// underWay asks for state and score of a machine that has not ended.
func (o *progressOptions) underWay(ctx context.Context, s *service.Service, known config.Session, m *wire.Machine, st *stage) error {
	h, err := s.History(ctx, known.PersonaID, known.UserSessionID, m.ID)
	switch {
	case service.IsMissing(err):
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

// doorsOf are the links that begin at a machine.
func doorsOf(full *wire.FullPersona, m *wire.Machine, p wire.Progress, ended *wire.CompletedMachine) []door {
	var doors []door
	for _, l := range full.Links {
		if l.Source != m.Key {
			continue
		}
		d := door{to: terminal.Clean(l.Target), when: terminal.Clean(personafiles.DescribeCondition(l)), stands: "closed"}
		for i := range full.Machines {
			if full.Machines[i].Key == l.Target {
				d.to = terminal.Clean(full.Machines[i].Title())
			}
		}
		opens := ended != nil && holds(l, ended)
		for _, a := range p.AvailableMachines {
			if a.MachineKey == l.Target && opens {
				d.stands = "opened"
			}
		}
		doors = append(doors, d)
	}
	return doors
}

// holds tells whether a link's condition is met by an ending.
func holds(l personas.Link, ended *wire.CompletedMachine) bool {
	switch l.Condition {
	case personas.IfOutcome:
		return ended.Outcome == string(l.Outcome)
	case personas.IfScoreGTE:
		return ended.Score >= l.Score
	case personas.IfScoreLTE:
		return ended.Score <= l.Score
	}
	return true
}

// drawing is the picture of a progress, no wider than the terminal.
type drawing struct {
	style cli.Style
	width int // 0: unknown
	signs bool
	text  strings.Builder
}

// Widths in cells. A terminal that says nothing of itself has the usual one; on a
// narrow one a machine takes two lines.
const (
	leastDrawn  = 20
	usualWidth  = 80
	narrowWidth = 64
	widestTitle = 32
	scoreWidth  = 10
)

func (d *drawing) cells() int {
	if d.width == 0 {
		return usualWidth
	}
	return max(d.width, leastDrawn)
}

func (d *drawing) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.text.WriteString(strings.TrimRight(ansi.Truncate(text, d.cells(), d.sign("…", ".")), " ") + "\n")
}

func (d *drawing) sign(nice, plain string) string {
	if d.signs {
		return nice
	}
	return plain
}

func (d *drawing) stages(stages []stage) {
	title, word := 0, 0
	for _, st := range stages {
		title = min(max(title, ansi.StringWidth(st.title)), widestTitle)
		word = max(word, len(st.word))
	}
	for _, st := range stages {
		look := looks[st.word]
		glyph := string(look.plain)
		if d.signs {
			glyph = string(look.glyph)
		}
		head := d.style.Color(look.colour, glyph) + " " + cli.PadRight(st.title, title)
		about := d.style.Color(look.colour, cli.PadRight(st.word, word)) + "  " + d.points(st) + st.about
		if d.cells() < narrowWidth {
			d.line("%s", head)
			d.line("  %s", about)
		} else {
			d.line("%s  %s", head, about)
		}
		d.doors(st.doors)
	}
}

// points is the score against its threshold, as a bar and in figures.
func (d *drawing) points(st stage) string {
	switch {
	case !st.started && st.threshold == 0:
		return ""
	case st.threshold == 0:
		return "pass or fail  "
	case !st.started:
		return d.style.Faint(fmt.Sprintf("needs %d", st.threshold)) + "  "
	}
	figures := fmt.Sprintf("%d of %d  ", st.score, st.threshold)
	if d.cells() < narrowWidth || st.threshold < 0 {
		return figures
	}
	full := min(max(st.score, 0)*scoreWidth/max(st.threshold, 1), scoreWidth)
	return strings.Repeat(d.sign("█", "#"), full) + strings.Repeat(d.sign("░", "."), scoreWidth-full) + " " + figures
}

func (d *drawing) doors(doors []door) {
	for i, at := range doors {
		arm := d.sign("├─▶ ", "|-> ")
		if i == len(doors)-1 {
			arm = d.sign("└─▶ ", "`-> ")
		}
		text := at.to + ": " + at.stands + ","
		if at.stands == "opened" {
			text = d.style.Color("2", text)
		}
		if d.cells() < narrowWidth {
			d.line("    %s%s", d.style.Faint(arm), text)
			d.line("        %s", d.style.Faint(at.when))
			continue
		}
		d.line("    %s%s %s", d.style.Faint(arm), text, d.style.Faint(at.when))
	}
}

// carried are the variables that go from machine to machine.
func (d *drawing) carried(p wire.Progress) {
	for i, name := range slices.Sorted(maps.Keys(p.CrossMachineVars)) {
		if i == 0 {
			d.line("")
			d.line("carried along")
		}
		d.line("  %s: %s", terminal.Clean(name), terminal.Clean(p.CrossMachineVars[name]))
	}
}
