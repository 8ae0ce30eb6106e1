package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func TestSleep(t *testing.T) {
	reason := errors.New("somebody rang")
	for _, tt := range []struct {
		name        string
		wait, ended time.Duration // ended is when the context ends, 0 is never
		err         error
		after       time.Duration
	}{
		{"the whole wait", time.Minute, 0, nil, time.Minute},
		{"no wait", 0, 0, nil, 0},
		{"less than no wait", -time.Second, 0, nil, 0},
		{"the context ends first", time.Minute, time.Second, reason, time.Second},
		{"the context ends one nanosecond later", time.Minute, time.Minute + 1, nil, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tt.ended > 0 {
					time.AfterFunc(tt.ended, func() { cancel(reason) })
				}
				begin := time.Now()
				assert.ErrorIs(t, sleep(ctx, tt.wait), tt.err)
				assert.Equal(t, time.Since(begin), tt.after, "after")
			})
		})
	}
}
