package program

import (
	"context"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

const (
	keyGap   = 4 * time.Millisecond
	frameGap = time.Second / 60
)

type frameDueMsg struct{}

// screen draws the view of another model after each message. A panic calls stop with a
// *terminal.Crash. bubbletea's loop runs all methods except reportSize.
type screen struct {
	model        tea.Model
	tty          *tty
	keys         *Reader // nil if bubbletea reads the terminal
	renderer     *Renderer
	guard        *terminal.CrashGuard
	stop         context.CancelCauseFunc
	send         func(tea.Msg)
	stopWatching func()

	sized     bool
	gap       time.Duration
	drawn     time.Time
	nextFrame time.Time
	timer     *time.Timer
}

func newScreen(model tea.Model, input io.Reader, out io.Writer, stop context.CancelCauseFunc) *screen {
	t := newTTY(input, out)
	return &screen{
		model: model, tty: t, sized: t.out == nil, renderer: NewRenderer(out),
		guard: terminal.NewCrashGuard(stop), stop: stop,
	}
}

func (s *screen) Init() (cmd tea.Cmd) {
	defer s.guard.CatchPanic()
	return s.guardCommand(s.model.Init())
}

func (s *screen) guardCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer s.guard.CatchPanic()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = s.guardCommand(batch[i])
			}
		}
		return msg
	}
}

func (s *screen) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer s.guard.CatchPanic()
	model = s // also after a panic
	switch msg := msg.(type) {
	case frameDueMsg:
		s.gap = 0
		return model, nil
	case tea.KeyMsg, tea.MouseMsg:
		s.gap = keyGap
	case tea.WindowSizeMsg:
		s.gap, s.sized = 0, true
		s.renderer.Resize(msg.Width, msg.Height)
	default:
		s.gap = frameGap
		s.applyControl(msg)
	}
	_, cmd = s.model.Update(msg)
	return model, s.guardCommand(cmd)
}

func (s *screen) applyControl(msg tea.Msg) {
	switch msg {
	case tea.ClearScreen():
		s.renderer.Invalidate()
	case tea.EnableMouseCellMotion():
		s.tty.write(enableMouse)
	case tea.DisableMouse():
		s.tty.write(disableMouse)
	}
}

// View returns "", because screen draws the frame itself.
func (s *screen) View() string {
	defer s.guard.CatchPanic()
	now := time.Now()
	next := s.drawn.Add(s.gap)
	switch {
	case !s.sized:
	case !next.After(now):
		s.stopTimer()
		s.drawn = now
		if err := s.renderer.Draw(s.model.View()); err != nil {
			s.stop(err)
		}
	case s.nextFrame.IsZero() || next.Before(s.nextFrame):
		s.stopTimer()
		s.nextFrame, s.timer = next, time.AfterFunc(next.Sub(now), func() { s.send(frameDueMsg{}) })
	}
	return ""
}

func (s *screen) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
	}
	s.nextFrame, s.timer = time.Time{}, nil
}
