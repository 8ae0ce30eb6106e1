package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// PageOutput runs what writes a long list. On a terminal that is too low for it the
// list goes through the pager; else it is written as it is. While it is made,
// everything that is written to a.out is part of it.
func (a *Streams) PageOutput(write func(io.Writer) error) error {
	pager := a.chosenPager()
	if pager == "" {
		return write(a.Out)
	}
	var text bytes.Buffer
	terminal := a.Out.Writer
	a.Out.Writer = &text
	err := write(a.Out)
	a.Out.Writer = terminal
	height := a.height()
	if height == 0 || bytes.Count(text.Bytes(), []byte("\n")) < height || !a.runPager(pager, text.Bytes()) {
		_, wrong := a.Out.Write(text.Bytes())
		return cmp.Or(err, wrong)
	}
	return err
}

// PageTable is PrintTable for lists that may be long.
func (a *Streams) PageTable(head []string, rows [][]string) error {
	return a.PageOutput(func(io.Writer) error { return a.PrintTable(head, rows) })
}

// chosenPager is the command line of the pager: PARLEY_PAGER, else PAGER, else less. It
// is "" for none: where there is no terminal, where a variable says cat or
// nothing, and by default on Windows (docs/decisions/cmd.md, pager).
func (a *Streams) chosenPager() string {
	if !a.TTY.Out || !a.TTY.In || a.Env("TERM") == "dumb" {
		return ""
	}
	for _, name := range []string{"PARLEY_PAGER", "PAGER"} {
		if pager, set := a.Lookup(name); set {
			if pager = strings.TrimSpace(pager); pager == "cat" {
				return ""
			}
			return pager
		}
	}
	if runtime.GOOS == "windows" {
		return ""
	}
	return "less"
}

// runPager shows a text in the pager, and tells whether there is one. One that is
// left early is none the worse for it.
func (a *Streams) runPager(pager string, text []byte) bool {
	process := pagerProcess(runtime.GOOS, pager)
	process.Stdin, process.Stdout, process.Stderr = bytes.NewReader(text), a.TTY.Stdout, a.Err
	process.Env = os.Environ()
	for _, preset := range []string{"LESS=FRX", "LV=-c"} {
		if name, _, _ := strings.Cut(preset, "="); a.Env(name) == "" {
			process.Env = append(process.Env, preset)
		}
	}
	// Ctrl-C is the pager's while it shows: a second one would leave it alone
	// with the terminal.
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)
	err := process.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode() != notFound
	}
	return err == nil || errors.Is(err, syscall.EPIPE)
}

// notFound is what a shell exits with when there is no such command.
const notFound = 127

func pagerProcess(system, pager string) *exec.Cmd {
	ctx := context.Background()
	if system != "windows" {
		return exec.CommandContext(ctx, "sh", "-c", pager)
	}
	words := SplitCommand(pager)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// height is the number of lines of the terminal behind stdout.
func (a *Streams) height() int {
	if a.TTY.Stdout == nil {
		return 0
	}
	_, height, err := term.GetSize(a.TTY.Stdout.Fd())
	if err != nil {
		return 0
	}
	return height
}
