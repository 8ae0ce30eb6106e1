package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// scriptedAsker answers with its answers in order, and repeats the last one.
type scriptedAsker struct {
	answers []provider.Answer
	err     error

	mu   sync.Mutex
	seen []provider.Request
}

func (s *scriptedAsker) Model() string { return "openai/scripted" }

func (s *scriptedAsker) Place() string { return "openai/scripted" }

func (s *scriptedAsker) Ask(_ context.Context, r provider.Request, _ func(string) error) (provider.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r)
	if s.err != nil {
		return provider.Answer{}, s.err
	}
	return s.answers[min(len(s.seen), len(s.answers))-1], nil
}

// answerWith returns a model that answers with texts; each costs 100 and 10 tokens.
func answerWith(texts ...string) *scriptedAsker {
	s := &scriptedAsker{}
	for _, text := range texts {
		s.answers = append(s.answers, provider.Answer{Text: text, Finish: provider.Stopped, Usage: llm.Usage{Model: "openai/scripted", In: 100, Out: 10}})
	}
	return s
}

// harbourDraft returns a sound draft as a model writes it.
func harbourDraft(t testing.TB) string {
	t.Helper()
	text := assert.Value(os.ReadFile("testdata/harbour.json"))(t)
	return string(text)
}

// changeDraft returns the sound draft after change has changed it.
func changeDraft(t testing.TB, change func(draft map[string]any)) string {
	t.Helper()
	var value map[string]any
	assert.NoError(t, json.Unmarshal([]byte(harbourDraft(t)), &value))
	change(value)
	text := assert.Value(json.Marshal(value))(t)
	return string(text)
}

func machineOf(draft map[string]any) map[string]any {
	return draft["machines"].([]any)[0].(map[string]any)
}

func transitionOf(draft map[string]any, i int) map[string]any {
	return machineOf(draft)["transitions"].([]any)[i].(map[string]any)
}

func stateOf(draft map[string]any, i int) map[string]any {
	return machineOf(draft)["states"].([]any)[i].(map[string]any)
}

var aWish = Brief{Description: "A harbour master who hates lies."}

// showRequest writes a request as readable text.
func showRequest(r provider.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step: %s\nschema: %s\nmax tokens: %d\n\n== system ==\n%s", r.Step, r.Schema.Name, r.MaxTokens, r.System)
	for _, m := range r.Messages {
		text := m.Text
		if m.Role == "assistant" {
			text = fmt.Sprintf("(%d bytes)\n", len(text))
		}
		fmt.Fprintf(&b, "\n== %s ==\n%s", m.Role, text)
	}
	return b.String() + "\n"
}

// errPlain is an error without a known type.
var errPlain = errors.New("plain")
