package terminal

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// The query for the terminal's background colour, the beginning of the answer, and the time limit
// for the answer. Until the answer arrives, the screen has the colours for a dark background.
const (
	backgroundQuestion = "\x1b]11;?\x1b\\"
	backgroundAnswer   = "11;"
	answerWithin       = 2 * time.Second
)

// BackgroundQuestion asks a terminal for its background colour. AskTerminal sends the query, and
// TakeAnswer receives the answer.
type BackgroundQuestion struct {
	answer chan bool // whether the background is light, at most once
}

// NewBackgroundQuestion returns a BackgroundQuestion. AskTerminal sends the query.
func NewBackgroundQuestion() *BackgroundQuestion {
	return &BackgroundQuestion{answer: make(chan bool, 1)}
}

// AskTerminal sends the query to out and waits for TakeAnswer. known is false if the answer does
// not arrive within answerWithin.
func (b *BackgroundQuestion) AskTerminal(ctx context.Context, out io.Writer) (light, known bool) {
	if _, err := io.WriteString(out, backgroundQuestion); err != nil {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	select {
	case light = <-b.answer:
		return light, true
	case <-ctx.Done():
		return false, false
	}
}

// TakeAnswer handles the text of an OSC string that the terminal has sent. It ignores all texts
// except the first answer to the query.
func (b *BackgroundQuestion) TakeAnswer(osc string) {
	colour, ok := strings.CutPrefix(osc, backgroundAnswer)
	if !ok {
		return
	}
	light, ok := isLight(colour)
	if !ok {
		return
	}
	select {
	case b.answer <- light:
	default:
	}
}

// isLight parses a colour ("rgb:ffff/ffff/ffff"), and reports whether dark text is easier to read
// on it than light text.
func isLight(colour string) (light, ok bool) {
	c := ansi.XParseColor(colour)
	if c == nil {
		return false, false
	}
	seen, _ := colorful.MakeColor(c)
	r, g, b := seen.LinearRgb()
	return 0.2126*r+0.7152*g+0.0722*b > 0.18, true // at 0.18, black and white text have the same contrast
}

// CopyThroughTerminal writes the sequence that copies a text to the terminal's clipboard (OSC 52).
// The sequence encodes the text as base64, so that the text cannot contain sequences.
func CopyThroughTerminal(screen io.Writer, text string) error {
	if len(text) > maxTerminalCopy {
		return fmt.Errorf("%d bytes cannot be copied, because terminals accept at most %d: use /export instead", len(text), maxTerminalCopy)
	}
	if _, err := io.WriteString(screen, ansi.SetSystemClipboard(text)); err != nil {
		return fmt.Errorf("writing to the terminal: %w", err)
	}
	return nil
}

// maxTerminalCopy is the maximum size in bytes of a text for CopyThroughTerminal. Its base64 has
// almost 100,000 bytes, the limit of xterm. Other terminals that support OSC 52 have no lower
// limit.
const maxTerminalCopy = 74994
