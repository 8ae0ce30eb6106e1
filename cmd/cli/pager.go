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
)

// PageOutput prints the output of write, in the pager if it exceeds the screen.
func (s *Streams) PageOutput(write func(io.Writer) error) error {
	pager := s.choosePager()
	if pager == "" {
		return write(s.Out)
	}
	var text bytes.Buffer
	terminal := s.Out.Writer
	s.Out.Writer = &text
	err := write(s.Out)
	s.Out.Writer = terminal
	_, height := s.size()
	if height == 0 || bytes.Count(text.Bytes(), []byte("\n")) < height || !s.runPager(pager, text.Bytes()) {
		_, wrong := s.Out.Write(text.Bytes())
		return cmp.Or(err, wrong)
	}
	return err
}

func (s *Streams) PageTable(head []string, rows [][]string) error {
	return s.PageOutput(func(io.Writer) error { return s.PrintTable(head, rows) })
}

func (s *Streams) choosePager() string {
	if !s.TTY.Out || !s.TTY.In || s.Env("TERM") == "dumb" {
		return ""
	}
	for _, name := range []string{"PARLEY_PAGER", "PAGER"} {
		if pager, set := s.Lookup(name); set {
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

// runPager returns false only if the pager does not exist.
func (s *Streams) runPager(pager string, text []byte) bool {
	process := pagerProcess(runtime.GOOS, pager)
	process.Stdin, process.Stdout, process.Stderr = bytes.NewReader(text), s.TTY.Stdout, RawWriter(s.Err)
	process.Env = os.Environ()
	for _, preset := range []string{"LESS=FRX", "LV=-c"} {
		if name, _, _ := strings.Cut(preset, "="); s.Env(name) == "" {
			process.Env = append(process.Env, preset)
		}
	}
	// Only the pager handles Ctrl-C. After the end of parley it would continue on the terminal.
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, os.Interrupt)
	defer signal.Stop(ignored)
	err := process.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode() != exitNotFound
	}
	return err == nil || errors.Is(err, syscall.EPIPE)
}

const exitNotFound = 127 // of a POSIX shell, for an unknown command

func pagerProcess(system, pager string) *exec.Cmd {
	ctx := context.Background()
	if system != "windows" {
		return exec.CommandContext(ctx, "sh", "-c", pager) //nolint:gosec // the user's own PAGER
	}
	words := SplitCommand(pager)
	return exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user's own PAGER
}
