package lines

import (
	"errors"
	"io"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
)

// Options is everything that line mode is handed.
type Options struct {
	conversation.Options
	In  io.Reader
	Out io.Writer
	// Err takes the talk about the play; nil drops it.
	Err io.Writer
	// Interactive means that somebody sits at In and can be asked.
	Interactive bool
	// Hints prints hints on Err even for a program: the initial tries, and the model that plays.
	Hints bool
	// Columns returns the terminal's width; nil disables wrapping.
	Columns func() int
	// Files are what the chat may write.
	Files record.Files
}

var (
	// ErrNoPersona means that line mode has neither a persona nor anybody to ask.
	ErrNoPersona = errors.New("no persona was named and there is no terminal to ask on: name one as the argument, `parley chat PERSONA`")
	// ErrNoPersonas means that the server is without published personas.
	ErrNoPersonas = errors.New("this server has no published persona: publish one with `parley persona publish PERSONA`")
)

func (o Options) withDefaults() Options {
	o.FillDefaults()
	if o.Err == nil {
		o.Err = io.Discard
	}
	return o
}
