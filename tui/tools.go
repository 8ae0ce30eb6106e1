package tui

import (
	"context"
	"errors"
)

// Tools is what a chat may do on the player's machine; what is nil it says that
// it cannot do.
type Tools struct {
	// Save writes a file that is not there yet, and gives the name under which it
	// stands. One that is there is fs.ErrExist.
	Save func(file string, content []byte) (name string, err error)
	// SavePlay writes a play file (docs/play-file.md) of what was played, and says in
	// sentences what it wrote. The file must not be there yet: fs.ErrExist.
	SavePlay func(ctx context.Context, r *Record, file string) (said []string, err error)
	// Edit begins a visit to the player's editor, with a text to begin with.
	Edit func(text string) (Editing, error)
	// Copy puts a text on the system's clipboard.
	Copy func(ctx context.Context, text string) error
}

var (
	errNoEditor    = errors.New("there is no editor here: set $VISUAL or $EDITOR")
	errNoFormat    = errors.New("says no format: write md, json or html, then the file")
	errNoFiles     = errors.New("this chat writes no files")
	errNoClipboard = errors.New("this machine has no clipboard")
)
