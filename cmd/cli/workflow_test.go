package cli

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/assert"
)

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
