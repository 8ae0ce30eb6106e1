package provider

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// A count of tokens in another form never spoils an answer.
func TestUsageOfAnyForm(t *testing.T) {
	for usage, want := range map[string][2]int{
		`{"prompt_tokens":12,"completion_tokens":3}`:        {12, 3},
		`{"prompt_tokens":12.0,"completion_tokens":3.7}`:    {12, 3},
		`{"prompt_tokens":1.2e1,"completion_tokens":"3"}`:   {12, 3},
		`{"prompt_tokens":null,"completion_tokens":[]}`:     {0, 0},
		`{"prompt_tokens":-4,"completion_tokens":1e300}`:    {0, maxTokenCount},
		`{"prompt_tokens":"many","completion_tokens":true}`: {0, 0},
		`[]`: {0, 0}, `"none"`: {0, 0}, `null`: {0, 0}, `7`: {0, 0},
	} {
		for f, answer := range map[Format]string{
			OpenAI:    `{"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}],"usage":` + usage + `}`,
			Anthropic: `{"type":"message","content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn","usage":` + strings.NewReplacer("prompt_", "input_", "completion_", "output_").Replace(usage) + `}`,
			Gemini: `{"candidates":[{"content":{"parts":[{"text":"Hello."}]},"finishReason":"STOP"}],"usageMetadata":` +
				strings.NewReplacer("prompt_tokens", "promptTokenCount", "completion_tokens", "candidatesTokenCount").Replace(usage) + `}`,
		} {
			out := newAnswerText(1000, nil)
			assert.NoError(t, formats[f].readWhole([]byte(answer), out), "%s: %s", f, usage)
			assert.Equal(t, out.in, want[0], "%s: %s", f, usage)
			assert.Equal(t, out.out, want[1], "%s: %s", f, usage)
		}
	}
}

// TestCostOfAnyForm: the cost that a provider reports is read, and any other form counts as 0.
func TestCostOfAnyForm(t *testing.T) {
	for cost, want := range map[string]float64{
		`0.00014`: 0.00014, `"0.5"`: 0.5, `1e-4`: 0.0001, `-1`: 0, `1e300`: maxDollars, `null`: 0, `{"total":1}`: 0, `"free"`: 0,
	} {
		out := newAnswerText(1000, nil)
		answer := `{"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":3,"cost":` + cost + `}}`
		err := formats[OpenAI].readWhole([]byte(answer), out)
		assert.True(t, err == nil && out.cost == want && out.in == 12, "%s: %v, $%g, want %g, and %d tokens", cost, err, out.cost, want, out.in)
	}
}

func TestErrorsInAStream(t *testing.T) {
	const piece = `data: {"choices":[{"delta":{"content":"Hello."}}]}` + "\n\n"
	for name, test := range map[string]struct{ stream, want string }{
		"an empty error is none":       {piece + `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"error":{}}` + "\n\n" + `data: {"choices":[],"error":""}` + "\n\ndata: [DONE]\n\n", ""},
		"an event that is named error": {piece + "event: error\n" + `data: {"message":"overloaded now","type":"overloaded_error"}` + "\n\n", "overloaded now"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asker{client: &Client{limits: Limits{}.withDefaults()}, format: formats[OpenAI]}
			out := newAnswerText(1000, nil)
			err := a.readStream(t.Context(), strings.NewReader(test.stream), out)
			if test.want == "" && err != nil {
				t.Fatal(err)
			}
			if f := failureOf(err); test.want != "" && (f == nil || !strings.Contains(f.providerText, test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestLongLineIsNamed(t *testing.T) {
	a := &asker{client: &Client{limits: Limits{}.withDefaults()}, format: formats[OpenAI]}
	err := a.readStream(t.Context(), strings.NewReader("data: "+strings.Repeat("a", maxLine)+"\n\n"), newAnswerText(1000, nil))
	f := failureOf(err)
	assert.True(t, f != nil && strings.Contains(f.problem, "1048576"), "%v", err)
}
