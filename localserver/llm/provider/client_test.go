package provider_test

import (
	"testing"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// TestMoved: a model is moved when its provider has another address of the
// operator's.
func TestMoved(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:4000/v1"}[name]
	}
	for name, c := range map[string]struct {
		options provider.Options
		model   string
		want    bool
	}{
		"at home":          {provider.Options{}, "openai/gpt-op", false},
		"by the flag":      {provider.Options{BaseURL: "http://127.0.0.1:4000"}, "openai/gpt-op", true},
		"by the variable":  {provider.Options{Env: env}, "gpt-4o", true},
		"another provider": {provider.Options{Env: env, BaseURL: "http://127.0.0.1:4000"}, "groq/x", false},
		"no provider":      {provider.Options{BaseURL: "http://127.0.0.1:4000"}, "my-model", true},
		"nonsense":         {provider.Options{}, "my-model", false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, provider.New(c.options).HasCustomAddress(c.model), c.want) })
	}
}
