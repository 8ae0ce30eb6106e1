package provider

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestAddressVariables: the address in a provider's own variable is read like in its own SDK, with
// the path that the SDK appends; a variable that no SDK reads is ignored.
func TestAddressVariables(t *testing.T) {
	for _, c := range []struct{ variable, value, model, want string }{
		{"OPENAI_BASE_URL", "https://gate.example/v1", "openai/m", "https://gate.example/v1"},
		{"OPENAI_BASE_URL", "https://gate.example/proxy/", "openai/m", "https://gate.example/proxy"},
		{"ANTHROPIC_BASE_URL", "https://gate.example", "anthropic/m", "https://gate.example/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example/anthropic/", "anthropic/m", "https://gate.example/anthropic/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example/v1/", "anthropic/m", "https://gate.example/v1"},
		{"GOOGLE_GEMINI_BASE_URL", "https://gate.example/", "gemini/m", "https://gate.example/v1beta"},
		{"GROQ_BASE_URL", "https://gate.example", "groq/m", "https://gate.example/openai/v1"},
		{"GROQ_BASE_URL", "https://gate.example/openai/v1", "groq/m", "https://gate.example/openai/v1"},
		{"TOGETHER_BASE_URL", "https://gate.example/v1", "together/m", "https://gate.example/v1"},
		{"OPENAI_BASE_URL", "https://gate.example/v1/chat/completions", "openai/m", "https://gate.example/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example/v1/messages", "anthropic/m", "https://gate.example/v1"},
		{"GOOGLE_GEMINI_BASE_URL", "https://gate.example/v1beta/models/g:generateContent", "gemini/m", "https://gate.example/v1beta"},
		{"GROQ_BASE_URL", "https://gate.example/openai/v1/chat/completions", "groq/m", "https://gate.example/openai/v1"},
		{"OLLAMA_HOST", "http://gate:1/api/chat", "ollama/m", "http://gate:1"},
		{"OLLAMA_HOST", "gate:1", "ollama/m", "http://gate:1"},
		{"MISTRAL_BASE_URL", "https://gate.example/v1", "mistral/m", "https://api.mistral.ai/v1"},
		{"ANTHROPIC_BASE_URL", " ", "anthropic/m", "https://api.anthropic.com/v1"},
		{"ANTHROPIC_BASE_URL", "https://gate.example", "openai/m", "https://api.openai.com/v1"},
	} {
		t.Run(c.variable+" "+c.value+" "+c.model, func(t *testing.T) {
			target := assert.Value(ParseModelName(c.model))(t)
			p, _ := findProvider(target.Provider)
			client := New(Options{Env: fakeEnv(c.variable, c.value, p.KeyVariables[0], testKey)})
			a, err := client.OperatorModel(c.model)
			assert.NoError(t, err)
			assert.Equal(t, a.(*asker).base.String(), c.want, "%v, %v, want", a, err)
			// A caller who names the model is asked for at the provider's own address.
			if p.Local {
				return
			}
			theirs, err := client.CallersModel(c.model, a.(*asker).key)
			assert.NoError(t, err)
			assert.Equal(t, theirs.(*asker).base.String(), p.BaseURL, "a caller's: %v, %v", theirs, err)
		})
	}
}
