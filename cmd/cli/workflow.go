package cli

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The runner of GitHub Actions obeys a line of a step's output that begins with ::, after
// any space, and ##[ anywhere in it (docs/decisions/cmd.md, workflow-commands).

// BreakCommands gives a text of which such a runner obeys nothing: a space stands between
// the two colons and before the bracket.
func BreakCommands(text string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##[") {
		return text
	}
	var g commandGuard
	return g.breakText(text)
}

// commandGuard breaks commands in a text that comes in pieces. The zero commandGuard
// stands at the beginning of a line.
type commandGuard struct {
	inLine bool // something but spaces stands in this line
	colon  bool // that something is one colon, the last character
	hashes int  // how many # are the last characters, at most 2
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

// isHarmless reports whether a text ends its line and neither has a command nor ends one that
// has begun, as almost all lines of a log.
func (g *commandGuard) isHarmless(text string) bool {
	return !g.colon && g.hashes == 0 && strings.HasSuffix(text, "\n") && !strings.Contains(text, "::") && !strings.Contains(text, "##[")
}

func (g *commandGuard) noteRune(r rune) {
	first := !g.inLine && !unicode.IsSpace(r)
	g.colon = first && r == ':'
	g.inLine = (g.inLine || first) && r != '\n' && r != '\r'
	if r == '#' {
		g.hashes = min(g.hashes+1, 2)
	} else {
		g.hashes = 0
	}
}

// talkWriter is stderr. All that this program says there is for people, and much of it
// repeats what others have written. A server writes its log there meanwhile.
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

// RawWriter gives what is below a stream of messages, for processes that are started and
// for reports that are meant for a runner.
func RawWriter(w io.Writer) io.Writer {
	if talk, ok := w.(*talkWriter); ok {
		return talk.under
	}
	return w
}
