package terminal

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/tuitest"
)

func TestClean(t *testing.T) {
	for _, c := range tuitest.Hostile {
		assert.Equal(t, Clean(c.Text), c.Line, "%s: Clean", c.Name)
		assert.Equal(t, CleanLines(c.Text), c.Lines, "%s: CleanLines", c.Name)
	}
}

func FuzzClean(f *testing.F) {
	for _, c := range tuitest.Hostile {
		f.Add(c.Text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, lines := Clean(s), CleanLines(s)
		assert.True(t, !strings.ContainsAny(line, "\n\t"), "%q has line ends or tabs left", s)
		assert.NotContains(t, lines, "\t")
		for _, shown := range []string{line, strings.ReplaceAll(lines, "\n", "")} {
			assert.True(t, utf8.ValidString(shown), "Clean(%q) = %q", s, shown)
			assert.True(t, !strings.ContainsFunc(shown, IsObeyed), "Clean(%q) = %q", s, shown)
			assert.Equal(t, Clean(shown), shown, "Clean is not stable on")
		}
	})
}

// TestCleaner cuts every hostile text, all of them in one, into pieces of one to five bytes and at each single place.
func TestCleaner(t *testing.T) {
	var all strings.Builder
	for _, c := range tuitest.Hostile {
		all.WriteString(c.Text + "\r\n")
	}
	text := all.String() + "\r"
	whole := CleanLines(text)
	joined := func(pieces ...string) string {
		var c Cleaner
		var b strings.Builder
		for _, piece := range pieces {
			b.WriteString(c.Add(piece))
		}
		return b.String() + c.End()
	}
	for size := 1; size <= 5; size++ {
		var pieces []string
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			pieces = append(pieces, rest[:min(size, len(rest))])
		}
		assert.Equal(t, joined(pieces...), whole, "in pieces of %d", size)
	}
	for i := range text {
		assert.Equal(t, joined(text[:i], text[i:]), whole, "cut at %d", i)
	}
	var c Cleaner
	assert.Equal(t, c.Add("at once \u00e9"), "at once \u00e9", "a whole text is held back")
}

// Pasted text reaches the terminal without control characters.
func TestTypable(t *testing.T) {
	for _, h := range tuitest.Hostile {
		got := CleanInput(h.Text)
		assert.True(t, !strings.ContainsFunc(strings.ReplaceAll(got, "\n", ""), IsObeyed), "%s: %q", h.Name, got)
	}
	assert.Equal(t, CleanInput("a\tb\r\nc\rd\u2028e\x1b[31mf\xff"), "a    b\nc\nd\ne[31mf")
}

// TestCopyThroughTerminal: the terminal gets the text as base64, and no text that is too long.
func TestCopyThroughTerminal(t *testing.T) {
	var out bytes.Buffer
	assert.NoError(t, CopyThroughTerminal(&out, "hi\x1b"))
	assert.Equal(t, out.String(), "\x1b]52;c;aGkb\a")
	out.Reset()
	assert.NoError(t, CopyThroughTerminal(&out, strings.Repeat("x", maxTerminalCopy)))
	n := out.Len() - len("\x1b]52;c;\a")
	assert.True(t, n <= 100000, "%d bytes of base64", n)
	out.Reset()
	err := CopyThroughTerminal(&out, strings.Repeat("x", maxTerminalCopy+1))
	assert.ErrorContains(t, err, "74995 bytes cannot be copied", "one byte more")
	assert.Equal(t, out.Len(), 0, "bytes written")
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"} {
		assert.Equal(t, GroupThousands(n), want, n)
	}
}
