package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/tui"
)

// tmuxProgram controls the tmux around the chat. By default (set-clipboard external) tmux discards
// the chat's clipboard sequences.
type tmuxProgram struct{ path string }

const tmuxPatience = 2 * time.Second

const maxTmuxAnswer = 4 << 10 // bytes

func newTmuxCopy(env func(string) string) func(ctx context.Context, text string) (tui.TmuxCopy, error) {
	path, err := exec.LookPath("tmux")
	if env("TMUX") == "" || err != nil {
		return nil
	}
	return tmuxProgram{path}.copyText
}

func (t tmuxProgram) copyText(ctx context.Context, text string) (tui.TmuxCopy, error) {
	_, err := t.runTmux(ctx, text, "load-buffer", "-w", "-")
	if err != nil { // before tmux 3.2 there is no -w
		if _, err = t.runTmux(ctx, text, "load-buffer", "-"); err != nil {
			return tui.TmuxCopy{}, err
		}
		return tui.TmuxCopy{Keys: t.readPrefix(ctx)}, nil
	}
	features, err := t.runTmux(ctx, "", "display-message", "-p", "#{client_termfeatures}")
	return tui.TmuxCopy{Keys: t.readPrefix(ctx), Outside: err == nil && strings.Contains(features, "clipboard")}, nil
}

func (t tmuxProgram) readPrefix(ctx context.Context) string {
	prefix, err := t.runTmux(ctx, "", "show-options", "-gv", "prefix")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(prefix)
}

func (t tmuxProgram) runTmux(ctx context.Context, text string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tmuxPatience)
	defer cancel()
	p := exec.CommandContext(ctx, t.path, args...) //nolint:gosec // tmux, with words of ours
	out := cli.LimitedBuffer{Left: maxTmuxAnswer}
	p.Stdin, p.Stdout, p.Stderr, p.WaitDelay = strings.NewReader(text), &out, io.Discard, tmuxPatience
	if err := p.Run(); err != nil {
		if ctx.Err() != nil {
			err = errors.New("tmux does not answer")
		}
		return "", fmt.Errorf("tmux %s: %w", args[0], err)
	}
	return out.String(), nil
}
