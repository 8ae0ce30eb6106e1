package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const apiKey = "pk_live_0123456789abcdef0123456789abcdef"

// TestSDK checks the requests of the SDK: the API key always, model keys if a model is used, never the token.
func TestSDK(t *testing.T) {
	ctx, message := t.Context(), wire.Message{Message: "hi", UserSessionID: "s 1", Key: "turn"}
	for _, tt := range []struct {
		call   func(s *client.SDK) (any, error)
		uri    string
		lent   bool
		keyed  bool
		answer string
		want   string
	}{
		{func(s *client.SDK) (any, error) { return s.Personas(ctx) }, "GET /api/v1/sdk/personas", false, false, `[{"id":"p1","name":"Mira"}]`, "Mira"},
		{func(s *client.SDK) (any, error) { return s.Machines(ctx, "p/1", "s 1") }, "GET /api/v1/sdk/chat/p%2F1/machines?user_session_id=s+1", false, false, `[{"machine_key":"gate"}]`, "gate"},
		{func(s *client.SDK) (any, error) { return s.Session(ctx, "p1", "s 1", "gate") }, "GET /api/v1/sdk/chat/p1/session?machine_id=gate&user_session_id=s+1", false, false, `{"current_state":"outside","outcome":null}`, "outside"},
		{func(s *client.SDK) (any, error) { return s.InitSession(ctx, "p1", "gate", wire.InitSession{}) }, "POST /api/v1/sdk/chat/p1/init-session?machine_id=gate", true, true, `{"message":"Halt"}`, "Halt"},
		{func(s *client.SDK) (any, error) { return s.SendMessage(ctx, "p1", "", message) }, "POST /api/v1/sdk/chat/p1/message", true, true, `{"message":"Yes","unlocked_machines":[{"machine_id":"m2","machine_key":"hall","is_auto_advance":true}]}`, "{m2 hall  true}"},
		{func(s *client.SDK) (any, error) { return s.SendMessage(ctx, "p1", "", message) }, "POST /api/v1/sdk/chat/p1/message", true, true, `{"message":"Yes","unlocked_machines":["m2"]}`, "{m2   false}"},
		{func(s *client.SDK) (any, error) { return s.StreamMessage(ctx, "p1", "", message, nil) }, "POST /api/v1/sdk/chat/p1/message/stream", true, true, "STREAM" + deltaHello + `event: done` + "\n" + `data: {"message":"Hello","unlocked_machines":[{"machine_key":"hall"}]}` + "\n\n", "{ hall  false}"},
		{func(s *client.SDK) (any, error) { return s.History(ctx, "p1", "s 1", "") }, "GET /api/v1/sdk/chat/p1/history?limit=500&user_session_id=s+1", false, false, `{"messages":[{"content":"Halt"}]}`, "Halt"},
		{func(s *client.SDK) (any, error) { return s.ResetSession(ctx, "p1", "s 1", "") }, "POST /api/v1/sdk/chat/p1/reset?user_session_id=s+1", false, false, `{"message":"Halt again"}`, "Halt again"},
		{func(s *client.SDK) (any, error) { return s.ValidateLLMKey(ctx, "m") }, "POST /api/v1/sdk/validate-llm-key", true, false, `{"valid":true,"model":"offline","error":null}`, "offline"},
	} {
		t.Run(tt.uri+" gives "+tt.want, func(t *testing.T) {
			var got string
			var header http.Header
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				got, header = r.Method+" "+r.URL.RequestURI(), r.Header
				text, stream := strings.CutPrefix(tt.answer, "STREAM")
				w.Header().Set("Content-Type", "application/json")
				if stream {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				_, _ = io.WriteString(w, text)
			})
			answer, err := tt.call(newSDK(t, server.URL))
			if err != nil || got != tt.uri || !strings.Contains(fmt.Sprintf("%+v", answer), tt.want) && !strings.Contains(fmt.Sprint(answer), tt.want) {
				t.Errorf("%s, want %s: %v %v", got, tt.uri, answer, err)
			}
			assert.Equal(t, header.Get(wire.HeaderAPIKey), apiKey, tt.uri)
			assert.Equal(t, header.Get("Authorization"), "", tt.uri)
			assert.Equal(t, header.Get(wire.HeaderIdempotencyKey) != "", tt.keyed, tt.uri)
			for name, value := range map[string]string{
				wire.HeaderLLMKey: "sk-own", wire.HeaderLLMModel: "m", wire.HeaderLLMEvalKey: "sk-eval", wire.HeaderLLMResponseModel: "mr",
				wire.HeaderLLMSummarizationKey: "sk-sum", wire.HeaderLLMSummarizationModel: "ms", wire.HeaderLLMResponseKey: "", wire.HeaderLLMEvalModel: "",
			} {
				if !tt.lent {
					value = ""
				}
				assert.Equal(t, header.Get(name), value, "%s: %s", tt.uri, name)
			}
		})
	}
}

func newSDK(t *testing.T, url string) *client.SDK {
	t.Helper()
	c, _ := newTestClient(t, url)
	s, err := c.SDK(client.SDKOptions{
		APIKey: apiKey, LLM: client.LLM{Key: "sk-own", Model: "m"}, Evaluation: client.LLM{Key: "sk-eval"},
		Response: client.LLM{Model: "mr"}, Summarization: client.LLM{Key: "sk-sum", Model: "ms"},
	})
	assert.NoError(t, err)
	return s
}

// TestSDKKeysAreInNoError makes a service repeat the keys, and prints the client.
func TestSDKKeysAreInNoError(t *testing.T) {
	echo := `{"error":{"message":"bad ` + apiKey + ` sk-own sk-eval sk-sum","code":"unauthenticated","request_id":"r"}}`
	server := startServer(t, answerWith(401, "application/json", echo))
	s := newSDK(t, server.URL)
	_, err := s.SendMessage(context.Background(), "p1", "", wire.Message{})
	assert.True(t, err != nil && err.Error() == "bad [API key] [LLM key] [LLM key] [LLM key]", err)
	text := fmt.Sprintf("%v %+v %#v", s, s, s)
	assert.True(t, !strings.Contains(text, apiKey) && !strings.Contains(text, "sk-"), text)
}

func TestSDKOptions(t *testing.T) {
	c, _ := newTestClient(t, "http://127.0.0.1:1")
	for _, o := range []client.SDKOptions{
		{}, {APIKey: "pk live"}, {APIKey: apiKey, LLM: client.LLM{Key: "sk\n"}}, {APIKey: apiKey, Evaluation: client.LLM{Model: "a b"}},
	} {
		_, err := c.SDK(o)
		assert.True(t, err != nil && !strings.Contains(err.Error(), "pk live") && !strings.Contains(err.Error(), "sk\n"), "%+v: %v", o, err)
	}
}
