package lines

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/tuitest"
)

// slowOpener is a service that sends openings in pieces, with a callback between them.
type slowOpener struct {
	*tuitest.Service
	pieces  []string
	between func(ctx context.Context, piece int) error
}

func (s *slowOpener) StreamInitSession(ctx context.Context, persona, machine string, body wire.InitSession, onDelta func(string) error) (wire.Opening, error) {
	for i, piece := range s.pieces {
		if err := onDelta(piece); err != nil {
			return wire.Opening{}, err
		}
		if err := s.between(ctx, i); err != nil {
			return wire.Opening{}, err
		}
	}
	opening, err := s.InitSession(ctx, persona, machine, body)
	opening.Message = strings.Join(s.pieces, "")
	return opening, err
}

// waitUntilSaid waits until a text was printed so many times.
func (p *linePlay) waitUntilSaid(ctx context.Context, text string, times int) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for strings.Count(p.terminalPlayer.read(), text) < times {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// TestPlainOpeningIsStopped: the stop word ends the wait for an opening and cancels the call.
func TestPlainOpeningIsStopped(t *testing.T) {
	p := newLinePlay()
	ended := make(chan error, 1)
	clock := func(d time.Duration) <-chan time.Time {
		now := make(chan time.Time, 1)
		now <- time.Time{}
		return now
	}
	got := p.person(t, "", clock, func(o *Options) {
		o.Service = &slowOpener{p.service, []string{""}, func(ctx context.Context, _ int) error {
			if err := p.waitUntilSaid(ctx, "Write /stop to stop waiting.", 1); err != nil {
				return err
			}
			p.terminalPlayer.press(stopWord)
			<-ctx.Done()
			ended <- ctx.Err()
			return ctx.Err()
		}}
	})
	assert.Contains(t, got, "Stopped.")
	assert.True(t, <-ended != nil, "the opening was not cancelled")
}

// TestALongReplyIsReadOnce: a reply without a sentence end costs linear time, even in small pieces.
func TestALongReplyIsReadOnce(t *testing.T) {
	for _, text := range []string{strings.Repeat(".", 64000), strings.Repeat("a b ", 16000), strings.Repeat("word.", 12800)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		voiced(text, 1)
		runtime.ReadMemStats(&after)
		bytes := after.TotalAlloc - before.TotalAlloc
		assert.True(t, bytes <= 16<<20, "%.10q...: %d bytes for %d characters", text, bytes, len(text))
	}
}
