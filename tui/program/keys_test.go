//go:build !windows

package program

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

// typedText records typed text, and quits at Enter. At Ctrl+E it runs another program.
type typedText struct{ text strings.Builder }

func (k *typedText) Init() tea.Cmd { return nil }
func (k *typedText) View() string  { return k.text.String() }
func (k *typedText) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	press, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
	case press.Type == tea.KeyRunes || press.Type == tea.KeySpace:
		k.text.WriteString(string(press.Runes))
	case press.Type == tea.KeyCtrlE:
		return k, RunOutside(otherProgram{run: func() { k.text.WriteString("|") }}, func(error) tea.Msg { return nil })
	case press.Type == tea.KeyEnter:
		return k, tea.Quit
	}
	return k, nil
}

// otherProgram is a program that has the terminal for a moment.
type otherProgram struct {
	suspension
	run func()
}

func (o otherProgram) Run() error {
	o.run()
	return nil
}

// TestProgramLosesNoCharacter: many characters at once, cut ones, and those typed around another program.
func TestProgramLosesNoCharacter(t *testing.T) {
	t.Parallel()
	outside, inside, err := pty.Open()
	assert.NoError(t, err)
	defer func() { _, _ = outside.Close(), inside.Close() }()
	assert.NoError(t, pty.Setsize(inside, &pty.Winsize{Rows: 24, Cols: 80}))
	model := &typedText{}
	shown := make(chan string)
	go readShown(outside, shown)
	ended := make(chan error, 1)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	go func() { ended <- Run(ctx, Terminal{In: inside, Out: terminal.WatchTerminal(inside, nil)}, model) }()
	<-shown // The terminal is taken.
	many := "a" + strings.Repeat("é", 128) + strings.Repeat("漢😀", 300)
	for _, chunk := range []string{many, "gr\xc3", "\xbcn", "\x1b]11;rgb:0/0/0", "\x1b\\\x05", "\x1b[27;2;32~ü", "\r"} {
		assert.Value(outside.WriteString(chunk))(t)
		time.Sleep(30 * time.Millisecond)
	}
	assert.NoError(t, <-ended)
	if got, want := model.text.String(), many+"grün| ü"; got != want {
		t.Errorf("%d characters were typed, and not %d: it ends in %q", len([]rune(got)), len([]rune(want)), got[max(len(got)-20, 0):])
	}
}

// readShown reads what is shown; the first of it is handed on.
func readShown(from interface{ Read([]byte) (int, error) }, shown chan<- string) {
	buffer := make([]byte, 4096)
	for first := true; ; first = false {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if first {
			shown <- string(buffer[:n])
		}
	}
}
