package tui

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// sessions lists what the client remembers: go on with a session, begin a new
// one, give one a name, forget one. What the service keeps is not touched.
type sessions struct {
	*env
	here   Known // the session that the chat is in
	known  []Known
	list   *chooser
	naming *textinput.Model // not nil while a session gets a name
	doomed bool             // the one under the cursor is to be forgotten
	which  Known            // that one, or the one that gets a name
	said   string           // one line about what was done or not
	bad    bool             // it was not
	width  int
}

// sessionsReadMsg: what the memory holds; words narrows the list.
type sessionsReadMsg struct {
	known []Known
	words string
	said  string
	err   error
}

// sessionChosenMsg: the player goes on with a session, or with fresh begins a new
// one with its persona.
type sessionChosenMsg struct {
	known Known
	fresh bool
}

// MaxLabel is how many characters a session's label may have.
const MaxLabel = 60

// ChooseSession reads the memory and shows it.
func (a *actions) ChooseSession(words string) tea.Cmd {
	return readSessions(a.desk.memory, words, "")
}

// BeginSession begins a new session with the same persona.
func (a *actions) BeginSession(string) tea.Cmd {
	known := a.visit.who
	return func() tea.Msg { return sessionChosenMsg{known, true} }
}

func readSessions(m Memory, words, said string) tea.Cmd {
	return func() tea.Msg {
		known, err := m.Sessions()
		return sessionsReadMsg{known, words, said, err}
	}
}

// sessionsRead shows the list, or hands it to the one that is shown.
func (a *actions) sessionsRead(msg sessionsReadMsg) tea.Cmd {
	if list, shown := a.over.(*sessions); shown {
		list.fill(msg)
		return nil
	}
	if msg.err != nil {
		a.trouble = "your sessions could not be read: " + a.desk.explain(msg.err)
		return nil
	}
	s := &sessions{env: a.env, here: a.visit.who}
	s.fill(msg)
	a.open(s)
	return nil
}

// fill makes the list anew; search and cursor stay.
func (s *sessions) fill(msg sessionsReadMsg) {
	if s.said, s.bad = msg.said, msg.err != nil; s.bad {
		s.said = s.desk.explain(msg.err)
		return
	}
	s.known = s.sorted(msg.known)
	choices := make([]choice, len(s.known))
	for i := range s.known {
		choices[i] = s.choice(&s.known[i])
	}
	list, cursor := newMenu(s.st, s.keys, choices, "search"), 0
	if s.list != nil {
		msg.words, cursor = s.list.menu.search.Value(), s.list.menu.cursor
	}
	list.search.SetValue(msg.words)
	list.narrow()
	list.move(cursor)
	s.list = &chooser{env: s.env, menu: list, title: "Your sessions", close: s.keys.Sessions, choose: s.choose, also: s.also, foot: s.foot()}
}

// sorted puts the sessions with the present persona first.
func (s *sessions) sorted(known []Known) []Known {
	known = slices.Clone(known)
	slices.SortStableFunc(known, func(a, b Known) int { return cmp.Compare(s.strange(a), s.strange(b)) })
	return known
}

func (s *sessions) strange(k Known) int {
	switch {
	case k.UserSessionID == s.here.UserSessionID:
		return 0
	case k.Persona == s.here.Persona:
		return 1
	}
	return 2
}

func (s *sessions) choice(k *Known) choice {
	name := Clean(cmp.Or(k.PersonaName, k.Persona))
	c := choice{title: name, about: "as " + Clean(k.PlayerName)}
	if !k.UsedAt.IsZero() {
		c.about += ", " + ago(s.opts.Now().Sub(k.UsedAt))
	}
	if k.Label != "" {
		c.title, c.about = Clean(k.Label), "with "+name+" "+c.about
	}
	if k.UserSessionID == s.here.UserSessionID {
		c.tag = "here"
	}
	return c
}

// ago is a time that has passed in words.
func ago(passed time.Duration) string {
	switch days := int(passed.Hours() / 24); {
	case passed < time.Minute:
		return "just now"
	case passed < time.Hour:
		return fmt.Sprintf("%d min ago", int(passed.Minutes()))
	case days < 1:
		return fmt.Sprintf("%d h ago", int(passed.Hours()))
	case days == 1:
		return "yesterday"
	default:
		return fmt.Sprintf("%d days ago", days)
	}
}

// Update takes keys: those of the question or the field that stands open first.
func (s *sessions) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	switch {
	case !pressed:
		return nil, false
	case s.naming != nil:
		return s.name(press), false
	case s.doomed:
		return s.answer(press), false
	}
	s.said = ""
	return s.list.Update(msg)
}

func (s *sessions) choose(i int) (tea.Cmd, bool) {
	chosen := s.known[i]
	if chosen.UserSessionID == s.here.UserSessionID {
		return nil, true
	}
	return func() tea.Msg { return sessionChosenMsg{chosen, false} }, true
}

// also are the keys of the list beside those of every list.
func (s *sessions) also(press tea.KeyMsg, i int) (cmd tea.Cmd, took, done bool) {
	switch {
	case key.Matches(press, s.keys.Fresh):
		with := s.here
		return func() tea.Msg { return sessionChosenMsg{with, true} }, true, true
	case i < 0:
		return nil, false, false
	case key.Matches(press, s.keys.Rename):
		s.begin(s.known[i])
	case key.Matches(press, s.keys.Forget):
		s.doom(s.known[i])
	default:
		return nil, false, false
	}
	return nil, true, false
}

// begin opens the field for a session's name.
func (s *sessions) begin(k Known) {
	field := newField(s.st, " Name: ", "none", s.st.chosen)
	field.CharLimit = MaxLabel
	field.SetValue(Clean(k.Label))
	s.which, s.naming = k, &field
	s.resize(s.width, s.list.height)
}

// name takes keys for the field.
func (s *sessions) name(press tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(press, s.keys.Cancel):
		s.naming = nil
	case key.Matches(press, s.keys.Send):
		label, k := s.naming.Value(), s.which
		s.naming = nil
		return s.change("", func(m Memory) error { return m.Rename(k.Persona, k.UserSessionID, label) })
	default:
		var cmd tea.Cmd
		*s.naming, cmd = s.naming.Update(press)
		return cmd
	}
	return nil
}

// doom asks before a session is forgotten. The one that is being played stays.
func (s *sessions) doom(k Known) {
	if k.UserSessionID == s.here.UserSessionID {
		s.said, s.bad = "you are in this one: "+s.keys.Fresh.Help().Key+" begins another, /reset clears it", true
		return
	}
	s.which, s.doomed = k, true
}

// answer takes the answer to that: Enter, and nothing else, forgets.
func (s *sessions) answer(press tea.KeyMsg) tea.Cmd {
	s.doomed = false
	if !key.Matches(press, s.keys.Send) {
		return nil
	}
	k := s.which
	return s.change("forgotten here", func(m Memory) error { return m.Forget(k.Persona, k.UserSessionID) })
}

// change changes the memory and reads it again.
func (s *sessions) change(said string, by func(Memory) error) tea.Cmd {
	m := s.desk.memory
	return func() tea.Msg {
		if err := by(m); err != nil {
			return sessionsReadMsg{err: err}
		}
		return readSessions(m, "", said)()
	}
}

func (s *sessions) foot() string {
	return fmt.Sprintf("Enter goes on, %s new, %s names, %s forgets, Esc goes back",
		s.keys.Fresh.Help().Key, s.keys.Rename.Help().Key, s.keys.Forget.Help().Key)
}

func (s *sessions) resize(width, height int) {
	s.width = width
	s.list.resize(width, height)
	if s.naming != nil {
		s.naming.Width = max(width-12, 8)
	}
}

// view is the list; what is asked, or was done, stands in its last lines.
func (s *sessions) view() []string {
	lines := s.list.view()
	var below []string
	switch {
	case s.naming != nil:
		below = []string{s.naming.View(), footer(s.st, "Enter keeps the name, Esc leaves it", s.width)}
	case s.doomed:
		below = append(paragraph(s.st.bad, "Forget this session? Nobody can go on with it then; what was said in it stays on the service.", s.width),
			footer(s.st, "Enter forgets, Esc keeps it", s.width))
	case s.said != "":
		look := s.st.good
		if s.bad {
			look = s.st.bad
		}
		below = []string{" " + look.Render(cut(s.said, s.width-2)), lines[len(lines)-1]}
	}
	return append(lines[:max(len(lines)-len(below), 0)], below...)
}
