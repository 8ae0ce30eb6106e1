package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"

	"github.com/parley-npc/parley/personas/assert"
)

// TestColorIsCheap: coloured words cost no layout each, and look as lipgloss draws them.
func TestColorIsCheap(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	for _, force := range []string{"1", "0"} {
		t.Setenv("CLICOLOR_FORCE", force)
		s := (&Streams{Lookup: os.LookupEnv}).NewStyle()
		for _, text := range []string{"", " ", "a", " a b ", "\u6f22\u5b57", "a\tb", "a\nbcd", "a\r\nb", "a\rb", "\x1b[1mb", "\u00a0"} {
			for _, code := range []string{"0", "1", "8", "15"} {
				want := s.Renderer.NewStyle().Foreground(lipgloss.Color(code)).Render(text)
				assert.Equal(t, s.Color(code, text), want, "%q in %s", text, code)
			}
		}
		n := testing.AllocsPerRun(100, func() { s.Color("1", "a word") })
		assert.True(t, n <= 6, "%v: %v allocations a word", force, n)
	}
}

// TestColorVariables: empty variables say nothing, and CLICOLOR_FORCE wins over CLICOLOR but not NO_COLOR.
func TestColorVariables(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variables           map[string]string
		onTerminal, inPipes bool
	}{
		{nil, true, false},
		{map[string]string{"NO_COLOR": ""}, true, false},
		{map[string]string{"NO_COLOR": "0"}, false, false},
		{map[string]string{"CLICOLOR": "0"}, false, false},
		{map[string]string{"CLICOLOR": ""}, true, false},
		{map[string]string{"CLICOLOR": "1"}, true, false},
		{map[string]string{"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, true, true},
		{map[string]string{"CLICOLOR": "0", "CLICOLOR_FORCE": "0"}, false, false},
		{map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, false, false},
		{map[string]string{"NO_COLOR": "", "CLICOLOR_FORCE": "1"}, true, true},
	} {
		s := &Streams{Lookup: func(name string) (string, bool) { v, ok := test.variables[name]; return v, ok }}
		assert.Equal(t, s.UsesColorOn(true), test.onTerminal, "%v on a terminal", test.variables)
		assert.Equal(t, s.UsesColorOn(false), test.inPipes, "%v in a pipe", test.variables)
	}
}

// breakRunes is breakText for one character at a time, without its fast path.
func breakRunes(g *commandGuard, text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if g.colon && r == ':' || g.hashes == 2 && r == '[' {
			b.WriteByte(' ')
		}
		b.WriteString(text[:size])
		g.noteRune(r)
		text = text[size:]
	}
	return b.String()
}

// TestCommandsInPieces: a text cut anywhere is broken as if character by character.
func TestCommandsInPieces(t *testing.T) {
	t.Parallel()
	parts := [...]string{":", "::", "#", "##", "##[", "[", " ", "\t", "\n", "\r", "\r\n", "a", "é", "\xff", "x:y", "::error::x", "{\"level\":\"INFO\"}\n"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var quick, slow commandGuard
		for range 1 + random.IntN(6) {
			var text strings.Builder
			for range random.IntN(5) {
				text.WriteString(parts[random.IntN(len(parts))])
			}
			before := slow
			want := breakRunes(&slow, text.String())
			got := quick.breakText(text.String())
			assert.Must(t, got == want && quick == slow, "%q after %+v: %q and %+v, want %q and %+v", text.String(), before, got, quick, want, slow)
		}
	}
}

// TestLogLineIsNotCopied: a log line, which a server writes for each response, is not copied.
func TestLogLineIsNotCopied(t *testing.T) {
	var under bytes.Buffer
	under.Grow(1 << 20)
	w, line := &talkWriter{under: &under}, []byte(strings.Repeat("x", 400)+"\n")
	n := testing.AllocsPerRun(1000, func() { _, _ = w.Write(line) })
	assert.True(t, n <= 1, "%v pieces of memory for a line", n)
}
