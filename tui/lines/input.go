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

const stopWord = "/stop"

var errStopped = errors.New("stopped")

// inputLine is one line of input. If tooLong is true, text is "". If err is not nil, the line is
// the last one.
type inputLine struct {
	text    string
	number  int // counted from 1
	tooLong bool
	err     error
}

// maxLineBytes is the maximum size of a line in bytes. The longest message fits, even if each of
// its characters has 4 bytes.
const maxLineBytes = 4 * wire.MaxMessage

// readLines reads lines until the input ends or ctx is done. A blocked Read cannot be interrupted,
// so the goroutine may outlive ctx.
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

// readLine reads one line of at most maxLineBytes. If the last line lacks a line end, readLine
// returns it without an error, and the next call returns io.EOF.
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

func (p *player) askLine(prompt string) (inputLine, error) {
	select {
	case edit := <-p.opts.Edits: // A save that has arrived before the next line is handled first.
		p.takeEdit(edit)
	default:
	}
	if p.opts.Interactive {
		fmt.Fprint(p.opts.Err, prompt)
	}
	if p.ahead != nil {
		line := *p.ahead
		p.ahead = nil
		return line, line.err
	}
	select {
	case line, ok := <-p.lines:
		if !ok { // The input has ended, or the context is done.
			return inputLine{}, cmp.Or(p.ctx.Err(), io.EOF)
		}
		return line, line.err
	case edit := <-p.opts.Edits:
		p.talkToPerson("") // Ends the line of the prompt.
		p.takeEdit(edit)
		return p.askLine(prompt)
	case <-p.ctx.Done():
		return inputLine{}, p.ctx.Err()
	}
}

func (p *player) askNumber(prompt string, n, fallback int) (int, error) {
	for {
		line, err := p.askLine(prompt)
		if err != nil {
			return 0, err
		}
		if strings.TrimSpace(line.text) == "" && !line.tooLong {
			return fallback, nil
		}
		if i, err := strconv.Atoi(strings.TrimSpace(line.text)); err == nil && i >= 1 && i <= n {
			return i - 1, nil
		}
		p.writeTalk("Write a number from 1 to %d.", n)
	}
}

func (p *player) comingLines() <-chan inputLine {
	if p.ahead != nil {
		return nil
	}
	return p.lines
}

func (p *player) keepLine(line inputLine, stop context.CancelCauseFunc) {
	if strings.TrimSpace(line.text) == stopWord && line.err == nil {
		stop(errStopped)
		return
	}
	p.ahead = &line
}

const (
	// waitingTime is the maximum wait for each further line after an ending. Piped input arrives
	// sooner. The wait is limited, because a program may keep the pipe open forever.
	waitingTime = 100 * time.Millisecond
	// maxUnsent is the maximum number of unsent lines that are counted, because the input may be
	// endless.
	maxUnsent = 10_000
)

func (p *player) nextWaiting() (inputLine, bool) {
	if p.ahead != nil {
		line := *p.ahead
		p.ahead = nil
		return line, line.err == nil
	}
	select {
	case line, ok := <-p.lines:
		return line, ok && line.err == nil
	case <-p.opts.After(waitingTime):
	case <-p.ctx.Done():
	}
	return inputLine{}, false
}

func isMessage(line inputLine) bool {
	if line.tooLong || strings.TrimSpace(line.text) == "" {
		return line.tooLong
	}
	cmd, _, _, err := conversation.ParseLine(line.text)
	return cmd == nil && err == nil
}

func (p *player) isLeaving() bool {
	return p.ahead != nil && (p.ahead.err != nil || strings.TrimSpace(p.ahead.text) == "/"+conversation.CommandQuit)
}

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
