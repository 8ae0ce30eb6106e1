package localserver

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestSDKListsAllPersonas: the list includes the personas of later pages, newest first.
func TestSDKListsAllPersonas(t *testing.T) {
	h := begin(t)
	var want []string
	for range 2*publishedPage + 1 {
		h.savePersona(gatePersona)
		want = append([]string{h.publishPersona()}, want...)
	}
	answer := h.send(h.key(alice), "GET", wire.PathSDKPersonas, "").is(200)
	list := decoded[[]wire.SDKPersona](answer)
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	assert.True(t, slices.Equal(ids, want) && bytes.Equal(answer.body, api.EncodeJSON(list)), "%d personas, want %d: %.300s", len(ids), len(want), answer.body)
}

func TestModelKeyIsNeeded(t *testing.T) {
	h := begin(t)
	id, key := h.publishPersona(), h.key(alice)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	for i := range routes {
		h.run(t, routes[i].ID, func(t *testing.T, h *harness) {
			row := &routes[i]
			if !row.Access.NeedsAPIKey() {
				return
			}
			needed := strings.Contains("sdk-init-session sdk-message sdk-message-stream sdk-validate-llm-key", row.ID)
			for _, sent := range []string{"", "  "} {
				answer := h.send("", row.Method, pathOf(row, id), bodyOf(row), wire.HeaderAPIKey, key, wire.HeaderLLMKey, sent)
				if !needed {
					answer.want(row.Success[0])
					continue
				}
				assert.Contains(t, answer.fails(400, wire.CodeBadRequest).Message, wire.HeaderLLMKey, row.ID)
			}
		})
	}
	validate := func(status int, headers ...string) replied {
		a := h.send(key, "POST", wire.PathSDKValidate, "", headers...).is(status)
		return a
	}
	for _, header := range []string{wire.HeaderLLMKey, wire.HeaderLLMEvalKey, wire.HeaderLLMResponseKey, wire.HeaderLLMSummarizationKey} {
		validate(200, header, strings.Repeat("secret", api.MaxModelKey/6))
		validate(400, header, strings.Repeat("s", api.MaxModelKey+1)).fails(400, wire.CodeBadRequest)
	}
	for _, header := range []string{wire.HeaderLLMModel, wire.HeaderLLMEvalModel, wire.HeaderLLMResponseModel, wire.HeaderLLMSummarizationModel} {
		validate(200, header, strings.Repeat("m", api.MaxModelName))
		validate(400, header, strings.Repeat("m", api.MaxModelName+1)).fails(400, wire.CodeBadRequest)
	}
	for body, status := range map[string]int{
		"": 200, "{}": 200, `{"model": "some/model"}`: 200, `{"model": "` + strings.Repeat("m", api.MaxModelName+1) + `"}`: 422, `{"model": 1}`: 422, `{`: 400,
	} {
		h.run(t, caseName(body), func(t *testing.T, h *harness) {
			answer := h.send(key, "POST", wire.PathSDKValidate, body)
			if answer.want(status); status == 200 {
				checkJSON(t, answer.want(200), `{"valid": true, "model": "offline", "error": null}`)
			}
		})
	}
}

type notingModel struct {
	llm.Model
	callers []llm.Caller
	ill     error
}

func (n *notingModel) With(c llm.Caller) (llm.Model, error) {
	n.callers = append(n.callers, c)
	return n.Model, n.ill
}

func (n *notingModel) Check(_ context.Context, c llm.Caller) (string, error) { return c.Model, n.ill }

func TestCallersKeysReachTheModel(t *testing.T) {
	b := &notingModel{Model: scripted.New()}
	h := begin(t, func(o *Options) { o.Model = b })
	id, key := h.publishPersona(), h.key(alice)
	headers := []string{
		wire.HeaderLLMModel, "m", wire.HeaderLLMEvalKey, "secret-e", wire.HeaderLLMEvalModel, "me", wire.HeaderLLMResponseKey, "secret-r",
		wire.HeaderLLMResponseModel, "mr", wire.HeaderLLMSummarizationKey, "secret-s", wire.HeaderLLMSummarizationModel, "ms",
	}
	init, message := wire.Path(wire.PathSDKInitSession, id), wire.Path(wire.PathSDKMessage, id)
	h.send(key, "POST", init, initJSON("ann"), headers...).want(200)
	h.send(key, "POST", message, messageJSON("ann", "hi"), headers...).want(200)
	h.send(key, "POST", message+"/stream", messageJSON("ann", "hi"), headers...).want(200)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann"), append(headers, wire.HeaderLLMKey, "secret")...).want(200)
	assert.Must(t, len(b.callers) == 3, "asked for a model %d times, want by each call of the SDK side", len(b.callers))
	for _, c := range b.callers {
		for _, pair := range [][2]string{
			{c.Key.Reveal(), llmKey}, {c.Evaluation.Key.Reveal(), "secret-e"}, {c.Response.Key.Reveal(), "secret-r"}, {c.Summarization.Key.Reveal(), "secret-s"},
			{c.Model, "m"}, {c.Evaluation.Model, "me"}, {c.Response.Model, "mr"}, {c.Summarization.Model, "ms"},
		} {
			assert.Equal(t, pair[0], pair[1], "brought")
		}
	}
	checkJSON(t, h.send(key, "POST", wire.PathSDKValidate, `{"model": "x"}`, headers...).want(200), `{"valid": true, "model": "x", "error": null}`)
	b.ill = errors.New("there is no model of that name")
	checkJSON(t, h.send(key, "POST", wire.PathSDKValidate, "", headers...).want(200), `{"valid": false, "model": "m", "error": "there is no model of that name"}`)
	for path, body := range map[string]string{init: initJSON("ann"), message: messageJSON("ann", "hi"), message + "/stream": messageJSON("ann", "hi")} {
		h.send(key, "POST", path, body).fails(400, wire.CodeBadRequest)
	}
}

// TestKeysOfCallersAreNotStored searches everything that remains of a game's calls for its keys.
func TestKeysOfCallersAreNotStored(t *testing.T) {
	dir := t.TempDir()
	mood := map[string]func() error{
		"fail": func() error { return errors.New("the provider refuses") }, "boom": func() error { panic("boom") }, "": func() error { return nil },
	}
	h := begin(t, func(o *Options) { o.Data = dir }, withFirstStep(func(_ context.Context, text string) error { return mood[text]() }))
	mood["hi [[redirect]]"], mood["hi"] = mood[""], mood[""]
	id, key := h.publishPersona(), h.key(alice)
	keys := []string{key, llmKey, "sk-evaluation-secret", "sk-response-secret", "sk-summary-secret"}
	headers := []string{
		wire.HeaderLLMEvalKey, keys[2], wire.HeaderLLMResponseKey, keys[3], wire.HeaderLLMSummarizationKey, keys[4],
		"X-LLM-Unknown-API-Key", llmKey,
	}
	var left bytes.Buffer
	for i := range routes {
		row := &routes[i]
		if !row.Access.NeedsAPIKey() {
			continue
		}
		for _, persona := range []string{id, nobodyID} {
			for _, body := range []string{
				"", "{", `{"user_session_id": 1}`, initJSON("ann"), messageJSON("ann", "hi [[redirect]]"),
				messageJSON("ann", "fail"), messageJSON("ann", "boom"),
			} {
				if row.ID == "sdk-validate-llm-key" && body != "{" {
					body = ""
				}
				once := append(headers, wire.HeaderIdempotencyKey, row.ID+body)
				left.Write(h.send(key, row.Method, pathOf(row, persona), body, once...).body)
				left.Write(h.send("", row.Method, pathOf(row, persona), body, append(headers, wire.HeaderAPIKey, key+"x", wire.HeaderLLMKey, llmKey)...).body)
			}
		}
	}
	left.Write(h.send("", "GET", "/metrics", "").body)
	// While the server runs, the newest part of the database is in its journal.
	checkFolder(t, dir, keys)
	assert.NoError(t, h.Close())
	checkFolder(t, dir, keys)
	left.WriteString(h.journal.String())
	for _, k := range keys {
		assert.True(t, !bytes.Contains(left.Bytes(), []byte(k)), "%s stands in an answer or in the log", k)
	}
	assert.Contains(t, left.String(), "the provider refuses", "the calls did not do what this test is about")
	assert.Contains(t, left.String(), "Halt, Ann.", "the calls did not do what this test is about")
}

func checkFolder(t *testing.T, dir string, keys []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	assert.Must(t, err == nil && len(files) >= 2, "%d files, %v", len(files), err)
	for _, name := range files {
		text := assert.Value(os.ReadFile(name))(t)
		for _, k := range keys {
			assert.True(t, !bytes.Contains(text, []byte(k)), "%s stands in %s", k, filepath.Base(name))
		}
	}
}

func TestAPIKeys(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	h := begin(t, func(o *Options) { o.Now = func() time.Time { return now } })
	created := h.send(alice, "POST", wire.PathAPIKeys, `{"name": "my game"}`).want(201)
	key, prefix := created["key"].(string), created["key_prefix"].(string)
	hex := strings.TrimPrefix(key, "pk_live_")
	assert.Equal(t, len(hex), 32)
	assert.Equal(t, strings.Trim(hex, "0123456789abcdef"), "")
	assert.True(t, strings.HasPrefix(key, prefix), "key %q with prefix %q", key, prefix)
	assert.True(t, len(prefix) <= 12, "key %q with prefix %q", key, prefix)
	h.tokens["the key"] = key
	listed := func(who string) []wire.Key {
		var keys []wire.Key
		answer := h.send(who, "GET", wire.PathAPIKeys, "")
		assert.NotContains(t, string(answer.body), key, "the list shows the key")
		answer.want(200)
		answer.decode(&keys)
		return keys
	}
	if keys := listed(alice); len(keys) != 1 || keys[0].Name != "my game" || keys[0].KeyPrefix != prefix || keys[0].LastUsedAt != nil {
		t.Errorf("%+v", keys)
	}
	h.send(key, "GET", wire.PathSDKPersonas, "").want(200)
	keys := listed(alice)
	assert.True(t, keys[0].LastUsedAt != nil && keys[0].LastUsedAt.Equal(now), "used at %v, listed %+v", now, keys)
	keys = listed(bob)
	assert.True(t, keys != nil && len(keys) == 0, "bob's keys: %+v", keys)

	path := wire.Path(wire.PathAPIKey, created["id"].(string))
	h.send(bob, "DELETE", path, "").fails(404, wire.CodeNotFound)
	h.send(key, "DELETE", path, "").fails(401, wire.CodeUnauthenticated)
	h.send(key, "GET", wire.PathSDKPersonas, "").want(200)
	gone := h.send(alice, "DELETE", path, "")
	assert.True(t, gone.status == 204 && len(gone.body) == 0, "%d %s", gone.status, gone.body)
	h.send(key, "GET", wire.PathSDKPersonas, "").fails(401, wire.CodeUnauthenticated)
	h.send(alice, "DELETE", path, "").fails(404, wire.CodeNotFound)
	assert.Empty(t, listed(alice))
}

func TestKeysThatAreNone(t *testing.T) {
	h := begin(t)
	key := h.key(alice)
	for name, sent := range map[string]string{
		"none": "", "shorter": key[:len(key)-1], "longer": key + "0", "upper case": strings.ToUpper(key), "its hash": api.HashAPIKey(key),
		"another": api.KeyPrefix + strings.Repeat("0", 32), "its start": api.KeyPrefix, "SQL": "' OR 1=1 --",
		"huge": strings.Repeat("k", 32<<10), "a token": h.token(alice),
	} {
		h.run(t, name, func(t *testing.T, h *harness) {
			e := h.send("", "GET", wire.PathSDKPersonas, "", wire.HeaderAPIKey, sent).fails(401, wire.CodeUnauthenticated)
			assert.True(t, sent == "" || !strings.Contains(e.Message, sent), "%s: it repeats the key: %s", name, e.Message)
		})
	}
	h.send("", "GET", wire.PathSDKPersonas, "", "Authorization", "Bearer "+key).fails(401, wire.CodeUnauthenticated)
	h.send(alice, "GET", wire.PathSDKPersonas, "").fails(401, wire.CodeUnauthenticated)
	h.send("", "GET", wire.PathMe, "", wire.HeaderAPIKey, key).fails(401, wire.CodeUnauthenticated)
	h.send("", "GET", wire.PathSDKPersonas, "", wire.HeaderAPIKey, key).want(200)
}
