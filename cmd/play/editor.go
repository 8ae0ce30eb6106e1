package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/tui"
)

// clipboardPatience is how long the system's clipboard may take.
const clipboardPatience = 2 * time.Second

// editing is one visit to the player's editor, with a file that only the player
// can read and that goes with the visit.
type editing struct {
	process *exec.Cmd
	path    string
}

// maxEdited is how much of what was written is read, in bytes.
const maxEdited = 1 << 20

// beginEditing prepares a visit to $VISUAL, else $EDITOR, else the system's own
// editor.
func beginEditing(a *cli.Streams, text string) (tui.Editing, error) {
	f, err := os.CreateTemp("", "parley-*.md") // 0600, and no other program's name.
	if err != nil {
		return nil, fmt.Errorf("a file for the editor: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return nil, fmt.Errorf("a file for the editor: %w", err)
	}
	process := editorProcess(runtime.GOOS, chosenEditor(a), f.Name())
	process.Stdin, process.Stdout, process.Stderr = a.TTY.Stdin, a.TTY.Stdout, a.TTY.Stdout
	return &editing{process, f.Name()}, nil
}

// chosenEditor is the command line of the player's editor.
func chosenEditor(a *cli.Streams) string {
	fallback := "vi"
	if runtime.GOOS == "windows" {
		fallback = "notepad"
	}
	return cmp.Or(a.Env("VISUAL"), a.Env("EDITOR"), fallback)
}

// editorProcess starts an editor on a file. What the variables hold is a command
// line, as for git: "code --wait", "'/opt/my editor/bin/e' -n". It is not killed when
// the chat is to end: somebody writes in it.
func editorProcess(system, editor, file string) *exec.Cmd {
	ctx := context.Background()
	if system != "windows" {
		return exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, file)
	}
	words := cli.SplitCommand(editor)
	return exec.CommandContext(ctx, words[0], append(words[1:], file)...)
}

// Run runs the editor. One that cannot be found or fails leaves the text as it was.
func (e *editing) Run() error {
	if err := e.process.Run(); err != nil {
		return fmt.Errorf("set $VISUAL or $EDITOR to one that works: %w", err)
	}
	return nil
}

// SetStdin is for programs that have no terminal of their own; an editor has.
func (e *editing) SetStdin(io.Reader) {}

// SetStdout is as SetStdin.
func (e *editing) SetStdout(io.Writer) {}

// SetStderr is as SetStdin.
func (e *editing) SetStderr(io.Writer) {}

// Text is what was written; the file is removed.
func (e *editing) Text() (string, error) {
	defer func() { _ = os.Remove(e.path) }()
	f, err := os.Open(e.path)
	if err != nil {
		return "", fmt.Errorf("what was written: %w", cli.PathReason(err))
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxEdited))
	if err != nil {
		return "", fmt.Errorf("what was written: %w", cli.PathReason(err))
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}
