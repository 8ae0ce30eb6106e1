// Package program runs a bubbletea model on a terminal: it reads the keyboard, draws the frames,
// and restores the terminal at the end, even if the model panics.
//
// The Decoder decodes input into bubbletea's messages: typed text, keys, marked pastes and mouse
// reports. It keeps its state between reads. bubbletea's own reader decodes each read separately.
// If a character or sequence is split between two reads, that reader loses it or takes it for typed
// text. TestProgramLosesNoCharacter and TestFastWheelTypesNothing fail with that reader.
//
// The Renderer writes only the cells that differ from the previous frame. It uses neither a clock
// nor a goroutine, because the caller decides when to draw. For a key in a chat of 120 by 40 cells
// it writes 35 bytes, where whole lines would need 155, and shows the key after 0.8 ms
// (BenchmarkKeyEcho). bubbletea's standard renderer writes 192 bytes and shows the key after 13 ms.
// It also wakes up an idle chat 300 times a second, but the Renderer never does
// (TestIdleChatSleeps). And it cannot move the terminal's cursor to the caret, where input methods
// and screen readers need the cursor (TestCursorFollowsCaret).
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

// Terminal contains the input and output of a terminal. TakeAnswer, which may be nil, is called
// with the terminal's answers, such as "11;rgb:0000/0000/0000".
type Terminal struct {
	In         io.Reader
	Out        io.Writer
	TakeAnswer func(osc string)
}

// ReadsKeys is true if this package reads the terminal. On Windows bubbletea reads it, because a
// console provides key events rather than bytes.
const ReadsKeys = runtime.GOOS != "windows"

// maxPasteBytes is the maximum size of a marked paste. A longer paste is certainly too long for a
// message.
const maxPasteBytes = 4*wire.MaxMessage + 1024

// Run runs a model on a terminal until the model quits or ctx is done. The caller must handle
// signals and cancel ctx. When ctx is done, Run calls Quit. It does not pass ctx to bubbletea,
// because bubbletea would then not wait for its reader. Run does not use bubbletea's renderer,
// which wakes up sixty times a second.
func Run(ctx context.Context, t Terminal, model tea.Model) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newScreen(model, t.In, t.Out, stop)
	input := t.In
	if ReadsKeys {
		input = strings.NewReader("") // bubbletea needs an input, but must not read the terminal.
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

func (s *screen) open() error {
	if err := s.prepare(); err != nil {
		return err
	}
	s.sizes = watchSize(s.reportSize)
	go s.reportSize()
	return nil
}

func (s *screen) prepare() error {
	if err := s.tty.prepare(); err != nil || s.keys == nil {
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

// RunOutside returns a command that restores the terminal, runs work, and then takes the terminal
// again. tell converts the error of work to the message of the command.
func RunOutside(work func() error, tell tea.ExecCallback) tea.Cmd {
	return func() tea.Msg { return outsideMsg{work, tell} }
}

// divertOutside is bubbletea's filter of messages. It makes bubbletea's loop wait while another
// program uses the terminal.
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

// outsideWork is a tea.ExecCommand that runs work while bubbletea's loop waits. It ignores the
// files that bubbletea sets, because work uses the terminal itself.
type outsideWork struct {
	screen *screen
	work   func() error
}

// SetStdin does nothing.
func (*outsideWork) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (*outsideWork) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (*outsideWork) SetStderr(io.Writer) {}

// Run restores the terminal, runs the work and takes the terminal again.
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
