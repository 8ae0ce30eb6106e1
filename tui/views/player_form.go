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

// Answer is the player's input; fields that were not asked are "".
type Answer struct{ Name, Gender string }

// Form asks for the player's missing data: the name, and the gender if the persona's texts use it.
type Form struct {
	st     *Styles
	keys   KeyMap
	about  string
	reason string // why the gender is asked for
	name   textinput.Model
	gender int  // index into wire.Genders
	atName bool // the field that takes keys
	// asksName and asksGender report which fields are shown.
	asksName, asksGender bool
	trouble              string
	doubted              string // the name that was asked about, because it looks like something said
	width                int
}

// NewForm asks for missing data; typed is the text that was typed before the form appeared.
func NewForm(st *Styles, keys KeyMap, v *conversation.UserSession, typed string) *Form {
	f := &Form{st: st, keys: keys, about: v.Persona.About, reason: v.GenderReason(), name: NewField(st, "", "your name", st.Faint)}
	f.asksName, f.asksGender = v.NeedsName(), v.NeedsGender()
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

// Update handles a key; done reports that all fields are filled in.
func (f *Form) Update(msg tea.KeyMsg) (cmd tea.Cmd, said Answer, done bool) {
	switch {
	case key.Matches(msg, f.keys.Send):
		said, done = f.nextField()
	case !f.asksName && f.asksGender && msg.Type == tea.KeyRunes:
		f.chooseGender(msg.Runes)
	case f.asksName && f.asksGender && f.isFieldKey(msg):
		f.focusField(!f.atName)
	case f.isFieldKey(msg):
	case f.atName || msg.Type == tea.KeyRunes && !f.chooseGender(msg.Runes):
		f.focusField(true) // Who writes on has not finished the name.
		f.trouble = ""
		f.name, cmd = f.name.Update(msg)
	case msg.Type == tea.KeyLeft:
		f.turnGender(-1)
	case msg.Type == tea.KeyRight, msg.Type == tea.KeySpace:
		f.turnGender(1)
	}
	return cmd, said, done
}

// isFieldKey reports whether a key goes to the other field.
func (f *Form) isFieldKey(msg tea.KeyMsg) bool {
	return key.Matches(msg, f.keys.Up) || key.Matches(msg, f.keys.Down) || msg.Type == tea.KeyTab || msg.Type == tea.KeyShiftTab
}

func (f *Form) focusField(name bool) {
	if f.atName = name; name {
		f.name.Focus()
		return
	}
	f.name.Blur()
}

// chooseGender chooses the gender that begins with a letter, and reports whether one does.
func (f *Form) chooseGender(letters []rune) bool {
	i := slices.IndexFunc(wire.Genders, func(g string) bool { return len(letters) == 1 && strings.HasPrefix(g, string(letters)) })
	if i >= 0 {
		f.gender = i
	}
	return i >= 0
}

func (f *Form) turnGender(by int) {
	n := len(wire.Genders)
	f.gender = (f.gender + by + n) % n
}

// nextField moves on from a field; done reports that it was the last.
func (f *Form) nextField() (said Answer, done bool) {
	said.Name = strings.TrimSpace(f.name.Value())
	switch {
	case f.asksName && said.Name == "":
		f.focusField(true)
		f.trouble = "Your name is needed: the character will call you by it."
		return Answer{}, false
	case f.asksName && looksSaid(said.Name) && f.doubted != said.Name:
		f.focusField(true)
		f.doubted = said.Name
		f.trouble = "The character would call you “" + terminal.Clean(said.Name) + "”. Write your name here, or press Enter again if that is it: you talk on the next screen."
		return Answer{}, false
	case f.atName && f.asksGender:
		f.focusField(false)
		return Answer{}, false
	case f.asksGender:
		said.Gender = wire.Genders[f.gender]
	}
	return said, true
}

// mostNamed is how many words a name has that is not asked about.
const mostNamed = 4

// greetings are words of players who believe that they are already talking.
var greetings = []string{"hi", "hello", "hey", "hiya", "yo", "ok", "test", "bonjour", "salut", "hallo", "hola", "ola", "ciao", "good"}

// looksSaid reports whether a name looks like something said to the character.
func looksSaid(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	return strings.ContainsAny(name, "?!*") || len(words) > mostNamed || len(words) > 0 && slices.Contains(greetings, strings.TrimRight(words[0], ",."))
}

// DrawLines are the form's lines.
func (f *Form) DrawLines() []string {
	lines := WrapStyled(f.st.Faint, f.about, f.width)
	lines = lines[:min(len(lines), 3)]
	if f.asksName {
		lines = append(append(lines, "", f.fieldLabel(f.atName, "Name")+f.name.View()), f.hintLines(conversation.KeptName)...)
	}
	if f.asksGender {
		lines = append(append(lines, "", f.fieldLabel(!f.atName, "You are")+f.genderLine()), f.hintLines(f.reason)...)
	}
	if f.trouble != "" {
		lines = append(append(lines, ""), WrapStyled(f.st.Bad, f.trouble, f.width)...)
	}
	return lines
}

// labelWidth is the cells before a field.
const labelWidth = 11

// hintLines are a sentence below a field.
func (f *Form) hintLines(text string) []string {
	lines := terminal.WrapText(text, max(f.width-labelWidth-1, 16))
	for i := range lines {
		lines[i] = strings.Repeat(" ", labelWidth) + f.st.Faint.Render(lines[i])
	}
	return lines
}

// FootWords lists the keys of the form.
func (f *Form) FootWords() string {
	if f.asksGender {
		return "Enter goes on, arrows choose, Esc goes back"
	}
	return "Enter goes on, Esc goes back"
}

func (f *Form) fieldLabel(here bool, text string) string {
	if here {
		return f.st.Chosen.Render(terminal.PadToWidth(" › "+text, labelWidth))
	}
	return f.st.Faint.Render(terminal.PadToWidth("   "+text, labelWidth))
}

func (f *Form) genderLine() string {
	shown := make([]string, len(wire.Genders))
	for i, g := range wire.Genders {
		if shown[i] = f.st.Faint.Render("○ " + g); i == f.gender {
			shown[i] = f.st.Chosen.Render("● " + g)
		}
	}
	return strings.Join(shown, " ")
}

// ApplyStyles draws it again in other colours.
func (f *Form) ApplyStyles() { StyleField(&f.name, f.st, f.st.Faint) }
