package chat

import (
	"context"
	"errors"
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
		err := loadBuffer(ctx, path, text, "-w", "-")
		if err != nil { // before tmux 3.2 there is no -w
			err = loadBuffer(ctx, path, text, "-")
		}
		return err
	}
}

func loadBuffer(ctx context.Context, tmux, text string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, tmuxPatience)
	defer cancel()
	p := exec.CommandContext(ctx, tmux, append([]string{"load-buffer"}, args...)...) //nolint:gosec // tmux, with words of ours
	p.Stdin, p.WaitDelay = strings.NewReader(text), tmuxPatience
	err := p.Run()
	if ctx.Err() != nil {
		return errors.New("tmux does not answer")
	}
	if err != nil {
		return fmt.Errorf("tmux load-buffer: %w", err)
	}
	return nil
}
