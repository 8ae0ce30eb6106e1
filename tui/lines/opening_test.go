package lines

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
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

func (p *linePlay) openSlowly(t *testing.T, in string, clock func(time.Duration) <-chan time.Time, between func(ctx context.Context, piece int) error, pieces ...string) string {
	t.Helper()
	return p.person(t, in, clock, func(o *Options) { o.Service = &slowOpener{p.service, pieces, between} })
}

// momentOver is a clock that ends openingDelay immediately.
func momentOver(d time.Duration) <-chan time.Time {
	if d != openingDelay {
		return nil
	}
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over
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

// TestPlainOpeningComes: a slow opening is printed sentence by sentence as it comes, and nothing twice.
func TestPlainOpeningComes(t *testing.T) {
	p := newLinePlay()
	got := p.openSlowly(t, "/quit", momentOver, func(ctx context.Context, piece int) error {
		return p.waitUntilSaid(ctx, []string{"stranger.", "Who goes there?", ""}[piece], 1)
	}, "**Halt**, \x1b[2Jstranger. Who goes", " there? The rest.", "")
	assert.InOrder(t, got, "Talking to Mira in The gate as Alex. /help lists the commands.", "Your aim: Talk the guard into it.", "Mira: Halt, ␛[2Jstranger.", "  Who goes there?", "  The rest.", "3 tries here.", playwords.MissRule, playwords.FreeTalkButNo)
	assert.Equal(t, strings.Count(got, "Who goes there?"), 1)
	assert.Equal(t, strings.Count(got, "Your aim"), 1)
	assert.NotContains(t, got, "\x1b")
}

// TestPlainQuickOpening: a quick opening is printed in its usual place, after the session's other data.
func TestPlainQuickOpening(t *testing.T) {
	whole, p := newLinePlay().person(t, "/quit", never, nil), newLinePlay()
	got := p.openSlowly(t, "/quit", never, func(context.Context, int) error { return nil }, "Halt, **Alex**! Who goes there, ", "and what do you want in *The gate*?")
	assert.Equal(t, got, whole, "it")
}

// TestPlainOpeningBreaksOff: the printed part is declared void; if a later part fails, the play goes on.
func TestPlainOpeningBreaksOff(t *testing.T) {
	p, opened := newLinePlay(), 0
	got := p.openSlowly(t, "pass|pass|1|/quit", momentOver, func(ctx context.Context, piece int) error {
		if piece == 0 {
			opened++
		}
		if opened == 2 {
			if err := p.waitUntilSaid(ctx, "Mira: Well then.\n  You", 2); err != nil {
				return err
			}
			return tuitest.ErrLost
		}
		return nil
	}, "Well then. You are here. And", " on.")
	assert.InOrder(t, got, "Mira: Well then.", "The opening broke off. The text above does not count.", "The step failed: the connection was lost: is the server running?")
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
	assert.True(t, strings.Contains(got, "Stopped.") && <-ended != nil, "it says\n%s", got)
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
