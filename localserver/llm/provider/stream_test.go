package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// What comes behind the end mark is read to its end, but not waited for.
func TestDrain(t *testing.T) {
	rest := strings.NewReader("\r\n0\r\n")
	if drainAnswer(rest, time.Minute, func() { t.Error("given up") }); rest.Len() != 0 {
		t.Errorf("%d bytes are left", rest.Len())
	}
	in, out := io.Pipe()
	defer out.Close()
	drainAnswer(in, time.Millisecond, func() { in.Close() })
}

// decodeStream reads a stream as an answer of a format.
func decodeStream(f Format, data []byte, limit int) (*answerText, error) {
	out := newAnswerText(limit, nil)
	a := &asker{format: formats[f], base: &url.URL{}}
	return out, a.readStream(context.Background(), bytes.NewReader(data), out)
}

func fuzzStream(f *testing.F, format Format, model string) {
	for _, script := range []llmtest.Script{{Text: spoken, In: 1, Out: 2}, {Text: "a", Finish: "length"}, {FailAfter: &llmtest.Failure{Status: 500, Message: "no"}}} {
		d := llmtest.New(llmtest.Sequence(script))
		f.Add(streamOf(f, d, model))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 500
		out, err := decodeStream(format, data, limit)
		assert.Must(t, out.text.Len() <= limit, "%d bytes", out.text.Len())
		if err == nil && (!out.ended || out.finish == "") {
			t.Fatalf("a whole answer without an end: %+v", out)
		}
		_, isFault := errors.AsType[*failure](err)
		assert.Must(t, err == nil || isFault, "%T", err)
		whole := newAnswerText(limit, nil)
		if err := formats[format].readWhole(data, whole); err == nil && !json.Valid(data) {
			t.Fatalf("%q is no JSON", data)
		}
	})
}

func FuzzOpenAIStream(f *testing.F)    { fuzzStream(f, OpenAI, "openai/gpt-4o") }
func FuzzAnthropicStream(f *testing.F) { fuzzStream(f, Anthropic, "anthropic/m") }
func FuzzGeminiStream(f *testing.F)    { fuzzStream(f, Gemini, "gemini/m") }
func FuzzOllamaStream(f *testing.F)    { fuzzStream(f, Ollama, "ollama/m") }

func TestFindJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:                                `{"a":1}`,
		"\n {\"a\":1} \n":                        `{"a":1}`,
		"```json\n{\"a\":1}\n```":                `{"a":1}`,
		"I take {x}: {\"a\":{\"b\":[1]}} Good?":  `{"a":{"b":[1]}}`,
		`First {"a":1}, no: {"a":2}.`:            "",
		`{"a":1}{"a":1}`:                         "",
		`He said {"a" and {"a":1}`:               "",
		`{"a":"He said {"a":1}"}`:                "",
		`So {} and {"a":1}`:                      "",
		`{"a": "}{"} and`:                        `{"a": "}{"}`,
		`{"a":1`:                                 "",
		"no":                                     "",
		"":                                       "",
		"[1]":                                    "",
		strings.Repeat("{", 63) + `{"a":1}`:      `{"a":1}`,
		strings.Repeat("{ \n", 9999) + `{"a":1}`: `{"a":1}`,
	} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			got, ok := findJSON(text)
			assert.True(t, got == want && ok == (want != ""), "%q is %q", text, got)
		})
	}
}

func FuzzFindJSON(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "```json\n{\"a\":1}\n```", `x {"a":"\u0000"} y`, "{{{{", `{"a":{"a":{`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := findJSON(text)
		if ok != (got != "") || ok && ((got[0] != '{' || !json.Valid([]byte(got))) || !strings.Contains(text, got)) {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}

// rawPiece returns an event of a stream that contains this JSON as a piece of the text.
func rawPiece(format Format, text string) string {
	switch format {
	case Anthropic:
		return `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + text + "}}\n\n"
	case Gemini:
		return `data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":` + text + "}]}}]}\n\n"
	case Ollama:
		return `{"message":{"role":"assistant","content":` + text + `},"done":false}` + "\n"
	}
	return `data: {"choices":[{"index":0,"delta":{"content":` + text + "}}]}\n\n"
}

// rawEnd is the end of a stream.
func rawEnd(format Format) string {
	switch format {
	case Anthropic:
		return `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	case Gemini:
		return `data: {"candidates":[{"index":0,"finishReason":"STOP"}]}` + "\n\n"
	case Ollama:
		return `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}` + "\n"
	}
	return `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
}

// askRaw asks for a stream and answers with raw bytes.
func askRaw(t *testing.T, model, raw string, slices int, change ...func(*Request)) (Answer, []string, error) {
	t.Helper()
	d := llmtest.New(func(llmtest.Request) llmtest.Script { return llmtest.Script{Raw: []byte(raw), Slices: slices} })
	r := fullRequest()
	for _, c := range change {
		c(&r)
	}
	return askPieces(t, newFakeProvider(t, d).newAsker(t, model), r, true)
}

func formatOf(model string) Format {
	name, _, _ := strings.Cut(model, "/")
	p, _ := FindProvider(name)
	return p.Format
}

// TestCutCharacters: a character cut between two pieces is one in every format.
func TestCutCharacters(t *testing.T) {
	for what, pieces := range map[string][]string{
		"a surrogate pair": {`"Hi \ud83d"`, `"\ude00!"`},
		"one in capitals":  {`"Hi \uD83D"`, `""`, `"\uDE00!"`},
		"bytes":            {"\"Hi \xf0\x9f\"", "\"\x98\x80!\""},
	} {
		for _, model := range models {
			for _, slices := range []int{0, 1} {
				t.Run(fmt.Sprintf("%s %s %d", what, model, slices), func(t *testing.T) {
					raw := ""
					for _, piece := range pieces {
						raw += rawPiece(formatOf(model), piece)
					}
					answer, shown, err := askRaw(t, model, raw+rawEnd(formatOf(model)), slices)
					assert.NoError(t, err, shown)
					assert.Equal(t, answer.Text, "Hi 😀!", shown)
					assert.NotContains(t, strings.Join(shown, "|"), "\ufffd", shown)
				})
			}
		}
	}
}

// TestWholeAnswerToStream: a whole answer is accepted even if a stream was requested, with any
// content type; and a streamed one even if it was not requested.
func TestWholeAnswerToStream(t *testing.T) {
	said := map[string]string{
		"openai/gpt-4o":           `{"choices":[{"index":0,"message":{"role":"assistant","content":"Well met."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`,
		"openai/gpt-4o-pretty":    "\n{\n  \"choices\": [\n {\"index\":0,\"message\":{\"content\":\"Well met.\"}}],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}\n}\n",
		"anthropic/m":             `{"type":"message","content":[{"type":"text","text":"Well met."}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}}`,
		"gemini/m":                `{"candidates":[{"content":{"parts":[{"text":"Well met."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`,
		"gemini/m-list":           "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Well \"}]}}]}\n,\n{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"met.\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":3}}\n]",
		"ollama/m":                `{"message":{"role":"assistant","content":"Well met."},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":3}`,
		"ollama/m-over-two-lines": "{\n\"message\":{\"role\":\"assistant\",\"content\":\"Well met.\"},\n\"done\":true,\"prompt_eval_count\":7,\"eval_count\":3}",
	}
	for model, raw := range said {
		t.Run(model, func(t *testing.T) {
			answer, shown, err := askRaw(t, model, raw, 5)
			assert.NoError(t, err, shown)
			assert.Equal(t, answer.Text, "Well met.", shown)
			assert.Equal(t, strings.Join(shown, ""), answer.Text, shown)
			assert.Equal(t, answer.Usage.In, 7, shown)
			assert.Equal(t, answer.Usage.Out, 3, shown)
		})
	}
	for _, model := range models {
		t.Run("streamed "+model, func(t *testing.T) {
			f := formatOf(model)
			d := llmtest.New(func(llmtest.Request) llmtest.Script {
				return llmtest.Script{Raw: []byte(rawPiece(f, `"Well "`) + rawPiece(f, `"met."`) + rawEnd(f))}
			})
			answer, _ := mustAsk(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), false)
			assert.Equal(t, answer.Text, "Well met.")
		})
		t.Run("an error "+model, func(t *testing.T) {
			_, _, err := askRaw(t, model, `{"error":{"type":"overloaded_error","message":"too busy"},"type":"error"}`, 0)
			assert.ErrorContains(t, err, "too busy")
		})
	}
}

// TestRunawayAnswers: an endless answer ends at the wanted length, and the call too.
func TestRunawayAnswers(t *testing.T) {
	for _, model := range models {
		for what, piece := range map[string]string{"sentences": "The fish is fresh. ", "one word": "fish", "no letters": "   ", "a thought": "<think>hm"} {
			t.Run(model+" "+what, func(t *testing.T) {
				gone := make(chan struct{})
				var hangUp sync.Once
				d := llmtest.New(nil)
				s := newFakeProvider(t, d)
				s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", string(formats[formatOf(model)].framing))
					for r.Context().Err() == nil {
						if _, err := w.Write([]byte(rawPiece(formatOf(model), `"`+piece+`"`))); err != nil {
							break
						}
						w.(http.Flusher).Flush()
					}
					hangUp.Do(func() { close(gone) })
				})
				r := fullRequest()
				r.MaxTokens = 20
				answer, _, err := askPieces(t, s.newAsker(t, model), r, true)
				select {
				case <-gone:
				case <-time.After(20 * time.Second):
					t.Fatal("the provider goes on")
				}
				if what == "a thought" || what == "no letters" {
					assert.True(t, err != nil, "without a word it is an answer: %.80q", answer.Text)
					return
				}
				most := 20*charactersPerToken + lengthGrace + 10
				assert.Must(t, err == nil && answer.Finish == Length && len(answer.Text) <= most,
					"%d characters, %s, %v", len(answer.Text), answer.Finish, err)
				assert.True(t, strings.HasSuffix(answer.Text, "…"), "it ends with %q", answer.Text[len(answer.Text)-20:])
			})
		}
	}
}

// TestLengthOfHonestAnswers: an answer of the wanted length is unchanged.
func TestLengthOfHonestAnswers(t *testing.T) {
	text := strings.Repeat("Fish. ", 50)
	d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: text}))
	r := fullRequest()
	r.MaxTokens = len(text) / charactersPerToken
	answer, _ := mustAsk(t, newFakeProvider(t, d).newAsker(t, models[0]), r, true)
	assert.True(t, answer.Text == text && answer.Finish == Stopped, "%q, %s", answer.Text, answer.Finish)
	long := strings.Repeat("é", 2000)
	for _, slice := range []int{1, 7, 5000} {
		l, got := lengthLimit{limit: 4}, ""
		for rest := []rune(long); len(rest) > 0; rest = rest[min(slice, len(rest)):] {
			got += l.cutPiece(string(rest[:min(slice, len(rest))]))
		}
		assert.True(t, l.reached && got == long[:2*(4+lengthGrace)]+"…", "in pieces of %d it has %d bytes", slice, len(got))
	}
}
