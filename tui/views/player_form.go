package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Answer is the player's input in a Form. A field without a question is "".
type Answer struct{ Name, Gender string }

// Form asks for missing data of the player.
type Form struct {
	st                   *Styles
	keys                 KeyMap
	about                string
	reason               string
	name                 textinput.Model
	gender               int // index into wire.Genders
	nameFocused          bool
	asksName, asksGender bool
	trouble              string
	width                int
}

// NewForm returns a form for the missing data. typed is earlier input for the name.
func NewForm(st *Styles, keys KeyMap, user *conversation.UserSession, typed string) *Form {
	f := &Form{
		st: st, keys: keys, about: user.Persona.About, reason: conversation.GenderReason,
		name: NewField(st, "", "your name", st.Faint),
	}
	f.asksName, f.asksGender = user.NeedsName(), user.NeedsGender()
	f.focusField(f.asksName)
	f.name.CharLimit = wire.MaxPlayerName
	f.gender = len(wire.Genders) - 1
	if f.asksName {
		f.name.SetValue(terminal.Clean(typed))
	}
	return f
}

// Resize sets the width in cells.
func (f *Form) Resize(width int) {
	f.width = width
	f.name.Width = max(width-14, 8)
}

// Update handles a key. done means that all fields are complete.
func (f *Form) Update(msg tea.KeyMsg) (cmd tea.Cmd, answer Answer, done bool) {
	switch {
	case key.Matches(msg, f.keys.Send):
		answer, done = f.nextField()
	case !f.asksName && f.asksGender && msg.Type == tea.KeyRunes:
		f.chooseGender(msg.Runes)
	case f.asksName && f.asksGender && f.isFieldKey(msg):
		f.focusField(!f.nameFocused)
	case f.isFieldKey(msg):
	case f.nameFocused || msg.Type == tea.KeyRunes && !f.chooseGender(msg.Runes):
		f.focusField(true) // Letters continue the name.
		f.trouble = ""
		f.name, cmd = f.name.Update(msg)
	case msg.Type == tea.KeyLeft:
		f.turnGender(-1)
	case msg.Type == tea.KeyRight, msg.Type == tea.KeySpace:
		f.turnGender(1)
	}
	return cmd, answer, done
}

func (f *Form) isFieldKey(msg tea.KeyMsg) bool {
	return key.Matches(msg, f.keys.Up, f.keys.Down) || msg.Type == tea.KeyTab || msg.Type == tea.KeyShiftTab
}

func (f *Form) focusField(name bool) {
	f.nameFocused = name
	if name {
		f.name.Focus()
		return
	}
	f.name.Blur()
}

func (f *Form) chooseGender(letters []rune) bool {
	if len(letters) != 1 {
		return false
	}
	i := slices.IndexFunc(wire.Genders, func(g string) bool { return strings.HasPrefix(g, string(letters)) })
	if i >= 0 {
		f.gender = i
	}
	return i >= 0
}

func (f *Form) turnGender(step int) {
	n := len(wire.Genders)
	f.gender = (f.gender + step + n) % n
}

func (f *Form) nextField() (answer Answer, done bool) {
	answer.Name = strings.TrimSpace(f.name.Value())
	switch {
	case f.asksName && answer.Name == "":
		f.focusField(true)
		f.trouble = "Enter your name: the character will call you by it."
		return Answer{}, false
	case f.nameFocused && f.asksGender:
		f.focusField(false)
		return Answer{}, false
	case f.asksGender:
		answer.Gender = wire.Genders[f.gender]
	}
	return answer, true
}

// DrawLines returns the lines of the form.
func (f *Form) DrawLines() []string {
	lines := WrapStyled(f.st.Faint, f.about, f.width)
	lines = lines[:min(len(lines), 3)]
	if f.asksName {
		lines = append(lines, "", f.fieldLabel(f.nameFocused, "Name")+f.name.View())
		lines = append(lines, f.hintLines(conversation.KeptName)...)
	}
	if f.asksGender {
		lines = append(lines, "", f.fieldLabel(!f.nameFocused, "You are")+f.genderLine())
		lines = append(lines, f.hintLines(f.reason)...)
	}
	if f.trouble != "" {
		lines = append(append(lines, ""), WrapStyled(f.st.Bad, f.trouble, f.width)...)
	}
	return lines
}

const labelWidth = 11

func (f *Form) hintLines(text string) []string {
	lines := terminal.WrapText(text, max(f.width-labelWidth-1, 16))
	for i := range lines {
		lines[i] = strings.Repeat(" ", labelWidth) + f.st.Faint.Render(lines[i])
	}
	return lines
}

// FootWords returns the keys of the form for the footer.
func (f *Form) FootWords() string {
	if f.asksGender {
		return "Enter goes on, arrows choose, Esc goes back"
	}
	return "Enter goes on, Esc goes back"
}

func (f *Form) fieldLabel(focused bool, text string) string {
	if focused {
		return f.st.Chosen.Render(terminal.PadToWidth(" › "+text, labelWidth))
	}
	return f.st.Faint.Render(terminal.PadToWidth("   "+text, labelWidth))
}

func (f *Form) genderLine() string {
	shown := make([]string, len(wire.Genders))
	for i, g := range wire.Genders {
		shown[i] = f.st.Faint.Render("○ " + g)
		if i == f.gender {
			shown[i] = f.st.Chosen.Render("● " + g)
		}
	}
	return strings.Join(shown, " ")
}

// ApplyStyles applies changed styles to the name field.
func (f *Form) ApplyStyles() { StyleField(&f.name, f.st, f.st.Faint) }
