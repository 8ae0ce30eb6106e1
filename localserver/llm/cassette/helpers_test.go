package cassette

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// fakeAsker is a model that answers by a function and counts.
type fakeAsker struct {
	name string
	play func(r provider.Request) ([]string, provider.Answer, error)

	mu    sync.Mutex
	asked []provider.Request
}

func (a *fakeAsker) Model() string { return a.name }

func (a *fakeAsker) Place() string { return a.name }

func (a *fakeAsker) Ask(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	a.mu.Lock()
	a.asked = append(a.asked, r)
	a.mu.Unlock()
	pieces, answer, err := a.play(r)
	if emit != nil {
		for _, piece := range pieces {
			if err := emit(piece); err != nil {
				return provider.Answer{}, err
			}
		}
	}
	answer.Text += strings.Join(pieces, "")
	answer.Usage.Model = a.name
	return answer, err
}

func (a *fakeAsker) countAsked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asked)
}

// newFakeAsker returns an asker that always answers the same, in pieces.
func newFakeAsker(pieces ...string) *fakeAsker {
	return &fakeAsker{name: "openai/gpt-4o", play: func(provider.Request) ([]string, provider.Answer, error) {
		return pieces, provider.Answer{Finish: provider.Stopped, Usage: llm.Usage{In: 12, Out: len(pieces)}}, nil
	}}
}

// echoAsker returns an asker that repeats the last message.
func echoAsker() *fakeAsker {
	return &fakeAsker{name: "openai/gpt-4o", play: func(r provider.Request) ([]string, provider.Answer, error) {
		return []string{"You say: ", r.Messages[len(r.Messages)-1].Text}, provider.Answer{Finish: provider.Stopped}, nil
	}}
}

func testOptions() Options {
	return Options{MadeBy: "parley test", Now: func() time.Time { return time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC) }}
}

func openRecorder(t testing.TB, path string) *Recorder {
	t.Helper()
	return beginWith(t, path, testOptions())
}

func beginWith(t testing.TB, path string, o Options) *Recorder {
	t.Helper()
	rec := assert.Value(Open(path, o))(t)
	t.Cleanup(func() { _ = rec.Close() })
	return rec
}

func loadPlayer(t testing.TB, path string) *Player {
	t.Helper()
	return assert.Value(Load(path))(t)
}

func tempFile(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "talk.cassette.jsonl")
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text := assert.Value(os.ReadFile(path))(t)
	return string(text)
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// newRequest returns a request of a step with a conversation that a player began.
func newRequest(step string, texts ...string) provider.Request {
	r := provider.Request{Step: step, System: "You are Mora.\nYou like cats."}
	for i, text := range texts {
		r.Messages = append(r.Messages, llm.Message{Role: []string{"user", "assistant"}[i%2], Text: text})
	}
	return r
}

// askPieces asks and returns the pieces and the answer.
func askPieces(t testing.TB, a provider.Asker, r provider.Request) ([]string, provider.Answer) {
	t.Helper()
	var pieces []string
	answer := assert.Value(a.Ask(t.Context(), r, func(delta string) error { pieces = append(pieces, delta); return nil }))(t)
	return pieces, answer
}

func askOnce(t testing.TB, a provider.Asker, r provider.Request) provider.Answer {
	t.Helper()
	return assert.Value(a.Ask(t.Context(), r, nil))(t)
}

// recordAll records requests and returns the path of the cassette.
func recordAll(t testing.TB, a provider.Asker, requests ...provider.Request) string {
	t.Helper()
	path := tempFile(t)
	rec := openRecorder(t, path)
	for _, r := range requests {
		askOnce(t, rec.Wrap(a), r)
	}
	assert.NoError(t, rec.Close())
	return path
}

func kindOf(err error) provider.Kind {
	if e, ok := errors.AsType[*provider.Error](err); ok {
		return e.Kind
	}
	return ""
}
