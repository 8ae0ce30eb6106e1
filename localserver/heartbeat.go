package localserver

import (
	"context"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/api"
)

// A stream sends its head after headDelay, so that an early failure is still an ordinary answer,
// and a comment every commentInterval until it ends, so that intermediaries do not consider it
// dead.
const (
	headDelay       = 500 * time.Millisecond
	commentInterval = 10 * time.Second
)

// heartbeat shows a stream's caller that the server is there.
type heartbeat struct {
	events     *eventWriter
	after      func(time.Duration) <-chan time.Time
	halfClosed <-chan struct{}
	// giveUp ends the turn: the caller has gone.
	giveUp context.CancelFunc

	quit func()
}

// startBeats starts the heartbeat unless it runs already.
func (b *heartbeat) startBeats() {
	if b.quit != nil {
		return
	}
	var running sync.WaitGroup
	ended := make(chan struct{})
	b.quit = sync.OnceFunc(func() { close(ended); running.Wait() })
	running.Go(func() { b.beatUntil(ended) })
}

// stopBeats ends it: afterwards nothing more is written. It may come twice.
func (b *heartbeat) stopBeats() {
	if b.quit != nil {
		b.quit()
	}
}

// beatUntil sends the head and the comments. When the caller closes his sending side, it checks
// more often for a while whether he is still there.
func (b *heartbeat) beatUntil(ended <-chan struct{}) {
	halfClosed, next := b.halfClosed, b.after(headDelay)
	var looks []time.Duration
	for {
		select {
		case <-ended:
			return
		case <-halfClosed:
			halfClosed, looks = nil, api.LookDelays()
		case <-next:
			if b.sendBeat() != nil {
				b.giveUp()
				return
			}
		}
		next = b.after(nextBeat(&looks))
	}
}

// nextBeat takes the next look, or else the usual wait.
func nextBeat(looks *[]time.Duration) time.Duration {
	if len(*looks) == 0 {
		return commentInterval
	}
	wait := (*looks)[0]
	*looks = (*looks)[1:]
	return wait
}

// sendBeat sends the head first, then comments.
func (b *heartbeat) sendBeat() error {
	b.events.writeHead(false)
	return b.events.sendComment()
}
