package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/tuitest"
)

// TestClustersStayWhole: emoji and marks are never cut, and lines fit unless a single character does not.
func TestClustersStayWhole(t *testing.T) {
	for _, text := range append(tuitest.Awkward[:7:7], "1️⃣2️⃣3️⃣ cafe\u0301 "+strings.Repeat("e\u0301", 30), "a "+strings.Repeat("Z\u0351\u0357", 40)) {
		whole := map[string]bool{"…": true}
		for _, c := range clusters(text) {
			whole[c] = true
		}
		for width := 1; width < 30; width++ {
			for _, line := range append(WrapText(text, width), CutToWidth(text, width)) {
				parts := clusters(line)
				for _, part := range parts {
					assert.Must(t, whole[part], "%q at %d cells has %q of %q", line, width, part, text)
				}
				assert.Must(t, ansi.StringWidth(line) <= width || len(parts) <= 1, "%q is wider than %d", line, width)
			}
		}
	}
}

func clusters(s string) (list []string) {
	for s != "" {
		c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		list, s = append(list, c), s[len(c):]
	}
	return list
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two", 3, []string{"one", "two"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"a abcdefgh", 4, []string{"a", "abcd", "efgh"}},
		{"  in", 9, []string{"  in"}},
		{"a\n\nb", 9, []string{"a", "", "b"}},
		{"well-known word", 6, []string{"well-", "known", "word"}},
		{"by --judge", 6, []string{"by", "--judg", "e"}},
		{"by --judge", 7, []string{"by", "--judge"}},
		{"日本語の文", 5, []string{"日本", "語の", "文"}},
		{"ab日本", 5, []string{"ab日", "本"}},
		{"tail   ", 9, []string{"tail   "}},
		{"tail   ", 5, []string{"tail"}},
		{"          deep", 5, []string{"", "deep"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			assert.EqualSlices(t, WrapText(c.text, c.width), c.want, "wrap(%q, %d)", c.text, c.width)
		})
	}
}

// FuzzWrap: nothing but spaces at breaks is lost, and lines are not too wide.
func FuzzWrap(f *testing.F) {
	for _, text := range tuitest.Awkward {
		f.Add(text, 7)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		text, width = CleanLines(text), 2+max(width, -width)%100
		lines := WrapText(text, width)
		bare := func(s string) string { return strings.NewReplacer(" ", "", "\n", "", "\u2011", "-").Replace(s) }
		assert.Equal(t, bare(strings.Join(lines, "")), bare(text), "wrap(%q, %d) lost something: %q", text, width, lines)
		for _, line := range lines {
			assert.True(t, ansi.StringWidth(line) <= width || len(clusters(line)) <= 1,
				"%q of %q is wider than %d", line, text, width)
		}
	})
}

func TestRightToLeft(t *testing.T) {
	for line, want := range map[string]string{
		"plain ▎ line": "plain ▎ line", "שלום": "\u200eשלום\u200e", "a مرحبا": "\u200ea مرحبا\u200e", "日本": "日本", "x\u200fy": "\u200ex\u200fy\u200e",
	} {
		t.Run(line, func(t *testing.T) {
			got := keepOrder(line)
			assert.Equal(t, got, want)
			assert.Equal(t, keepOrder(got), got, "keepOrder is not stable on")
		})
	}
}

func TestApart(t *testing.T) {
	cases := []struct {
		left, right string
		width       int
		want        string
	}{
		{"ab", "cd", 8, "ab    cd"},
		{"ab", "cd", 6, "ab  cd"},
		{"ab", "cd", 5, "ab"},
		{"abcdef", "x", 4, "abc…"},
		{"日本", "x", 3, "日…"},
		{"abc", "", 0, ""},
	}
	for _, c := range cases {
		t.Run(c.left, func(t *testing.T) {
			assert.Equal(t, PlaceApart(c.left, c.right, c.width), c.want, "apart(%q, %q, %d)", c.left, c.right, c.width)
		})
	}
}
