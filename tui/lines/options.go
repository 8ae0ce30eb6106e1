package lines

import (
	"errors"
	"io"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
)

// Options configures line mode.
type Options struct {
	conversation.Options
	In  io.Reader
	Out io.Writer
	// Err receives everything that is not part of the conversation: questions, help and problems.
	// nil discards it.
	Err io.Writer
	// Interactive means that a person types the input and can answer questions.
	Interactive bool
	// Hints enables hints on Err even if Interactive is false: the number of tries at the
	// beginning, and the model that plays.
	Hints bool
	// Columns returns the terminal's width. nil disables wrapping.
	Columns func() int
	// Files creates the files that commands write.
	Files record.Files
}

var (
	// ErrNoPersona means that Options.Persona is empty and the input is not interactive.
	ErrNoPersona = errors.New("a persona is required if the input is not a terminal: run `parley chat PERSONA`")
	// ErrNoPersonas means that no persona is published on the server.
	ErrNoPersonas = errors.New("no persona is published on this server: publish one with `parley persona publish PERSONA`")
)

func (o Options) withDefaults() Options {
	o.FillDefaults()
	if o.Err == nil {
		o.Err = io.Discard
	}
	return o
}
