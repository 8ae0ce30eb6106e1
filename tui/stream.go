package tui

import (
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// frame is how long words gather before they are shown: about thirty times a
// second, so that a fast model costs no more than a slow one and never holds up
// the keys.
const frame = 33 * time.Millisecond

// replyStream is a reply on its way from the service to the screen. The call's
// goroutine adds words, the screen takes what has gathered. It is safe for use by
// both.
type replyStream struct {
	mu       sync.Mutex
	gathered strings.Builder
	cleaner  terminal.Cleaner // the screen's alone
	some     chan struct{}
	over     chan struct{}
}

func newReplyStream() *replyStream {
	return &replyStream{some: make(chan struct{}, 1), over: make(chan struct{})}
}

// addWords takes words as they come. It never fails and never waits.
func (s *replyStream) addWords(words string) error {
	s.mu.Lock()
	s.gathered.WriteString(words)
	s.mu.Unlock()
	select {
	case s.some <- struct{}{}:
	default: // The screen has been told already.
	}
	return nil
}

// endWords says that no words come any more; it is called once.
func (s *replyStream) endWords() { close(s.over) }

// takeWords gives what has gathered since it was last asked, clean to print.
func (s *replyStream) takeWords() string {
	s.mu.Lock()
	words := s.gathered.String()
	s.gathered.Reset()
	s.mu.Unlock()
	return s.cleaner.Add(words)
}

// waitForWords waits until there are words, or will never be any, and says whether
// there are.
func (s *replyStream) waitForWords() bool {
	select {
	case <-s.some:
		return true
	case <-s.over:
		return false
	}
}

// awaitWords gives the next words once there are some.
func (d *dialogue) awaitWords(s *replyStream, t ticket) tea.Cmd {
	return func() tea.Msg {
		if !s.waitForWords() {
			return nil
		}
		return wordsCameMsg{t}
	}
}

// showStreamed shows the words that have gathered. After some it comes back a frame
// later; when none came meanwhile it waits for them.
func (d *dialogue) showStreamed(msg wordsCameMsg) tea.Cmd {
	if d.wait == nil || d.wait.stream == nil || msg.ticket != d.currentTicket() {
		return nil
	}
	words := d.wait.stream.takeWords()
	if words == "" {
		return d.awaitWords(d.wait.stream, msg.ticket)
	}
	d.wait.words, d.wait.why = d.User.Persona.CharacterName()+" is speaking", ""
	d.appendReply(words)
	return d.after(frame, wordsCameMsg{msg.ticket})
}

// appendReply adds words to the reply that is under way.
func (d *dialogue) appendReply(words string) {
	if d.log.Streaming == 0 {
		d.log.BeginEntry(d.messageEntry(wire.RoleAssistant, ""))
	}
	d.log.AppendWords(words)
}
