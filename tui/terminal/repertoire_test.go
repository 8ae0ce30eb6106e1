package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/tuitest"
)

func TestPairsAreComplete(t *testing.T) {
	assert.Equal(t, len([]rune(drawn)), len(inASCII), "runes")
	for _, r := range drawn {
		assert.Equal(t, ansi.StringWidth(string(r)), 1, "%q is not one cell wide", r)
	}
}

func TestLimitText(t *testing.T) {
	for _, c := range []struct{ text, plain, ascii string }{
		{"a\nb", "a\nb", "a\nb"},
		{"\x1b[1m● Hall…\x1b[0m", "\x1b[1m* Hall~\x1b[0m", "\x1b[1m* Hall~\x1b[0m"},
		{"“Crème brûlée”", "\"Crème brûlée\"", `"Cr?me br?l?e"`},
		{"cafe\u0301!", "cafe\u0301!", "cafe!"},
		{"日本 👩‍👩‍👧 x", "日本 👩‍👩‍👧 x", "???? ?? x"},
		{"\u200eשלום\u200e", "\u200eשלום\u200e", "????"},
		{"", "", ""}, {"é", "é", "?"}, {"aé", "aé", "a?"},
	} {
		assert.Equal(t, AllRunes.LimitText(c.text), c.text, "a terminal with all runes shows")
		assert.Equal(t, PlainSigns.LimitText(c.text), c.plain, "plain signs")
		assert.Equal(t, OnlyASCII.LimitText(c.text), c.ascii, "only ASCII")
	}
}

// TestLimitKeepsWidth: any text of a service keeps its width and becomes ASCII.
func TestLimitKeepsWidth(t *testing.T) {
	for _, h := range tuitest.Hostile {
		for line := range strings.SplitSeq(CleanLines(h.Text), "\n") {
			got := OnlyASCII.LimitText(line)
			assert.True(t, !strings.ContainsFunc(got, func(r rune) bool { return r > '~' }), "%q became %q", line, got)
			assert.Equal(t, ansi.StringWidth(got), ansi.StringWidth(line), "%q became %q", line, got)
		}
	}
}

// A writer gets a character in two pieces and writes it once.
func TestLimitWriter(t *testing.T) {
	var b strings.Builder
	w := OnlyASCII.LimitWriter(&b)
	for _, piece := range []string{"caf\xc3", "\xa9 \xe2", "\x80", "\xa6\r", "\n日"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	assert.Equal(t, b.String(), "caf? ~\r\n??")
}
