package chat

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const tmuxTimeout = 2 * time.Second

// newTmuxCopy copies through a tmux buffer. By default tmux discards clipboard sequences of
// programs (set-clipboard external).
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
