package cmd

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

// paged runs what writes a long list. On a terminal that is too low for it the
// list goes through the pager; else it is written as it is. While it is made,
// everything that is written to a.out is part of it.
func (a *app) paged(write func(io.Writer) error) error {
	pager := a.pager()
	if pager == "" {
		return write(a.out)
	}
	var text bytes.Buffer
	terminal := a.out.Writer
	a.out.Writer = &text
	err := write(a.out)
	a.out.Writer = terminal
	height := a.height()
	if height == 0 || bytes.Count(text.Bytes(), []byte("\n")) < height || !a.runPager(pager, text.Bytes()) {
		_, wrong := a.out.Write(text.Bytes())
		return cmp.Or(err, wrong)
	}
	return err
}

// pagedTable is printTable for lists that may be long.
func (a *app) pagedTable(head []string, rows [][]string) error {
	return a.paged(func(io.Writer) error { return a.printTable(head, rows) })
}

// (docs/decisions/cmd.md, pager)
// pager is the command line of the pager: PARLEY_PAGER, else PAGER, else less. It
// is "" for none: where there is no terminal, where a variable says cat or
// nothing, and by default on Windows.
func (a *app) pager() string {
	if !a.tty.out || !a.tty.in || a.env("TERM") == "dumb" {
		return ""
	}
	for _, name := range []string{"PARLEY_PAGER", "PAGER"} {
		if pager, set := a.lookup(name); set {
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
func (a *app) runPager(pager string, text []byte) bool {
	process := pagerProcess(runtime.GOOS, pager)
	process.Stdin, process.Stdout, process.Stderr = bytes.NewReader(text), a.tty.stdout, a.err
	process.Env = os.Environ()
	for _, preset := range []string{"LESS=FRX", "LV=-c"} {
		if name, _, _ := strings.Cut(preset, "="); a.env(name) == "" {
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
	words := commandWords(pager)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// height is the number of lines of the terminal behind stdout.
func (a *app) height() int {
	if a.tty.stdout == nil {
		return 0
	}
	_, height, err := term.GetSize(a.tty.stdout.Fd())
	if err != nil {
		return 0
	}
	return height
}
