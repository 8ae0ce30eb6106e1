package cli

import (
	"encoding/json"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Pipeline runners execute commands in the output of a step. GitHub Actions executes :: at the
// start of a line, and ##[ anywhere. Azure Pipelines executes ##vso[, and TeamCity ##teamcity[.

// BreakCommands breaks runner commands with a space between colons, and before a bracket.
func BreakCommands(text string) string {
	if !strings.Contains(text, ":") && !strings.Contains(text, "##") {
		return text
	}
	var g commandGuard
	return g.breakText(text)
}

// A commandGuard is BreakCommands for text in pieces. The zero value expects the start of a line.
type commandGuard struct {
	inLine bool // the line contains a character other than white space
	colon  bool // that character is a colon, and the last character so far
	hashes int  // number of # so far, at most 2; letters after ## do not reset it
}

func (g *commandGuard) breakText(text string) string {
	if g.isHarmless(text) {
		*g = commandGuard{}
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if g.colon && r == ':' || g.hashes == 2 && r == '[' {
			b.WriteByte(' ')
		}
		b.WriteString(text[:size])
		text = text[size:]
		g.noteRune(r)
	}
	return b.String()
}

func (g *commandGuard) isHarmless(text string) bool {
	if g.colon || g.hashes > 0 || !strings.HasSuffix(text, "\n") {
		return false
	}
	return !strings.Contains(text, "::") && !strings.Contains(text, "##") && isPlain(text)
}

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

func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// EscapeCommands escapes runner commands in JSON. The values stay the same.
func EscapeCommands(text string) string {
	if !strings.Contains(text, "##") {
		return text
	}
	var g commandGuard
	return g.escapeText(text)
}

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

// JSONWriter returns a writer to stdout for JSON in pieces. It applies EscapeCommands.
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

// talkWriter guards stderr, because messages and server logs contain text from strangers.
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

// RawWriter returns stdout or stderr without a guard, for documents, pictures and child processes.
func RawWriter(w io.Writer) io.Writer {
	switch w := w.(type) {
	case *talkWriter:
		return w.under
	case *CheckedWriter:
		return rawOutput{w}
	}
	return w
}

// WriteDocument writes a document to stdout unchanged. Only runner commands in JSON are escaped.
func (s *Streams) WriteDocument(content []byte) error {
	if json.Valid(content) {
		content = []byte(EscapeCommands(string(content)))
	}
	_, err := RawWriter(s.Out).Write(content)
	return err
}

type rawOutput struct{ out *CheckedWriter }

func (w rawOutput) Write(p []byte) (int, error) {
	w.out.guard = commandGuard{inLine: len(p) > 0 && p[len(p)-1] != '\n'}
	n, err := w.out.Writer.Write(p)
	w.out.keepError(err)
	return n, err
}
