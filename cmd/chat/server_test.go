package chat

import (
	"context"
	"errors"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// fallen is a throw-away server that has ended unexpectedly.
type fallen struct{ err error }

func (f fallen) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func (f fallen) Err() error { return f.err }

// TestChatEndsWithItsServer: a chat ends with the error of its throw-away server.
func TestChatEndsWithItsServer(t *testing.T) {
	t.Parallel()
	broke := errors.New("the server broke")
	ctx, over := withServer(t.Context(), fallen{broke})
	defer over()
	<-ctx.Done()
	assert.ErrorIs(t, context.Cause(ctx), broke, "the chat ends")
}
