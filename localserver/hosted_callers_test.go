package localserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestCallersBringTheirOwn checks the model and key of each step of games with callers' keys.
func TestCallersBringTheirOwn(t *testing.T) {
	const callers, eval = "sk-secret-caller", "sk-secret-evaluation"
	for _, c := range []struct {
		what, server string
		headers      []string
		want         []string // step, model and key of each question
	}{
		{"the server's model with the caller's key", "openai/gpt-x", nil, []string{"evaluation gpt-x " + callers, "speech gpt-x " + callers}},
		{"a model and a key", "openai/gpt-x", []string{wire.HeaderLLMModel, "anthropic/claude-x"}, []string{"evaluation claude-x " + callers, "speech claude-x " + callers}},
		{
			"a step of its own", models.ModelCallers, []string{wire.HeaderLLMModel, "openai/gpt-y", wire.HeaderLLMEvalModel, "groq/llama-x", wire.HeaderLLMEvalKey, eval},
			[]string{"evaluation llama-x " + eval, "speech gpt-y " + callers},
		},
		{"the built-in judge", models.ModelCallers, []string{wire.HeaderLLMModel, "openai/gpt-y", wire.HeaderLLMEvalModel, "offline"}, []string{"speech gpt-y " + callers}},
		{
			"two judges", models.ModelCallers, []string{wire.HeaderLLMModel, "openai/gpt-y", wire.HeaderLLMEvalModel, "offline,openai/gpt-z"},
			[]string{"evaluation gpt-z " + callers, "speech gpt-y " + callers},
		},
		{
			"two judges at two providers", models.ModelCallers, []string{wire.HeaderLLMModel, "openai/gpt-y", wire.HeaderLLMEvalModel, "offline,groq/llama-x", wire.HeaderLLMEvalKey, eval},
			[]string{"evaluation llama-x " + eval, "speech gpt-y " + callers},
		},
		{"offline", models.ModelOffline, []string{wire.HeaderLLMModel, "openai/gpt-y"}, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			h, d := playing(t, c.server, act)
			id, key := h.publishPersona(), h.key(alice)
			headers := append([]string{wire.HeaderLLMKey, callers}, c.headers...)
			h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann"), headers...).want(200)
			before := len(d.TextRequests())
			h.send(key, "POST", wire.Path(wire.PathSDKMessage, id), messageJSON("ann", "hm"), headers...).want(200)
			var asked []string
			for _, r := range d.TextRequests()[before:] {
				asked = append(asked, fmt.Sprint(steps([]llmtest.Request{r})[0], " ", r.Model, " ", r.Key))
			}
			assert.EqualSlices(t, asked, c.want, "%s: asked", c.what)
		})
	}
}

// TestCallersAreRefused: an unusable key or model of a caller is refused with a sentence.
func TestCallersAreRefused(t *testing.T) {
	d, l := newDouble(t, "openai/gpt-x", act)
	d.AcceptKeys(serverKey, llmKey).ListModels("gpt-x", "claude-x")
	h := begin(t, func(o *Options) { o.LLM = l })
	id, key := h.publishPersona(), h.key(alice)
	init, message := wire.Path(wire.PathSDKInitSession, id), wire.Path(wire.PathSDKMessage, id)
	h.send(key, "POST", init, initJSON("ann")).want(200)
	for _, c := range []struct {
		what    string
		headers []string
		status  int
		code    string
		says    string
	}{
		{"a key that is refused", []string{wire.HeaderLLMKey, "sk-secret-wrong"}, 401, wire.CodeModelKey, "openai"},
		{"a model that is not there", []string{wire.HeaderLLMModel, "openai/gpt-9"}, 400, wire.CodeBadRequest, "gpt-9"},
		{"no such provider", []string{wire.HeaderLLMModel, "opnai/gpt-x"}, 400, wire.CodeBadRequest, "openai"},
		{"a model of the server's machine", []string{wire.HeaderLLMModel, "ollama/llama3.2"}, 400, wire.CodeBadRequest, "ollama"},
		{"a judge that is none", []string{wire.HeaderLLMEvalModel, "offline,nobody/x"}, 400, wire.CodeBadRequest, wire.HeaderLLMEvalModel},
		{"a judge to be found on the server's machine", []string{wire.HeaderLLMEvalModel, "offline,auto"}, 400, wire.CodeBadRequest, wire.HeaderLLMEvalModel},
		{"a step at another provider without its key", []string{wire.HeaderLLMEvalModel, "anthropic/claude-x"}, 400, wire.CodeBadRequest, wire.HeaderLLMEvalKey},
	} {
		h.run(t, c.what, func(t *testing.T, h *harness) {
			for _, path := range []string{message, message + "/stream"} {
				e := h.send(key, "POST", path, messageJSON("ann", "hm"), c.headers...).fails(c.status, c.code)
				assert.Contains(t, e.Message, c.says, c.what)
				assert.NotContains(t, e.Message, "secret", c.what)
			}
		})
	}
	validate := func(headers ...string) map[string]any {
		return h.send(key, "POST", wire.PathSDKValidate, "", headers...).want(200)
	}
	checkJSON(t, validate(), `{"valid": true, "model": "openai/gpt-x", "error": null}`)
	if bad := validate(wire.HeaderLLMKey, "sk-secret-wrong"); bad["valid"] != false || !strings.Contains(fmt.Sprint(bad["error"]), "OpenAI") || strings.Contains(fmt.Sprint(bad), "secret") {
		t.Errorf("%v", bad)
	}
	assert.Equal(t, h.send(key, "POST", wire.PathSDKValidate, `{"model": "openai/gpt-9"}`).want(200)["valid"], false)
}

// TestKeysGoToTheirProviderOnly searches everything that remains of a play for its keys.
func TestKeysGoToTheirProviderOnly(t *testing.T) {
	dir := t.TempDir()
	tape := filepath.Join(t.TempDir(), "tape.jsonl")
	planted := []string{serverKey, "AIza-main-secret-0123456789", "sk-evaluation-secret-0123456789", "plain.response.secret.0123456789", "sk-ant-summary-secret-0123456789"}
	d, l := newDouble(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
		if strings.Contains(r.PlayerSaid(), "fail") {
			return llmtest.Script{Failure: &llmtest.Failure{Status: 400, Type: "invalid_request_error", Message: "Bad key: " + r.Key}}
		}
		return act(r)
	})
	l.Record = tape
	h := begin(t, func(o *Options) { o.LLM, o.Data = l, dir })
	id, key := h.publishPersona(), h.key(alice)
	headers := []string{
		wire.HeaderLLMKey, planted[1], wire.HeaderLLMModel, "gemini/gemini-x", wire.HeaderLLMEvalKey, planted[2], wire.HeaderLLMEvalModel, "openai/gpt-y",
		wire.HeaderLLMResponseKey, planted[3], wire.HeaderLLMResponseModel, "groq/llama-x", wire.HeaderLLMSummarizationKey, planted[4], wire.HeaderLLMSummarizationModel, "anthropic/claude-x",
	}
	var left bytes.Buffer
	left.Write(h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann"), headers...).body)
	for _, text := range []string{"hm", "fail", "please [pass]"} {
		left.Write(h.send(key, "POST", wire.Path(wire.PathSDKMessage, id), messageJSON("ann", text), headers...).body)
	}
	left.Write(h.send(key, "POST", wire.PathSDKValidate, "", headers...).body)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	left.Write(h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "fail")).body)
	left.Write(h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "").body)
	left.Write(h.send("", "GET", "/metrics", "").body)
	assert.NoError(t, h.Close())
	left.WriteString(h.journal.String())
	checkFolder(t, dir, planted)
	text := assert.Value(os.ReadFile(tape))(t)
	left.Write(text)
	for _, words := range []string{"Bad key", "Spoken by llama-x", "parley_llm_tokens_total", `\"matter\": true`} {
		assert.Contains(t, left.String(), words, "the calls did not do what this test is about")
	}
	for _, k := range planted {
		assert.True(t, !bytes.Contains(left.Bytes(), []byte(k)), "%s is left over", k)
	}
	checkProviders(t, d, planted)
}

// checkProviders: each key went to its own provider, in a header and nowhere else.
func checkProviders(t *testing.T, d *llmtest.Double, planted []string) {
	t.Helper()
	went := map[string]string{}
	for _, r := range d.Requests() {
		went[r.Key] += r.Path + " "
		for _, k := range planted {
			assert.NotContains(t, r.Query+string(r.Body), k, "stands in a question %s", r.Path)
		}
	}
	for key, path := range map[string]string{planted[2]: "/v1/", planted[3]: "/v1/", planted[4]: "/v1/messages"} {
		assert.Contains(t, went[key], path, "%s went to", key)
	}
}

// TestRecordingsHoldNoCallersKey: a player of a game who types the game's key puts it into his own
// history, but not into the recording, for keys of any form and for models of any owner.
func TestRecordingsHoldNoCallersKey(t *testing.T) {
	const plain = "no.provider.has.such.a.secret.0123456789"
	for what, headers := range map[string][]string{"the server's model": nil, "a model of its own": {wire.HeaderLLMModel, "anthropic/claude-x"}} {
		_, l := newDouble(t, "openai/gpt-x", act)
		l.Record = filepath.Join(t.TempDir(), "tape.jsonl")
		h := begin(t, func(o *Options) { o.LLM = l })
		id, key := h.publishPersona(), h.key(alice)
		headers = append(headers, wire.HeaderLLMKey, plain)
		h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann"), headers...).want(200)
		h.send(key, "POST", wire.Path(wire.PathSDKMessage, id), messageJSON("ann", "the key is "+plain), headers...).want(200)
		assert.NoError(t, h.Close())
		text, err := os.ReadFile(l.Record)
		if err != nil || !strings.Contains(string(text), "the key is ") || strings.Contains(string(text), plain) {
			t.Errorf("%s: %v, the recording has %d bytes, the key among them: %v", what, err, len(text), strings.Contains(string(text), plain))
		}
	}
}

// echoKey repeats the key of the request in every kind of answer: in judgements, in replies that
// come in pieces, in summaries, and, if the player asks for it, in an error.
func echoKey(r llmtest.Request) llmtest.Script {
	echo := "Authorization: Bearer " + r.Key
	switch {
	case strings.Contains(r.LastMessage(), "fail now"):
		return llmtest.Script{Failure: &llmtest.Failure{Status: http.StatusBadRequest, Message: echo}}
	case isEvaluation(r):
		answer, _ := json.Marshal(map[string]any{"matter": false, "choice": echo})
		return llmtest.Script{Text: string(answer)}
	}
	var pieces []string
	for rest := echo; rest != ""; rest = rest[min(5, len(rest)):] {
		pieces = append(pieces, rest[:min(5, len(rest))])
	}
	return llmtest.Script{Pieces: pieces}
}

// TestEchoedKeysAreMasked: a key that a provider repeats never appears in an answer, an error, a
// trace, a log, a recording or a database. This holds for keys of all owners, whole and in pieces.
func TestEchoedKeysAreMasked(t *testing.T) {
	const callersKey = "no.provider.has.such.a.secret.0123456789"
	_, l := newDouble(t, "openai/gpt-x", echoKey)
	dir := t.TempDir()
	l.Record = filepath.Join(dir, "tape.jsonl")
	h := begin(t, func(o *Options) { o.LLM, o.Data = l, dir })
	id, key := h.publishPersona(), h.key(alice)
	callers := []string{wire.HeaderLLMKey, callersKey}
	var left bytes.Buffer
	send := func(user, path, body string, headers ...string) {
		t.Helper()
		left.Write(h.send(user, "POST", wire.Path(path, id), body, headers...).body)
	}
	for _, text := range []string{"hello", "fail now"} {
		for _, path := range []string{wire.PathInitSession, wire.PathMessage, wire.PathMessageStream} {
			body := messageJSON("ann", text)
			if path == wire.PathInitSession {
				body = initJSON("ann")
			}
			send("", path, body)
		}
		for _, path := range []string{wire.PathSDKInitSession, wire.PathSDKMessage, wire.PathSDKMessageStream} {
			body := messageJSON("ann", text)
			if path == wire.PathSDKInitSession {
				body = initJSON("ann")
			}
			send(key, path, body, callers...)
		}
	}
	left.Write(h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "").body)
	left.Write(h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").body)
	keys := []string{serverKey, callersKey}
	checkFolder(t, dir, keys)
	assert.NoError(t, h.Close())
	checkFolder(t, dir, keys)
	left.WriteString(h.journal.String())
	for _, k := range keys {
		assert.True(t, !bytes.Contains(left.Bytes(), []byte(k[4:])), "%s stands in an answer or in the log", k)
	}
	for _, want := range []string{"Bearer ", "[key]"} {
		if !slices.ContainsFunc(strings.Split(left.String(), "\n"), func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("the echo is not there: %q", want)
		}
	}
}
