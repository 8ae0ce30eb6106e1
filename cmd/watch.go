package cmd

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// watchPause is how long the watch waits between two looks at the files.
const watchPause = 400 * time.Millisecond

// watch does something whenever the state of its files has changed, until it is
// interrupted. It looks at the files again and again, which works on every
// system and on network drives.
func (a *app) watch(ctx context.Context, pause time.Duration, state func() string, do func(context.Context) error) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	last := ""
	for {
		if now := state(); now != last {
			last = now
			if err := do(ctx); err != nil && ctx.Err() == nil {
				a.complain(nil, explain(ctx, err))
			}
			a.say("%s", a.style.faint(a.now().Format("15:04:05")+" waiting for changes, Ctrl-C ends"))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// note adds what tells whether a file has changed.
func note(state *strings.Builder, path string) {
	if info, err := os.Stat(path); err == nil {
		fmt.Fprintf(state, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
	}
}
