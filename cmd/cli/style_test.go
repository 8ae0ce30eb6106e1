package cli

import (
	"os"
	"testing"

	"github.com/charmbracelet/lipgloss"
)

// A report of a hundred thousand coloured words must not cost a layout each: what is
// one line is coloured directly, and looks as lipgloss draws it.
func TestColorIsCheap(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	for _, force := range []string{"1", "0"} {
		t.Setenv("CLICOLOR_FORCE", force)
		s := (&Streams{Lookup: os.LookupEnv}).NewStyle()
		for _, text := range []string{"", " ", "a", " a b ", "\u6f22\u5b57", "a\tb", "a\nbcd", "a\r\nb", "a\rb", "\x1b[1mb", "\u00a0"} {
			for _, code := range []string{"0", "1", "8", "15"} {
				want := s.Renderer.NewStyle().Foreground(lipgloss.Color(code)).Render(text)
				if got := s.Color(code, text); got != want {
					t.Errorf("%q in %s: %q, want %q", text, code, got, want)
				}
			}
		}
		if n := testing.AllocsPerRun(100, func() { s.Color("1", "a word") }); n > 6 {
			t.Errorf("%v: %v allocations a word", force, n)
		}
	}
}
