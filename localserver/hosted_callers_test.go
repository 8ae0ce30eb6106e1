package localserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

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
		assert.NoError(t, err, what)
		assert.Contains(t, string(text), "the key is ", what)
		assert.NotContains(t, string(text), plain, what)
	}
}

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
		assert.Contains(t, left.String(), want, "the echo is not there")
	}
}
