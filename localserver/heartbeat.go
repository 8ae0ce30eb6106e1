package localserver

import (
	"context"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/api"
)

// If nothing was sent for headDelay, a stream sends the head of its answer; a failure before that
// is an ordinary answer with a status. Then it sends a comment every commentInterval, so that
// proxies do not close the connection.
const (
	headDelay       = 500 * time.Millisecond
	commentInterval = 10 * time.Second
)

// heartbeat sends the head and the comments of a stream while the caller waits for events.
type heartbeat struct {
	events     *eventWriter
	after      func(time.Duration) <-chan time.Time
	halfClosed <-chan struct{}
	// giveUp cancels the turn because the caller has disconnected.
	giveUp context.CancelFunc

	quit func()
}

// startBeats starts the heartbeat unless it is running.
func (b *heartbeat) startBeats() {
	if b.quit != nil {
		return
	}
	var running sync.WaitGroup
	ended := make(chan struct{})
	b.quit = sync.OnceFunc(func() { close(ended); running.Wait() })
	running.Go(func() { b.beatUntil(ended) })
}

// stopBeats stops the heartbeat and waits until it has finished writing. It may be called twice.
func (b *heartbeat) stopBeats() {
	if b.quit != nil {
		b.quit()
	}
}

// beatUntil sends the head and the comments until ended is closed. After the caller has closed his
// sending side, it sends some comments sooner, to detect whether the caller still reads.
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

// nextBeat removes and returns the first delay in looks. If looks is empty, it returns
// commentInterval.
func nextBeat(looks *[]time.Duration) time.Duration {
	if len(*looks) == 0 {
		return commentInterval
	}
	wait := (*looks)[0]
	*looks = (*looks)[1:]
	return wait
}

// sendBeat sends the head, unless it was sent before, and a comment.
func (b *heartbeat) sendBeat() error {
	b.events.writeHead(false)
	return b.events.sendComment()
}
