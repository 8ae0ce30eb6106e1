package models

import (
	"errors"
	"fmt"
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

func TestOfflineModelHasTheSeed(t *testing.T) {
	assert.Contains(t, fmt.Sprintf("%#v", Settings{Seed: 7}.newOffline()), "seed:0x7")
}

func TestLLMCheck(t *testing.T) {
	keyed := llmtest.Env("OPENAI_API_KEY", "sk-1", "GROQ_API_KEY", "gsk-1")
	for _, c := range []struct {
		what string
		llm  Settings
		want string // a part of the refusal; "" for none
	}{
		{"nothing", Settings{}, ""},
		{"offline", Settings{Model: ModelOffline}, ""},
		{"callers", Settings{Model: ModelCallers}, ""},
		{"a model with its key", Settings{Model: "openai/gpt-4o", Env: keyed}, ""},
		{"a bare name", Settings{Model: "gpt-4o", Env: keyed}, ""},
		{"a model of this machine", Settings{Model: "ollama/llama3.2:3b"}, ""},
		{"steps of their own", Settings{Model: "ollama/llama3.2", Evaluation: "groq/llama-3", Env: keyed}, ""},
		{"an address", Settings{Model: "my-model", BaseURL: "http://127.0.0.1:4000"}, ""},
		{"a key for all", Settings{Model: "anthropic/claude-x", Env: llmtest.Env(EnvKey, "sk-1")}, ""},
		{"a recording", Settings{Model: "openai/gpt-4o", Record: "f", Env: keyed}, ""},
		{"a recording of callers", Settings{Model: ModelCallers, Record: "f"}, ""},
		{"a replay alone", Settings{Replay: "f"}, ""},
		{"a replay of steps without keys", Settings{Replay: "f", Model: "openai/gpt-4o", Evaluation: "groq/x"}, ""},
		{"no key", Settings{Model: "openai/gpt-4o"}, "OPENAI_API_KEY"},
		{"no key, and what needs none", Settings{Model: "openai/gpt-4o", Env: llmtest.Env()}, "ollama/"},
		{"no key for a step", Settings{Model: "ollama/llama3.2", Response: "groq/llama-3"}, "GROQ_API_KEY"},
		{"no such provider", Settings{Model: "opnai/gpt-4o", Env: keyed}, "did you mean openai/"},
		{"a model in another case is no word", Settings{Model: "Offline"}, "Offline"},
		{"no such provider for a step", Settings{Model: "openai/gpt-4o", Summarization: "x/y", Env: keyed}, `"x"`},
		{"one that needs a sign-in", Settings{Model: "azure/gpt-4o", Env: keyed}, "--llm-base-url"},
		{"a judge alone", Settings{Evaluation: "groq/llama-3", Env: keyed}, ""},
		{"a voice alone", Settings{Response: "groq/llama-3", Env: keyed}, ""},
		{"a voice alone at an address", Settings{Response: "my-voice", ResponseURL: "http://127.0.0.1:4000"}, ""},
		{"a judge alone at the common address", Settings{Evaluation: "my-judge", BaseURL: "http://127.0.0.1:4000"}, ""},
		{"a judge alone that is not asked at the common address", Settings{Evaluation: "groq/llama-3", BaseURL: "http://127.0.0.1:4000", Env: keyed}, "openai/groq/llama-3"},
		{"the common address, and a voice with its own", Settings{Response: "my-voice", ResponseURL: "http://127.0.0.1:4000", BaseURL: "http://127.0.0.1:4001"}, "--llm-base-url"},
		{"a voice alone, without a key", Settings{Response: "groq/llama-3"}, "GROQ_API_KEY"},
		{"the built-in judge", Settings{Model: "openai/gpt-4o", Evaluation: "offline", Env: keyed}, ""},
		{"two judges", Settings{Evaluation: "offline,groq/llama-3", Env: keyed}, ""},
		{"two judges the other way round", Settings{Evaluation: "groq/llama-3,offline,", Env: llmtest.Env()}, "GROQ_API_KEY"},
		{"the built-in judge of callers", Settings{Model: ModelCallers, Evaluation: "offline"}, ""},
		{"steps of callers", Settings{Model: ModelCallers, Response: "groq/llama-3", Env: keyed}, "remove --llm-response"},
		{"a method", Settings{Evaluation: "groq/llama-3", EvaluationMethod: "json", Env: keyed}, ""},
		{"a method that is none", Settings{Evaluation: "groq/llama-3", EvaluationMethod: "guess", Env: keyed}, "--llm-eval-method"},
		{"a time", Settings{Model: "ollama/m", Timeout: 90 * time.Second}, ""},
		{"a time that is too short", Settings{Model: "ollama/m", Timeout: time.Millisecond}, "--llm-timeout"},
		{"a time that is too long", Settings{Timeout: time.Hour}, "--llm-timeout"},
		{"a time before time began", Settings{Timeout: -time.Second}, "--llm-timeout"},
		{"openings of nobody", Settings{Openings: "nobody"}, "--llm-openings"},
		{"an address without a model", Settings{BaseURL: "http://127.0.0.1:4000"}, "--llm"},
		{"an address for callers' models", Settings{Model: ModelCallers, BaseURL: "http://127.0.0.1:4000"}, "the models of callers use their providers' own addresses"},
		{"an address that is none", Settings{Model: "my-model", BaseURL: "ftp://x"}, "http"},
		{"a recording of nothing", Settings{Record: "f"}, "--llm"},
		{"a recording and a replay", Settings{Model: "openai/gpt-4o", Record: "f", Replay: "g", Env: keyed}, "mutually exclusive"},
		{"a replay for callers", Settings{Model: ModelCallers, Replay: "f"}, "callers"},
		{"a replay at an address", Settings{Replay: "f", BaseURL: "http://127.0.0.1:4000"}, "--llm-base-url"},
	} {
		t.Run(c.what, func(t *testing.T) {
			err := c.llm.Check()
			refusal, ok := errors.AsType[*SettingsError](err)
			if (err == nil) != (c.want == "") || err != nil && (!ok || !strings.Contains(refusal.Error(), c.want)) {
				t.Errorf("%s: %v, want %q", c.what, err, c.want)
			}
		})
	}
}

// TestSpeakers: the description contains the models and the sources of their keys, never a key.
func TestSpeakers(t *testing.T) {
	env := llmtest.Env("OPENAI_API_KEY", "sk-secret", "GOOGLE_API_KEY", "secret", EnvKey, "")
	for _, c := range []struct {
		llm  Settings
		want []string
	}{
		{Settings{}, []string{"offline, the built-in one"}},
		{Settings{Model: ModelOffline}, []string{"offline, the built-in one"}},
		{Settings{Model: ModelCallers}, []string{"callers of the game SDK use their own models, all others the offline one"}},
		{Settings{Model: "openai/gpt-4o", Env: env}, []string{"openai/gpt-4o (key from OPENAI_API_KEY)"}},
		{Settings{Model: "gemini/g", Evaluation: "ollama/llama3.2", Env: env}, []string{"gemini/g (key from GOOGLE_API_KEY)", "evaluation: ollama/llama3.2"}},
		{Settings{Model: "gpt-4o", Env: llmtest.Env(EnvKey, "secret")}, []string{"openai/gpt-4o (key from PARLEY_LLM_API_KEY)"}},
		{Settings{Model: "mine", BaseURL: "http://127.0.0.1:4000", Env: env}, []string{"mine at http://127.0.0.1:4000"}},
		{Settings{Model: "mine", BaseURL: "https://me:secret@models.example/v1?key=secret"}, []string{"mine at https://models.example/v1"}},
		{Settings{Response: "ollama/llama3.2"}, []string{"offline, the built-in one", "response: ollama/llama3.2"}},
		{Settings{Model: "ollama/big", Evaluation: "offline"}, []string{"ollama/big", "evaluation: offline, the built-in one"}},
		{Settings{Model: "ollama/big", Evaluation: "offline,ollama/small"}, []string{"ollama/big", "evaluation: offline, the built-in one, and if it is unsure ollama/small"}},
		{Settings{Replay: "tape.jsonl"}, []string{"the recording tape.jsonl"}},
	} {
		if got := c.llm.DescribeSpeakers(); !slices.Equal(got, c.want) || strings.Contains(strings.Join(got, ""), "secret") {
			t.Errorf("%+v: %q, want %q", c.llm.stepNames(), got, c.want)
		}
	}
}

// TestKeyForAll: PARLEY_LLM_API_KEY is the key of the main model's provider alone.
func TestKeyForAll(t *testing.T) {
	env := llmtest.Env(EnvKey, "for-all", "OPENAI_API_KEY", "own", "GROQ_API_KEY", "groq's")
	for model, want := range map[string][2]string{
		"openai/gpt-4o": {"for-all", "groq's"}, "groq/llama": {"own", "for-all"}, ModelCallers: {"own", "groq's"}, "": {"own", "groq's"},
	} {
		t.Run(model, func(t *testing.T) {
			got := Settings{Model: model, Env: env}.variableLookup()
			assert.Equal(t, got("OPENAI_API_KEY"), want[0], model)
			assert.Equal(t, got("GROQ_API_KEY"), want[1], model)
		})
	}
}

// TestTurnLimits: the limit of a turn is the sum of those of its judge and its voice.
func TestTurnLimits(t *testing.T) {
	keyed := llmtest.Env("OPENAI_API_KEY", "k")
	for _, c := range []struct {
		what string
		llm  Settings
		want time.Duration
	}{
		{"the built-in model", Settings{}, 0},
		{"a provider", Settings{Model: "openai/gpt-x", Env: keyed}, 2 * time.Minute},
		{"this machine", Settings{Model: "ollama/m"}, 4 * time.Minute},
		{"a judge of this machine", Settings{Model: "openai/gpt-x", Evaluation: "ollama/m", Env: keyed}, 3 * time.Minute},
		{"a time", Settings{Model: "ollama/m", Timeout: 10 * time.Minute}, 20 * time.Minute},
		{"a time for callers", Settings{Model: ModelCallers, Timeout: 5 * time.Minute}, 10 * time.Minute},
	} {
		t.Run(c.what, func(t *testing.T) {
			set := assert.Value(c.llm.OpenModels(api.NewTelemetry("test"), "test"))(t)
			defer func() { _ = set.Close() }()
			assert.Equal(t, set.TurnLimit, c.want)
		})
	}
}

// TestAddressFitsProvider: an address that the named provider is never asked at is
// refused for each of them, because the key would go to the provider's own one.
func TestAddressFitsProvider(t *testing.T) {
	const address = "http://127.0.0.1:4000"
	for _, p := range provider.Providers {
		env := llmtest.Env(p.KeyVariables[0], "k1")
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
				assert.Must(t, ok, "%v", err)
				assert.ErrorContains(t, err, flag+" is the address")
				assert.ErrorContains(t, err, "openai/"+model)
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

type keyNotes struct {
	mu   sync.Mutex
	keys []string
}

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

// TestStepAddressKeys: a step's separate address gets its own key and no other one.
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
		{"a key of its own", llmtest.Env("OPENAI_API_KEY", "own", EnvKey, "all", EnvStepKeys[1], "step"), llm.Caller{}, nil, []string{"Bearer step"}},
		{"no key of its own", llmtest.Env("OPENAI_API_KEY", "own", EnvKey, "all"), llm.Caller{}, nil, []string{""}},
		{"a caller's main key", llmtest.Env(EnvStepKeys[1], "step"), callers, []string{"Bearer callers-main"}, nil},
		{"a caller's key for the step", llmtest.Env(EnvStepKeys[1], "step"), stepCaller, nil, []string{"Bearer callers-step"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mainAddress, main := noteKeys(t)
			stepAddress, step := noteKeys(t)
			s := Settings{Model: "mine", BaseURL: mainAddress, Response: "theirs", ResponseURL: stepAddress, Env: c.env}
			set := assert.Value(s.OpenModels(api.NewTelemetry("test"), "test"))(t)
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

// TestKeyForUnknownName: PARLEY_LLM_API_KEY is the key of an unknown name with an address.
func TestKeyForUnknownName(t *testing.T) {
	s := Settings{Model: "mine", BaseURL: "http://127.0.0.1:4000", Env: llmtest.Env(EnvKey, "for-all", "OPENAI_API_KEY", "own")}
	assert.Equal(t, s.variableLookup()("OPENAI_API_KEY"), "for-all", "its key")
}
