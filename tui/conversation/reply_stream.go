package conversation

import (
	"strings"
	"sync"

	"github.com/parley-npc/parley/tui/terminal"
)

// ReplyStream passes the text of a reply from the goroutine that calls the service to the screen.
// The goroutine adds words, and the screen takes them. Both may use it concurrently.
type ReplyStream struct {
	mu       sync.Mutex
	gathered strings.Builder
	cleaner  terminal.Cleaner // used only by the screen
	some     chan struct{}
	over     chan struct{}
}

// NewReplyStream returns an empty stream.
func NewReplyStream() *ReplyStream {
	return &ReplyStream{some: make(chan struct{}, 1), over: make(chan struct{})}
}

// AddWords adds words to the stream. It never fails and never blocks.
func (s *ReplyStream) AddWords(words string) error {
	s.mu.Lock()
	s.gathered.WriteString(words)
	s.mu.Unlock()
	select {
	case s.some <- struct{}{}:
	default: // The screen has already been notified.
	}
	return nil
}

// EndWords ends the stream. It must be called once.
func (s *ReplyStream) EndWords() { close(s.over) }

// TakeWords returns the words added since its last call, cleaned for the terminal.
func (s *ReplyStream) TakeWords() string {
	s.mu.Lock()
	words := s.gathered.String()
	s.gathered.Reset()
	s.mu.Unlock()
	return s.cleaner.Add(words)
}

// WaitForWords blocks until words are added or the stream ends. It returns true for words and false
// for the end.
func (s *ReplyStream) WaitForWords() bool {
	select {
	case <-s.some:
		return true
	case <-s.over:
		return false
	}
}
