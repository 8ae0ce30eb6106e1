package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/tuitest"
	"github.com/parley-npc/parley/tui/tuitest/memory"
)

// driver presses keys on the real router and runs its commands one by one, so
// that a screen can be looked at before and after an answer.
type driver struct {
	t       testing.TB
	root    *root
	service *tuitest.Service
	notes   memory.Notebook
	due     []tea.Cmd
	now     time.Time
}

func newDriver(t testing.TB, change func(*Options)) *driver {
	d := &driver{t: t, service: tuitest.NewService(), notes: memory.Notebook{}, now: time.Unix(0, 0)}
	opts := d.options()
	if change != nil {
		change(&opts)
	}
	e := newEnv(t.Context(), opts.withDefaults())
	e.after = func(time.Duration, tea.Msg) tea.Cmd {
		return nil
	}
	d.root = newRoot(e)
	d.due = append(d.due, d.root.Init())
	d.Resize(80, 24)
	return d
}

func (d *driver) options() Options {
	return Options{
		Options: conversation.Options{
			Service: d.service, Memory: d.notes, NewID: func() string { return "u-1" }, Now: func() time.Time { return d.now },
		},
		In: strings.NewReader(""), Out: &bytes.Buffer{},
	}
}

// playing returns a driver with an open chat with Mira.
func playing(t testing.TB) *driver {
	d := newDriver(t, asAlex)
	d.settle()
	return d
}

func asAlex(o *Options) { o.Persona, o.PlayerName, o.PlayerGender = "mira", "Alex", "female" }

func (d *driver) Resize(w, h int) { d.send(tea.WindowSizeMsg{Width: w, Height: h}) }

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.root.Update(msg)
	d.due = append(d.due, cmd)
}

func (d *driver) settle() *driver {
	for len(d.due) > 0 {
		cmd := d.due[0]
		d.due = d.due[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			d.due = append(d.due, msg...)
		default:
			d.send(msg)
		}
	}
	return d
}

func (d *driver) press(keys ...string) *driver {
	special := map[string]tea.KeyType{
		"enter": tea.KeyEnter, "esc": tea.KeyEsc,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "home": tea.KeyHome, "end": tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "ctrl+home": tea.KeyCtrlHome, "ctrl+end": tea.KeyCtrlEnd, "ctrl+j": tea.KeyCtrlJ,
		"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "F6": tea.KeyF6, "f7": tea.KeyF7,
		"ctrl+c": tea.KeyCtrlC, "ctrl+d": tea.KeyCtrlD, "ctrl+u": tea.KeyCtrlU,
		"ctrl+p": tea.KeyCtrlP, "ctrl+s": tea.KeyCtrlS, "ctrl+r": tea.KeyCtrlR, "ctrl+o": tea.KeyCtrlO, "ctrl+y": tea.KeyCtrlY, "tab": tea.KeyTab,
		"ctrl+t": tea.KeyCtrlT, "ctrl+x": tea.KeyCtrlX, "ctrl+n": tea.KeyCtrlN, "backspace": tea.KeyBackspace,
	}
	for _, k := range keys {
		if kind, ok := special[k]; ok {
			d.send(tea.KeyMsg{Type: kind})
			continue
		}
		for _, r := range k {
			d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		}
	}
	return d
}

func (d *driver) say(messages ...string) *driver {
	for _, m := range messages {
		d.press(m, "enter").settle()
	}
	return d
}

func (d *driver) screen() string {
	lines := strings.Split(ansi.Strip(d.root.View()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func (d *driver) shows(wanted ...string) {
	d.t.Helper()
	screen := d.screen()
	for _, w := range wanted {
		assert.Contains(d.t, screen, w, "the screen does not show")
	}
}

func (d *driver) hides(unwanted ...string) {
	d.t.Helper()
	screen := d.screen()
	for _, w := range unwanted {
		assert.NotContains(d.t, screen, w, "the screen shows")
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	assert.Golden(t, filepath.Join("testdata", name+".golden"), got)
}

// isPanelScreen reports whether a screen has a golden file with the side panel and one in ASCII.
// The other screens differ from these only in what TestLayoutAtAllSizes, TestToolLayouts and
// TestASCIIScreens check.
func isPanelScreen(name string) bool {
	return slices.Contains([]string{"talk", "ending", "machines", "author"}, name)
}

// goldenSizes compares a screen with its golden files, one for each size.
func goldenSizes(t *testing.T, name string, d *driver) {
	t.Helper()
	sizes := [][2]int{{80, 24}, {40, 12}}
	if isPanelScreen(name) {
		sizes = append(sizes, [2]int{120, 40})
	}
	for _, size := range sizes {
		d.Resize(size[0], size[1])
		golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), d.screen())
	}
}

// showing is shows in the middle of a chain.
func (d *driver) showing(wanted ...string) *driver {
	d.t.Helper()
	d.shows(wanted...)
	return d
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, keys := io.Pipe()
	defer keys.Close()
	opts := Options{
		Options: conversation.Options{
			Service: tuitest.NewService(), Memory: memory.Notebook{}, NewID: func() string { return "u-1" },
		},
		In: in, Out: &bytes.Buffer{},
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	assert.ErrorIs(t, Run(ctx, opts), context.Canceled)
}

func TestRunRefusesWrongOptions(t *testing.T) {
	assert.ErrorIs(t, Run(t.Context(), Options{Options: conversation.Options{PlayerGender: "robot"}}), conversation.ErrGender)
}
