package program

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
)

// counter shows how many messages it got, and counts its frames.
type counter struct{ messages, frames, shown int }

func (c *counter) Init() tea.Cmd { return nil }
func (c *counter) Update(tea.Msg) (tea.Model, tea.Cmd) {
	c.messages++
	return c, nil
}

func (c *counter) View() string {
	c.frames++
	c.shown = c.messages
	return fmt.Sprint("messages: ", c.messages)
}

// newCountingScreen returns a screen without a terminal, and a channel with the messages that it sends.
func newCountingScreen(t *testing.T) (*screen, *counter, *bytes.Buffer, chan tea.Msg) {
	t.Helper()
	model, out, sent := &counter{}, &bytes.Buffer{}, make(chan tea.Msg, 100)
	_, stop := context.WithCancelCause(t.Context())
	s := newScreen(model, strings.NewReader(""), out, stop)
	s.send = func(msg tea.Msg) { sent <- msg }
	return s, model, out, sent
}

func (s *screen) step(msg tea.Msg) {
	s.Update(msg)
	s.View()
}

// TestManyMessagesAreFewFrames: fast messages are drawn together, the last one without another message.
func TestManyMessagesAreFewFrames(t *testing.T) {
	t.Parallel()
	s, model, out, sent := newCountingScreen(t)
	begun := time.Now()
	for i := range 1000 {
		s.step(i)
	}
	most := 2 + int(time.Since(begun)/frameGap)
	assert.True(t, model.frames <= most, "1000 messages are %d frames, more than %d", model.frames, most)
	for !s.nextFrame.IsZero() {
		s.step(<-sent)
	}
	assert.Equal(t, model.shown, 1000, "the last frame %q", out)
}

// TestQuietScreenDoesNothing: after the last message nothing is drawn, waited for or sent.
func TestQuietScreenDoesNothing(t *testing.T) {
	t.Parallel()
	s, model, out, sent := newCountingScreen(t)
	s.step("hello")
	frames, written := model.frames, out.Len()
	select {
	case msg := <-sent:
		t.Errorf("%T comes of itself", msg)
	case <-time.After(5 * frameGap):
	}
	assert.True(t, s.timer == nil, "a timer runs without a message")
	assert.Equal(t, model.frames, frames, "frames without a message")
	assert.Equal(t, out.Len(), written, "bytes without a message")
}

// TestKeyIsDrawnAtOnce: a key is drawn without waiting for the next of sixty frames a second, or for a deferred one.
func TestKeyIsDrawnAtOnce(t *testing.T) {
	t.Parallel()
	s, model, _, sent := newCountingScreen(t)
	s.step("first")
	s.step("put off")
	later := s.nextFrame
	s.step(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("x")})
	assert.True(t, model.frames != 1 || s.nextFrame.Before(later),
		"the frame of a key is put off until %v, as another one is", s.nextFrame.Sub(s.drawn))
	for !s.nextFrame.IsZero() {
		s.step(<-sent)
	}
	time.Sleep(2 * keyGap)
	frames := model.frames
	s.step(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y")})
	assert.Equal(t, model.frames, frames+1, "a key is %d frames", model.frames-frames)
}

// TestNothingIsDrawnBeforeTheSize: the first frame waits for the size, and a new size draws all at once.
func TestNothingIsDrawnBeforeTheSize(t *testing.T) {
	t.Parallel()
	s, model, out, _ := newCountingScreen(t)
	s.sized = false
	s.View()
	s.step("hello")
	assert.Equal(t, model.frames, 0, "frames of an unknown size")
	assert.Equal(t, out.Len(), 0, "bytes of an unknown size")
	s.step(tea.WindowSizeMsg{Width: 20, Height: 2})
	s.step(tea.WindowSizeMsg{Width: 30, Height: 2})
	assert.Equal(t, model.frames, 2, "two sizes %q", out)
	assert.Equal(t, strings.Count(out.String(), "messages: "), 2, "two sizes %q", out)
}

// TestMouseAndClear: what bubbletea's commands ask its renderer for reaches the terminal.
func TestMouseAndClear(t *testing.T) {
	t.Parallel()
	s, _, out, _ := newCountingScreen(t)
	s.View()
	for _, c := range []struct {
		msg     tea.Msg
		written string
	}{
		{tea.EnableMouseCellMotion(), "\x1b[?1002h\x1b[?1006h"},
		{tea.DisableMouse(), "\x1b[?1002l\x1b[?1003l\x1b[?1006l"},
		{tea.ClearScreen(), "messages: "},
		{[]string{"cannot be compared"}, ""},
	} {
		out.Reset()
		s.drawn = time.Time{}
		s.step(c.msg)
		assert.Contains(t, out.String(), c.written, "%T writes %q", c.msg, out)
	}
}
