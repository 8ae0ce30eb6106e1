package provider

import (
	"net/url"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestInstructionsReachTheModel: a request that needs its instructions is not sent to a model of
// Ollama that never sees them, and the template is looked at once.
func TestInstructionsReachTheModel(t *testing.T) {
	instructed := fullRequest()
	instructed.Instructed = true
	for _, c := range []struct {
		name, model, template string
		request               Request
		wants                 string
	}{
		{"without a template", "ollama/bare", "{{ .Prompt }}", instructed, "lacks a chat template"},
		{"with one", "ollama/whole", "{{ .System }}{{ .Prompt }}", instructed, ""},
		{"of all messages", "ollama/whole", "{{ range .Messages }}{{ .Content }}{{ end }}", instructed, ""},
		{"not described", "ollama/old", "", instructed, ""},
		{"without instructions", "ollama/bare", "{{ .Prompt }}", fullRequest(), ""},
		{"of another API", "openai/gpt-4o", "{{ .Prompt }}", instructed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFakeProvider(t, llmtest.New(nil).DescribeTemplate(c.template))
			a := p.newAsker(t, c.model)
			for range 2 {
				_, err := a.Ask(t.Context(), c.request, nil)
				if (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) {
					t.Errorf("%v", err)
				}
			}
			asked := len(p.double.TextRequests())
			assert.Equal(t, asked == 2, c.wants == "", "%d questions were sent", asked)
			if looked := len(p.double.Requests()) - len(p.double.TextRequests()); c.wants == "" && looked > 1 {
				t.Errorf("the template was looked at %d times", looked)
			}
		})
	}
}

// TestInstructionsByOpenAI: an Ollama that is asked by its OpenAI-compatible address is looked at in
// the same way, at its root. Another server is asked once for Ollama's version, a provider's own
// address never.
func TestInstructionsByOpenAI(t *testing.T) {
	instructed := fullRequest()
	instructed.Instructed = true
	for _, c := range []struct {
		name, model, path, template string
		paths                       []string // of the other requests
		isRefused                   bool
	}{
		{"without a template", "openai/bare", "/v1", "{{ .Prompt }}", []string{"/api/version", "/api/show", "/api/version", "/api/show"}, true},
		{"behind a proxy", "vllm/bare", "/box/v1/", "{{ .Prompt }}", []string{"/box/api/version", "/box/api/show", "/box/api/version", "/box/api/show"}, true},
		{"with one", "openai/whole", "/v1", "{{ .System }}{{ .Prompt }}", []string{"/api/version", "/api/show"}, false},
		{"of another server", "llamacpp/qwen", "/v1", "", []string{"/api/version"}, false},
		{"with a template of another server", "llamacpp/qwen", "/v1", "{% for message in messages %}", []string{"/api/version", "/api/show"}, false},
		{"without /v1", "openai/bare", "/openai", "{{ .Prompt }}", nil, false},
		{"of another API", "anthropic/claude", "/v1", "{{ .Prompt }}", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFakeProvider(t, llmtest.New(nil).DescribeTemplate(c.template), func(o *Options) {
				o.BaseURL = o.Addresses["openai"] + c.path
				o.Addresses = everyAddress(o.BaseURL)
				delete(o.Addresses, "openai")
			})
			a := p.newAsker(t, c.model)
			for range 2 {
				_, err := a.Ask(t.Context(), instructed, nil)
				if (err != nil) != c.isRefused || err != nil && !strings.Contains(err.Error(), "lacks a chat template") {
					t.Errorf("%v", err)
				}
			}
			var paths []string
			for _, r := range p.double.Requests() {
				if r.Format == llmtest.Other {
					paths = append(paths, r.Path)
				}
			}
			assert.EqualSlices(t, paths, c.paths, "looked at")
		})
	}
	public := (&asker{client: New(Options{}), provider: Providers[0], base: publicBase(t)}).ollamaRoot()
	assert.True(t, public == nil, "the provider itself would be asked at %s", public.base)
}

func publicBase(t *testing.T) *url.URL {
	t.Helper()
	u := assert.Value(parseAddress(Providers[0], Providers[0].BaseURL))(t)
	return u
}

// TestRenderedPrompt: a model with a prompt built by Ollama itself does not need a template.
func TestRenderedPrompt(t *testing.T) {
	for description, want := range map[string]bool{
		`{"template": "{{ .Prompt }}"}`:                                                true,
		`{"template": "{{ .Prompt }}", "renderer": "qwen3-coder"}`:                     false,
		`{"template": "{{ .Prompt }}", "modelfile": "FROM x\nRENDERER qwen3-coder\n"}`: false,
		`{"template": "{{ .System }}"}`:                                                false,
		`{}`:                                                                           false,
		`nonsense`:                                                                     false,
	} {
		assert.Equal(t, dropsInstructions([]byte(description)), want, description)
	}
}
