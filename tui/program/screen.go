package program

import (
	"context"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

// How far frames are apart. One that follows a key, or the first one after a while, is
// drawn at once.
const (
	keyGap   = 4 * time.Millisecond
	frameGap = time.Second / 60
)

// frameDueMsg: a frame that was put off may be drawn.
type frameDueMsg struct{}

// screen draws what a model shows, when it has changed. Everything but tty.readSize runs
// in bubbletea's loop, one message after the other.
type screen struct {
	model    tea.Model
	tty      *tty
	keys     *Reader // nil where bubbletea reads the terminal
	renderer *Renderer
	guard    *terminal.CrashGuard
	stop     context.CancelCauseFunc
	send     func(tea.Msg)
	sizes    func() // ends the watch over the terminal's size

	sized bool          // how large the terminal is is known, or nobody will say it
	gap   time.Duration // that the next frame keeps from the last one
	drawn time.Time     // when the last one began
	due   time.Time     // when one that is put off is drawn, zero for none
	timer *time.Timer   // for that, nil for none
}

func newScreen(model tea.Model, in io.Reader, out io.Writer, stop context.CancelCauseFunc) *screen {
	t := newTTY(in, out)
	return &screen{
		model: model, tty: t, sized: t.out == nil, renderer: NewRenderer(out),
		guard: terminal.NewCrashGuard(stop), stop: stop,
	}
}

// Init is the model's.
func (s *screen) Init() tea.Cmd { return s.model.Init() }

// Update is the model's.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case frameDueMsg:
		s.gap = 0
		return s, nil
	case tea.KeyMsg, tea.MouseMsg:
		s.gap = keyGap
	case tea.WindowSizeMsg:
		s.gap, s.sized = 0, true
		s.renderer.Resize(msg.Width, msg.Height)
	default:
		s.gap = frameGap
		s.obey(msg)
	}
	_, cmd := s.model.Update(msg)
	return s, cmd
}

// obey executes bubbletea's own commands for a renderer, as far as screens use them.
func (s *screen) obey(msg tea.Msg) {
	switch msg {
	case tea.ClearScreen():
		s.renderer.Invalidate()
	case tea.EnableMouseCellMotion():
		s.tty.write(takeMouse)
	case tea.DisableMouse():
		s.tty.write(giveMouse)
	}
}

// View draws, or sees to it that it is called again when it is time to. It shows nothing
// to bubbletea.
func (s *screen) View() string {
	defer s.guard.CatchPanic()
	now := time.Now()
	at := s.drawn.Add(s.gap)
	switch {
	case !s.sized:
	case !at.After(now):
		s.drawFrame(now)
	case s.due.IsZero() || at.Before(s.due):
		s.stopTimer()
		s.due, s.timer = at, time.AfterFunc(at.Sub(now), func() { s.send(frameDueMsg{}) })
	}
	return ""
}

func (s *screen) drawFrame(now time.Time) {
	s.stopTimer()
	s.drawn = now
	if err := s.renderer.Draw(s.model.View()); err != nil {
		s.stop(err)
	}
}

func (s *screen) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.due, s.timer = time.Time{}, nil
}
