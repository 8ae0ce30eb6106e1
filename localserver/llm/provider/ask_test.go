package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
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
		if stream && len(pieces) != 4 {
			t.Errorf("%d pieces: %q", len(pieces), pieces)
		}
		seen := d.LastRequest()
		if seen.Key != testKey && !strings.HasPrefix(model, "ollama/") || seen.Stream != stream || seen.Query != "" && seen.Query != "alt=sse" {
			t.Errorf("key %q, stream %v, query %q", seen.Key, seen.Stream, seen.Query)
		}
		assert.True(t, seen.Header.Get("User-Agent") == "parley/test" && len(seen.Header["Cookie"]) == 0,
			"headers %v", seen.Header)
	})
}

// The double reads back what was meant, in each format.
func TestRequestsArrive(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		d := llmtest.New(nil)
		r := fullRequest()
		mustAsk(t, newFakeProvider(t, d).newAsker(t, model), r, stream)
		seen := d.LastRequest()
		var messages []llm.Message
		for _, m := range seen.Messages {
			messages = append(messages, llm.Message(m))
		}
		_, name, _ := strings.Cut(model, "/")
		if seen.Model != name || seen.System != r.System || !slices.Equal(messages, r.Messages) || *seen.Temperature != 0.5 || seen.MaxTokens != 300 {
			t.Errorf("%+v", seen)
		}
	})
}

// Streams arrive as the network likes: a byte at a time, with comments, with
// other ends of lines, without usage.
func TestStreamsHoweverTheyCome(t *testing.T) {
	scripts := map[string]llmtest.Script{
		"bytes":    {Text: spoken, Slices: 1, In: 1, Out: 2},
		"sevens":   {Text: spoken, Slices: 7, CRLF: true, Comments: true, In: 1, Out: 2},
		"crlf":     {Text: spoken, CRLF: true, In: 1, Out: 2},
		"comments": {Text: spoken, Comments: true, In: 1, Out: 2},
		"no done":  {Text: spoken, NoDone: true, In: 1, Out: 2},
		"no usage": {Text: spoken, NoUsage: true},
		"nothing":  {In: 1, Out: 2},
	}
	for name, script := range scripts {
		for _, model := range models {
			t.Run(name+"/"+model, func(t *testing.T) {
				answer, _ := mustAsk(t, newFakeProvider(t, llmtest.New(llmtest.Sequence(script))).newAsker(t, model), fullRequest(), true)
				if answer.Text != script.Text || answer.Finish != Stopped || answer.Usage.In != script.In || answer.Usage.Out != script.Out {
					t.Errorf("%+v", answer)
				}
			})
		}
	}
}

// TestStreamsWithOtherLineEnds: lines may end in CR, in LF or in both, also mixed, as in the
// standard of server-sent events, and a complete event is passed on at once.
func TestStreamsWithOtherLineEnds(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"CR":    func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"CRLF":  func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"mixed": func(s string) string { return strings.ReplaceAll(s, "\n\n", "\r\n\r") },
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
	in, out := io.Pipe()
	defer out.Close()
	go func() { _, _ = io.WriteString(out, "data: a\r\r") }() // And then nothing.
	if data, err := newEventReader(in, 1000, false).nextEvent(); err != nil || string(data) != "a" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestLengthByOtherNames: servers that speak as OpenAI does have more words for the limit, and
// another name for the member.
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

// A stream that ends without its end mark is not an answer, in any case, and is asked once more
// only if nothing was emitted so far.
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

// A line that the end of a stream cuts in two is cut off and not garbled.
func TestStreamsCutInALine(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			whole := streamOf(t, llmtest.New(llmtest.Sequence(llmtest.Script{Text: spoken})), model)
			for _, size := range []int{1, 10, len(whole) / 4, len(whole) / 2} {
				d := llmtest.New(llmtest.Sequence(llmtest.Script{Raw: whole[:size]}))
				_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), true)
				assert.Contains(t, mustFail(t, err, Down).Message, "cut off", "%s after %d bytes: %v", model, size, err)
			}
		})
	}
}

// A server that does not end its answer behind the end mark is not waited for.
func TestServerThatNeverEnds(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			if strings.HasPrefix(model, "gemini/") {
				return // its streams end with their connection
			}
			whole := streamOf(t, llmtest.New(llmtest.Sequence(llmtest.Script{Text: spoken})), model)
			s := newFakeProvider(t, llmtest.New(nil), func(o *Options) { o.Limits.Drain = time.Millisecond })
			s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write(whole)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
			answer, _ := mustAsk(t, s.newAsker(t, model), fullRequest(), true)
			assert.Equal(t, answer.Text, spoken, "%+v", answer)
		})
	}
}

func TestCutAnswers(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: spoken, Cut: true}))
			_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, model), fullRequest(), false)
			if mustFail(t, err, Down); len(d.TextRequests()) != 2 {
				t.Errorf("asked %d times: %v", len(d.TextRequests()), err)
			}
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
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(e.Message, "in time") || len(s.waits) > 0 {
			t.Errorf("%v, waits %v", err, s.waits)
		}
	})
}

// A connection is reused after a stream, after an answer and after a refusal. On a busy machine
// net/http drops one now and then.
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
