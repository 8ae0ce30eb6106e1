package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/parley-npc/parley/tui"
)

// tmuxProgram is the tmux around a chat, which is controlled by its own program: with its default
// setting, set-clipboard external, it discards the chat's clipboard sequences.
type tmuxProgram struct{ path string }

// tmuxPatience is how long tmux may take for one answer.
const tmuxPatience = 2 * time.Second

// maxTmuxAnswer is how much of an answer of tmux's is read, in bytes.
const maxTmuxAnswer = 4 << 10

// newTmuxCopy is the way to tmux's buffers; nil where the chat is not inside tmux or its
// program is not installed here.
func newTmuxCopy(env func(string) string) func(ctx context.Context, text string) (tui.TmuxCopy, error) {
	path, err := exec.LookPath("tmux")
	if env("TMUX") == "" || err != nil {
		return nil
	}
	return tmuxProgram{path}.copyText
}

// copyText puts a text into a new buffer of tmux's and, where tmux knows the terminal around
// it to take that, on its clipboard.
func (t tmuxProgram) copyText(ctx context.Context, text string) (tui.TmuxCopy, error) {
	_, err := t.runTmux(ctx, text, "load-buffer", "-w", "-")
	if err != nil { // Before tmux 3.2 there is no -w.
		if _, err = t.runTmux(ctx, text, "load-buffer", "-"); err != nil {
			return tui.TmuxCopy{}, err
		}
		return tui.TmuxCopy{Keys: t.readPrefix(ctx)}, nil
	}
	features, err := t.runTmux(ctx, "", "display-message", "-p", "#{client_termfeatures}")
	return tui.TmuxCopy{Keys: t.readPrefix(ctx), Outside: err == nil && strings.Contains(features, "clipboard")}, nil
}

// readPrefix returns the prefix key of tmux in tmux's notation, or "" if it does not answer.
func (t tmuxProgram) readPrefix(ctx context.Context) string {
	prefix, err := t.runTmux(ctx, "", "show-options", "-gv", "prefix")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(prefix)
}

// runTmux runs a tmux command with text as its stdin and returns its output.
func (t tmuxProgram) runTmux(ctx context.Context, text string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tmuxPatience)
	defer cancel()
	p := exec.CommandContext(ctx, t.path, args...) //nolint:gosec // tmux, with words of ours
	var out limitedBuffer
	p.Stdin, p.Stdout, p.Stderr, p.WaitDelay = strings.NewReader(text), &out, io.Discard, tmuxPatience
	if err := p.Run(); err != nil {
		if ctx.Err() != nil {
			err = errors.New("it does not answer")
		}
		return "", fmt.Errorf("tmux %s: %w", args[0], err)
	}
	return out.String(), nil
}

// limitedBuffer keeps the beginning of the data written to it.
type limitedBuffer struct{ kept bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.kept.Write(p[:min(len(p), maxTmuxAnswer-b.kept.Len())])
	return len(p), nil
}

func (b *limitedBuffer) String() string { return b.kept.String() }
