package conversation

import (
	"strings"
	"sync"

	"github.com/parley-npc/parley/tui/terminal"
)

// ReplyStream is a reply on its way from the service to the screen. The call's
// goroutine adds words, the screen takes what has gathered. It is safe for use by
// both.
type ReplyStream struct {
	mu       sync.Mutex
	gathered strings.Builder
	cleaner  terminal.Cleaner // the screen's alone
	some     chan struct{}
	over     chan struct{}
}

// NewReplyStream is a stream to which nothing has come yet.
func NewReplyStream() *ReplyStream {
	return &ReplyStream{some: make(chan struct{}, 1), over: make(chan struct{})}
}

// AddWords takes words as they come. It never fails and never waits.
func (s *ReplyStream) AddWords(words string) error {
	s.mu.Lock()
	s.gathered.WriteString(words)
	s.mu.Unlock()
	select {
	case s.some <- struct{}{}:
	default: // The screen has been told already.
	}
	return nil
}

// EndWords reports that no words come any more; it is called once.
func (s *ReplyStream) EndWords() { close(s.over) }

// TakeWords returns what has gathered since it was last asked, clean to print.
func (s *ReplyStream) TakeWords() string {
	s.mu.Lock()
	words := s.gathered.String()
	s.gathered.Reset()
	s.mu.Unlock()
	return s.cleaner.Add(words)
}

// WaitForWords waits until there are words, or will never be any, and reports whether
// there are.
func (s *ReplyStream) WaitForWords() bool {
	select {
	case <-s.some:
		return true
	case <-s.over:
		return false
	}
}
