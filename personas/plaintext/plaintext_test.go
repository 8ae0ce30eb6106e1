package plaintext

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/assert"
)

// TestClip: the limits count characters, and a text that is clipped within a limit loses a space at its end.
func TestClip(t *testing.T) {
	for _, tt := range []struct {
		s             string
		limit         int
		within, after string
	}{
		{"", 3, "", ""}, {"", -5, "", ""}, {"abc", 3, "abc", "abc"}, {"abcd", 3, "ab…", "abc…"}, {"äöü", 3, "äöü", "äöü"}, {"äöüß", 3, "äö…", "äöü…"},
		{"ab cdef", 4, "ab…", "ab c…"}, {"abc", 1, "…", "a…"}, {"a", 1, "a", "a"}, {"abc", 0, "…", "…"}, {"abc", -5, "…", "…"},
	} {
		assert.Equal(t, ClipWithin(tt.s, tt.limit), tt.within, "%q within %d", tt.s, tt.limit)
		assert.Equal(t, ClipAfter(tt.s, tt.limit, Ellipsis), tt.after, "%q after %d", tt.s, tt.limit)
	}
	assert.Equal(t, ClipAfter("abcd", 3, Dots), "abc...")
}

func TestJoinLines(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "a b": "a b", " a\r\n\tb \n\n c\u2028d ": "a b c d", "a\u00a0b": "a b", "a\x00b\x1b[31mc\x7f": "a b [31mc",
		"a\xff\xfeb\ufffdc": "a\ufffdb\ufffdc", "نامه\u200cها 👩\u200d🚀": "نامه\u200cها 👩\u200d🚀", " \n\t ": "",
	} {
		assert.Equal(t, JoinLines(s), want)
	}
}

func TestKeepPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"a ä\n\t猫\u00a0": "a ä\n\t猫\u00a0", "a\u202eb\u2066c": "abc", "sk-\u200babc\u00addef": "sk-abcdef", "a\x00\x1b[0m": "a[0m", "a\xff\xfe": "a\ufffd",
	} {
		assert.Equal(t, KeepPrintable(s), want)
	}
}

func TestEditDistance(t *testing.T) {
	for words, want := range map[[2]string]int{
		{"openai", "openai"}: 0, {"", "abc"}: 3, {"opnai", "openai"}: 1, {"openei", "openai"}: 1, {"opneai", "openai"}: 1,
		{"cba", "abc"}: 2, {"kafe", "kafé"}: 1, {"kitten", "sitting"}: 3,
	} {
		assert.Equal(t, EditDistance(words[0], words[1]), want, words)
		assert.Equal(t, EditDistance(words[1], words[0]), want, words)
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
		assert.Equal(t, line, JoinLines(line))
		assert.True(t, !strings.ContainsAny(line, "\n\r\t"), "JoinLines(%q) is %q", s, line)
		assert.True(t, utf8.ValidString(line), "JoinLines(%q) is %q", s, line)
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

func TestSameName(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"Zo\u00eb", "Zoe\u0308", true},
		{"ZO\u00cb", "zoe\u0308", true},
		{" Biscuit\n", "biscuit", true},
		{"\uac00", "\u1100\u1161", true}, // Hangul as a syllable and as letters
		{"Zoe", "Zo\u00eb", false},
		{"a", "", false},
		{"", " ", true},
	}
	for _, test := range tests {
		assert.Equal(t, SameName(test.a, test.b), test.want, "SameName(%q, %q)", test.a, test.b)
	}
}

func FuzzFoldName(f *testing.F) {
	for _, seed := range []string{"", "Zoe\u0308", "\u0130stanbul", "\xff", "\u1100\u1161"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		once := FoldName(name)
		assert.Equal(t, FoldName(once), once, "FoldName(%q)", name)
	})
}

// TestIgnorableRangesAreOrdered: the ranges are in order, so that a binary search finds everything.
func TestIgnorableRangesAreOrdered(t *testing.T) {
	last := rune(0x9f)
	for _, span := range ignorable {
		assert.True(t, span[0] > last && span[1] >= span[0], "%x is out of order", span)
		for _, r := range span {
			assert.True(t, IsObeyed(r), "%x is let through", r)
		}
		assert.True(t, (!IsObeyed(span[0]-1) || span[0]-1 == last) && !IsObeyed(span[1]+1), "the neighbours of %x are kept out", span)
		last = span[1]
	}
}

// TestWordsOfWindows: paths are unchanged and quotes doubled, including the typographic ones of PowerShell.
func TestWordsOfWindows(t *testing.T) {
	for word, want := range map[string]string{
		`C:\Users\ann\a.yaml`: `C:\Users\ann\a.yaml`, `C:\My Files\a.yaml`: `'C:\My Files\a.yaml'`, "it's": "'it''s'",
		"a’; calc; ’": "'a’’; calc; ’’'", "$(calc)": "'$(calc)'", "": "''",
	} {
		assert.Equal(t, quoteWord(word, true), want, word)
	}
}

func TestRedactUser(t *testing.T) {
	for address, want := range map[string]string{
		"http://ann:hush@h/x":           "http://h/x",
		"http://ann@h":                  "http://h",
		"http://ann:hu@sh@h:80":         "http://h:80",
		"http://ann:hush@ho st":         "http://ho st",
		"ann:hush@h":                    "h",
		"https://h/a@b":                 "https://h/a@b",
		"http://h/?to=a@b":              "http://h/?to=a@b",
		"http://127.0.0.1:80/?to=a@b":   "http://127.0.0.1:80/?to=a@b",
		"http://localhost:8787/a@b":     "http://localhost:8787/a@b",
		"http://[::1]:8787/a@b":         "http://[::1]:8787/a@b",
		"ann@example.com":               "ann@example.com",
		"127.0.0.1:8787":                "127.0.0.1:8787",
		"":                              "",
		"http://ann:hu sh@h":            "http://h",
		"http://ann:hu?sh@h":            "http://h",
		"http://ann:it's@h":             "http://h",
		`http://ann:hu"sh@h`:            "http://h",
		"http://ann:hu/sh@h":            "http://h",
		"http://ann:80/sh@h":            "http://h",
		"http://CORP/ann:hush@h:80":     "http://h:80",
		"https:/ann:hush@h":             "https:/h",
		"https:///ann:hush@h":           "https:///h",
		`http:\\ann:hush@h`:             `http:\\h`,
		"ann:hu/sh@h":                   "h",
		"ann:hu//sh@h":                  "h",
		"ann:hush@h:80":                 "h:80",
		"http://ann:hush@h/a@b":         "http://b",
		" http://ann:hush@h":            " http://h",
		"postgres://ann:hush@h/db?a=b":  "postgres://h/db?a=b",
		"socks5://ann:hush@h":           "socks5://h",
		"postgres://ann:hu/sh@h:1/db":   "postgres://h:1/db",
		"http://ann:hu http://sh@h/x?a": "http://h/x?a",
	} {
		assert.Equal(t, RedactUser(address), want, "RedactUser(%q)", address)
	}
}

func TestRedactText(t *testing.T) {
	for text, want := range map[string]string{
		`GET "http://ann:hu sh@h/x": refused`:         `GET "http://h/x": refused`,
		`GET "http://ann:hu\"sh@h/x": refused`:        `GET "http://h/x": refused`,
		`GET "http://ann:hu /sh@h/x": refused`:        `GET "http://h/x": refused`,
		"GET http://ann:hush@h: ask a@b":              "GET http://h: ask a@b",
		"GET http://ann:hu/sh@h: ask a@b":             "GET http://h: ask a@b",
		"http://ann:hush@h and https://bob:hush@i:80": "http://h and https://i:80",
		"http://h:80 does not know a@b":               "http://h:80 does not know a@b",
		"see http://h and ask a@b":                    "see http://h and ask a@b",
		`server "ann:hu/sh@h": bad`:                   `server "h": bad`,
		"file ann:hu/sh@h: not found":                 "file h: not found",
		`--jq "{a:.b|@base64": bad`:                   `--jq "{a:.b|@base64": bad`,
		"list personas: mail a@b":                     "list personas: mail a@b",
		`the reply lacks "Mail: ask a@b"`:             `the reply lacks "Mail: ask a@b"`,
	} {
		assert.Equal(t, RedactText(text), want, "RedactText(%q)", text)
	}
}

// FuzzRedactUser: no address keeps any part of its name or password, alone or in a message, and a text without an @
// does not change.
func FuzzRedactUser(f *testing.F) {
	f.Add("GET ", "ann", "hush", ": refused")
	f.Add(`"`, "ann", "hu sh", `": refused`)
	f.Add("", "", "x", "")
	f.Add("", "kim", "pa/ss/w@rd", "/x")
	f.Add("GET ", "CORP/kim", "80/ss//wrd", " failed")
	f.Fuzz(func(t *testing.T, before, name, password, after string) {
		if got := RedactText(before); !strings.Contains(before, "@") && got != before {
			t.Errorf("%q became %q", before, got)
		}
		login := strings.TrimLeft(name, `/\`) + ":" + password + "@"
		host, _, _ := strings.Cut(strings.Replace(login, "localhost:", "127.0.0.1:", 1), "/")
		if _, err := netip.ParseAddrPort(host); err == nil || strings.ContainsAny(before, `"@`) || strings.Contains(after, "@") {
			return
		}
		for _, scheme := range []string{"http://", "https:/", "//", ""} {
			if scheme == "" && (schemeStart().MatchString(login) || strings.ContainsAny(name, "{[(|")) {
				continue
			}
			assert.Equal(t, RedactUser(scheme+login+"h"+after), scheme+"h"+after)
			if !strings.ContainsAny(login, "\" \t\n\f\r") {
				assert.Equal(t, RedactText(before+" "+scheme+login+"h"+after), before+" "+scheme+"h"+after)
			}
		}
		quoted := fmt.Sprintf("%s %q%s", before, "http://"+login+"h", after)
		assert.Equal(t, RedactText(quoted), before+` "http://h"`+after)
	})
}
