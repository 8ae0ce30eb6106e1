package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// env is what every screen is handed.
type env struct {
	ctx  context.Context
	opts Options
	desk *desk
	st   *styles
	keys keyMap
	// net catches what panics where no command runs; nil catches nothing.
	net *net
	// backdrop knows how to ask for the terminal's background; nil asks nothing.
	backdrop *backdrop
	sluice   *sluice // bounds what is pasted; nil where the input is no terminal
	// after gives a message when some time has passed.
	after func(time.Duration, tea.Msg) tea.Cmd
	// kept is what a chat leaves for the next one with the same persona.
	kept map[string]*keepsake
}

// screen is a child of the router. It has the whole window; view is its lines.
type screen interface {
	Update(msg tea.Msg) tea.Cmd
	resize(width, height int)
	view() []string
}

// root routes: it knows the window, the present screen and the two ways out.
type root struct {
	*env
	child         screen
	help          *help // over the child, nil when closed
	width, height int
	guest         int // numbers the entering of a persona
	press         int // numbers the presses of Ctrl+C
	armed         bool
}

func newRoot(e *env) *root { return &root{env: e, child: newLobby(e, 0)} }

// Init opens the named persona, or the picker.
func (r *root) Init() tea.Cmd {
	asked := r.backdrop.ask(r.ctx, r.opts.Out)
	if r.opts.Persona != "" {
		return tea.Batch(asked, r.enter(r.opts.Persona))
	}
	return tea.Batch(asked, r.pick())
}

// Update routes a message: the window's, the ways out and the steps from screen
// to screen are the router's, all else is the present screen's.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.width, r.height = msg.Width, msg.Height
		r.layOut()
		return r, nil
	case tea.KeyMsg:
		return r, r.key(msg)
	case wheelTurnedMsg:
		return r, r.wheel(msg)
	case pastedMsg:
		return r, r.pasted(msg)
	case backgroundKnownMsg:
		r.opts.Light = msg.light
		r.dress(r.opts.Theme)
		return r, nil
	case interruptLapsedMsg:
		r.armed = r.armed && msg.press != r.press
		return r, nil
	case themeChosenMsg:
		r.dress(msg.theme)
		return r, nil
	case leaveAskedMsg:
		return r, tea.Quit
	case helpAskedMsg:
		r.toggleHelp()
		return r, nil
	case pickerAskedMsg:
		return r, r.pick()
	case personaChosenMsg:
		return r, r.enter(msg.persona)
	case sessionChosenMsg:
		return r, r.resume(msg)
	case sceneReadyMsg:
		return r, r.start(msg)
	}
	return r, r.child.Update(msg)
}

func (r *root) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, r.keys.Leave), r.armed && key.Matches(msg, r.keys.Interrupt):
		return tea.Quit
	case key.Matches(msg, r.keys.Interrupt):
		return r.arm()
	case key.Matches(msg, r.keys.Suspend) && r.opts.Suspends:
		return tea.Suspend
	case key.Matches(msg, r.keys.Help):
		r.toggleHelp()
		return nil
	case r.help != nil:
		if r.help.Update(msg) {
			r.help = nil
		}
		return nil
	}
	return r.child.Update(msg)
}

// talk is the chat while nothing is over it, nil at any other time.
func (r *root) talk() *chat {
	if c, ok := r.child.(*chat); ok && r.help == nil && c.over == nil {
		return c
	}
	return nil
}

// pasted gives a paste to the chat; any other screen takes it as keys, if at all.
func (r *root) pasted(msg pastedMsg) tea.Cmd {
	if c := r.talk(); c != nil {
		defer c.layOut()
		return c.pasted(msg)
	}
	cmd := r.key(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(msg.text)})
	if msg.enter {
		return tea.Batch(cmd, r.key(tea.KeyMsg{Type: tea.KeyEnter}))
	}
	return cmd
}

// wheel scrolls the conversation; on any other screen it is the arrows that it was
// turned into.
func (r *root) wheel(msg wheelTurnedMsg) tea.Cmd {
	if c := r.talk(); c != nil && !c.pop.open() {
		c.log.scroll(msg.lines)
		return nil
	}
	var cmds []tea.Cmd
	for range max(msg.lines, -msg.lines) {
		cmds = append(cmds, r.key(msg.press))
	}
	return tea.Batch(cmds...)
}

// interruptLapse is how long a first Ctrl+C waits for the second.
const interruptLapse = 2 * time.Second

func (r *root) arm() tea.Cmd {
	r.press++
	r.armed = true
	return r.after(interruptLapse, interruptLapsedMsg{r.press})
}

func (r *root) toggleHelp() {
	if r.help != nil {
		r.help = nil
		return
	}
	r.help = newHelp(r.env)
	r.layOut()
}

func (r *root) show(s screen) {
	r.child = s
	r.layOut()
}

func (r *root) layOut() {
	if r.tooSmall() {
		return
	}
	r.child.resize(r.width, r.height)
	if r.help != nil {
		r.help.resize(r.width, r.height)
	}
}

func (r *root) pick() tea.Cmd {
	p := newPicker(r.env)
	r.show(p)
	return p.load()
}

func (r *root) enter(persona string) tea.Cmd {
	return r.admit(Known{Persona: persona}, r.opts.NewSession)
}

// resume goes on with a session that is remembered, or begins a fresh one with its
// persona.
func (r *root) resume(chosen sessionChosenMsg) tea.Cmd {
	if c, talking := r.child.(*chat); talking {
		c.abandon()
	}
	if chosen.fresh {
		return r.admit(chosen.known, true)
	}
	return r.admit(chosen.known, false)
}

// admit opens the lobby; a session that is named becomes the present one with its
// persona.
func (r *root) admit(known Known, fresh bool) tea.Cmd {
	r.guest++
	l := newLobby(r.env, r.guest)
	l.fresh, l.known = fresh, known
	r.show(l)
	return l.open(known.Persona)
}

// start begins the chat, unless the player has gone elsewhere meanwhile.
func (r *root) start(msg sceneReadyMsg) tea.Cmd {
	if l, waiting := r.child.(*lobby); !waiting || l.guest != msg.guest {
		return nil
	}
	r.opts.Machine, r.opts.NewSession = "", false // They were meant for the first chat.
	c := newChat(r.env, msg.visit, msg.scene)
	r.show(c)
	return c.begin()
}

func (r *root) tooSmall() bool { return r.width < minWidth || r.height < minHeight }

// View is the present screen, exactly as large as the window.
func (r *root) View() string {
	if r.width == 0 || r.height == 0 {
		return ""
	}
	if r.tooSmall() {
		return cut(fmt.Sprintf("terminal too small: %dx%d, needs %dx%d", r.width, r.height, minWidth, minHeight), r.width)
	}
	lines := r.child.view
	if r.help != nil {
		lines = r.help.view
	}
	shown := fit(lines(), r.width, r.height)
	if r.armed {
		kept := "Your place is kept."
		if r.opts.Fleeting {
			kept = "This chat is not kept."
		}
		shown[r.height-1] = apart(" "+r.st.title.Render("Ctrl+C once more leaves."), r.st.faint.Render(kept)+" ", r.width)
	}
	return strings.Join(shown, "\n")
}
