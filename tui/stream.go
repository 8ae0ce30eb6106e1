package tui

import (
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// frame is how long words gather before they are shown: about thirty times a
// second, so that a fast model costs no more than a slow one and never holds up
// the keys.
const frame = 33 * time.Millisecond

// stream is a reply on its way from the service to the screen. The call's
// goroutine adds words, the screen takes what has gathered. It is safe for use by
// both.
type stream struct {
	mu       sync.Mutex
	gathered strings.Builder
	cleaner  Cleaner // the screen's alone
	some     chan struct{}
	over     chan struct{}
}

func newStream() *stream {
	return &stream{some: make(chan struct{}, 1), over: make(chan struct{})}
}

// add takes words as they come. It never fails and never waits.
func (s *stream) add(words string) error {
	s.mu.Lock()
	s.gathered.WriteString(words)
	s.mu.Unlock()
	select {
	case s.some <- struct{}{}:
	default: // The screen has been told already.
	}
	return nil
}

// end says that no words come any more; it is called once.
func (s *stream) end() { close(s.over) }

// take gives what has gathered since it was last asked, clean to print.
func (s *stream) take() string {
	s.mu.Lock()
	words := s.gathered.String()
	s.gathered.Reset()
	s.mu.Unlock()
	return s.cleaner.Add(words)
}

// wait waits until there are words, or will never be any, and says whether
// there are.
func (s *stream) wait() bool {
	select {
	case <-s.some:
		return true
	case <-s.over:
		return false
	}
}

// listen gives the next words once there are some.
func (d *dialogue) listen(s *stream, t ticket) tea.Cmd {
	return func() tea.Msg {
		if !s.wait() {
			return nil
		}
		return wordsCameMsg{t}
	}
}

// heard shows the words that have gathered. After some it comes back a frame
// later; when none came meanwhile it waits for them.
func (d *dialogue) heard(msg wordsCameMsg) tea.Cmd {
	if d.wait == nil || d.wait.stream == nil || msg.ticket != d.ticket() {
		return nil
	}
	words := d.wait.stream.take()
	if words == "" {
		return d.listen(d.wait.stream, msg.ticket)
	}
	d.wait.words, d.wait.why = d.visit.cast.characterName()+" is speaking", ""
	d.show(words)
	return d.after(frame, wordsCameMsg{msg.ticket})
}

// show adds words to the reply that is under way.
func (d *dialogue) show(words string) {
	if d.log.growing == 0 {
		d.log.begin(d.turn(wire.RoleAssistant, ""))
	}
	d.log.append(words)
}
