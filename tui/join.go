package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
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
	typed         string      // before the form is there
	trouble       string      // why it does not go on
	retry         func() tea.Cmd
	width, height int
}

func newJoinScreen(e *env, entry int) *joinScreen { return &joinScreen{env: e, entry: entry} }

func (j *joinScreen) OpenPersona(persona string) tea.Cmd {
	j.persona, j.trouble = persona, ""
	if persona == j.opts.Persona {
		j.machine = j.opts.Machine
	}
	j.retry = func() tea.Cmd { return j.OpenPersona(persona) }
	given := conversation.SavedSession{PlayerName: j.opts.PlayerName, PlayerGender: j.opts.PlayerGender}
	if j.known.UserSessionID != "" { // Who plays is known from the session.
		given = conversation.SavedSession{}
	}
	return func() tea.Msg {
		if err := j.makePresent(j.known); err != nil {
			return entryFailedMsg{j.entry, err}
		}
		v, err := j.requester.OpenPersona(j.ctx, persona, given, j.fresh)
		if err != nil {
			return entryFailedMsg{j.entry, err}
		}
		return userSessionReadyMsg{j.entry, v}
	}
}

// makePresent makes a session the present one with its persona.
func (j *joinScreen) makePresent(known conversation.SavedSession) error {
	if known.UserSessionID == "" || j.fresh {
		return nil
	}
	return j.requester.Memory.Remember(known)
}

// EnterMachine opens the machine.
func (j *joinScreen) EnterMachine() tea.Cmd {
	j.trouble, j.form, j.retry = "", nil, j.EnterMachine
	v, machine := j.user, j.machine
	return func() tea.Msg {
		sc, err := j.requester.EnterMachine(j.ctx, v, machine)
		if err != nil {
			return entryFailedMsg{j.entry, err}
		}
		return sessionReadyMsg{j.entry, v, sc}
	}
}

func (j *joinScreen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case userSessionReadyMsg:
		return j.showForm(msg)
	case entryFailedMsg:
		if msg.entry == j.entry {
			j.trouble = j.requester.ExplainError(msg.err)
		}
	case playerNamedMsg:
		j.user.Saved.PlayerName, j.user.Saved.PlayerGender = msg.name, msg.gender
		j.requester.UsualName, j.requester.UsualGender = msg.name, msg.gender // Nobody is asked twice.
		return j.EnterMachine()
	case tea.KeyMsg:
		return j.handleKey(msg)
	}
	return nil
}

func (j *joinScreen) showForm(msg userSessionReadyMsg) tea.Cmd {
	if msg.entry != j.entry {
		return nil
	}
	j.user = msg.user
	drawn := j.drawPortrait(j.user.Persona)
	if j.user.IsComplete() {
		return tea.Batch(drawn, j.EnterMachine())
	}
	j.form = newPlayerForm(j.env, j.user)
	if j.form.name.Value() == "" {
		j.form.name.SetValue(terminal.Clean(j.typed))
	}
	j.Resize(j.width, j.height)
	return drawn
}

func (j *joinScreen) handleKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, j.keys.Cancel):
		return func() tea.Msg { return pickerAskedMsg{} }
	case j.trouble != "" && key.Matches(msg, j.keys.Send):
		return j.retry()
	case j.form != nil:
		return j.form.Update(msg)
	case msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace:
		j.typed += string(msg.Runes)
	}
	return nil
}

func (j *joinScreen) Resize(width, height int) {
	j.width, j.height = width, height
	if j.form != nil {
		j.form.Resize(width)
	}
}

func (j *joinScreen) DrawLines() []string {
	name := "parley"
	if j.user != nil {
		name = j.user.Persona.CharacterName()
	}
	lines := []string{styles.HeaderLine(j.st, name, "", j.width), ""}
	foot := "Esc goes back to the personas"
	switch {
	case j.trouble != "":
		lines = append(lines, styles.WrapStyled(j.st.Bad, j.trouble, j.width)...)
		foot = "Enter tries again, Esc goes back"
	case j.form != nil:
		lines = append(lines, j.form.formLines()...)
		foot = "Enter goes on, arrows choose, Esc goes back"
	case j.user != nil:
		lines = append(lines, j.cardLines()...)
	default:
		lines = append(lines, " "+j.st.Faint.Render("Opening the door …"))
	}
	return append(terminal.FitLines(lines, j.width, j.height-1), styles.FooterLine(j.st, foot, j.width))
}

// cardLines are the card of who is about to speak, while a model makes the first words.
func (j *joinScreen) cardLines() []string {
	p := j.user.Persona
	j.st.SetHue(p.Hue)
	card := j.openingCard(p, p.MachineToEnter(j.machine))
	lines := card.DrawLines(j.st, min(j.width, transcript.WidestMeasure))
	return append(lines, "", " "+j.st.Faint.Render(p.CharacterName()+" is about to speak …"))
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
	case f.atName || msg.Type == tea.KeyRunes && !f.chooseGender(msg.Runes):
		f.focusField(true) // Who writes on has not finished the name.
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

// chooseGender chooses the gender that begins with a letter, and tells whether one does.
func (f *playerForm) chooseGender(letters []rune) bool {
	i := slices.IndexFunc(wire.Genders, func(g string) bool { return len(letters) == 1 && strings.HasPrefix(g, string(letters)) })
	if i >= 0 {
		f.gender = i
	}
	return i >= 0
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

func (j *joinScreen) ApplyStyles() {
	if j.form != nil {
		styles.StyleField(&j.form.name, j.st, j.st.Faint)
	}
}
