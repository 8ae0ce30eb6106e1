package tui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/tuitest"
	"github.com/parley-npc/parley/tui/tuitest/memory"
)

// The whole program with real keys: choose, introduce oneself, play to an ending, go on, leave.
func TestWholeProgram(t *testing.T) {
	opts := Options{Options: conversation.Options{Service: tuitest.NewService(), Memory: memory.Notebook{}, NewID: func() string { return "u-1" }}, Out: io.Discard}
	tm := teatest.NewTestModel(t, newRoot(newEnv(t.Context(), opts.withDefaults())), teatest.WithInitialTermSize(110, 30))
	var seen bytes.Buffer
	wait := func(text string) {
		t.Helper()
		teatest.WaitFor(t, io.TeeReader(tm.Output(), &seen), func([]byte) bool {
			return strings.Contains(ansi.Strip(seen.String()), text)
		}, teatest.WithDuration(time.Minute), teatest.WithCheckInterval(10*time.Millisecond))
		seen.Reset()
	}
	enter := tea.KeyMsg{Type: tea.KeyEnter}
	wait("Oskar")
	tm.Send(enter)
	wait("Name")
	tm.Type("Kim")
	tm.Send(enter)
	wait("Halt, Kim!")
	for _, note := range []string{"(1 of 2)", "This opens The cellar"} {
		tm.Type("pass the time")
		tm.Send(enter)
		wait(note)
	}
	tm.Send(enter)
	wait("In the dark")
	tm.Send(tea.KeyMsg{Type: tea.KeyCtrlD})
	tm.WaitFinished(t, teatest.WithFinalTimeout(time.Minute))
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, keys := io.Pipe()
	defer keys.Close()
	opts := Options{Options: conversation.Options{Service: tuitest.NewService(), Memory: memory.Notebook{}, NewID: func() string { return "u-1" }}, In: in, Out: &bytes.Buffer{}}
	time.AfterFunc(50*time.Millisecond, cancel)
	assert.ErrorIs(t, Run(ctx, opts), context.Canceled)
}

func TestRunRefusesWrongOptions(t *testing.T) {
	assert.ErrorIs(t, Run(t.Context(), Options{Options: conversation.Options{PlayerGender: "robot"}}), conversation.ErrGender)
}
