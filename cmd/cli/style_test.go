package cli

import (
	"os"
	"testing"

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
