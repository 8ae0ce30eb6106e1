package cli

import (
	"encoding/json"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Pipeline runners execute commands in the output of a step. GitHub Actions and compatible runners
// execute a line that starts with ::, after any white space, and ##[ anywhere. Azure Pipelines also
// executes ##vso[, and TeamCity ##teamcity[. What parley writes to stdout and stderr passes through
// a commandGuard, which breaks such commands. Only output that must not change is written without a
// commandGuard, with RawWriter.

// BreakCommands changes text so that a runner does not execute commands in it. It inserts a space
// between the two colons and before the bracket.
func BreakCommands(text string) string {
	if !mayHoldCommand(text) {
		return text
	}
	var g commandGuard
	return g.breakText(text)
}

func mayHoldCommand(text string) bool {
	return strings.Contains(text, ":") || strings.Contains(text, "##")
}

// A commandGuard breaks commands in a text that is written in pieces. The zero commandGuard is at
// the start of a line.
type commandGuard struct {
	inLine bool // the line contains a character other than white space
	colon  bool // the only such character is a colon, the last character
	hashes int  // number of # before the next character, at most 2; letters may follow two
}

func (g *commandGuard) breakText(text string) string {
	if g.isHarmless(text) {
		*g = commandGuard{}
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if g.isCommand(r) {
			b.WriteByte(' ')
		}
		b.WriteString(text[:size])
		text = text[size:]
		g.noteRune(r)
	}
	return b.String()
}

// isCommand reports whether the next character completes the start of a command.
func (g *commandGuard) isCommand(next rune) bool {
	return g.colon && next == ':' || g.hashes == 2 && next == '['
}

// isHarmless reports whether a text ends its line and neither contains a command nor completes one.
// That is the case for almost all log lines.
func (g *commandGuard) isHarmless(text string) bool {
	return !g.colon && g.hashes == 0 && strings.HasSuffix(text, "\n") && !strings.Contains(text, "::") && !strings.Contains(text, "##") && isPlain(text)
}

// isPlain reports whether a text consists of visible ASCII characters, spaces, tabs and line
// breaks.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

func (g *commandGuard) noteRune(r rune) {
	switch {
	case isLineEnd(r):
		*g = commandGuard{}
	case unicode.IsControl(r) && r != '\t', unicode.Is(unicode.Cf, r):
		// Some runners ignore invisible characters.
	default:
		first := !g.inLine && !unicode.IsSpace(r)
		g.colon = first && r == ':'
		g.inLine = g.inLine || first
		switch {
		case r == '#':
			g.hashes = min(g.hashes+1, 2)
		case g.hashes == 2 && r < utf8.RuneSelf && unicode.IsLetter(r):
		default:
			g.hashes = 0
		}
	}
}

// isLineEnd reports whether some runner may start a new line after the character.
func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// EscapeCommands escapes the start of commands in JSON. The value stays the same, because commands
// occur only in strings.
func EscapeCommands(text string) string {
	if !strings.Contains(text, "##") {
		return text
	}
	var g commandGuard
	return g.escapeText(text)
}

// escapeText is like EscapeCommands for JSON that is written in pieces.
func (g *commandGuard) escapeText(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if g.hashes == 2 && r == '[' {
			b.WriteString(`\u005b`)
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
		g.noteRune(r)
	}
	return b.String()
}

// JSONWriter returns a writer to stdout for JSON that is written in pieces. It escapes as
// EscapeCommands does.
func JSONWriter(out *CheckedWriter) io.Writer { return &jsonOutput{out: rawOutput{out}} }

type jsonOutput struct {
	out   rawOutput
	guard commandGuard
}

func (w *jsonOutput) Write(p []byte) (int, error) {
	if _, err := w.out.Write([]byte(w.guard.escapeText(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// talkWriter is stderr, for messages and a server's log. Both often contain texts from others, so
// talkWriter breaks runner commands in them.
type talkWriter struct {
	under io.Writer
	lock  sync.Mutex
	guard commandGuard
}

func (w *talkWriter) Write(p []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if _, err := io.WriteString(w.under, w.guard.breakText(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// RawWriter returns the underlying writer of stdout or stderr. It is for output that must not
// change: output of child programs, reports for a runner, documents and pictures.
func RawWriter(w io.Writer) io.Writer {
	switch w := w.(type) {
	case *talkWriter:
		return w.under
	case *CheckedWriter:
		return rawOutput{w}
	}
	return w
}

// WriteDocument writes a document for a file or another program to stdout. It escapes runner
// commands in JSON, which does not change the values. It writes other documents unchanged.
func (s *Streams) WriteDocument(content []byte) error {
	if json.Valid(content) {
		content = []byte(EscapeCommands(string(content)))
	}
	_, err := RawWriter(s.Out).Write(content)
	return err
}

// rawOutput writes to stdout without a commandGuard and stores the first error.
type rawOutput struct{ out *CheckedWriter }

func (w rawOutput) Write(p []byte) (int, error) {
	w.out.guard = commandGuard{inLine: len(p) > 0 && p[len(p)-1] != '\n'}
	n, err := w.out.Writer.Write(p)
	w.out.keepError(err)
	return n, err
}
