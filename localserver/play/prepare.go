package play

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

const prepareLimit = 2 * time.Minute

// preparations runs at most one preparation (llm.Preparer) at a time, in the background.
type preparations struct {
	mu sync.Mutex
	// cancel cancels the running preparation. It is nil if there is none.
	cancel context.CancelFunc
	closed bool
	ended  sync.WaitGroup
}

// start starts a preparation, unless one is running. The preparation does not end with ctx, because
// the request is answered before.
func (p *preparations) start(ctx context.Context, model llm.Preparer, input llm.Input) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.cancel != nil {
		return
	}
	ctx, p.cancel = context.WithTimeout(context.WithoutCancel(ctx), prepareLimit)
	p.ended.Go(func() {
		defer p.end()
		model.Prepare(ctx, input)
	})
}

// end ends a preparation. It recovers from a panic of the model without logging it. The next
// message causes the same panic in a request, and the request logs it.
func (p *preparations) end() {
	_ = recover()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel()
	p.cancel = nil
}

// stop aborts the preparation, so that it does not delay a message of the player.
func (p *preparations) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		p.cancel()
	}
}

// Close aborts a running preparation and waits for its end. Afterwards the service starts no
// preparation.
func (s *Service) Close() error {
	p := &s.preparing
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stop()
	p.ended.Wait()
	return nil
}

// prepareSession prepares the model for the player's next message. recent and said are the messages
// before it.
func (s *Service) prepareSession(ctx context.Context, model llm.Model, m machineVersion, n *store.Session, vars map[string]string, recent []llm.Message, said ...store.Message) {
	p, ok := model.(llm.Preparer)
	if !ok {
		return
	}
	input := m.newInput(n, vars)
	input.Recent = slices.Concat(recent, llmMessages(said))
	s.preparing.start(ctx, p, input)
}
