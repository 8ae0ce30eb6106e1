package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// authorView shows over the chat why each turn went as it did, the newest at the
// end.
type authorView struct {
	*env
	title         string
	turns         []judged
	lines         []string // at the present width
	top           int
	width, height int
}

func newAuthorView(e *env, title string, turns []judged) *authorView {
	return &authorView{env: e, title: title, turns: turns}
}

// Update scrolls; every other key that leads away closes.
func (a *authorView) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	switch {
	case !pressed:
	case key.Matches(press, a.keys.Up):
		a.scroll(-1)
	case key.Matches(press, a.keys.Down):
		a.scroll(1)
	case key.Matches(press, a.keys.PageUp):
		a.scroll(-a.room())
	case key.Matches(press, a.keys.PageDown):
		a.scroll(a.room())
	case key.Matches(press, a.keys.Top):
		a.scroll(-len(a.lines))
	case key.Matches(press, a.keys.Bottom):
		a.scroll(len(a.lines))
	default:
		return nil, key.Matches(press, a.keys.Cancel, a.keys.Send, a.keys.Author)
	}
	return nil, false
}

func (a *authorView) scroll(n int) { a.top = max(min(a.top+n, len(a.lines)-a.room()), 0) }

func (a *authorView) room() int { return max(a.height-3, 1) }

// resize lays the turns out anew; what stood at the end stays there.
func (a *authorView) resize(width, height int) {
	atEnd := a.top >= len(a.lines)-a.room()
	if width != a.width {
		a.lines = a.layOut(width)
	}
	a.width, a.height = width, height
	if atEnd {
		a.top = len(a.lines)
	}
	a.scroll(0)
}

func (a *authorView) layOut(width int) []string {
	var lines []string
	for i := range a.turns {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, a.turn(i, width)...)
	}
	return lines
}

// turn is one turn: its words as the title, then what an author is told.
func (a *authorView) turn(i, width int) []string {
	const column = 13
	title := "the opening line"
	if said := a.turns[i].said; said != "" {
		title = Clean(said)
	}
	lines := []string{" " + a.st.player.Render(cut(title, width-2))}
	for _, f := range a.turns[i].facts() {
		if f.name == factSaid {
			continue
		}
		look := a.st.text
		if f.name == factFired || f.name == factEnding {
			look = a.st.chosen
		}
		name := f.name
		for _, line := range wrap(f.text, max(width-column-1, 1)) {
			lines = append(lines, a.st.faint.Render(pad("   "+name, column))+look.Render(line))
			name = ""
		}
	}
	return lines
}

func (a *authorView) view() []string {
	lines := []string{header(a.st, "Why: each turn as its author sees it", a.title, a.width), ""}
	shown := a.lines[min(a.top, len(a.lines)):]
	lines = append(lines, fit(shown, a.width, a.room())...)
	return append(lines, footer(a.st, a.foot(), a.width))
}

func (a *authorView) foot() string {
	if len(a.lines) <= a.room() {
		return "Esc goes back"
	}
	return fmt.Sprintf("Esc goes back, Up and Down read on, line %d of %d", min(a.top+a.room(), len(a.lines)), len(a.lines))
}

// judgedMsg: why a session's turns went as they did. view says that the player
// asked for the whole of it, else it is about the newest turn.
type judgedMsg struct {
	session string
	title   string
	turns   []judged
	view    bool
	err     error
}

// askWhy reads why the session went as it did.
func (d *dialogue) askWhy(view bool) tea.Cmd {
	v, m, session := d.visit, d.scene.machine, d.scene.session
	return func() tea.Msg {
		turns, _, err := d.desk.author(d.ctx, v, m)
		return judgedMsg{session, m.title, turns, view, err}
	}
}

func (a *actions) ExplainTurns(string) tea.Cmd { return a.askWhy(true) }

// askWhyUnasked tells after each reply, with Options.Debug.
func (d *dialogue) askWhyUnasked() tea.Cmd {
	if !d.opts.Debug {
		return nil
	}
	return d.askWhy(false)
}

// judged shows why. One that comes when another machine is on the way says which
// it is about.
func (a *actions) judged(msg judgedMsg) {
	elsewhere := msg.session != a.scene.session
	switch {
	case elsewhere && msg.view:
	case msg.err != nil:
		a.trouble = a.desk.explain(msg.err)
	case len(msg.turns) == 0:
	case msg.view:
		a.open(newAuthorView(a.env, msg.title, msg.turns))
	default:
		said := whyBriefly(&msg.turns[len(msg.turns)-1])
		if elsewhere {
			said = append([]string{msg.title}, said...)
		}
		a.log.note(strings.Join(said, "\n"), toneNews)
	}
}

// whyLines are why a turn went as it did, as lines of text.
func whyLines(j *judged) []string { return factLines(j.facts(), factSaid) }

// whyBriefly leaves out what stands beside it already.
func whyBriefly(j *judged) []string {
	return factLines(j.facts(), factSaid, factState, factScore, factEnding)
}

func factLines(facts []fact, without ...string) []string {
	var lines []string
	for _, f := range facts {
		if !slices.Contains(without, f.name) {
			lines = append(lines, capital(f.name)+": "+strings.TrimRight(f.text, ".")+".")
		}
	}
	return lines
}
