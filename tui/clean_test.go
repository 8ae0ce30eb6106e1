package tui

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile is a corpus of texts that want something from a terminal, with what
// is to be shown instead.
var hostile = []struct{ name, text, line, lines string }{
	{"plain", "Hello.", "Hello.", "Hello."},
	{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m", "␛[31mred␛[0m"},
	{"clear", "\x1b[2J\x1b[H", "␛[2J␛[H", "␛[2J␛[H"},
	{"title", "\x1b]0;owned\a", "␛]0;owned␇", "␛]0;owned␇"},
	{"clipboard", "\x1b]52;c;cm0=\x1b\\", "␛]52;c;cm0=␛\\", "␛]52;c;cm0=␛\\"},
	{"link", "\x1b]8;;http://x\x1b\\y", "␛]8;;http://x␛\\y", "␛]8;;http://x␛\\y"},
	{"device control", "\x1bP$q\x1b\\", "␛P$q␛\\", "␛P$q␛\\"},
	{"one byte CSI", "a\u009b2Jb", `a\x9b2Jb`, `a\x9b2Jb`},
	{"raw one byte CSI", "a\x9b2Jb", "a\uFFFD2Jb", "a\uFFFD2Jb"},
	{"one byte OSC", "\u009d0;x\u009c", `\x9d0;x\x9c`, `\x9d0;x\x9c`},
	{"bell and backspace", "a\a\b\x00\x7f", "a␇␈␀␡", "a␇␈␀␡"},
	{"line ends", "a\r\nb\nc\rd", "a b c␍d", "a\nb\nc␍d"},
	{"tabs and feeds", "a\tb\v\f", "a b␋␌", "a    b␋␌"},
	{"separators", "a\u2028b\u2029c\u0085d", `a b c\x85d`, "a\nb\nc\\x85d"},
	{"override", "\u202egnp.exe", `\u202egnp.exe`, `\u202egnp.exe`},
	{"isolate", "\u2067x\u2069", `\u2067x\u2069`, `\u2067x\u2069`},
	{"hidden", "a\u200bb\u2060c\ufeffd", `a\u200bb\u2060c\ufeffd`, `a\u200bb\u2060c\ufeffd`},
	{"shift out", "\x0e\x0f", "␎␏", "␎␏"},
	{"broken", "a\xffb\xc3", "a\uFFFDb\uFFFD", "a\uFFFDb\uFFFD"},
	{"tags", "🏴\U000e0067\U000e0062\U000e007f hi\U000e0001", `🏴\U000e0067\U000e0062\U000e007f hi\U000e0001`, `🏴\U000e0067\U000e0062\U000e007f hi\U000e0001`},
	{"more direction", "a\u061cb\u2066c\u2069", `a\u061cb\u2066c\u2069`, `a\u061cb\u2066c\u2069`},
	{"unseen", "a\u00adb\u180ec\u3164d\u2063e\U000e01f0", `a\xadb\u180ec\u3164d\u2063e\U000e01f0`, `a\xadb\u180ec\u3164d\u2063e\U000e01f0`},
	{"kept by scripts", "葛\U000e0100 \u200dक्\u200cष ❤\ufe0f \u200e\u200f ᠠ\u180b", "葛\U000e0100 \u200dक्\u200cष ❤\ufe0f \u200e\u200f ᠠ\u180b", "葛\U000e0100 \u200dक्\u200cष ❤\ufe0f \u200e\u200f ᠠ\u180b"},
	{"kept", "שלום 👩\u200d🚀 é Ж", "שלום 👩\u200d🚀 é Ж", "שלום 👩\u200d🚀 é Ж"},
}

func TestClean(t *testing.T) {
	for _, c := range hostile {
		if got := Clean(c.text); got != c.line {
			t.Errorf("%s: Clean = %q, want %q", c.name, got, c.line)
		}
		if got := CleanLines(c.text); got != c.lines {
			t.Errorf("%s: CleanLines = %q, want %q", c.name, got, c.lines)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, lines := Clean(s), CleanLines(s)
		if strings.ContainsAny(line, "\n\t") || strings.ContainsRune(lines, '\t') {
			t.Errorf("%q has line ends or tabs left", s)
		}
		for _, shown := range []string{line, strings.ReplaceAll(lines, "\n", "")} {
			if !utf8.ValidString(shown) || strings.ContainsFunc(shown, isObeyed) {
				t.Errorf("Clean(%q) = %q", s, shown)
			}
			if Clean(shown) != shown {
				t.Errorf("Clean is not stable on %q", shown)
			}
		}
	})
}

// TestCleaner cuts every hostile text, all of them in one, into pieces of one to
// five bytes and at each single place.
func TestCleaner(t *testing.T) {
	var all strings.Builder
	for _, c := range hostile {
		all.WriteString(c.text + "\r\n")
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
		if got := joined(pieces...); got != whole {
			t.Errorf("in pieces of %d: %q, want %q", size, got, whole)
		}
	}
	for i := range text {
		if got := joined(text[:i], text[i:]); got != whole {
			t.Errorf("cut at %d: %q, want %q", i, got, whole)
		}
	}
	var c Cleaner
	if got := c.Add("at once \u00e9"); got != "at once \u00e9" {
		t.Errorf("a whole text is held back: %q", got)
	}
}

// The spans are in order, so that looking into them by halves finds everything.
func TestUnseen(t *testing.T) {
	last := rune(0x9f)
	for _, span := range ignorable {
		if span[0] <= last || span[1] < span[0] {
			t.Errorf("%x is out of order", span)
		}
		for _, r := range span {
			if !isObeyed(r) {
				t.Errorf("%x is let through", r)
			}
		}
		if isObeyed(span[0]-1) && span[0]-1 != last || isObeyed(span[1]+1) {
			t.Errorf("the neighbours of %x are kept out", span)
		}
		last = span[1]
	}
}
