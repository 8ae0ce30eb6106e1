package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/atomicfile"
)

const clipboardTimeout = 2 * time.Second

const maxEdited = 1 << 20 // bytes

func editText(streams *cli.Streams, text string) (string, error) {
	file, err := os.CreateTemp("", "parley-*.md") // with mode 0600 and a unique name
	if err != nil {
		return "", fmt.Errorf("create a file for the editor: %w", err)
	}
	tooLarge := false
	defer func() {
		if !tooLarge {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("create a file for the editor: %w", err)
	}
	fallback := "vi"
	if runtime.GOOS == "windows" {
		fallback = "notepad"
	}
	process := newEditorProcess(runtime.GOOS, cmp.Or(streams.Env("VISUAL"), streams.Env("EDITOR"), fallback), file.Name())
	process.Stdin, process.Stdout, process.Stderr = streams.TTY.Stdin, streams.TTY.Stdout, streams.TTY.Stdout
	if err := process.Run(); err != nil {
		return "", fmt.Errorf("cannot run the editor: %w; set $VISUAL or $EDITOR to another editor", err)
	}
	whole, err := atomicfile.ReadUpTo(file.Name(), maxEdited)
	if err != nil {
		return "", fmt.Errorf("read the edited text: %w", cli.PathReason(err))
	}
	if tooLarge = len(whole) > maxEdited; tooLarge {
		return "", fmt.Errorf("the edited text is larger than %d KiB, the maximum; it is still in %s",
			maxEdited>>10, file.Name())
	}
	return cli.TrimByteOrderMark(whole), nil
}

// The editor outlives the chat, because the user may still be writing.
func newEditorProcess(system, editor, file string) *exec.Cmd {
	ctx := context.Background()
	if system != "windows" {
		return exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file) //nolint:gosec // the user's own EDITOR
	}
	words := cli.SplitCommand(editor)
	return exec.CommandContext(ctx, words[0], append(words[1:], file)...) //nolint:gosec // the user's own EDITOR
}
