package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"pgregory.net/rapid"
)

// printAll returns a value in all printed forms.
func printAll(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", value)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("m", "value", value)
	}
	if text, err := json.Marshal(value); err == nil {
		out.Write(text)
	}
	return out.String()
}

func noKey(t *testing.T, what string, value any) {
	t.Helper()
	shown := printAll(t, value)
	begin, end := testKey[:minErrorPiece], testKey[len(testKey)-minErrorPiece:]
	for _, form := range []string{testKey, begin, end, fmt.Sprintf("%x", testKey), fmt.Sprintf("%d", []byte(testKey))} {
		assert.Must(t, !strings.Contains(shown, form), "%s shows the key as %q:\n%.500s", what, form, shown)
	}
}

// The key does not appear in any value: not in an asker, not in the errors of providers that repeat
// it in every possible place, and not in connection errors.
func TestKeyShowsNowhere(t *testing.T) {
	echo := "your key " + testKey + " (" + testKey[:10] + "..." + testKey[8:] + ") is bad"
	bodies := []string{
		echo, `"` + echo + `"`,
		`{"error":{"message":"` + echo + `","type":"` + testKey + `","code":"` + testKey + `","param":"` + testKey + `"}}`,
		`{"error":"` + echo + `"}`, `{"detail":["` + echo + `"]}`, `[{"error":{"message":"` + echo + `","details":[{"reason":"` + testKey + `"}]}}]`,
	}
	for _, model := range append([]string{"openrouter/a/b", "vllm/m"}, models...) {
		for _, status := range []int{400, 401, 404, 413, 429, 500} {
			for _, body := range bodies {
				d := llmtest.New(llmtest.Sequence(llmtest.Script{
					Failure: &llmtest.Failure{Status: status, Body: body}, Header: http.Header{"X-Echo": {testKey}, "Retry-After": {testKey}},
				}))
				s := newFakeProvider(t, d, func(o *Options) { o.Env = llmtest.Env("OLLAMA_API_KEY", testKey, "VLLM_API_KEY", testKey) })
				a := s.newAsker(t, model)
				if own, err := s.OperatorModel(model); err == nil && own.(*asker).key.IsSet() {
					a = own
				}
				_, _, err := askPieces(t, a, schemaRequest(), false)
				noKey(t, model, err)
				for ; err != nil; err = errors.Unwrap(err) {
					noKey(t, model, err)
					noKey(t, model, reflect.ValueOf(err))
				}
				noKey(t, "the asker of "+model, a)
				noKey(t, "the stage", struct{ a Asker }{a})
				assert.NotContains(t, printAll(t, s.Check(t.Context(), a)), testKey, model)
			}
		}
	}
}

func TestKeyIsNotInTransportErrors(t *testing.T) {
	s := newFakeProvider(t, llmtest.New(llmtest.Sequence(llmtest.Script{Text: spoken, Cut: true})))
	_, _, err := askPieces(t, s.newAsker(t, "openai/gpt-4o"), fullRequest(), true)
	noKey(t, "a cut", err)
	s.server.Close()
	_, _, err = askPieces(t, s.newAsker(t, "gemini/m"), fullRequest(), true)
	noKey(t, "nobody", err)
	noKey(t, "its cause", errors.Unwrap(err))
}

// The key goes out in one header, in no URL and in no body.
func TestKeyTravelsInOneHeader(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			d := llmtest.New(nil)
			s := newFakeProvider(t, d)
			a := s.newAsker(t, model)
			mustAsk(t, a, schemaRequest(), false)
			assert.NoError(t, s.Check(t.Context(), a))
			for _, r := range d.Requests() {
				count := 0
				for _, values := range r.Header {
					count += strings.Count(strings.Join(values, " "), testKey)
				}
				if want := 1; strings.HasPrefix(model, "ollama/") && count != 0 || !strings.HasPrefix(model, "ollama/") && count != want {
					t.Errorf("%d times in the headers %v", count, r.Header)
				}
				assert.NotContains(t, r.Path+r.Query+string(r.Body), testKey, "in %s?%s %s", r.Path, r.Query, r.Body)
			}
		})
	}
}

const otherKey = "sk-another/Key+0987654321"

// maskIn masks a text in pieces of slice bytes.
func maskIn(text string, slice int, keys ...string) string {
	m := newKeyMask(keys)
	var out strings.Builder
	for rest := text; rest != ""; rest = rest[min(slice, len(rest)):] {
		out.WriteString(m.filterPiece(rest[:min(slice, len(rest))]))
	}
	return out.String() + m.releaseHeld()
}

func TestKeyMask(t *testing.T) {
	for text, want := range map[string]string{
		"Authorization: Bearer " + testKey + ".":        "Authorization: Bearer [key].",
		testKey:                                         "[key]",
		testKey + testKey:                               "[key][key]",
		testKey + otherKey + "!":                        "[key][key]!",
		"it ends in " + testKey[:len(testKey)-1]:        "it ends in [key]",
		"its middle is " + testKey[2:15] + " only":      "its middle is [key] only",
		"too little: " + testKey[:minPiece-1] + " ok":   "too little: " + testKey[:minPiece-1] + " ok",
		"nearly " + testKey[:6] + testKey + "x":         "nearly " + testKey[:6] + "[key]x",
		"in a URL: ?k=sk-another%2FKey+0987654321&b":    "in a URL: ?k=[key]&b",
		"in a query: sk-another%2FKey%2B0987654321":     "in a query: [key]",
		`in JSON: {"k":"sk-another\/Key+0987654321"}`:   `in JSON: {"k":"[key]"}`,
		"ollama is a word, and so is Tk7":               "ollama is a word, and so is Tk7",
		"Grüße, 茶, and " + otherKey[:4] + " at the end": "Grüße, 茶, and " + otherKey[:4] + " at the end",
		"": "",
	} {
		assert.Equal(t, maskIn(text, len(text)+1, testKey, otherKey, "ollama"), want, text)
		for _, slice := range []int{1, 2, 3, 5} {
			got := maskIn(text, slice, testKey, otherKey, "ollama")
			assert.Equal(t, withoutBeginnings(got), want, "%q in pieces of %d is %q", text, slice, got)
		}
	}
}

// withoutBeginnings leaves out the beginning of a key before a mask: up to three bytes of it may
// be out before it is known for one.
func withoutBeginnings(text string) string {
	return regexp.MustCompile(`(?:Tk?7?|sk?-?|7q?W?)\[key\]`).ReplaceAllString(text, maskedKey)
}

// TestKeyMaskAnywhere: no pieces show twelve characters of a key; other texts stay.
func TestKeyMaskAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{testKey, otherKey, testKey[:5], otherKey[3:9], " ", "a", "Well, ", "茶", testKey[4:]})).Draw(t, "parts")
		text := strings.Join(parts, "")
		got := maskIn(text, rapid.IntRange(1, 9).Draw(t, "slice"), testKey, otherKey)
		for _, key := range []string{testKey, otherKey} {
			for i := 0; i+minPiece <= len(key); i++ {
				assert.Must(t, !strings.Contains(got, key[i:i+minPiece]), "%q shows %q", got, key[i:i+minPiece])
			}
		}
		assert.Must(t, strings.Contains(got, maskedKey) || got == text, "%q became %q", text, got)
	})
}

// TestEchoedKeys: a key that a provider repeats is masked in its answer, in every format, whole or
// in pieces, in JSON and in prose, for keys of any owner.
func TestEchoedKeys(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		for name, key := range map[string]string{"the caller's": testKey, "the operator's": otherKey} {
			for _, text := range []string{"Authorization: Bearer " + key + ".", key} {
				for _, size := range []int{1, 7, 1000} {
					var pieces []string
					for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
						pieces = append(pieces, rest[:min(size, len(rest))])
					}
					d := llmtest.New(llmtest.Sequence(llmtest.Script{Pieces: pieces}))
					s := newFakeProvider(t, d, func(o *Options) {
						o.Env, o.KeyVariables = llmtest.Env("PARLEY_STEP_KEY", otherKey, "OLLAMA_API_KEY", testKey), []string{"PARLEY_STEP_KEY"}
					})
					a := assert.Value(s.ModelWithKey(KeyedModel{Name: model, Key: llm.NewSecret(testKey), ByOperator: true}))(t)
					answer, _ := mustAsk(t, a, fullRequest(), stream)
					assert.NotContains(t, answer.Text, key[5:17], "%s key in pieces of %d", name, size)
					assert.Contains(t, answer.Text, maskedKey, "%s key in pieces of %d", name, size)
				}
			}
		}
		d := llmtest.New(llmtest.Sequence(llmtest.Script{Text: `{"holds":[],"why":"Bearer ` + testKey + `"}`}))
		answer, _ := mustAsk(t, newFakeProvider(t, d, func(o *Options) { o.Env = llmtest.Env("OLLAMA_API_KEY", testKey) }).newAsker(t, model), schemaRequest(), stream)
		assert.Equal(t, answer.Text, `{"holds":[],"why":"Bearer [key]"}`)
	})
}

// TestKeysOfOthersInUse: a key is masked in all answers while a call uses it.
func TestKeysOfOthersInUse(t *testing.T) {
	never := make(chan struct{})
	d := llmtest.New(func(r llmtest.Request) llmtest.Script {
		if r.Key == otherKey {
			return llmtest.Script{Text: "Hm.", Wait: never}
		}
		return llmtest.Script{Text: "The last one came with " + otherKey}
	})
	s := newFakeProvider(t, d)
	other := assert.Value(s.ModelWithKey(KeyedModel{Name: "openai/m", Key: llm.NewSecret(otherKey), ByOperator: true}))(t)
	done := make(chan error, 1)
	go func() {
		_, err := other.Ask(t.Context(), fullRequest(), nil)
		done <- err
	}()
	assert.NoError(t, d.AwaitRequests(t.Context(), 1))
	answer, _ := mustAsk(t, s.newAsker(t, "openai/m"), fullRequest(), true)
	assert.True(t, answer.Text == "The last one came with [key]" || answer.Text == "The last one came with sk-[key]", "%q", answer.Text)
	close(never)
	assert.NoError(t, <-done)
	assert.Equal(t, len(s.keys.keys()), 0, "keys are remembered")
}

// TestEchoedKeysElsewhere: neither a list of models nor an error for the log shows a key.
func TestEchoedKeysElsewhere(t *testing.T) {
	s := newFakeProvider(t, llmtest.New(nil).ListModels("good", "for-"+testKey), func(o *Options) { o.Env = llmtest.Env("OPENAI_API_KEY", testKey) })
	noKey(t, "the listings", fmt.Sprint(s.ListModels(t.Context(), true)))
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = connection.Write([]byte(r.Header.Get("Authorization") + "\r\n\r\n"))
		_ = connection.Close()
	})
	_, err := s.newAsker(t, "openai/m").Ask(t.Context(), fullRequest(), nil)
	e := mustFail(t, err, Down)
	assert.True(t, e.Cause != nil && !strings.Contains(e.Cause.Error(), testKey[:minErrorPiece]),
		"behind %v stands %v", e, e.Cause)
}
