// Package tuitest contains test data for the packages of the chat. A fake service runs in memory,
// and the texts are difficult for a terminal. Only tests import the package.
package tuitest

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

type hostileText struct{ Name, Text, Line, Lines string }

// Hostile contains texts with control sequences, and the expected results of Clean and CleanLines.
var Hostile = []hostileText{
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

// Awkward contains texts with a difficult layout, such as wide or right-to-left characters.
var Awkward = []string{
	"日本語の文章は折り返しが必要です。", "👩‍👩‍👧‍👦👩‍🚀🏳️‍🌈🇩🇪👍🏽", "é̂ạ̈ Z͑͗a̵l̷g̶o̸", "שלום עולם, mixed עברית text", "مرحبا بالعالم",
	strings.Repeat("x", 400), "नमस्ते दुनिया", "**bold** *it* `co de` [l](http://x.test)", "- a\n- b\n  1. c\n\n> q\n> > r\n\n```\ncode\n```", "", " ", "\n\n\n", "한국어 텍스트",
}

// Mixed returns a random text made of pieces of Hostile and Awkward.
func Mixed(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(8) {
		if r.IntN(3) == 0 {
			b.WriteString(Hostile[r.IntN(len(Hostile))].Text)
		} else {
			b.WriteString(Awkward[r.IntN(len(Awkward))])
		}
		b.WriteString([]string{" ", "\n", "\n\n", ""}[r.IntN(4)])
	}
	return b.String()
}

// Foreign returns the first control character or sequence that Parley does not write itself.
func Foreign(line string, obeyed func(rune) bool) string {
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		if r != '\x1b' {
			if obeyed(r) || r == utf8.RuneError && n == 1 {
				return line[i : i+n]
			}
			i += n
			continue
		}
		end := i + 1
		for end < len(line) && strings.IndexByte("[0123456789;", line[end]) >= 0 {
			end++
		}
		if end == len(line) || !strings.HasPrefix(line[i:], "\x1b[") || strings.IndexByte("mKG", line[end]) < 0 {
			return line[i:min(end+1, len(line))]
		}
		i = end + 1
	}
	return ""
}
