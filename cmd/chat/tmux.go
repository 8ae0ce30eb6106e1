package chat

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const tmuxPatience = 2 * time.Second

// newTmuxCopy returns a function that copies a text into a tmux buffer. tmux then sets the
// clipboard if its terminal supports that. The chat's own clipboard sequences do not work in tmux,
// which discards them by default (set-clipboard external). Outside of tmux newTmuxCopy returns nil.
func newTmuxCopy(env func(string) string) func(ctx context.Context, text string) error {
	path, err := exec.LookPath("tmux")
	if env("TMUX") == "" || err != nil {
		return nil
	}
	return func(ctx context.Context, text string) error {
		ctx, cancel := context.WithTimeout(ctx, tmuxPatience)
		defer cancel()
		p := exec.CommandContext(ctx, path, "load-buffer", "-w", "-")
		p.Stdin, p.WaitDelay = strings.NewReader(text), tmuxPatience
		if err := p.Run(); err != nil {
			return fmt.Errorf("tmux load-buffer: %w", err)
		}
		return nil
	}
}
