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

// maxUnsentText is the maximum width of UnsentError.Text, in terminal cells.
const maxUnsentText = 60

// explainUnsent converts err to an *UnsentError if the input is not interactive and the line was a
// message that could not be sent. Otherwise it returns err unchanged.
func explainUnsent(p *player, line inputLine, err error) error {
	if p.opts.Interactive || p.unsent.Text == "" || errors.Is(err, errLeave) || p.ctx.Err() != nil {
		return err
	}
	following := 0
	for following < maxUnsent {
		next, ok := p.nextWaiting(p.after)
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

// notSent returns the beginning of a sentence about a line that was not sent. If the input is not
// interactive, the sentence contains the line's number.
func (in *lineInput) notSent(line inputLine) string {
	if in.opts.Interactive {
		return "Not sent"
	}
	return fmt.Sprintf("Line %d was not sent", line.number)
}
