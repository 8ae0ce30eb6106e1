package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) beginSession() tea.Cmd {
	saved := c.current.User.Saved
	return func() tea.Msg { return sessionChosenMsg{saved, true} }
}

func (c *chat) readSessions(words, notice string) tea.Cmd {
	return c.runAsync(func(context.Context) func() tea.Cmd {
		sessions, err := c.env.requester.Memory.Sessions()
		return func() tea.Cmd {
			list, shown := c.overlay.(*sessionList)
			switch {
			case shown:
				list.fill(sessions, "", notice, err)
			case err != nil:
				c.trouble = "your sessions could not be read: " + c.env.requester.ExplainError(err)
			default:
				s := &sessionList{chat: c, env: c.env, current: c.current.User.Saved}
				s.fill(sessions, words, "", nil)
				c.overlay = s
			}
			return nil
		}
	})
}

func (s *sessionList) strangeness(k conversation.SavedSession) int {
	switch {
	case k.UserSessionID == s.current.UserSessionID:
		return 0
	case k.Persona == s.current.Persona:
		return 1
	}
	return 2
}

func (s *sessionList) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	switch {
	case !pressed:
		return nil, false
	case s.naming != nil:
		return s.handleNaming(press), false
	case s.forgetting:
		s.forgetting = false
		if !key.Matches(press, s.env.keys.Send) {
			return nil, false
		}
		target := s.target
		forget := func(m conversation.Memory) error { return m.Forget(target.Persona, target.UserSessionID) }
		return s.changeMemory("session forgotten", forget), false
	}
	s.notice = ""
	return s.list.Update(msg)
}

func (s *sessionList) chooseSession(i int) (tea.Cmd, bool) {
	chosen := s.sessions[i]
	if chosen.UserSessionID == s.current.UserSessionID {
		return nil, true
	}
	return func() tea.Msg { return sessionChosenMsg{chosen, false} }, true
}

func (s *sessionList) handleKey(press tea.KeyMsg, i int) (cmd tea.Cmd, handled, done bool) {
	switch {
	case key.Matches(press, s.env.keys.Fresh):
		with := s.current
		return func() tea.Msg { return sessionChosenMsg{with, true} }, true, true
	case i < 0:
		return nil, false, false
	case key.Matches(press, s.env.keys.Rename):
		field := views.NewField(s.env.st, " Name: ", "none", s.env.st.Chosen)
		field.CharLimit = conversation.MaxLabel
		field.SetValue(terminal.Clean(s.sessions[i].Label))
		s.target, s.naming = s.sessions[i], &field
		s.Resize(s.width, s.list.Height)
	case key.Matches(press, s.env.keys.Forget) && s.sessions[i].UserSessionID == s.current.UserSessionID:
		s.notice = "this is the current session: " + s.env.keys.Fresh.Help().Key + " starts another, /reset clears it"
		s.bad = true
	case key.Matches(press, s.env.keys.Forget):
		s.target, s.forgetting = s.sessions[i], true
	default:
		return nil, false, false
	}
	return nil, true, false
}

func (s *sessionList) handleNaming(press tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(press, s.env.keys.Cancel):
		s.naming = nil
	case key.Matches(press, s.env.keys.Send):
		label, target := s.naming.Value(), s.target
		s.naming = nil
		return s.changeMemory("", func(m conversation.Memory) error {
			return m.Rename(target.Persona, target.UserSessionID, label)
		})
	default:
		var cmd tea.Cmd
		*s.naming, cmd = s.naming.Update(press)
		return cmd
	}
	return nil
}

func (s *sessionList) changeMemory(notice string, change func(conversation.Memory) error) tea.Cmd {
	return s.chat.runAsync(func(context.Context) func() tea.Cmd {
		err := change(s.env.requester.Memory)
		return func() tea.Cmd {
			if err != nil {
				s.fill(nil, "", "", err)
				return nil
			}
			return s.chat.readSessions("", notice)
		}
	})
}

func (s *sessionList) Resize(width, height int) {
	s.width = width
	s.list.Resize(width, height)
	if s.naming != nil {
		s.naming.Width = max(width-12, 8)
	}
}

func (s *sessionList) DrawLines() []string {
	lines := s.list.DrawLines()
	const forgetWords = "Forget this session? It cannot be resumed then; its messages stay on the service."
	var below []string
	switch {
	case s.naming != nil:
		below = []string{s.naming.View(), views.FooterLine(s.env.st, "Enter saves the name, Esc cancels", s.width)}
	case s.forgetting:
		below = append(views.WrapStyled(s.env.st.Bad, forgetWords, s.width),
			views.FooterLine(s.env.st, "Enter forgets, Esc keeps it", s.width))
	case s.notice != "":
		style := s.env.st.Good
		if s.bad {
			style = s.env.st.Bad
		}
		below = []string{" " + style.Render(terminal.CutToWidth(s.notice, s.width-2)), lines[len(lines)-1]}
	}
	return append(lines[:max(len(lines)-len(below), 0)], below...)
}

type sessionList struct {
	chat       *chat
	env        *env
	current    conversation.SavedSession
	sessions   []conversation.SavedSession
	list       *views.ListOverlay
	naming     *textinput.Model // nil if closed
	forgetting bool
	target     conversation.SavedSession
	notice     string
	bad        bool
	width      int
}

func (s *sessionList) fill(sessions []conversation.SavedSession, words, notice string, err error) {
	s.notice, s.bad = notice, err != nil
	if s.bad {
		s.notice = s.env.requester.ExplainError(err)
		return
	}
	s.sessions = slices.Clone(sessions)
	slices.SortStableFunc(s.sessions, func(a, b conversation.SavedSession) int {
		return cmp.Compare(s.strangeness(a), s.strangeness(b))
	})
	choices := make([]views.Choice, len(s.sessions))
	for i := range s.sessions {
		row := conversation.DescribeSession(&s.sessions[i], s.current.UserSessionID, s.env.opts.Now())
		choices[i] = views.Choice{Title: row.Title, About: row.About, Tag: row.Tag}
		if row.LastWords != "" {
			choices[i].About += ": " + row.LastWords
		}
	}
	list, cursor := views.NewList(s.env.st, s.env.keys, choices, "search"), 0
	if s.list != nil {
		words, cursor = s.list.Menu.Search.Value(), s.list.Menu.Cursor
	}
	list.Search.SetValue(words)
	list.NarrowList()
	list.MoveCursor(cursor)
	keys := s.env.keys
	s.list = &views.ListOverlay{
		Menu: list, Title: "Your sessions", Close: keys.Sessions, Choose: s.chooseSession, Also: s.handleKey,
		Foot: fmt.Sprintf("Enter continues, %s starts a new one, %s renames, %s forgets, Esc goes back",
			keys.Fresh.Help().Key, keys.Rename.Help().Key, keys.Forget.Help().Key),
	}
}

// screenMsg is the result of background work. root drops the message if owner is no longer shown.
type screenMsg struct {
	owner screen
	show  func() tea.Cmd
}

// runAsync runs work in the background. show then runs in Update if owner is still shown.
func runAsync(owner screen, work func() (show func() tea.Cmd)) tea.Cmd {
	return func() tea.Msg { return screenMsg{owner, work()} }
}

type ticket struct {
	sessionID string
	call      int
}

type answerMsg struct {
	ticket
	show func() tea.Cmd
}

type failedMsg struct {
	ticket
	subject string
	err     error
}

type wordsCameMsg struct{ ticket }

type waitTickMsg struct{ ticket }

type retryTickMsg struct{ ticket }

type pickerAskedMsg struct{}

type personaChosenMsg struct{ persona string }

type sessionChosenMsg struct {
	saved conversation.SavedSession
	fresh bool
}

type sessionReadyMsg struct {
	join    *joinScreen
	session *conversation.Session
}

type interruptLapsedMsg struct{ press int }

type leaveAskedMsg struct{}

type helpAskedMsg struct{ authors bool }

type backgroundKnownMsg struct{ light bool }

type themeChosenMsg struct{ theme views.Theme }
