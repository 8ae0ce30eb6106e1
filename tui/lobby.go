package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// lobby is the way to a chat: it reads the persona, asks who plays if that is
// not known, and opens the machine.
type lobby struct {
	*env
	guest         int
	persona       string
	known         Known // the session to go on with; without an id the present one
	fresh         bool  // a new session, whatever is remembered
	machine       string
	visit         *visit
	form          *form  // nil when nothing is asked
	trouble       string // why it does not go on
	retry         func() tea.Cmd
	width, height int
}

func newLobby(e *env, guest int) *lobby { return &lobby{env: e, guest: guest} }

func (l *lobby) open(persona string) tea.Cmd {
	l.persona, l.trouble = persona, ""
	if persona == l.opts.Persona {
		l.machine = l.opts.Machine
	}
	l.retry = func() tea.Cmd { return l.open(persona) }
	given := Known{PlayerName: l.opts.PlayerName, PlayerGender: l.opts.PlayerGender}
	if l.known.UserSessionID != "" { // Who plays is known from the session.
		given = Known{}
	}
	return func() tea.Msg {
		if err := l.turnTo(l.known); err != nil {
			return entryFailedMsg{l.guest, err}
		}
		v, err := l.desk.visit(l.ctx, persona, given, l.fresh)
		if err != nil {
			return entryFailedMsg{l.guest, err}
		}
		return visitReadyMsg{l.guest, v}
	}
}

// turnTo makes a session the present one with its persona.
func (l *lobby) turnTo(known Known) error {
	if known.UserSessionID == "" || l.fresh {
		return nil
	}
	return l.desk.memory.Remember(known)
}

// enter opens the machine.
func (l *lobby) enter() tea.Cmd {
	l.trouble, l.form, l.retry = "", nil, l.enter
	v, machine := l.visit, l.machine
	return func() tea.Msg {
		sc, err := l.desk.enter(l.ctx, v, machine)
		if err != nil {
			return entryFailedMsg{l.guest, err}
		}
		return sceneReadyMsg{l.guest, v, sc}
	}
}

func (l *lobby) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case visitReadyMsg:
		return l.welcome(msg)
	case entryFailedMsg:
		if msg.guest == l.guest {
			l.trouble = l.desk.explain(msg.err)
		}
	case playerNamedMsg:
		l.visit.who.PlayerName, l.visit.who.PlayerGender = msg.name, msg.gender
		return l.enter()
	case tea.KeyMsg:
		return l.key(msg)
	}
	return nil
}

func (l *lobby) welcome(msg visitReadyMsg) tea.Cmd {
	if msg.guest != l.guest {
		return nil
	}
	l.visit = msg.visit
	if l.visit.complete() {
		return l.enter()
	}
	l.form = newForm(l.env, l.visit)
	l.resize(l.width, l.height)
	return nil
}

func (l *lobby) key(msg tea.KeyMsg) tea.Cmd {
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

func (l *lobby) resize(width, height int) {
	l.width, l.height = width, height
	if l.form != nil {
		l.form.resize(width)
	}
}

func (l *lobby) view() []string {
	name := "parley"
	if l.visit != nil {
		name = l.visit.cast.characterName()
	}
	lines := []string{header(l.st, name, "", l.width), ""}
	foot := "Esc goes back to the personas"
	switch {
	case l.trouble != "":
		lines = append(lines, paragraph(l.st.bad, l.trouble, l.width)...)
		foot = "Enter tries again, Esc goes back"
	case l.form != nil:
		lines = append(lines, l.form.view()...)
		foot = "Enter goes on, arrows choose, Esc goes back"
	default:
		lines = append(lines, " "+l.st.faint.Render("Opening the door …"))
	}
	return append(fit(lines, l.width, l.height-1), footer(l.st, foot, l.width))
}

// form asks for the player's name and gender.
type form struct {
	*env
	about   string
	name    textinput.Model
	gender  int  // index into wire.Genders
	atName  bool // the field that takes keys
	trouble string
	width   int
}

func newForm(e *env, v *visit) *form {
	f := &form{env: e, about: v.cast.about, name: newField(e.st, "", "your name", e.st.faint), atName: true}
	f.name.SetValue(Clean(v.who.PlayerName))
	f.name.CharLimit = wire.MaxPlayerName
	f.gender = len(wire.Genders) - 1
	for i, g := range wire.Genders {
		if g == v.who.PlayerGender {
			f.gender = i
		}
	}
	return f
}

func (f *form) resize(width int) {
	f.width = width
	f.name.Width = max(width-14, 8)
}

func (f *form) Update(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, f.keys.Send):
		return f.next()
	case key.Matches(msg, f.keys.Up), key.Matches(msg, f.keys.Down), msg.Type == tea.KeyTab, msg.Type == tea.KeyShiftTab:
		f.focus(!f.atName)
	case f.atName:
		var cmd tea.Cmd
		f.trouble = ""
		f.name, cmd = f.name.Update(msg)
		return cmd
	case msg.Type == tea.KeyLeft:
		f.turn(-1)
	case msg.Type == tea.KeyRight, msg.Type == tea.KeySpace:
		f.turn(1)
	}
	return nil
}

func (f *form) focus(name bool) {
	if f.atName = name; name {
		f.name.Focus()
		return
	}
	f.name.Blur()
}

func (f *form) turn(by int) {
	n := len(wire.Genders)
	f.gender = (f.gender + by + n) % n
}

func (f *form) next() tea.Cmd {
	name, gender := strings.TrimSpace(f.name.Value()), wire.Genders[f.gender]
	switch {
	case name == "":
		f.focus(true)
		f.trouble = "Your name is needed: the character will call you by it."
		return nil
	case f.atName:
		f.focus(false)
		return nil
	}
	return func() tea.Msg { return playerNamedMsg{name, gender} }
}

func (f *form) view() []string {
	lines := paragraph(f.st.faint, f.about, f.width)
	lines = lines[:min(len(lines), 3)]
	lines = append(lines, "", f.label(f.atName, "Name")+f.name.View(), "", f.label(!f.atName, "You are")+f.genders())
	if f.trouble != "" {
		lines = append(append(lines, ""), paragraph(f.st.bad, f.trouble, f.width)...)
	}
	return lines
}

func (f *form) label(here bool, text string) string {
	if here {
		return f.st.chosen.Render(pad(" › "+text, 11))
	}
	return f.st.faint.Render(pad("   "+text, 11))
}

func (f *form) genders() string {
	shown := make([]string, len(wire.Genders))
	for i, g := range wire.Genders {
		if shown[i] = f.st.faint.Render("○ " + g); i == f.gender {
			shown[i] = f.st.chosen.Render("● " + g)
		}
	}
	return strings.Join(shown, " ")
}
