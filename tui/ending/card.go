package ending

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/keymap"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// Card is the card that a finished machine shows in the input's place.
type Card struct {
	st       *styles.Set
	keys     keymap.Map
	persona  *conversation.Persona
	session  *conversation.Session
	unlocked []string
	steps    []conversation.NextStep
	cursor   int
	// GoesOn says that the chat moves on to the only part by itself.
	GoesOn bool
}

// NewCard is the card of a session that has ended; unlocked are machines' ids.
func NewCard(st *styles.Set, keys keymap.Map, c *conversation.Persona, sc *conversation.Session, places []conversation.ListedMachine, unlocked []string) *Card {
	card := &Card{st: st, keys: keys, persona: c, session: sc, unlocked: unlocked}
	card.UpdateSteps(places)
	return card
}

// UpdateSteps makes the choices anew.
func (c *Card) UpdateSteps(places []conversation.ListedMachine) {
	c.steps = c.persona.ListNextSteps(c.session, places, c.unlocked)
	c.cursor = min(c.cursor, len(c.steps)-1)
}

// OnlyPart is the one part to which the player can go on, "" where there is none or a choice.
func (c *Card) OnlyPart() string { return conversation.OnlyPart(c.steps) }

// MoveCursor goes one choice up or down, and tells whether the key asked for that.
func (c *Card) MoveCursor(msg tea.KeyMsg) bool {
	by := 0
	switch {
	case key.Matches(msg, c.keys.Up):
		by = -1
	case key.Matches(msg, c.keys.Down):
		by = 1
	}
	c.cursor = max(min(c.cursor+by, len(c.steps)-1), 0)
	return by != 0
}

// ChooseStep is the way that a key chooses: Enter the one under the cursor, a digit the one
// that it stands before.
func (c *Card) ChooseStep(msg tea.KeyMsg) (conversation.NextStep, bool) {
	if key.Matches(msg, c.keys.Send) {
		return c.ChosenStep(), true
	}
	if msg.Type != tea.KeyRunes || msg.Paste || len(msg.Runes) != 1 {
		return conversation.NextStep{}, false
	}
	n := int(msg.Runes[0] - '1')
	if n < 0 || n >= min(len(c.steps), 9) {
		return conversation.NextStep{}, false
	}
	return c.steps[n], true
}

// TakesKey tells whether a key is the card's.
func (c *Card) TakesKey(msg tea.KeyMsg) bool {
	_, chosen := c.ChooseStep(msg)
	return chosen || key.Matches(msg, c.keys.Up, c.keys.Down)
}

// ChosenStep is the way under the cursor.
func (c *Card) ChosenStep() conversation.NextStep { return c.steps[c.cursor] }

// KeyWords say which keys choose.
func (c *Card) KeyWords() string {
	return fmt.Sprintf("press 1 to %d, or write a command such as /help", min(len(c.steps), 9))
}

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
		mark, look := "  ", c.st.Text
		if first+i == c.cursor {
			mark, look = "› ", c.st.Chosen
		}
		text := terminal.CutToWidth(mark+stepNumber(first+i)+step.Words, inner)
		lines = append(lines, " "+c.st.Rule.Render("│ ")+look.Render(terminal.PadToWidth(text, inner))+c.st.Rule.Render(" │"))
	}
	return append(lines, c.bottomLine(width, len(steps) < len(c.steps)))
}

// stepNumber is the key that chooses a step; from the tenth on there is none.
func stepNumber(i int) string {
	if i >= 9 {
		return "  "
	}
	return fmt.Sprintf("%d ", i+1)
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
