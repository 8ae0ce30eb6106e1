package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// joinScreen is the way to a chat: it reads the persona, asks who plays if that is
// not known, and opens the machine.
type joinScreen struct {
	*env
	entry         int
	persona       string
	known         conversation.SavedSession // the session to go on with; without an id the present one
	fresh         bool                      // a new session, whatever is remembered
	machine       string
	user          *conversation.UserSession
	form          *playerForm // nil when nothing is asked
	trouble       string      // why it does not go on
	retry         func() tea.Cmd
	width, height int
}

func newJoinScreen(e *env, entry int) *joinScreen { return &joinScreen{env: e, entry: entry} }

func (l *joinScreen) OpenPersona(persona string) tea.Cmd {
	l.persona, l.trouble = persona, ""
	if persona == l.opts.Persona {
		l.machine = l.opts.Machine
	}
	l.retry = func() tea.Cmd { return l.OpenPersona(persona) }
	given := conversation.SavedSession{PlayerName: l.opts.PlayerName, PlayerGender: l.opts.PlayerGender}
	if l.known.UserSessionID != "" { // Who plays is known from the session.
		given = conversation.SavedSession{}
	}
	return func() tea.Msg {
		if err := l.makePresent(l.known); err != nil {
			return entryFailedMsg{l.entry, err}
		}
		v, err := l.requester.OpenPersona(l.ctx, persona, given, l.fresh)
		if err != nil {
			return entryFailedMsg{l.entry, err}
		}
		return userSessionReadyMsg{l.entry, v}
	}
}

// makePresent makes a session the present one with its persona.
func (l *joinScreen) makePresent(known conversation.SavedSession) error {
	if known.UserSessionID == "" || l.fresh {
		return nil
	}
	return l.requester.Memory.Remember(known)
}

// EnterMachine opens the machine.
func (l *joinScreen) EnterMachine() tea.Cmd {
	l.trouble, l.form, l.retry = "", nil, l.EnterMachine
	v, machine := l.user, l.machine
	return func() tea.Msg {
		sc, err := l.requester.EnterMachine(l.ctx, v, machine)
		if err != nil {
			return entryFailedMsg{l.entry, err}
		}
		return sessionReadyMsg{l.entry, v, sc}
	}
}

func (l *joinScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case userSessionReadyMsg:
		return l.showForm(msg)
	case entryFailedMsg:
		if msg.entry == l.entry {
			l.trouble = l.requester.ExplainError(msg.err)
		}
	case playerNamedMsg:
		l.user.Saved.PlayerName, l.user.Saved.PlayerGender = msg.name, msg.gender
		return l.EnterMachine()
	case tea.KeyMsg:
		return l.handleKey(msg)
	}
	return nil
}

func (l *joinScreen) showForm(msg userSessionReadyMsg) tea.Cmd {
	if msg.entry != l.entry {
		return nil
	}
	l.user = msg.user
	if l.user.IsComplete() {
		return l.EnterMachine()
	}
	l.form = newPlayerForm(l.env, l.user)
	l.Resize(l.width, l.height)
	return nil
}

func (l *joinScreen) handleKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, l.keys.Cancel):
		return func() tea.Msg { return pickerAskedMsg{} }
	case l.trouble != "" && key.Matches(msg, l.keys.Send):
		return l.retry()
	case l.form != nil:
		return l.form.Update(msg)
	}
	return nil
}

func (l *joinScreen) Resize(width, height int) {
	l.width, l.height = width, height
	if l.form != nil {
		l.form.Resize(width)
	}
}

func (l *joinScreen) DrawLines() []string {
	name := "parley"
	if l.user != nil {
		name = l.user.Persona.CharacterName()
	}
	lines := []string{styles.HeaderLine(l.st, name, "", l.width), ""}
	foot := "Esc goes back to the personas"
	switch {
	case l.trouble != "":
		lines = append(lines, styles.WrapStyled(l.st.Bad, l.trouble, l.width)...)
		foot = "Enter tries again, Esc goes back"
	case l.form != nil:
		lines = append(lines, l.form.formLines()...)
		foot = "Enter goes on, arrows choose, Esc goes back"
	default:
		lines = append(lines, " "+l.st.Faint.Render("Opening the door …"))
	}
	return append(terminal.FitLines(lines, l.width, l.height-1), styles.FooterLine(l.st, foot, l.width))
}

// playerForm asks for the player's name and gender.
type playerForm struct {
	*env
	about   string
	name    textinput.Model
	gender  int  // index into wire.Genders
	atName  bool // the field that takes keys
	trouble string
	width   int
}

func newPlayerForm(e *env, v *conversation.UserSession) *playerForm {
	f := &playerForm{env: e, about: v.Persona.About, name: styles.NewField(e.st, "", "your name", e.st.Faint), atName: true}
	f.name.SetValue(terminal.Clean(v.Saved.PlayerName))
	f.name.CharLimit = wire.MaxPlayerName
	f.gender = len(wire.Genders) - 1
	for i, g := range wire.Genders {
		if g == v.Saved.PlayerGender {
			f.gender = i
		}
	}
	return f
}

func (f *playerForm) Resize(width int) {
	f.width = width
	f.name.Width = max(width-14, 8)
}

func (f *playerForm) Update(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, f.keys.Send):
		return f.nextField()
	case key.Matches(msg, f.keys.Up), key.Matches(msg, f.keys.Down), msg.Type == tea.KeyTab, msg.Type == tea.KeyShiftTab:
		f.focusField(!f.atName)
	case f.atName:
		var cmd tea.Cmd
		f.trouble = ""
		f.name, cmd = f.name.Update(msg)
		return cmd
	case msg.Type == tea.KeyLeft:
		f.turnGender(-1)
	case msg.Type == tea.KeyRight, msg.Type == tea.KeySpace:
		f.turnGender(1)
	}
	return nil
}

func (f *playerForm) focusField(name bool) {
	if f.atName = name; name {
		f.name.Focus()
		return
	}
	f.name.Blur()
}

func (f *playerForm) turnGender(by int) {
	n := len(wire.Genders)
	f.gender = (f.gender + by + n) % n
}

func (f *playerForm) nextField() tea.Cmd {
	name, gender := strings.TrimSpace(f.name.Value()), wire.Genders[f.gender]
	switch {
	case name == "":
		f.focusField(true)
		f.trouble = "Your name is needed: the character will call you by it."
		return nil
	case f.atName:
		f.focusField(false)
		return nil
	}
	return func() tea.Msg { return playerNamedMsg{name, gender} }
}

func (f *playerForm) formLines() []string {
	lines := styles.WrapStyled(f.st.Faint, f.about, f.width)
	lines = lines[:min(len(lines), 3)]
	lines = append(lines, "", f.fieldLabel(f.atName, "Name")+f.name.View(), "", f.fieldLabel(!f.atName, "You are")+f.genderLine())
	if f.trouble != "" {
		lines = append(append(lines, ""), styles.WrapStyled(f.st.Bad, f.trouble, f.width)...)
	}
	return lines
}

func (f *playerForm) fieldLabel(here bool, text string) string {
	if here {
		return f.st.Chosen.Render(terminal.PadToWidth(" › "+text, 11))
	}
	return f.st.Faint.Render(terminal.PadToWidth("   "+text, 11))
}

func (f *playerForm) genderLine() string {
	shown := make([]string, len(wire.Genders))
	for i, g := range wire.Genders {
		if shown[i] = f.st.Faint.Render("○ " + g); i == f.gender {
			shown[i] = f.st.Chosen.Render("● " + g)
		}
	}
	return strings.Join(shown, " ")
}

func (l *joinScreen) ApplyStyles() {
	if l.form != nil {
		styles.StyleField(&l.form.name, l.st, l.st.Faint)
	}
}
