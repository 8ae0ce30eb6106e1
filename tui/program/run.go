package program

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Terminal is the output for a screen and the source of its keys. TakeAnswer, which may be nil, is
// called with the terminal's answers, such as "11;rgb:0000/0000/0000".
type Terminal struct {
	In         io.Reader
	Out        io.Writer
	TakeAnswer func(osc string)
}

// ReadsKeys reports whether the program reads the terminal itself. On Windows bubbletea does,
// because a console gives keys and no bytes.
const ReadsKeys = runtime.GOOS != "windows"

// maxPasteBytes is how much of a marked paste is kept: more than a message may have in any
// encoding, so that a truncated paste is refused.
const maxPasteBytes = 4*wire.MaxMessage + 1024

// Run runs a screen on a terminal until it quits or ctx ends, which counts as quitting: bubbletea's
// own end by a context does not wait for its reader, which then reads from a closed file. The
// caller handles signals and ends ctx. bubbletea draws nothing, because its renderer would check
// sixty times a second whether there is something to draw.
func Run(ctx context.Context, t Terminal, model tea.Model) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newScreen(model, t.In, t.Out, stop)
	input := t.In
	if ReadsKeys {
		input = strings.NewReader("") // It needs one that can be read.
	}
	p := tea.NewProgram(s, tea.WithInput(input), tea.WithOutput(t.Out), tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithFilter(s.divertOutside))
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

// open takes the terminal, starts reading it, and reports its size, now and after each change.
func (s *screen) open() error {
	if err := s.take(); err != nil {
		return err
	}
	s.sizes = watchSize(s.reportSize)
	go s.reportSize()
	return nil
}

// take takes the terminal and begins to read what is typed.
func (s *screen) take() error {
	if err := s.tty.take(); err != nil || s.keys == nil {
		return err
	}
	return s.keys.Start()
}

// close restores the terminal. It may be called before open, and after a failed open.
func (s *screen) close() {
	if s.sizes != nil {
		s.sizes()
	}
	s.stopTimer()
	if s.keys != nil {
		s.keys.Close()
	}
	s.tty.giveBack()
}

// reportSize reports the screen how many cells the terminal has.
func (s *screen) reportSize() {
	width, height, known, err := s.tty.readSize()
	switch {
	case err != nil:
		s.stop(fmt.Errorf("the terminal does not say its size: %w", err))
	case known:
		s.send(tea.WindowSizeMsg{Width: width, Height: height})
	}
}

// outsideMsg runs another program on the terminal, and then tells the screen the result.
type outsideMsg struct {
	work tea.ExecCommand
	tell tea.ExecCallback
}

// RunOutside returns the terminal to work, as it was before the screen came, and takes it
// again when the work has ended.
func RunOutside(work tea.ExecCommand, tell tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return outsideMsg{work, tell} }
}

// divertOutside lets bubbletea's loop wait while something else has the terminal.
func (s *screen) divertOutside(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case outsideMsg:
		return tea.Exec(&outsideWork{ExecCommand: msg.work, screen: s}, msg.tell)()
	case tea.SuspendMsg:
		return tea.Exec(&outsideWork{ExecCommand: suspension{}, screen: s}, func(error) tea.Msg { return tea.ResumeMsg{} })()
	}
	return msg
}

// outsideWork is work during which the terminal is released.
type outsideWork struct {
	tea.ExecCommand
	screen *screen
}

// Run runs the work.
func (o *outsideWork) Run() error {
	defer terminal.NewCrashGuard(o.screen.stop).CatchPanic()
	if o.screen.keys != nil {
		o.screen.keys.Stop()
	}
	o.screen.tty.giveBack()
	worked := o.ExecCommand.Run()
	if err := o.screen.take(); err != nil {
		o.screen.stop(err)
		return err
	}
	o.screen.renderer.Invalidate()
	go o.screen.reportSize()
	return worked
}

// suspension is the work of waiting until the shell resumes the program.
type suspension struct{}

func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}

// Run returns when the program goes on.
func (suspension) Run() error {
	suspendProcess()
	return nil
}
