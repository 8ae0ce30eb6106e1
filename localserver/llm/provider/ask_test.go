package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"go.uber.org/goleak"
)

const spoken = "Harbour fees are due — «now», my dear 👩‍🚀. \n\nPay."

func TestAnswers(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		d := llmtest.New(func(llmtest.Request) llmtest.Script {
			return llmtest.Script{Pieces: []string{"Harbour fees ", "are due — «now», ", "my dear 👩‍🚀. \n\n", "Pay."}, In: 31, Out: 17}
		})
		answer, pieces := mustAsk(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), stream)
		want := Answer{Text: spoken, Finish: Stopped, Usage: llm.Usage{Model: model, In: 31, Out: 17}}
		assert.DeepEqual(t, answer, want)
		assert.True(t, !stream || len(pieces) == 4, "%d pieces: %q", len(pieces), pieces)
		seen := d.LastRequest()
		if seen.Key != testKey && !strings.HasPrefix(model, "ollama/") || seen.Stream != stream || seen.Query != "" && seen.Query != "alt=sse" {
			t.Errorf("key %q, stream %v, query %q", seen.Key, seen.Stream, seen.Query)
		}
		assert.True(t, seen.Header.Get("User-Agent") == "parley/test" && len(seen.Header["Cookie"]) == 0,
			"headers %v", seen.Header)
	})
}

// TestStreamsHoweverTheyCome: streams arrive in any pieces.
func TestStreamsHoweverTheyCome(t *testing.T) {
	scripts := map[string]llmtest.Script{
		"bytes":   {Text: spoken, Slices: 1, In: 1, Out: 2},
		"sevens":  {Text: spoken, Slices: 7, In: 1, Out: 2},
		"nothing": {In: 1, Out: 2},
	}
	for name, script := range scripts {
		for _, model := range models {
			t.Run(name+"/"+model, func(t *testing.T) {
				answer, _ := mustAsk(t, newFakeProvider(t, llmtest.New(llmtest.Sequence(script))).newAsker(t, model), fullRequest(), true)
				assert.Equal(t, answer.Text, script.Text, "%+v", answer)
				assert.Equal(t, answer.Finish, Stopped)
				assert.Equal(t, answer.Usage.In, script.In)
				assert.Equal(t, answer.Usage.Out, script.Out)
			})
		}
	}
}

// TestStreamsOfOtherServers: streams have comments, or lack usage and the end mark. Lines may end in
// CR, in LF or in both, also mixed, as in the standard of server-sent events.
func TestStreamsOfOtherServers(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"CR":    func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"mixed": func(s string) string { return strings.ReplaceAll(s, "\n\n", "\r\n\r") },
		"CRLF":  func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"comments": func(s string) string {
			return strings.ReplaceAll(s, "\n\n", "\n\n: keep-alive\n\nevent: ping\nid: 7\nretry: 10\n\n")
		},
		"no empty lines": func(s string) string { return strings.ReplaceAll(s, "\n\n", "\n") },
		"no done":        strings.NewReplacer("data: [DONE]\n\n", "").Replace,
		"no usage":       strings.NewReplacer(`"usage"`, `"x"`, `"usageMetadata"`, `"x"`, `_eval_count"`, `_x"`, `"eval_count"`, `"x"`).Replace,
	} {
		for _, model := range models {
			t.Run(name+"/"+model, func(t *testing.T) {
				raw := change(string(streamOf(t, llmtest.New(llmtest.Sequence(llmtest.Script{Text: spoken, In: 1, Out: 2})), model)))
				d := llmtest.New(llmtest.Sequence(llmtest.Script{Raw: []byte(raw)}))
				answer, _ := mustAsk(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), true)
				assert.Equal(t, answer.Text, spoken)
				assert.Equal(t, answer.Finish, Stopped)
				assert.Equal(t, len(d.TextRequests()), 1)
			})
		}
	}
}

// TestLengthByOtherNames: OpenAI-compatible servers have more words for the limit.
func TestLengthByOtherNames(t *testing.T) {
	for _, member := range []string{`"finish_reason":"length"`, `"finish_reason":"max_tokens"`, `"finish_reason":"MAX_TOKENS"`, `"finishReason":"MAX_TOKENS"`, `"finish_reason":"model_length"`} {
		raw := "data: {\"choices\":[{\"delta\":{\"content\":\"I would\"}," + member + "}]}\n\ndata: [DONE]\n\n"
		answer, _ := mustAsk(t, newFakeProvider(t, llmtest.New(llmtest.Sequence(llmtest.Script{Raw: []byte(raw)}))).newAsker(t, "openai/gpt-4o"), fullRequest(), true)
		assert.Equal(t, answer.Finish, Length, "%s: %+v", member, answer)
	}
}

func TestFinishes(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		for words, want := range map[string]Finish{"stop": Stopped, "length": Length, "refused": Refused} {
			if words == "refused" && strings.HasPrefix(model, "ollama/") {
				continue
			}
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: "I would", Finish: words}))
			answer, _ := mustAsk(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), stream)
			assert.Equal(t, answer.Finish, want, words)
			assert.Equal(t, answer.Text, "I would", words)
		}
	})
}

// A prompt that is refused is an answer without a text.
func TestRefusedPrompts(t *testing.T) {
	bodies := map[string]llmtest.Failure{
		"openai/gpt-4o": {Status: 400, Code: "content_filter", Message: "The response was filtered"},
		"openrouter/m":  {Status: 403, Body: `{"error":{"code":403,"message":"No","metadata":{"reasons":["violence"],"flagged_input":"x"}}}`},
	}
	for model, script := range bodies {
		t.Run(model, func(t *testing.T) {
			answer, _ := mustAsk(t, newFakeProvider(t, llmtest.New(llmtest.Sequence(llmtest.Script{Failure: &script}))).newAsker(t, model), fullRequest(), true)
			assert.Equal(t, answer.Finish, Refused)
			assert.Equal(t, answer.Text, "")
		})
	}
	said := []byte("data: {\"choices\":[{\"delta\":{\"refusal\":\"No.\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	answer, _ := mustAsk(t, newFakeProvider(t, llmtest.New(llmtest.Sequence(llmtest.Script{Raw: said}))).newAsker(t, "openai/gpt-4o"), fullRequest(), true)
	assert.Equal(t, answer.Finish, Refused)
	assert.Equal(t, answer.Text, "")
	blocked := llmtest.Script{Finish: "refused"}
	answer, _ = mustAsk(t, newFakeProvider(t, llmtest.New(llmtest.Sequence(blocked))).newAsker(t, "gemini/gemini-2.0-flash"), fullRequest(), false)
	assert.Equal(t, answer.Finish, Refused, answer)
}

// TestCutStreams: a stream without its end mark is no answer, and is retried if unseen.
func TestCutStreams(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			for name, script := range map[string]llmtest.Script{"reset": {Text: "Harbour", Cut: true}, "ended": {Text: "Harbour", Unended: true}} {
				d := llmtest.New(llmtest.Sequence(script))
				_, pieces, err := askPieces(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), true)
				e := mustFail(t, err, Down)
				assert.Contains(t, e.Message, "cut off", "%s %s: %v, %q", model, name, err, pieces)
				assert.Equal(t, len(pieces), 1, "%s %s: %v, %q", model, name, err, pieces)
				assert.Equal(t, len(d.TextRequests()), 1, "%s %s: %v, %q", model, name, err, pieces)
			}
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Cut: true}, llmtest.Script{Text: "Hm."}))
			answer, _ := mustAsk(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), true)
			assert.Equal(t, answer.Text, "Hm.", "%+v", answer)
		})
	}
}

func TestCutAnswers(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: spoken, Cut: true}))
			_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), false)
			mustFail(t, err, Down)
			assert.Equal(t, len(d.TextRequests()), 2, "asked")
		})
	}
}

func TestErrorsInStreams(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			script := llmtest.Failure{Status: 529, Type: "overloaded_error", Message: "Overloaded"}
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: "Har", FailAfter: &script}))
			_, pieces, err := askPieces(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), true)
			e := mustFail(t, err, Down)
			assert.Contains(t, e.Message, "Overloaded", "%v, %q", err, pieces)
			assert.Equal(t, len(pieces), 1, "%v, %q", err, pieces)
			assert.Equal(t, len(d.TextRequests()), 1, "%v, %q", err, pieces)
		})
	}
}

func TestGarbledAnswers(t *testing.T) {
	for _, raw := range []string{"<html>Welcome</html>", "{", `{"choices": 7}`, `{"candidates": "x", "content": 7, "message": []}`} {
		t.Run(raw, func(t *testing.T) {
			runInEach(t, func(t *testing.T, model string, stream bool) {
				text := raw
				if stream && !strings.HasPrefix(model, "ollama/") {
					text = "data: " + raw + "\n\n"
				}
				d := llmtest.New(llmtest.Sequence(llmtest.Script{Raw: []byte(text + "\n")}))
				_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), stream)
				if mustFail(t, err, Down); len(d.TextRequests()) > 2 {
					t.Errorf("asked %d times: %v", len(d.TextRequests()), err)
				}
			})
		})
	}
}

// An answer may have at most the maximum number of bytes; a line and a body are bounded too.
func TestTooMuch(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		for size, ok := range map[int]bool{1000: true, 1001: false} {
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Pieces: []string{strings.Repeat("a", 600), strings.Repeat("b", size-600)}}))
			s := newFakeProvider(t, d, func(o *Options) { o.Limits.Answer = 1000 })
			answer, _, err := askPieces(t, s.newAsker(t, model), fullRequest(), stream)
			if ok && (err != nil || len(answer.Text) != size) {
				t.Errorf("%d bytes: %v", size, err)
			}
			if !ok {
				mustFail(t, err, Down)
			}
		}
		d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: strings.Repeat("a", 5000)}))
		_, _, err := askPieces(t, newFakeProvider(t, d, func(o *Options) { o.Limits.Body = 4000 }).newAsker(t, model), fullRequest(), stream)
		mustFail(t, err, Down)
	})
}

// An error of emit ends the call, and is returned.
func TestEmitFails(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			full := make(chan struct{})
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Pieces: []string{"one", "two"}, WaitAfter: map[int]<-chan struct{}{0: full}}))
			s := newFakeProvider(t, d)
			enough := errors.New("enough")
			_, err := s.newAsker(t, model).Ask(t.Context(), fullRequest(), func(string) error { return enough })
			assert.Equal(t, err, enough)
			assert.NoError(t, d.AwaitAbandoned(t.Context(), 1), "the double still answers")
			s.Close()
			s.server.Close()
		})
	}
}

// A cancelled context ends the call to the provider, before the first piece and after it.
func TestCallerGoesAway(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	runInEach(t, func(t *testing.T, model string, stream bool) {
		never := make(chan struct{})
		d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: "one", Wait: never}))
		s := newFakeProvider(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() {
			var emit func(string) error
			if stream {
				emit = func(string) error { return nil }
			}
			_, err := s.newAsker(t, model).Ask(ctx, fullRequest(), emit)
			result <- err
		}()
		assert.NoError(t, d.AwaitRequests(t.Context(), 1))
		cancel()
		err := <-result
		if mustFail(t, err, Late); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		assert.NoError(t, d.AwaitAbandoned(t.Context(), 1), "the double still answers")
	})
}

func TestLate(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		never := make(chan struct{})
		d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: "one", Wait: never}))
		s := newFakeProvider(t, d, func(o *Options) { o.Limits.Whole = 20 * time.Millisecond })
		_, _, err := askPieces(t, s.newAsker(t, model), fullRequest(), stream)
		e := mustFail(t, err, Late)
		assert.True(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(e.Message, "in time") && len(s.waits) == 0, "%v, waits %v", err, s.waits)
	})
}

// TestConnectionsAreKept: a connection is reused after a stream, an answer and a refusal.
func TestConnectionsAreKept(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		d := llmtest.New(func(r llmtest.Request) llmtest.Script {
			if r.Number%3 == 0 {
				return llmtest.Script{Failure: &llmtest.Failure{Status: 400, Message: "no"}}
			}
			return llmtest.Script{Text: "a"}
		})
		s := newFakeProvider(t, d, func(o *Options) { o.Limits.Drain = time.Minute })
		connections := countConnections(s)
		for range 50 {
			_, _, err := askPieces(t, s.newAsker(t, model), fullRequest(), stream)
			if err != nil {
				mustFail(t, err, BadRequest)
			}
		}
		n := connections()
		assert.True(t, n <= 10, "%d connections", n)
	})
}

// TestBodies: the path, headers and body of every request match its golden file.
func TestBodies(t *testing.T) {
	plain := fullRequest()
	plain.Temperature, plain.MaxTokens, plain.System = nil, 0, ""
	requests := []struct {
		name, model string
		r           Request
		stream      bool
		q           quirks
	}{
		{"plain", "", plain, false, quirks{}},
		{"stream", "", fullRequest(), true, quirks{}},
		{"schema", "", schemaRequest(), false, quirks{}},
		{"schema-json", "", schemaRequest(), false, quirks{rung: rungJSON}},
		{"schema-words", "", schemaRequest(), false, quirks{rung: rungWords}},
		{"quirks", "", fullRequest(), true, quirks{active: noTemperature | noUsage | noThink | otherLimit | thinks, window: 8192}},
		{"thinker", "openai/gpt-5-mini", fullRequest(), true, quirks{}},
		{"thinker", "gemini/gemini-2.5-flash", fullRequest(), true, quirks{}},
		{"thinker-3", "gemini/gemini-3.7-flash", fullRequest(), false, quirks{}},
	}
	for _, c := range requests {
		for _, model := range models {
			if c.model != "" {
				model = c.model
			}
			before, _, _ := strings.Cut(model, "/")
			t.Run(c.name+"/"+before, func(t *testing.T) {
				d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: `{"holds":[]}`}))
				s := newFakeProvider(t, d)
				a := s.newAsker(t, model).(*asker)
				s.quirks.remember(a.base.String()+" "+a.target.Model, c.q)
				mustAsk(t, a, c.r, c.stream)
				assert.Golden(t, filepath.Join("testdata", "bodies", before+"-"+c.name+".txt"), wireText(t, d.LastRequest()))
			})
		}
	}
}

// wireText returns the readable form of a request as sent.
func wireText(t *testing.T, r llmtest.Request) string {
	t.Helper()
	var out bytes.Buffer
	out.WriteString(r.Method + " " + r.Path)
	if r.Query != "" {
		out.WriteString("?" + r.Query)
	}
	out.WriteString("\n")
	for _, name := range []string{"Accept", "Authorization", "X-Api-Key", "X-Goog-Api-Key", "Anthropic-Version", "Content-Type", "User-Agent"} {
		if value := r.Header.Get(name); value != "" {
			out.WriteString(name + ": " + value + "\n")
		}
	}
	out.WriteString("\n")
	assert.NoError(t, json.Indent(&out, r.Body, "", "  "))
	return out.String() + "\n"
}

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
			assert.Equal(t, out.usage.In, want[0], "%s: %s", f, usage)
			assert.Equal(t, out.usage.Out, want[1], "%s: %s", f, usage)
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
		assert.True(t, err == nil && out.usage.Cost == want && out.usage.In == 12,
			"%s: %v, $%g, want %g, and %d tokens", cost, err, out.usage.Cost, want, out.usage.In)
	}
}

func TestErrorsInAStream(t *testing.T) {
	const piece = `data: {"choices":[{"delta":{"content":"Hello."}}]}` + "\n\n"
	for name, test := range map[string]struct{ stream, want string }{
		"an empty error is none":       {piece + `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"error":{}}` + "\n\n" + `data: {"choices":[],"error":""}` + "\n\ndata: [DONE]\n\n", ""},
		"an event that is named error": {piece + "event: error\n" + `data: {"message":"overloaded now","type":"overloaded_error"}` + "\n\n", "overloaded now"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asker{client: &Client{options: Options{Limits: Limits{}.withDefaults()}}, format: formats[OpenAI]}
			out := newAnswerText(1000, nil)
			err := a.readStream(t.Context(), strings.NewReader(test.stream), out)
			assert.Must(t, test.want != "" || err == nil, err)
			if f := failureOf(err); test.want != "" && (f == nil || !strings.Contains(f.providerText, test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestLongLineIsNamed(t *testing.T) {
	a := &asker{client: &Client{options: Options{Limits: Limits{}.withDefaults()}}, format: formats[OpenAI]}
	err := a.readStream(t.Context(), strings.NewReader("data: "+strings.Repeat("a", wire.MaxEvent)+"\n\n"), newAnswerText(1000, nil))
	f := failureOf(err)
	assert.True(t, f != nil && strings.Contains(f.problem, "1048576"), "%v", err)
}

// TestSearchIsLinear: braces in a player's text do not make the search for the object slow. A
// search that starts again at each brace would take hours for each of these texts.
func TestSearchIsLinear(t *testing.T) {
	const size, object = 1 << 20, `{"why":"w"}`
	for _, quoted := range []string{"{", "{ ", "{\n\n", "{x", "} {x", "[{"} {
		for _, text := range []string{strings.Repeat(quoted, size) + "\n" + object, object + "\n" + strings.Repeat(quoted, size)} {
			got, ok := findJSON(text)
			assert.True(t, ok && got == object, "%d times %q around it: %.40q", size, quoted, got)
		}
	}
	for _, quoted := range []string{`{"`, `{"a":`, `{"a":[`, `{"a":{}`, `{"{`, `{}`, `{"\"`} {
		got, ok := findJSON(strings.Repeat(quoted, size) + object)
		assert.True(t, !ok, "%d times %q before it: %.40q", size, quoted, got)
	}
}
