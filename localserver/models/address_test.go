package models

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestAddressFitsProvider: an address that the named provider is never asked at is
// refused for each of them, because the key would go to the provider's own one.
func TestAddressFitsProvider(t *testing.T) {
	const address = "http://127.0.0.1:4000"
	for _, p := range provider.Providers {
		env := environment(p.KeyVariables[0], "k1")
		model := p.Name + "/m"
		for flag, s := range map[string]Settings{
			"--llm-base-url":               {Model: model, BaseURL: address, Env: env},
			"--llm-eval-base-url":          {Model: model, Evaluation: model, EvaluationURL: address, Env: env},
			"--llm-response-base-url":      {Model: model, Response: model, ResponseURL: address, Env: env},
			"--llm-summarization-base-url": {Model: model, Summarization: model, SummarizationURL: address, Env: env},
		} {
			t.Run(p.Name+" "+flag, func(t *testing.T) {
				err := s.Check()
				if p.Name == "openai" {
					assert.NoError(t, err)
					return
				}
				_, ok := errors.AsType[*SettingsError](err)
				assert.True(t, ok && strings.Contains(err.Error(), flag+" is the address") && strings.Contains(err.Error(), "openai/"+model), "%v", err)
			})
		}
	}
	for what, s := range map[string]Settings{
		"of no model":     {Model: "ollama/m", EvaluationURL: address},
		"without a model": {ResponseURL: address},
		"of callers":      {Model: ModelCallers, SummarizationURL: address},
		"of a replay":     {Replay: "f", EvaluationURL: address},
		"that is none":    {Model: "ollama/m", Evaluation: "m", EvaluationURL: "ftp://x"},
	} {
		t.Run(what, func(t *testing.T) {
			if _, ok := errors.AsType[*SettingsError](s.Check()); !ok {
				t.Errorf("an address %s: %v", what, s.Check())
			}
		})
	}
}

// keyNotes records the keys that an address receives.
type keyNotes struct {
	mu   sync.Mutex
	keys []string
}

// noteKeys answers as a provider does, and notes with which keys it is asked.
func noteKeys(t *testing.T) (address string, notes *keyNotes) {
	answers, notes := llmtest.New(nil), &keyNotes{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		notes.mu.Lock()
		key := r.Header.Get("Authorization")
		if !slices.Contains(notes.keys, key) {
			notes.keys = append(notes.keys, key)
		}
		notes.mu.Unlock()
		answers.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, notes
}

// TestStepAddressKeys: a step's separate address gets its own key and no other one, neither the
// operator's nor a caller's.
func TestStepAddressKeys(t *testing.T) {
	callers := llm.Caller{ModelChoice: llm.ModelChoice{Key: llm.NewSecret("callers-main")}}
	stepCaller := callers
	stepCaller.Response.Key = llm.NewSecret("callers-step")
	for _, c := range []struct {
		name       string
		env        func(string) string
		caller     llm.Caller
		main, step []string
	}{
		{"a key of its own", environment("OPENAI_API_KEY", "own", EnvKey, "all", EnvStepKeys[1], "step"), llm.Caller{}, nil, []string{"Bearer step"}},
		{"no key of its own", environment("OPENAI_API_KEY", "own", EnvKey, "all"), llm.Caller{}, nil, []string{""}},
		{"a caller's main key", environment(EnvStepKeys[1], "step"), callers, []string{"Bearer callers-main"}, nil},
		{"a caller's key for the step", environment(EnvStepKeys[1], "step"), stepCaller, nil, []string{"Bearer callers-step"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mainAddress, main := noteKeys(t)
			stepAddress, step := noteKeys(t)
			s := Settings{Model: "mine", BaseURL: mainAddress, Response: "theirs", ResponseURL: stepAddress, Env: c.env}
			set := assert.Value(s.OpenModels(api.NewTelemetry("test", time.Now), "test"))(t)
			defer func() { _ = set.Close() }()
			model := assert.Value(set.Model.(llm.PerCallerModel).With(c.caller))(t)
			persona := &personas.Persona{Name: "Biscuit"}
			machine := &personas.Machine{Key: "m", States: []personas.State{{Key: "s"}}}
			input := llm.Input{Persona: persona, Machine: machine, State: &machine.States[0], Message: "Hello"}
			assert.Value(model.Reply(t.Context(), input, llm.StepResult{}, func(string) error { return nil }))(t)
			assert.EqualSlices(t, main.keys, c.main)
			assert.EqualSlices(t, step.keys, c.step)
		})
	}
}

// TestKeyForUnknownName: PARLEY_LLM_API_KEY is the key of a name that only the address
// knows, too.
func TestKeyForUnknownName(t *testing.T) {
	s := Settings{Model: "mine", BaseURL: "http://127.0.0.1:4000", Env: environment(EnvKey, "for-all", "OPENAI_API_KEY", "own")}
	assert.Equal(t, s.variableLookup()("OPENAI_API_KEY"), "for-all", "its key")
}
