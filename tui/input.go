package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/wire"
)

// input is where the player writes: a text of several lines that grows with what
// is in it, up to the longest message that the service takes.
type input struct {
	edit    *editor
	st      *styles
	keys    keyMap
	past    *past
	width   int
	maxRows int
	drawn   []string // nil when the rows are to be drawn anew
}

// placeholder stands in an empty input; the cursor is on its first letter.
const placeholder = "Say something"

func newInput(st *styles, keys keyMap) *input {
	return &input{edit: newEditor(), st: st, keys: keys, past: &past{}, maxRows: 1}
}

func (in *input) resize(width, maxRows int) {
	if width == in.width && maxRows == in.maxRows {
		return
	}
	in.width, in.maxRows = width, maxRows
	in.edit.resize(width - ansi.StringWidth(firstMargin) - 1)
	in.grow()
}

// Update takes a key. What does not fit into one message is refused as a whole,
// with the reason as the answer.
func (in *input) Update(press tea.KeyMsg) (refused string) {
	switch does := editorKeys[press.String()]; {
	case in.browse(press):
	case press.Type == tea.KeyRunes && !press.Alt:
		return in.write(string(press.Runes), press.Paste)
	case press.Type == tea.KeySpace && !press.Alt:
		return in.write(" ", false)
	case key.Matches(press, in.keys.NewLine):
		return in.write("\n", false)
	case key.Matches(press, in.keys.Up):
		in.edit.up()
	case key.Matches(press, in.keys.Down):
		in.edit.down()
	case does != nil:
		does(in.edit)
	}
	in.grow()
	return ""
}

// write puts what was typed or pasted at the cursor.
func (in *input) write(text string, pasted bool) (refused string) {
	defer in.grow()
	text = typable(text)
	room := wire.MaxMessage - characters(in.value())
	switch n := characters(text); {
	case n <= room:
		in.edit.write(text)
		return ""
	case pasted:
		return tooMuchPasted(n)
	}
	return fmt.Sprintf("a message may have %s characters: there is no room for more", grouped(wire.MaxMessage))
}

// takeBack takes away what was written last, if it stands at the end.
func (in *input) takeBack(text string) {
	if rest, there := strings.CutSuffix(in.value(), typable(text)); there && text != "" {
		in.set(rest)
	}
}

// tooMuchPasted refuses a paste of so many characters.
func tooMuchPasted(n int) string {
	return fmt.Sprintf("pasted text of %s characters left out: a message may have %s", grouped(n), grouped(wire.MaxMessage))
}

// typable is a text as it can stand in the input: lines end as ours do, a tab is
// four spaces, and what a terminal would obey is left out.
func typable(text string) string {
	if harmless(text) {
		return text
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", "    ").Replace(text)
	return strings.Map(func(r rune) rune {
		if r != '\n' && obeyed(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}

// grow makes the window as high as the text, at most maxRows.
func (in *input) grow() {
	in.drawn = nil
	in.edit.show(in.edit.rows(in.maxRows))
}

func (in *input) value() string { return in.edit.value() }

func (in *input) set(text string) {
	in.edit.set(typable(text))
	in.grow()
}

// giveBack puts an unsent text before what has been written since.
func (in *input) giveBack(text string) {
	text = typedAs(text)
	if now := in.value(); strings.TrimSpace(now) != "" {
		text += "\n" + now
	}
	in.set(text)
}

func (in *input) view() []string {
	if in.drawn == nil {
		in.drawn = in.draw()
	}
	return slices.Clone(in.drawn)
}

func (in *input) draw() []string {
	if in.value() != "" {
		return in.edit.view(in.st)
	}
	return []string{in.st.player.Render(firstMargin) + in.st.text.Reverse(true).Render(placeholder[:1]) + in.st.faint.Render(placeholder[1:])}
}

// newField is a one-line input without a motion or a colour of its own.
func newField(st *styles, prompt, placeholder string, look lipgloss.Style) textinput.Model {
	f := textinput.New()
	f.Prompt, f.Placeholder = prompt, placeholder
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = look, st.text, st.faint
	f.Cursor.Style, f.Cursor.TextStyle = st.text, st.text
	f.Cursor.SetMode(cursor.CursorStatic)
	f.KeyMap.Paste.SetEnabled(false)
	f.KeyMap.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete"))
	f.Focus()
	return f
}
