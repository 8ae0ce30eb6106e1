package chat

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const tmuxTimeout = 2 * time.Second

// newTmuxCopy returns nil outside of tmux. tmux discards the clipboard sequences of the chat by
// default (set-clipboard external). A tmux buffer reaches the clipboard if the terminal supports
// that.
func newTmuxCopy(env func(string) string) func(ctx context.Context, text string) error {
	path, err := exec.LookPath("tmux")
	if env("TMUX") == "" || err != nil {
		return nil
	}
	return func(ctx context.Context, text string) error {
		ctx, cancel := context.WithTimeout(ctx, tmuxTimeout)
		defer cancel()
		p := exec.CommandContext(ctx, path, "load-buffer", "-w", "-")
		p.Stdin, p.WaitDelay = strings.NewReader(text), tmuxTimeout
		if err := p.Run(); err != nil {
			return fmt.Errorf("tmux load-buffer: %w", err)
		}
		return nil
	}
}
