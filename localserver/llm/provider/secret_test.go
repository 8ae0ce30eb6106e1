package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
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
	for _, form := range []string{testKey, testKey[:shred], testKey[len(testKey)-shred:], fmt.Sprintf("%x", testKey), fmt.Sprintf("%d", []byte(testKey))} {
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
				s := newFakeProvider(t, d, func(o *Options) { o.Env = fakeEnv("OLLAMA_API_KEY", testKey, "VLLM_API_KEY", testKey) })
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

// What fails on the way names addresses and no headers.
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
