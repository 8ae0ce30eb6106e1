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

const (
	backgroundQuestion = "\x1b]11;?\x1b\\"
	backgroundAnswer   = "11;"
	answerTimeout      = 2 * time.Second
)

// BackgroundQuestion asks a terminal for its background colour.
type BackgroundQuestion struct {
	answer chan bool
}

// NewBackgroundQuestion returns a BackgroundQuestion. AskTerminal sends the query.
func NewBackgroundQuestion() *BackgroundQuestion {
	return &BackgroundQuestion{answer: make(chan bool, 1)}
}

// AskTerminal sends the query to out and waits two seconds for TakeAnswer.
func (b *BackgroundQuestion) AskTerminal(ctx context.Context, out io.Writer) (light, ok bool) {
	if _, err := io.WriteString(out, backgroundQuestion); err != nil {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	select {
	case light = <-b.answer:
		return light, true
	case <-ctx.Done():
		return false, false
	}
}

// TakeAnswer handles the text of an OSC sequence. Only the first response to the query counts.
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

func isLight(colour string) (light, ok bool) {
	c := ansi.XParseColor(colour)
	if c == nil {
		return false, false
	}
	seen, _ := colorful.MakeColor(c)
	r, g, b := seen.LinearRgb()
	return 0.2126*r+0.7152*g+0.0722*b > 0.18, true // At 0.18, black and white have equal contrast.
}

// CopyThroughTerminal writes the sequence that copies a text to the clipboard (OSC 52).
func CopyThroughTerminal(screen io.Writer, text string) error {
	if len(text) > maxTerminalCopy {
		return fmt.Errorf("%d bytes cannot be copied, because terminals accept at most %d: use /export instead",
			len(text), maxTerminalCopy)
	}
	if _, err := io.WriteString(screen, ansi.SetSystemClipboard(text)); err != nil {
		return fmt.Errorf("writing to the terminal: %w", err)
	}
	return nil
}

// maxTerminalCopy is in bytes. The base64 fits the limit of xterm, 100,000 bytes.
const maxTerminalCopy = 74994
