package ending

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/keymap"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// Kind is what can come after an ending.
type Kind int

const (
	GoOn Kind = iota
	PlayAgain
	otherPersona
)

// Step is one of them; machine is an id, "" where the step leads to none.
type Step struct {
	Kind    Kind
	Machine string
	words   string
}

// Card is the card that a finished machine shows in the input's place.
type Card struct {
	st       *styles.Set
	keys     keymap.Map
	persona  *conversation.Persona
	session  *conversation.Session
	unlocked []string
	steps    []Step
	cursor   int
}

// NewCard is the card of a session that has ended; unlocked are machines' ids.
func NewCard(st *styles.Set, keys keymap.Map, c *conversation.Persona, sc *conversation.Session, places []conversation.ListedMachine, unlocked []string) *Card {
	card := &Card{st: st, keys: keys, persona: c, session: sc, unlocked: unlocked}
	card.UpdateSteps(places)
	return card
}

// UpdateSteps makes the choices: open machines first, what was unlocked just now
// before the others.
func (e *Card) UpdateSteps(places []conversation.ListedMachine) {
	e.steps = e.steps[:0]
	for _, id := range e.unlocked {
		e.addStep(id, e.persona.FindMachine(id).Title)
	}
	for _, at := range places {
		if at.Status == conversation.MachineOpen || at.Status == conversation.MachineBegun {
			e.addStep(at.ID, at.Title)
		}
	}
	e.steps = append(e.steps,
		Step{Kind: PlayAgain, words: "Play " + e.session.Machine.Title + " again"},
		Step{Kind: otherPersona, words: "Talk to somebody else"})
	e.cursor = min(e.cursor, len(e.steps)-1)
}

func (e *Card) addStep(machine, title string) {
	known := slices.ContainsFunc(e.steps, func(s Step) bool { return s.Machine == machine })
	if !known && machine != e.session.Machine.ID {
		e.steps = append(e.steps, Step{GoOn, machine, "Go on to " + title})
	}
}

// TakesKey tells whether a key is the card's.
func (e *Card) TakesKey(msg tea.KeyMsg) bool {
	return key.Matches(msg, e.keys.Send, e.keys.Up, e.keys.Down)
}

// MoveCursor goes one choice up or down.
func (e *Card) MoveCursor(msg tea.KeyMsg) {
	by := 1
	if key.Matches(msg, e.keys.Up) {
		by = -1
	}
	e.cursor = max(min(e.cursor+by, len(e.steps)-1), 0)
}

// ChosenStep is the one under the cursor.
func (e *Card) ChosenStep() Step { return e.steps[e.cursor] }

func (e *Card) titleStyle() lipgloss.Style {
	if personas.Outcome(e.session.Standing.Outcome) == personas.Accept {
		return e.st.Good
	}
	return e.st.Bad
}

// CardLines is the card in at most height lines.
func (e *Card) CardLines(width, height int) []string {
	inner := width - 6
	steps, first := e.steps, 0
	if room := max(height-2, 1); len(steps) > room {
		first = max(min(e.cursor-room/2, len(steps)-room), 0)
		steps = steps[first : first+room]
	}
	lines := []string{e.topLine(width)}
	for i, step := range steps {
		text, look := "  "+terminal.CutToWidth(step.words, inner-2), e.st.Text
		if first+i == e.cursor {
			text, look = "› "+terminal.CutToWidth(step.words, inner-2), e.st.Chosen
		}
		lines = append(lines, " "+e.st.Rule.Render("│ ")+look.Render(terminal.PadToWidth(text, inner))+e.st.Rule.Render(" │"))
	}
	return append(lines, e.bottomLine(width, len(steps) < len(e.steps)))
}

// topLine says what ended, how, and with what score where there is room for it.
func (e *Card) topLine(width int) string {
	m, edge := e.session.Machine, e.st.Rule.Render
	title := " " + terminal.CutToWidth(m.Title+": "+conversation.OutcomeWords(e.session.Standing.Outcome), width-8) + " "
	score := ""
	if words := " " + m.ScoreWords(e.session.Standing.Score) + " "; m.Scoring && ansi.StringWidth(title+words)+8 < width {
		score = words
	}
	line := strings.Repeat("─", max(width-6-ansi.StringWidth(title+score), 0))
	return " " + edge("╭─") + e.titleStyle().Render(title) + edge(line+score+"─╮")
}

// bottomLine counts the choices when not all are shown.
func (e *Card) bottomLine(width int, more bool) string {
	label := ""
	if more {
		label = fmt.Sprintf(" %d of %d ", e.cursor+1, len(e.steps))
	}
	return " " + e.st.Rule.Render("╰"+strings.Repeat("─", max(width-5-len(label), 0))+label+"─╯")
}
