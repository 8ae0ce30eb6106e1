// Package program runs a bubbletea model on a terminal. The terminal is restored at the end, even
// after a panic.
//
// The Decoder decodes keys, pastes and mouse reports. Its state survives the end of a read.
// bubbletea's own reader loses characters and sequences at the boundary of two reads
// (TestProgramLosesNoCharacter, TestFastWheelTypesNothing).
//
// The Renderer writes only changed cells. A key in a chat of 120 by 40 cells takes 35 bytes and 0.8
// ms (BenchmarkKeyEcho). bubbletea's renderer takes 192 bytes and 13 ms, and wakes up during idle
// times (TestIdleChatSleeps). Only the Renderer moves the cursor to the caret for input methods and
// screen readers (TestCursorFollowsCaret).
package program

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"github.com/parley-npc/parley/personas/wire"
)

// Terminal contains the input and output of a terminal. TakeAnswer receives the terminal's
// responses, for example "11;rgb:0000/0000/0000". TakeAnswer may be nil.
type Terminal struct {
	In         io.Reader
	Out        io.Writer
	TakeAnswer func(osc string)
}

// ReadsKeys reports whether this package reads the terminal. On Windows bubbletea reads the
// console's key events.
const ReadsKeys = runtime.GOOS != "windows"

const maxPasteBytes = 4*wire.MaxMessage + 1024

// Run runs a model until the model quits or ctx is done. The caller must handle signals and cancel
// ctx.
func Run(ctx context.Context, t Terminal, model tea.Model) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newScreen(model, t.In, t.Out, stop)
	input := t.In
	if ReadsKeys {
		input = strings.NewReader("") // bubbletea must not read the terminal.
	}
	p := tea.NewProgram(s, tea.WithInput(input), tea.WithOutput(t.Out), tea.WithoutRenderer(),
		tea.WithoutSignalHandler(), tea.WithFilter(s.divertOutside))
	s.send = p.Send
	if ReadsKeys {
		s.keys = NewReader(t.In, NewDecoder(maxPasteBytes, t.TakeAnswer), p.Send, stop, s.guard)
	}
	defer s.close()
	err := s.open()
	if err == nil {
		defer context.AfterFunc(ctx, p.Quit)()
		_, err = p.Run()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (s *screen) open() error {
	if err := s.prepare(); err != nil {
		return err
	}
	s.stopWatching = watchSize(s.reportSize)
	go s.reportSize()
	return nil
}

func (s *screen) prepare() error {
	if err := s.tty.prepare(); err != nil || s.keys == nil {
		return err
	}
	return s.keys.Start()
}

func (s *screen) close() {
	if s.stopWatching != nil {
		s.stopWatching()
	}
	s.stopTimer()
	if s.keys != nil {
		s.keys.Close()
	}
	s.tty.restore()
}

func (s *screen) reportSize() {
	if s.tty.out == nil {
		return
	}
	width, height, err := term.GetSize(s.tty.out.Fd())
	if err != nil {
		s.stop(fmt.Errorf("reading the size of the terminal: %w", err))
		return
	}
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
}

type outsideMsg struct {
	work func() error
	tell tea.ExecCallback
}

// RunOutside returns a command that runs work with the restored terminal. tell converts the error
// of work to a message.
func RunOutside(work func() error, tell tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return outsideMsg{work, tell} }
}

// divertOutside blocks bubbletea's loop while another program uses the terminal.
func (s *screen) divertOutside(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case outsideMsg:
		return tea.Exec(&outsideWork{s, msg.work}, msg.tell)()
	case tea.SuspendMsg:
		suspend := func() error {
			suspendProcess()
			return nil
		}
		return tea.Exec(&outsideWork{s, suspend}, func(error) tea.Msg { return tea.ResumeMsg{} })()
	}
	return msg
}

// outsideWork implements tea.ExecCommand. work uses the terminal itself, so the Set methods do
// nothing.
type outsideWork struct {
	screen *screen
	work   func() error
}

func (*outsideWork) SetStdin(io.Reader) {}

func (*outsideWork) SetStdout(io.Writer) {}

func (*outsideWork) SetStderr(io.Writer) {}

func (o *outsideWork) Run() error {
	if o.screen.keys != nil {
		o.screen.keys.Stop()
	}
	o.screen.tty.restore()
	worked := o.runGuarded()
	if err := o.screen.prepare(); err != nil {
		o.screen.stop(err)
		return err
	}
	o.screen.renderer.Invalidate()
	go o.screen.reportSize()
	return worked
}

func (o *outsideWork) runGuarded() error {
	defer o.screen.guard.CatchPanic()
	return o.work()
}
