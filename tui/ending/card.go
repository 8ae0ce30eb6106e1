package ending

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

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
	// GoesOn says that the chat moves on to the first choice by itself.
	GoesOn bool
}

// NewCard is the card of a session that has ended; unlocked are machines' ids.
func NewCard(st *styles.Set, keys keymap.Map, c *conversation.Persona, sc *conversation.Session, places []conversation.ListedMachine, unlocked []string) *Card {
	card := &Card{st: st, keys: keys, persona: c, session: sc, unlocked: unlocked}
	card.UpdateSteps(places)
	return card
}

// UpdateSteps makes the choices: open machines first, what was unlocked just now
// before the others.
func (c *Card) UpdateSteps(places []conversation.ListedMachine) {
	c.steps = c.steps[:0]
	for _, id := range c.unlocked {
		c.addStep(id, c.persona.FindMachine(id).Title)
	}
	for _, at := range places {
		if at.Status == conversation.MachineOpen || at.Status == conversation.MachineBegun {
			c.addStep(at.ID, at.Title)
		}
	}
	c.steps = append(c.steps,
		Step{Kind: PlayAgain, words: "Play " + c.session.Machine.Title + " again"},
		Step{Kind: otherPersona, words: "Talk to somebody else"})
	c.cursor = min(c.cursor, len(c.steps)-1)
}

func (c *Card) addStep(machine, title string) {
	known := slices.ContainsFunc(c.steps, func(s Step) bool { return s.Machine == machine })
	if !known && machine != c.session.Machine.ID {
		c.steps = append(c.steps, Step{GoOn, machine, "Go on to " + title})
	}
}

// TakesKey tells whether a key is the card's.
func (c *Card) TakesKey(msg tea.KeyMsg) bool {
	return key.Matches(msg, c.keys.Send, c.keys.Up, c.keys.Down)
}

// MoveCursor goes one choice up or down.
func (c *Card) MoveCursor(msg tea.KeyMsg) {
	by := 1
	if key.Matches(msg, c.keys.Up) {
		by = -1
	}
	c.cursor = max(min(c.cursor+by, len(c.steps)-1), 0)
}

// ChosenStep is the one under the cursor.
func (c *Card) ChosenStep() Step { return c.steps[c.cursor] }

// CardLines is the card in at most height lines.
func (c *Card) CardLines(width, height int) []string {
	inner := width - 6
	steps, first := c.steps, 0
	if room := max(height-2, 1); len(steps) > room {
		first = max(min(c.cursor-room/2, len(steps)-room), 0)
		steps = steps[first : first+room]
	}
	lines := []string{c.topLine(width)}
	for i, step := range steps {
		text, look := "  "+terminal.CutToWidth(step.words, inner-2), c.st.Text
		if first+i == c.cursor {
			text, look = "› "+terminal.CutToWidth(step.words, inner-2), c.st.Chosen
		}
		lines = append(lines, " "+c.st.Rule.Render("│ ")+look.Render(terminal.PadToWidth(text, inner))+c.st.Rule.Render(" │"))
	}
	return append(lines, c.bottomLine(width, len(steps) < len(c.steps)))
}

// topLine begins the card; what has ended and how stands in the transcript.
func (c *Card) topLine(width int) string {
	title := " What now? "
	if c.GoesOn {
		title = " Going on in a moment, Esc stays "
	}
	title = terminal.CutToWidth(title, width-8)
	return " " + c.st.Rule.Render("╭─") + c.st.Title.Render(title) + c.st.Rule.Render(strings.Repeat("─", max(width-6-len(title), 0))+"─╮")
}

// bottomLine counts the choices when not all are shown.
func (c *Card) bottomLine(width int, more bool) string {
	label := ""
	if more {
		label = fmt.Sprintf(" %d of %d ", c.cursor+1, len(c.steps))
	}
	return " " + c.st.Rule.Render("╰"+strings.Repeat("─", max(width-5-len(label), 0))+label+"─╯")
}
