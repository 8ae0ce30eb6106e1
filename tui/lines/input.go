package lines

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// lineInput is what the player types.
type lineInput struct {
	*output
	ctx   context.Context
	lines <-chan inputLine
	ahead *inputLine // a line that was typed during a wait
	// edited is called with a save of the persona file between two lines.
	edited func(conversation.Edit)
}

// stopWord ends a wait in line mode, as Esc does on the screen.
const stopWord = "/stop"

// errStopped ends a turn because the player does not want to wait.
var errStopped = errors.New("stopped")

// inputLine is one line of a player. tooLong marks a line over the service's limit, without its
// text; err ends the lines.
type inputLine struct {
	text    string
	number  int // counted from 1
	tooLong bool
	err     error
}

// maxLineBytes is how much of a line is kept: the longest message that the
// service takes, in the widest encoding.
const maxLineBytes = 4 * wire.MaxMessage

// readLines reads lines until the end of the input or of ctx. A Read that
// blocks cannot be interrupted; it is left behind when ctx ends.
func readLines(ctx context.Context, in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for number := 1; ; number++ {
			line := readLine(r)
			line.number = number
			if number == 1 {
				line.text = strings.TrimPrefix(line.text, "\ufeff")
			}
			select {
			case lines <- line:
			case <-ctx.Done():
				return
			}
			if line.err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads one line in bounded memory. A last line without a line end
// counts; its error comes with the next call.
func readLine(r *bufio.Reader) inputLine {
	var kept []byte
	over := false
	for {
		part, err := r.ReadSlice('\n')
		if len(kept)+len(part) <= maxLineBytes+2 {
			kept = append(kept, part...)
		} else {
			over = true
		}
		switch {
		case err == nil:
			return lineOf(kept, over)
		case errors.Is(err, bufio.ErrBufferFull):
		case len(kept) > 0 || over:
			return lineOf(kept, over)
		default:
			return inputLine{err: err}
		}
	}
}

func lineOf(kept []byte, over bool) inputLine {
	text := strings.TrimRight(strings.ToValidUTF8(string(kept), "\uFFFD"), "\r\n")
	if over || terminal.CountCharacters(text) > wire.MaxMessage {
		return inputLine{tooLong: true}
	}
	return inputLine{text: text}
}

// askLine reads one line, after a prompt if the input is interactive.
func (in *lineInput) askLine(prompt string) (inputLine, error) {
	select {
	case edit := <-in.opts.Edits: // One that is known comes before the next line.
		in.edited(edit)
	default:
	}
	if in.opts.Interactive {
		fmt.Fprint(in.opts.Err, prompt)
	}
	if in.ahead != nil {
		line := *in.ahead
		in.ahead = nil
		return line, line.err
	}
	select {
	case line, ok := <-in.lines:
		if !ok { // The input has ended, or the reader gave up with the context.
			return inputLine{}, cmp.Or(in.ctx.Err(), io.EOF)
		}
		return line, line.err
	case edit := <-in.opts.Edits:
		in.talkToPerson("") // The prompt still stands on its line.
		in.edited(edit)
		return in.askLine(prompt)
	case <-in.ctx.Done():
		return inputLine{}, in.ctx.Err()
	}
}

// askNumber asks until it gets a number from 1 to n, and gives the index; an empty line is
// the usual one.
func (in *lineInput) askNumber(prompt string, n, usual int) (int, error) {
	for {
		line, err := in.askLine(prompt)
		if err != nil {
			return 0, err
		}
		if strings.TrimSpace(line.text) == "" && !line.tooLong {
			return usual, nil
		}
		if i, err := strconv.Atoi(strings.TrimSpace(line.text)); err == nil && i >= 1 && i <= n {
			return i - 1, nil
		}
		in.writeTalk("Write a number from 1 to %d.", n)
	}
}

// comingLines returns the line that is typed during a wait; only one is kept.
func (in *lineInput) comingLines() <-chan inputLine {
	if in.ahead != nil {
		return nil
	}
	return in.lines
}

// keepLine keeps a line for later; the stop word ends the wait.
func (in *lineInput) keepLine(line inputLine, stop context.CancelCauseFunc) {
	if strings.TrimSpace(line.text) == stopWord && line.err == nil {
		stop(errStopped)
		return
	}
	in.ahead = &line
}

const (
	// waitingTime is how long to wait for a line after an ending: piped input is ready by then, and
	// a program that keeps its end open is not held up.
	waitingTime = 100 * time.Millisecond
	// maxUnsent is the limit on counting unsent lines, because the input may be endless.
	maxUnsent = 10_000
)

// nextWaiting returns the next line that is already in the input. It returns false if the input has
// ended or is idle.
func (in *lineInput) nextWaiting(after func(time.Duration) <-chan time.Time) (inputLine, bool) {
	if in.ahead != nil {
		line := *in.ahead
		in.ahead = nil
		return line, line.err == nil
	}
	select {
	case line, ok := <-in.lines:
		return line, ok && line.err == nil
	case <-after(waitingTime):
	case <-in.ctx.Done():
	}
	return inputLine{}, false
}

// isMessage reports whether a line would be sent unchanged.
func isMessage(line inputLine) bool {
	if line.tooLong || strings.TrimSpace(line.text) == "" {
		return line.tooLong
	}
	cmd, _, _, err := conversation.ParseLine[error](line.text)
	return cmd == nil && err == nil
}

// isLeaving reports whether the line that was typed ahead ends the play.
func (in *lineInput) isLeaving() bool {
	return in.ahead != nil && (in.ahead.err != nil || strings.TrimSpace(in.ahead.text) == "/"+conversation.CommandQuit)
}
