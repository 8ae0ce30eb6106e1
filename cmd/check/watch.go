package check

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// watchFiles does something whenever the state of its files has changed, until it is
// interrupted. It looks at the files again and again, which works on every
// system and on network drives.
func watchFiles(ctx context.Context, a *cli.Streams, pause time.Duration, state func() string, do func(context.Context) error) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	last := ""
	for {
		if now := state(); now != last {
			last = now
			if err := do(ctx); err != nil && ctx.Err() == nil {
				a.ReportFailure(nil, service.Explain(ctx, err))
			}
			a.Say("%s", a.Style.Faint(a.Now().Format("15:04:05")+" waiting for changes, Ctrl-C ends"))
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
