package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

type screen interface {
	Update(msg tea.Msg) tea.Cmd
	Resize(width, height int)
	DrawLines() []string
}

type root struct {
	env           *env
	child         screen
	help          *views.Pager // nil if closed
	width, height int
	interrupts    int
	armed         bool
	leftBehind    *conversation.UserSession
	hint          string
	toldSelection bool
}

func newRoot(e *env) *root { return &root{env: e, child: newJoinScreen(e)} }

func (r *root) Init() tea.Cmd {
	questions := tea.Batch(r.askBackground(), r.enableMouse(), r.env.awaitEdit())
	if r.env.opts.Persona != "" {
		return tea.Batch(questions, r.enterPersona(r.env.opts.Persona))
	}
	return tea.Batch(questions, r.showPicker())
}

func (r *root) askBackground() tea.Cmd {
	if r.env.background == nil {
		return nil
	}
	return func() tea.Msg {
		light, isKnown := r.env.background.AskTerminal(r.env.ctx, r.env.opts.Out)
		if !isKnown {
			return nil
		}
		return backgroundKnownMsg{light}
	}
}

func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case screenMsg:
		if msg.owner != r.child {
			return r, nil
		}
	case tea.WindowSizeMsg:
		r.width, r.height = msg.Width, msg.Height
		r.layOut()
		return r, nil
	case views.PortraitDrawnMsg:
		r.env.portraits.TakePortrait(msg)
		r.showPortrait()
		return r, nil
	case tea.KeyMsg:
		return r, r.handleKey(msg)
	case program.WheelTurnedMsg:
		return r, r.handleWheel(msg)
	case tea.MouseMsg:
		return r, r.handleMouse(msg)
	case mouseAskedMsg:
		return r, r.setMouse(msg.on)
	case tea.ResumeMsg:
		return r, tea.Batch(r.enableMouse(), r.env.portraits.SendCommand())
	case editedMsg:
		return r, tea.Batch(r.enableMouse(), r.env.portraits.SendCommand(), r.child.Update(msg))
	case program.PastedMsg:
		return r, r.handlePaste(msg)
	case backgroundKnownMsg:
		r.env.opts.Light = msg.light
		r.applyTheme(r.env.opts.Theme)
		return r, nil
	case interruptLapsedMsg:
		r.armed = r.armed && msg.press != r.interrupts
		return r, nil
	case themeChosenMsg:
		r.applyTheme(msg.theme)
		return r, nil
	case leaveAskedMsg:
		return r, r.env.portraits.QuitCleanly
	case helpAskedMsg:
		r.toggleHelp(msg.authors)
		return r, nil
	case pickerAskedMsg:
		return r, r.showPicker()
	case personaChosenMsg:
		return r, r.enterPersona(msg.persona)
	case sessionChosenMsg:
		if c, talking := r.child.(*chat); talking {
			c.advance(eventLeave)
		}
		return r, r.joinPersona(msg.saved, msg.fresh)
	case sessionReadyMsg:
		return r, r.startChat(msg)
	case editSavedMsg:
		r.env.edits.waiting = &msg.edit
		return r, tea.Batch(r.env.awaitEdit(), r.child.Update(msg))
	}
	return r, r.child.Update(msg)
}

func (r *root) handleKey(msg tea.KeyMsg) tea.Cmd {
	if r.env.keys.Vim && !r.isTyping() {
		if moved, ok := r.env.keys.MoveKey(msg); ok {
			msg = moved
		}
	}
	r.hint = ""
	switch {
	case key.Matches(msg, r.env.keys.Leave), r.armed && key.Matches(msg, r.env.keys.Interrupt):
		return r.env.portraits.QuitCleanly
	case key.Matches(msg, r.env.keys.Interrupt):
		return r.armLeave()
	case key.Matches(msg, r.env.keys.Suspend) && r.env.opts.Suspends:
		return tea.Suspend
	case key.Matches(msg, r.env.keys.Mouse):
		return r.setMouse(!r.env.opts.Mouse)
	case key.Matches(msg, r.env.keys.Help):
		c, _ := r.child.(*chat)
		r.toggleHelp(c != nil && c.current.Author)
		return nil
	case r.help != nil:
		if _, closed := r.help.Update(msg); closed {
			r.help = nil
		}
		return nil
	}
	return r.child.Update(msg)
}

func (r *root) activeChat() *chat {
	if c, ok := r.child.(*chat); ok && r.help == nil && c.overlay == nil {
		return c
	}
	return nil
}

func (r *root) handlePaste(msg program.PastedMsg) tea.Cmd {
	if c := r.activeChat(); c != nil {
		defer c.layOut()
		return c.takePaste(msg)
	}
	return r.handleKey(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(msg.Text)})
}

func (r *root) handleWheel(msg program.WheelTurnedMsg) tea.Cmd {
	if c := r.activeChat(); c != nil && !c.completions.isOpen() {
		c.log.ScrollBy(msg.Lines)
		return nil
	}
	var cmds []tea.Cmd
	for range max(msg.Lines, -msg.Lines) {
		cmds = append(cmds, r.handleKey(msg.Press))
	}
	return tea.Batch(cmds...)
}

const interruptLapse = 2 * time.Second

func (r *root) armLeave() tea.Cmd {
	if c := r.activeChat(); c != nil && c.hasInput() {
		c.input.Clear()
		c.layOut()
	}
	r.interrupts++
	r.armed = true
	return r.env.after(interruptLapse, interruptLapsedMsg{r.interrupts})
}

func (r *root) toggleHelp(authors bool) {
	if r.help != nil {
		r.help = nil
		return
	}
	r.help = views.NewHelp(r.env.st, r.env.keys, authors)
	r.layOut()
}

func (r *root) showScreen(s screen) {
	r.child = s
	r.layOut()
}

func (r *root) layOut() {
	if r.tooSmall() {
		return
	}
	r.child.Resize(r.childWidth(), r.height)
	if r.help != nil {
		r.help.Resize(min(r.width, views.WidestScreen), r.height)
	}
}

func (r *root) childWidth() int {
	if _, talking := r.child.(*chat); talking {
		return r.width
	}
	return min(r.width, views.WidestScreen)
}

func (r *root) drawScreen() []string {
	if r.help != nil {
		return terminal.CentreLines(r.help.DrawLines(), views.WidestScreen, r.width)
	}
	return terminal.CentreLines(r.child.DrawLines(), r.childWidth(), r.width)
}

func (r *root) showPicker() tea.Cmd {
	picker := &personaPicker{env: r.env}
	if r.leftBehind != nil {
		picker.left = r.leftBehind.Persona.ID
	}
	r.showScreen(picker)
	return picker.load()
}

func (r *root) enterPersona(persona string) tea.Cmd {
	return r.joinPersona(conversation.SavedSession{Persona: persona}, r.env.opts.NewSession)
}

func (r *root) joinPersona(saved conversation.SavedSession, fresh bool) tea.Cmd {
	join := newJoinScreen(r.env)
	join.fresh, join.saved = fresh, saved
	r.showScreen(join)
	return join.OpenPersona(saved.Persona)
}

func (r *root) startChat(msg sessionReadyMsg) tea.Cmd {
	if r.child != msg.join {
		return nil
	}
	r.env.opts.Machine, r.env.opts.NewSession = "", false // only for the first chat
	c := newChat(r.env, msg.join.user, msg.session)
	c.sayKeeping()
	r.leftBehind = msg.join.user
	r.showScreen(c)
	var sent tea.Cmd
	if typed := msg.join.typed; typed != "" && c.input.Text() == "" && !c.isAtEnding() {
		msg.join.typed = ""
		c.input.SetText(typed)
		sent = c.sendInput()
	}
	if text := msg.join.takeEarly(); text != "" {
		c.input.SetText(strings.TrimPrefix(c.input.Text()+"\n"+text, "\n"))
		c.writtenAt = r.env.opts.Now()
	}
	return tea.Batch(c.readParts(), sent)
}

func (r *root) tooSmall() bool { return r.width < minWidth || r.height < minHeight }

func (r *root) View() string {
	if r.width == 0 || r.height == 0 {
		return ""
	}
	if r.tooSmall() {
		needs := fmt.Sprintf("needs %dx%d", minWidth, minHeight)
		lines := terminal.WrapText(fmt.Sprintf("terminal too small: %dx%d, %s", r.width, r.height, needs), r.width)
		if len(lines) > r.height {
			lines = terminal.WrapText(needs, r.width)
		}
		return strings.Join(lines[:min(len(lines), r.height)], "\n")
	}
	shown := terminal.FitLines(r.drawScreen(), r.width, r.height)
	if r.armed {
		notice := "Your progress is saved."
		if r.env.opts.Fleeting {
			notice = "This chat is not saved."
		}
		leaves := r.env.st.Title.Render("Ctrl+C once more leaves.")
		shown[r.height-1] = terminal.PlaceApart(" "+leaves, r.env.st.Faint.Render(notice)+" ", r.width)
	}
	if r.hint != "" && !r.armed {
		lines := terminal.WrapText(r.hint, r.width-2)
		for i, line := range lines {
			shown[r.height-len(lines)+i] = " " + r.env.st.Title.Render(line)
		}
	}
	return r.env.opts.Repertoire.LimitText(strings.Join(shown, "\n"))
}

type styled interface{ ApplyStyles() }

func (r *root) applyTheme(t views.Theme) {
	r.env.opts.Theme = t
	*r.env.st = *views.MakeStyles(r.env.st.Renderer, t, r.env.opts.Light, r.env.opts.Themes)
	if c, ok := r.child.(*chat); ok {
		r.env.st.SetHue(c.current.User.Persona.Hue)
	}
	r.env.portraits.HideInTheme(t)
	r.showPortrait()
}

func (r *root) showPortrait() {
	if child, ok := r.child.(styled); ok {
		child.ApplyStyles()
	}
}

func (r *root) leaveProgram() {
	bye := conversation.Farewell{}
	if c, talking := r.child.(*chat); talking {
		c.advance(eventLeave)
		bye.HasDraft = c.current.User.Saved.Draft+c.current.User.Saved.UnderWay != ""
	}
	if r.leftBehind != nil {
		bye.Persona, bye.Name = r.leftBehind.Persona.ID, r.leftBehind.Saved.PersonaName
	}
	if r.env.opts.Leave != nil {
		r.env.opts.Leave(bye)
	}
}
