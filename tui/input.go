package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/parley-npc/parley/personas/wire"
)

// input is where the player writes: a text of several lines that grows with
// what is in it.
type input struct {
	area    textarea.Model
	keys    keyMap
	past    *past
	width   int
	maxRows int
	rows    int // how many the text took last, at most manyRows
	// drawn are the lines that are shown, nil when they are to be drawn anew: the
	// editor draws its whole text each time, which for thousands of lines is slow.
	drawn []string
}

func newInput(st *styles, keys keyMap) *input {
	in := &input{area: textarea.New(), keys: keys, past: &past{}, maxRows: 1}
	a := &in.area
	a.ShowLineNumbers, a.CharLimit, a.MaxHeight = false, 0, 0
	a.Placeholder = "Say something"
	a.FocusedStyle, a.BlurredStyle = areaStyle(st), areaStyle(st)
	a.Cursor.Style = st.text
	a.Cursor.TextStyle = st.text
	a.Cursor.SetMode(cursor.CursorStatic)
	a.SetPromptFunc(3, func(line int) string {
		if line == 0 {
			return " › "
		}
		return "   "
	})
	// The keys that the chat wants for itself, now or for more to come, are
	// taken from the editor's.
	a.KeyMap.InsertNewline = keys.NewLine
	a.KeyMap.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete"))
	a.KeyMap.LinePrevious = keys.Up
	a.KeyMap.LineNext = keys.Down
	a.KeyMap.InputBegin.SetEnabled(false)
	a.KeyMap.InputEnd.SetEnabled(false)
	a.KeyMap.Paste.SetEnabled(false) // Terminals paste by themselves.
	a.Focus()
	return in
}

func areaStyle(st *styles) textarea.Style {
	return textarea.Style{
		Base: st.text, CursorLine: st.text, CursorLineNumber: st.text, EndOfBuffer: st.text,
		LineNumber: st.text, Placeholder: st.faint, Prompt: st.player, Text: st.text,
	}
}

func (in *input) resize(width, maxRows int) {
	if width == in.width && maxRows == in.maxRows {
		return
	}
	in.width, in.maxRows = width, maxRows
	in.area.SetWidth(width)
	in.grow()
}

// Update takes keys. A paste that can't be one message is refused as a whole,
// with the reason as the answer.
func (in *input) Update(msg tea.Msg) (refused string, cmd tea.Cmd) {
	press, pressed := msg.(tea.KeyMsg)
	switch {
	case pressed && press.Paste && len(press.Runes)+in.area.Length() > wire.MaxMessage:
		return fmt.Sprintf("pasted text of %d characters left out: a message may have %d", len(press.Runes), wire.MaxMessage), nil
	case pressed && in.browse(press):
		return "", nil
	}
	in.area.SetHeight(in.maxRows) // So that the editor scrolls only past its greatest height.
	in.area, cmd = in.area.Update(msg)
	in.grow()
	return "", cmd
}

// grow makes the editor as high as its text, at most maxRows. Wrapping one cell
// early leaves room for the cursor behind a full line.
func (in *input) grow() {
	in.drawn = nil
	rows := 0
	for line := range strings.SplitSeq(in.area.Value(), "\n") {
		if rows += len(wrap(line, max(in.width-4, 1))); rows >= manyRows {
			break
		}
	}
	if rows < in.rows && rows < manyRows {
		in.rewind()
	}
	in.rows = rows
	in.area.SetHeight(max(min(rows, in.maxRows), 1))
}

// manyRows is from when on rows are not counted any more, more than any window
// gives to the input; it also bounds the walk of rewind.
const manyRows = 200

// rewind lets the editor scroll back after lines have gone. It scrolls only as
// far as the cursor makes it, so the cursor walks to the top and back.
func (in *input) rewind() {
	a := &in.area
	line, column := a.Line(), a.LineInfo().StartColumn+a.LineInfo().ColumnOffset
	for a.Line() > 0 {
		a.CursorUp()
	}
	a.CursorStart()
	in.area, _ = in.area.Update(nil)
	for a.Line() < line {
		a.CursorDown()
	}
	a.SetCursor(column)
	in.area, _ = in.area.Update(nil)
}

func (in *input) value() string { return in.area.Value() }

func (in *input) set(text string) {
	in.area.SetHeight(in.maxRows)
	in.area.SetValue(text)
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
		in.drawn = strings.Split(in.area.View(), "\n")
	}
	return slices.Clone(in.drawn)
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
