package tui

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// ChooseSession reads the memory and shows it.
func (c *chat) ChooseSession(words string) tea.Cmd {
	return readSessions(c.env.requester.Memory, words, "")
}

// BeginSession begins a new session with the same persona.
func (c *chat) BeginSession(string) tea.Cmd {
	known := c.current.User.Saved
	return func() tea.Msg { return sessionChosenMsg{known, true} }
}

func readSessions(m conversation.Memory, words, said string) tea.Cmd {
	return func() tea.Msg {
		known, err := m.Sessions()
		return sessionsReadMsg{known, words, said, err}
	}
}

// showSessions shows the list, or hands it to the one that is shown.
func (c *chat) showSessions(msg sessionsReadMsg) tea.Cmd {
	if list, shown := c.over.(*sessionList); shown {
		list.fillList(msg)
		return nil
	}
	if msg.err != nil {
		c.notice.trouble = "your sessions could not be read: " + c.env.requester.ExplainError(msg.err)
		return nil
	}
	s := &sessionList{env: c.env, here: c.current.User.Saved}
	s.fillList(msg)
	c.openOverlay(s)
	return nil
}

func (s *sessionList) strangeness(k conversation.SavedSession) int {
	switch {
	case k.UserSessionID == s.here.UserSessionID:
		return 0
	case k.Persona == s.here.Persona:
		return 1
	}
	return 2
}

// Update handles keys: those of an open question or field first.
func (s *sessionList) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	switch {
	case !pressed:
		return nil, false
	case s.naming != nil:
		return s.handleNaming(press), false
	case s.forgetting:
		return s.answerForget(press), false
	}
	s.said = ""
	return s.list.Update(msg)
}

func (s *sessionList) chooseSession(i int) (tea.Cmd, bool) {
	chosen := s.known[i]
	if chosen.UserSessionID == s.here.UserSessionID {
		return nil, true
	}
	return func() tea.Msg { return sessionChosenMsg{chosen, false} }, true
}

// handleKey handles the keys of this list besides those of every list.
func (s *sessionList) handleKey(press tea.KeyMsg, i int) (cmd tea.Cmd, took, done bool) {
	switch {
	case key.Matches(press, s.env.keys.Fresh):
		with := s.here
		return func() tea.Msg { return sessionChosenMsg{with, true} }, true, true
	case i < 0:
		return nil, false, false
	case key.Matches(press, s.env.keys.Rename):
		s.beginNaming(s.known[i])
	case key.Matches(press, s.env.keys.Forget):
		s.askForget(s.known[i])
	default:
		return nil, false, false
	}
	return nil, true, false
}

// beginNaming opens the field for a session's name.
func (s *sessionList) beginNaming(k conversation.SavedSession) {
	field := views.NewField(s.env.st, " Name: ", "none", s.env.st.Chosen)
	field.CharLimit = conversation.MaxLabel
	field.SetValue(terminal.Clean(k.Label))
	s.target, s.naming = k, &field
	s.Resize(s.width, s.list.Height)
}

// handleNaming takes keys for the field.
func (s *sessionList) handleNaming(press tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(press, s.env.keys.Cancel):
		s.naming = nil
	case key.Matches(press, s.env.keys.Send):
		label, k := s.naming.Value(), s.target
		s.naming = nil
		return s.changeMemory("", func(m conversation.Memory) error { return m.Rename(k.Persona, k.UserSessionID, label) })
	default:
		var cmd tea.Cmd
		*s.naming, cmd = s.naming.Update(press)
		return cmd
	}
	return nil
}

// askForget asks before a session is forgotten. It refuses the present one.
func (s *sessionList) askForget(k conversation.SavedSession) {
	if k.UserSessionID == s.here.UserSessionID {
		s.said, s.bad = "you are in this one: "+s.env.keys.Fresh.Help().Key+" begins another, /reset clears it", true
		return
	}
	s.target, s.forgetting = k, true
}

// answerForget takes the answer to that: Enter, and nothing else, forgets.
func (s *sessionList) answerForget(press tea.KeyMsg) tea.Cmd {
	s.forgetting = false
	if !key.Matches(press, s.env.keys.Send) {
		return nil
	}
	k := s.target
	return s.changeMemory("forgotten here", func(m conversation.Memory) error { return m.Forget(k.Persona, k.UserSessionID) })
}

// changeMemory changes the memory and reads it again.
func (s *sessionList) changeMemory(said string, by func(conversation.Memory) error) tea.Cmd {
	m := s.env.requester.Memory
	return func() tea.Msg {
		if err := by(m); err != nil {
			return sessionsReadMsg{err: err}
		}
		return readSessions(m, "", said)()
	}
}

func (s *sessionList) Resize(width, height int) {
	s.width = width
	s.list.Resize(width, height)
	if s.naming != nil {
		s.naming.Width = max(width-12, 8)
	}
}

// DrawLines draws the list; its last lines show a question or a result.
func (s *sessionList) DrawLines() []string {
	lines := s.list.DrawLines()
	var below []string
	switch {
	case s.naming != nil:
		below = []string{s.naming.View(), views.FooterLine(s.env.st, "Enter keeps the name, Esc leaves it", s.width)}
	case s.forgetting:
		below = append(views.WrapStyled(s.env.st.Bad, "Forget this session? Nobody can go on with it then; what was said in it stays on the service.", s.width),
			views.FooterLine(s.env.st, "Enter forgets, Esc keeps it", s.width))
	case s.said != "":
		look := s.env.st.Good
		if s.bad {
			look = s.env.st.Bad
		}
		below = []string{" " + look.Render(terminal.CutToWidth(s.said, s.width-2)), lines[len(lines)-1]}
	}
	return append(lines[:max(len(lines)-len(below), 0)], below...)
}

// sessionList lists the remembered sessions: continue one, begin a new one, rename one, forget one.
// It does not touch the sessions on the service.
type sessionList struct {
	env        *env
	here       conversation.SavedSession // the session that the chat is in
	known      []conversation.SavedSession
	list       *views.ListOverlay
	naming     *textinput.Model          // not nil while a session gets a name
	forgetting bool                      // the one under the cursor is to be forgotten
	target     conversation.SavedSession // that one, or the one that gets a name
	said       string                    // one line about what was done or not
	bad        bool                      // it was not
	width      int
}

// fillList makes the list again; search and cursor stay.
func (s *sessionList) fillList(msg sessionsReadMsg) {
	if s.said, s.bad = msg.said, msg.err != nil; s.bad {
		s.said = s.env.requester.ExplainError(msg.err)
		return
	}
	s.known = slices.Clone(msg.known) // Those with the present persona come first.
	slices.SortStableFunc(s.known, func(a, b conversation.SavedSession) int {
		return cmp.Compare(s.strangeness(a), s.strangeness(b))
	})
	choices := make([]views.Choice, len(s.known))
	for i := range s.known {
		row := conversation.DescribeSession(&s.known[i], s.here.UserSessionID, s.env.opts.Now())
		choices[i] = views.Choice{Title: row.Title, About: row.About, Tag: row.Tag}
		if row.LastWords != "" {
			choices[i].About += ": " + row.LastWords
		}
	}
	list, cursor := views.NewList(s.env.st, s.env.keys, choices, "search"), 0
	if s.list != nil {
		msg.words, cursor = s.list.Menu.Search.Value(), s.list.Menu.Cursor
	}
	list.Search.SetValue(msg.words)
	list.NarrowList()
	list.MoveCursor(cursor)
	keys := s.env.keys
	s.list = &views.ListOverlay{
		Menu: list, Title: "Your sessions", Close: keys.Sessions, Choose: s.chooseSession, Also: s.handleKey,
		Foot: fmt.Sprintf("Enter goes on, %s new, %s names, %s forgets, Esc goes back",
			keys.Fresh.Help().Key, keys.Rename.Help().Key, keys.Forget.Help().Key),
	}
}
