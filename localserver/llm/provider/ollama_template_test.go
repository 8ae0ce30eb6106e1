package provider

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
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
		{"without a template", "ollama/bare", "{{ .Prompt }}", instructed, "no chat template"},
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
			if asked := len(p.double.TextRequests()); (asked == 2) != (c.wants == "") {
				t.Errorf("%d questions were sent", asked)
			}
			if looked := len(p.double.Requests()) - len(p.double.TextRequests()); c.wants == "" && looked > 1 {
				t.Errorf("the template was looked at %d times", looked)
			}
		})
	}
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
		if got := dropsInstructions([]byte(description)); got != want {
			t.Errorf("%s: %t", description, got)
		}
	}
}
