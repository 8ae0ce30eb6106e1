package lines

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/tui/terminal"
)

// UnsentError ends a piped play: a message could not be sent.
type UnsentError struct {
	// Line is the message's place in the input, counted from 1, and Text its beginning, clean.
	Line int
	Text string
	// Following is how many messages follow that were not sent either, at most maxUnsent.
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

// maxUnsentText is how much of a message an UnsentError has, in cells.
const maxUnsentText = 60

// explainUnsent returns the error of a line of a piped play as an UnsentError.
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

// notSent begins the sentence about a line that was not sent: with its number where the lines
// come from a program.
func (in *lineInput) notSent(line inputLine) string {
	if in.opts.Interactive {
		return "Not sent"
	}
	return fmt.Sprintf("Line %d was not sent", line.number)
}
