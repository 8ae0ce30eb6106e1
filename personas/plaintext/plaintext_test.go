package plaintext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/assert"
)

func TestClipWithin(t *testing.T) {
	for _, tt := range []struct {
		name, s string
		limit   int
		want    string
	}{
		{"empty", "", 3, ""},
		{"below the limit", "ab", 3, "ab"},
		{"at the limit", "abc", 3, "abc"},
		{"one past the limit", "abcd", 3, "ab…"},
		{"characters, not bytes, at the limit", "äöü", 3, "äöü"},
		{"characters, not bytes, one past it", "äöüß", 3, "äö…"},
		{"no space before the mark", "ab cdef", 4, "ab…"},
		{"limit 1", "abc", 1, "…"},
		{"limit 1 is kept by one character", "a", 1, "a"},
		{"limit 0 is 1", "abc", 0, "…"},
		{"a limit below nothing is 1", "abc", -5, "…"},
		{"nothing is never marked", "", -5, ""},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, ClipWithin(tt.s, tt.limit), tt.want) })
	}
}

func TestClipAfter(t *testing.T) {
	for _, tt := range []struct {
		name, s string
		kept    int
		mark    string
		want    string
	}{
		{"empty", "", 3, Ellipsis, ""},
		{"at the limit", "abc", 3, Ellipsis, "abc"},
		{"one past the limit", "abcd", 3, Ellipsis, "abc…"},
		{"dots", "abcd", 3, Dots, "abc..."},
		{"no mark", "abcd", 3, "", "abc"},
		{"spaces stay", "ab cd", 3, Ellipsis, "ab …"},
		{"characters, not bytes, at the limit", "äöü", 3, Ellipsis, "äöü"},
		{"characters, not bytes, one past it", "äöüß", 3, Ellipsis, "äöü…"},
		{"none kept", "abc", 0, Ellipsis, "…"},
		{"none kept of nothing", "", 0, Ellipsis, ""},
		{"fewer than none", "abc", -1, Ellipsis, "…"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, ClipAfter(tt.s, tt.kept, tt.mark), tt.want) })
	}
}

func TestJoinLines(t *testing.T) {
	for _, tt := range []struct{ name, s, want string }{
		{"empty", "", ""},
		{"one line", "a b", "a b"},
		{"lines", " a\r\n\tb \n\n c\u2028d ", "a b c d"},
		{"a space that does not break", "a\u00a0b", "a b"},
		{"control characters", "a\x00b\x1b[31mc\x7f", "a b [31mc"},
		{"no UTF-8", "a\xff\xfeb\ufffdc", "a\ufffdb\ufffdc"},
		{"joined letters stay", "نامه\u200cها 👩\u200d🚀", "نامه\u200cها 👩\u200d🚀"},
		{"nothing but space", " \n\t ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, JoinLines(tt.s), tt.want) })
	}
}

func TestKeepPrintable(t *testing.T) {
	for _, tt := range []struct{ name, s, want string }{
		{"letters and spaces", "a ä\n\t猫\u00a0", "a ä\n\t猫\u00a0"},
		{"turned writing", "a\u202eb\u2066c", "abc"},
		{"hidden in a key", "sk-\u200babc\u00addef", "sk-abcdef"},
		{"control characters", "a\x00\x1b[0m", "a[0m"},
		{"no UTF-8 becomes the character for it", "a\xff\xfe", "a\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, KeepPrintable(tt.s), tt.want) })
	}
}

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		want           int
	}{
		{"the same", "openai", "openai", 0},
		{"both empty", "", "", 0},
		{"from nothing", "", "abc", 3},
		{"to nothing", "abc", "", 3},
		{"added", "opnai", "openai", 1},
		{"dropped", "oppenai", "openai", 1},
		{"changed", "openei", "openai", 1},
		{"neighbours swapped", "opneai", "openai", 1},
		{"swapped over a letter", "cba", "abc", 2},
		{"a character of two bytes is one", "kafe", "kafé", 1},
		{"all of them", "kitten", "sitting", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, EditDistance(tt.from, tt.to), tt.want)
			assert.Equal(t, EditDistance(tt.to, tt.from), tt.want, "the other way")
		})
	}
}

func FuzzClip(f *testing.F) {
	for _, seed := range []string{"", "abc", "äöü ß", "a\xffb\xc3", "\ufffd  \n", "👩\u200d🚀"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		n %= 1 << 10
		got := ClipWithin(s, n)
		assert.True(t, utf8.RuneCountInString(got) <= max(n, 1), "ClipWithin(%q, %d) is %q", s, n, got)
		got = strings.TrimSuffix(ClipAfter(s, n, Ellipsis), Ellipsis)
		assert.True(t, utf8.RuneCountInString(got) <= max(n, 0) && strings.HasPrefix(s, got), "ClipAfter(%q, %d) is %q", s, n, got)
		line := JoinLines(s)
		assert.True(t, line == JoinLines(line) && !strings.ContainsAny(line, "\n\r\t") && utf8.ValidString(line), "JoinLines(%q) is %q", s, line)
		clean := KeepPrintable(s)
		assert.Equal(t, clean, KeepPrintable(clean), "KeepPrintable(%q)", s)
	})
}

func TestIsBlank(t *testing.T) {
	for _, blank := range []string{"", " \t\r\n", "\u00a0", "\u0085", "\u2003\u3000", "\u200b\u200d\u2060\ufeff", "\u00ad", "\u3164\u115f\uffa0", "\u2800", "\ufe0f", "\u202e\u2066", "\x00\x1b"} {
		assert.True(t, IsBlank(blank), "%q is not blank", blank)
	}
	for _, shown := range []string{"x", " é ", "👍🏽", "…", "\u0301", "\ufffd", "\ue000", "0", "\u200bx"} {
		assert.True(t, !IsBlank(shown), "%q is blank", shown)
	}
}
