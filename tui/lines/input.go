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

type inputLine struct {
	text    string
	number  int
	tooLong bool
	err     error
}

// maxLineBytes fits the longest message, because a character has at most 4 bytes.
const maxLineBytes = 4 * wire.MaxMessage

// readLines starts a goroutine that may outlive ctx, because a blocked Read cannot be interrupted.
func readLines(ctx context.Context, r io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		r := bufio.NewReader(r)
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

func readLine(r *bufio.Reader) inputLine {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) <= maxLineBytes+len("\r\n") {
			line = append(line, part...)
		} else {
			tooLong = true
		}
		switch {
		case err == nil:
			return newInputLine(line, tooLong)
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0 || tooLong:
			return newInputLine(line, tooLong)
		default:
			return inputLine{err: err}
		}
	}
}

func newInputLine(line []byte, tooLong bool) inputLine {
	text := strings.TrimRight(strings.ToValidUTF8(string(line), "\uFFFD"), "\r\n")
	if tooLong || terminal.CountCharacters(text) > wire.MaxMessage {
		return inputLine{tooLong: true}
	}
	return inputLine{text: text}
}

func (p *player) askLine(prompt string) (inputLine, error) {
	select {
	case edit := <-p.opts.Edits:
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
		if !ok {
			return inputLine{}, cmp.Or(p.ctx.Err(), io.EOF)
		}
		return line, line.err
	case edit := <-p.opts.Edits:
		p.talkToPerson("") // ends the line of the prompt
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

func (p *player) holdLine(line inputLine, stop context.CancelCauseFunc) {
	if strings.TrimSpace(line.text) == stopWord && line.err == nil {
		stop(errStopped)
		return
	}
	p.ahead = &line
}

const (
	// waitingTime is short, because a program may keep the pipe open.
	waitingTime = 100 * time.Millisecond
	maxUnsent   = 10_000
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
	if p.ahead == nil {
		return false
	}
	return p.ahead.err != nil || strings.TrimSpace(p.ahead.text) == "/"+conversation.CommandQuit
}

// UnsentError is the error for a piped message that could not be sent.
type UnsentError struct {
	// Line is the line number in the input, from 1. Text is the clean start of the message.
	Line int
	Text string
	// Following is the number of messages after Line, at most 10,000.
	Following int
	Err       error
}

func (e *UnsentError) Error() string {
	text := fmt.Sprintf("line %d was not sent, %q: %s", e.Line, e.Text, terminal.Clean(e.Err.Error()))
	if e.Following > 0 {
		text += fmt.Sprintf(" (%s sent either)", unsentWords(e.Following))
	}
	return text
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
