package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/tui"
)

// clipboardPatience is the timeout for the system's clipboard.
const clipboardPatience = 2 * time.Second

type editorRun struct {
	process *exec.Cmd
	path    string
}

const maxEdited = 1 << 20

func newEditorRun(streams *cli.Streams, text string) (tui.Editing, error) {
	f, err := os.CreateTemp("", "parley-*.md") // with mode 0600 and a unique name
	if err != nil {
		return nil, fmt.Errorf("create a file for the editor: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return nil, fmt.Errorf("create a file for the editor: %w", err)
	}
	fallback := "vi"
	if runtime.GOOS == "windows" {
		fallback = "notepad"
	}
	editor := cmp.Or(streams.Env("VISUAL"), streams.Env("EDITOR"), fallback)
	process := newEditorProcess(runtime.GOOS, editor, f.Name())
	process.Stdin, process.Stdout, process.Stderr = streams.TTY.Stdin, streams.TTY.Stdout, streams.TTY.Stdout
	return &editorRun{process, f.Name()}, nil
}

// newEditorProcess prepares an editor for a file. editor is a command line, as for git ("code
// --wait"). The editor outlives the chat, because the user may be writing in it.
func newEditorProcess(system, editor, file string) *exec.Cmd {
	ctx := context.Background()
	if system != "windows" {
		return exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file) //nolint:gosec // the user's own EDITOR
	}
	words := cli.SplitCommand(editor)
	return exec.CommandContext(ctx, words[0], append(words[1:], file)...) //nolint:gosec // the user's own EDITOR
}

// Run runs the editor and waits for it.
func (e *editorRun) Run() error {
	if err := e.process.Run(); err != nil {
		return fmt.Errorf("cannot run the editor: %w; set $VISUAL or $EDITOR to another editor", err)
	}
	return nil
}

// Text returns the edited text and removes the file.
func (e *editorRun) Text() (string, error) {
	defer func() { _ = os.Remove(e.path) }()
	f, err := atomicfile.Open(e.path)
	if err != nil {
		return "", fmt.Errorf("read the edited text: %w", cli.PathReason(err))
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxEdited))
	if err != nil {
		return "", fmt.Errorf("read the edited text: %w", cli.PathReason(err))
	}
	return cli.TrimByteOrderMark(text), nil
}
