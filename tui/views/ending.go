package views

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Card lists the next steps after the end of a machine, in place of the input.
type Card struct {
	st       *Styles
	keys     KeyMap
	play     *conversation.Current
	unlocked []string
	steps    []conversation.NextStep
	cursor   int
}

// NewCard returns the card for the ended session. unlocked contains the ids of unlocked machines.
func NewCard(st *Styles, keys KeyMap, play *conversation.Current, unlocked []string) *Card {
	card := &Card{st: st, keys: keys, play: play, unlocked: unlocked}
	card.UpdateSteps()
	return card
}

// UpdateSteps updates the choices after a change of the list of machines.
func (c *Card) UpdateSteps() {
	c.steps = c.play.ListNextSteps(c.unlocked)
	c.cursor = min(c.cursor, len(c.steps)-1)
}

// MoveCursor handles Up and Down. The result is false for other keys.
func (c *Card) MoveCursor(msg tea.KeyMsg) bool {
	step := 0
	switch {
	case key.Matches(msg, c.keys.Up):
		step = -1
	case key.Matches(msg, c.keys.Down):
		step = 1
	}
	c.cursor = max(min(c.cursor+step, len(c.steps)-1), 0)
	return step != 0
}

func (c *Card) findNumber(msg tea.KeyMsg) int {
	if msg.Type != tea.KeyRunes || msg.Paste || msg.Alt || len(msg.Runes) != 1 {
		return -1
	}
	if n := int(msg.Runes[0] - '1'); n < min(len(c.steps), 9) {
		return max(n, -1)
	}
	return -1
}

// PickNumber moves the cursor to the choice with the typed number. The result is false for other
// keys.
func (c *Card) PickNumber(msg tea.KeyMsg) bool {
	n := c.findNumber(msg)
	if n >= 0 {
		c.cursor = n
	}
	return n >= 0
}

// TakesKey reports whether the card handles a key.
func (c *Card) TakesKey(msg tea.KeyMsg) bool {
	return c.findNumber(msg) >= 0 || key.Matches(msg, c.keys.Send, c.keys.Up, c.keys.Down)
}

// ChosenStep returns the choice under the cursor.
func (c *Card) ChosenStep() conversation.NextStep { return c.steps[c.cursor] }

// KeyWords returns a hint about the keys of the card.
func (c *Card) KeyWords() string {
	return fmt.Sprintf("press 1 to %d, or write a command such as /help", min(len(c.steps), 9))
}

// CardLines returns the lines of the card. A low card shows only the choices around the cursor.
func (c *Card) CardLines(width, height int) []string {
	inner := width - 6
	steps, first := c.steps, 0
	if room := max(height-2, 1); len(steps) > room {
		first = max(min(c.cursor-room/2, len(steps)-room), 0)
		steps = steps[first : first+room]
	}
	title := strings.TrimSpace(c.play.EndWords() + " What now?") // The ending itself is in the transcript.
	if ansi.StringWidth(title) > width-10 {
		title = c.play.EndWords()
	}
	title = terminal.CutToWidth(" "+title+" ", width-8)
	line := strings.Repeat("─", max(width-6-ansi.StringWidth(title), 0))
	lines := []string{" " + c.st.Rule.Render("╭─") + c.st.Title.Render(title) + c.st.Rule.Render(line+"─╮")}
	for i, step := range steps {
		mark, style := "  ", c.st.Text
		if first+i == c.cursor {
			mark, style = "› ", c.st.Chosen
		}
		text := terminal.CutToWidth(mark+stepNumber(first+i)+step.Words, inner)
		text = style.Render(terminal.PadToWidth(text, inner))
		lines = append(lines, " "+c.st.Rule.Render("│ ")+text+c.st.Rule.Render(" │"))
	}
	label := ""
	if len(steps) < len(c.steps) {
		label = fmt.Sprintf(" %d of %d ", c.cursor+1, len(c.steps))
	}
	line = strings.Repeat("─", max(width-5-len(label), 0))
	return append(lines, " "+c.st.Rule.Render("╰"+line+label+"─╯"))
}

func stepNumber(i int) string {
	if i >= 9 {
		return "  "
	}
	return fmt.Sprintf("%d ", i+1)
}

// ClickLine moves the cursor to the choice in a line. The result is false without a choice.
func (c *Card) ClickLine(line string) bool {
	text := strings.Trim(ansi.Strip(line), " │›|>")
	text, cut := strings.CutSuffix(text, "…")
	if text == "" {
		return false
	}
	for i, step := range c.steps {
		shown := strings.TrimSpace(stepNumber(i) + step.Words)
		if text == shown || cut && strings.HasPrefix(shown, text) {
			c.cursor = i
			return true
		}
	}
	return false
}
