package lines

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/tui/terminal"
)

// UnsentError reports that a piped conversation ended because a message could not be sent.
type UnsentError struct {
	// Line is the message's line in the input, counted from 1. Text is the beginning of the message
	// without control characters.
	Line int
	Text string
	// Following is the number of unsent messages after that line, at most maxUnsent.
	Following int
	Err       error
}

func (e *UnsentError) Error() string {
	said := fmt.Sprintf("line %d was not sent, %q: %s", e.Line, e.Text, terminal.Clean(e.Err.Error()))
	if e.Following > 0 {
		said += fmt.Sprintf(" (%s sent either)", unsentWords(e.Following))
	}
	return said
}

func (e *UnsentError) Unwrap() error { return e.Err }

const maxUnsentText = 60

func explainUnsent(p *player, line inputLine, err error) error {
	if p.opts.Interactive || p.unsent.Text == "" || errors.Is(err, errLeave) || p.ctx.Err() != nil {
		return err
	}
	following := 0
	for following < maxUnsent {
		next, ok := p.nextWaiting()
		if !ok {
			break
		}
		if isMessage(next) {
			following++
		}
	}
	text := terminal.CutToWidth(terminal.Clean(terminal.FirstLine(p.unsent.Text)), maxUnsentText)
	return &UnsentError{Line: line.number, Text: text, Following: following, Err: err}
}
