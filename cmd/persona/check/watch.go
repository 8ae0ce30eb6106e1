package check

import (
	"context"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// watchFiles calls act at once, and again when the text of noteState changes, until ctx is
// cancelled.
func watchFiles(ctx context.Context, streams *cli.Streams, pause time.Duration, noteState func() string, act func(context.Context) error) error {
	last := ""
	look := func() {
		now := noteState()
		if now == last {
			return
		}
		last = now
		if err := act(ctx); err != nil && ctx.Err() == nil {
			streams.ReportFailure(nil, service.Explain(ctx, err))
		}
		streams.Say("%s", streams.Style.Faint(streams.Now().Format("15:04:05")+" waiting for changes, Ctrl-C stops"))
	}
	look()
	cli.Poll(ctx, pause, look)
	return ctx.Err()
}

func noteFile(note *strings.Builder, path string) {
	note.WriteString(path + " " + cli.FileState(path) + "\n")
}
