package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// secret is the token of all tests; no error may repeat it.
const secret = "eyJhbGciOiJSUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func startServer(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func newTestClient(t *testing.T, url string, change ...func(*client.Options)) (*client.Client, *[]time.Duration) {
	t.Helper()
	var slept []time.Duration
	o := client.Options{
		BaseURL: url, Token: secret, Version: "1.2.3",
		Sleep: func(_ context.Context, wait time.Duration) error { slept = append(slept, wait); return nil },
		Rand:  func() float64 { return 0 },
	}
	for _, f := range change {
		f(&o)
	}
	c := assert.Value(client.New(o))(t)
	t.Cleanup(c.Close)
	return c, &slept
}

const (
	itemJSON    = `"id":"p1","name":"Mira","description":"d","is_public":true,"created_at":"2025-01-02T03:04:05.678Z"`
	personaJSON = itemJSON + `,"persona_identity_prompt":"You are Mira.","user_id":"u1","updated_at":"2025-01-02T03:04:06.000Z","new_member":[1]`
)

var (
	created = wire.Time{Time: time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC)}
	updated = wire.Time{Time: time.Date(2025, 1, 2, 3, 4, 6, 0, time.UTC)}
	item    = wire.PersonaItem{ID: "p1", Name: "Mira", Description: "d", IsPublic: true, CreatedAt: created}
	persona = wire.Persona{PersonaItem: item, IdentityPrompt: "You are Mira.", UserID: "u1", UpdatedAt: updated}
)

type exchange struct {
	name   string
	call   func(ctx context.Context, c *client.Client) (any, error)
	method string
	uri    string // as on the request line
	body   string
	header map[string]string // beside those of every call
	keyed  bool
	status int // 0 is 200
	answer string
	want   any
}

func pointerTo[T any](v T) *T { return &v }

func listExchanges() []exchange {
	const odd = "a/b c?ü" // a session id that needs escaping
	init := wire.InitSession{UserSessionID: "s1", PlayerName: "Ada", PlayerGender: "female"}
	type C = *client.Client
	return []exchange{
		{name: "list", call: func(ctx context.Context, c C) (any, error) { return c.Personas(ctx, client.PersonaList{}) },
			method: "GET", uri: "/api/v1/personas", answer: "[{" + itemJSON + "}]", want: []wire.PersonaItem{item}},
		{name: "list all of mine", call: func(ctx context.Context, c C) (any, error) {
			return c.Personas(ctx, client.PersonaList{PublicOnly: pointerTo(false), Mine: true, Limit: 100})
		}, method: "GET", uri: "/api/v1/personas?limit=100&my_personas=true&public_only=false", answer: "[]", want: []wire.PersonaItem{}},
		{name: "show", call: func(ctx context.Context, c C) (any, error) { return c.Persona(ctx, "p1") },
			method: "GET", uri: "/api/v1/personas/p1", answer: "{" + personaJSON + "}", want: persona},
		{name: "show with an odd id", call: func(ctx context.Context, c C) (any, error) { return c.Persona(ctx, "../me?x#y%") },
			method: "GET", uri: "/api/v1/personas/..%2Fme%3Fx%23y%25", answer: "{" + personaJSON + "}", want: persona},
		{name: "dots as an id", call: func(ctx context.Context, c C) (any, error) { return c.Persona(ctx, "..") },
			method: "GET", uri: "/api/v1/personas/%2E%2E", answer: "{" + personaJSON + "}", want: persona},
		{name: "full", call: func(ctx context.Context, c C) (any, error) { return c.FullPersona(ctx, "p1") },
			method: "GET", uri: "/api/v1/personas/p1/full",
			answer: `{"persona":{` + personaJSON + `},"machines":[],"variables":[{"key":"k"}],"machine_links":[]}`,
			want: wire.FullPersona{Persona: persona, Extra: personas.Members{{Name: "new_member", Value: json.RawMessage("[1]")}},
				Machines: []wire.Machine{}, Variables: []personas.Variable{{Key: "k"}}, Links: []personas.Link{}}},
		{name: "save a new one", call: func(ctx context.Context, c C) (any, error) {
			saved, isNew, err := c.SavePersona(ctx, "", json.RawMessage(`{ "name":"<Mira>" }`), "")
			return []any{saved, isNew}, err
		}, method: "POST", uri: "/api/v1/creator/save", body: `{ "name":"<Mira>" }`, keyed: true, header: map[string]string{"If-Match": ""},
			status: 201, answer: "{" + personaJSON + `,"persona_id":"p1"}`, want: []any{wire.Saved{Persona: persona, PersonaID: "p1"}, true}},
		{name: "save over one", call: func(ctx context.Context, c C) (any, error) {
			saved, isNew, err := c.SavePersona(ctx, "p1", map[string]int{"a": 1}, "2025-01-02T03:04:06.000Z")
			return []any{saved, isNew}, err
		}, method: "POST", uri: "/api/v1/creator/save?persona_id=p1", body: `{"a":1}`, keyed: true,
			header: map[string]string{"If-Match": `"2025-01-02T03:04:06.000Z"`},
			answer: "{" + personaJSON + `,"persona_id":"p1"}`, want: []any{wire.Saved{Persona: persona, PersonaID: "p1"}, false}},
		{name: "publish", call: func(ctx context.Context, c C) (any, error) { return c.PublishPersona(ctx, "p&1") },
			method: "POST", uri: "/api/v1/creator/publish?persona_id=p%261", answer: `{"play_link":"http://x/p1","persona_id":"p1"}`,
			want: wire.Published{PlayLink: "http://x/p1", PersonaID: "p1"}},
		{name: "delete", call: func(ctx context.Context, c C) (any, error) { return nil, c.DeletePersona(ctx, "p1") },
			method: "DELETE", uri: "/api/v1/personas/p1", status: 204},
		{name: "delete with a body in the answer", call: func(ctx context.Context, c C) (any, error) { return nil, c.DeletePersona(ctx, "p1") },
			method: "DELETE", uri: "/api/v1/personas/p1", answer: `{"deleted":true}`},
		{name: "progress", call: func(ctx context.Context, c C) (any, error) { return c.Progress(ctx, "p1", odd) },
			method: "GET", uri: "/api/v1/personas/p1/progress?user_session_id=a%2Fb+c%3F%C3%BC",
			answer: `{"persona_id":"p1","current_machine_id":null,"total_score":3.0,"relationship_level":-1,"completed_machines":[{"machine_id":"m","outcome":"ACCEPT","score":3,"completed_at":""}],
				"available_machines":[{"machine_id":"m","description":null}],"route_path":[{"machine_id":"m"}],"cross_machine_vars":{"a":"b","n":5,"z":null},"has_links":true}`,
			want: wire.Progress{PersonaID: "p1", TotalScore: 3, RelationshipLevel: -1, HasLinks: true,
				CompletedMachines: []wire.CompletedMachine{{MachineID: "m", Outcome: "ACCEPT", Score: 3}}, AvailableMachines: []wire.AvailableMachine{{MachineID: "m"}},
				RoutePath: []wire.RouteStep{{MachineID: "m"}}, CrossMachineVars: map[string]string{"a": "b", "n": "5", "z": ""}}},
		{name: "reset progress", call: func(ctx context.Context, c C) (any, error) { return c.ResetProgress(ctx, "p1", "s1") },
			method: "DELETE", uri: "/api/v1/personas/p1/progress?user_session_id=s1", answer: `{"persona_id":"p1","user_session_id":"s1","deleted_sessions":2}`,
			want: wire.ProgressReset{PersonaID: "p1", UserSessionID: "s1", DeletedSessions: 2}},
		{name: "available machines", call: func(ctx context.Context, c C) (any, error) { return c.AvailableMachines(ctx, "p1", "s1") },
			method: "GET", uri: "/api/v1/personas/p1/available-machines?user_session_id=s1", answer: `[{"machine_id":"m","session_outcome":"REJECT","is_linked":true}]`,
			want: []wire.AvailableMachine{{MachineID: "m", SessionOutcome: pointerTo("REJECT"), IsLinked: true}}},
		{name: "init-session", call: func(ctx context.Context, c C) (any, error) { return c.InitSession(ctx, "p1", "m 1", init) },
			method: "POST", uri: "/api/v1/chat/p1/init-session?machine_id=m+1", keyed: true,
			body:   `{"user_session_id":"s1","player_name":"Ada","player_gender":"female"}`,
			answer: `{"message":"Hail","session_id":"x","user_session_id":"s1","persona_name":"Mira","persona_description":null,"player_name":null,"player_gender":"female","machine_id":"m"}`,
			want:   wire.Opening{Message: "Hail", SessionID: "x", UserSessionID: "s1", PersonaName: "Mira", PlayerGender: "female", MachineID: "m"}},
		{name: "message", call: func(ctx context.Context, c C) (any, error) {
			return c.SendMessage(ctx, "p1", "", wire.Message{Message: "hi", UserSessionID: "s1"})
		}, method: "POST", uri: "/api/v1/chat/p1/message", body: `{"message":"hi","user_session_id":"s1"}`, keyed: true,
			answer: `{"message":"Well","current_state":"end","score":3,"outcome":"ACCEPT","decision":"pass","follow_up":false,"redirect_count":null,"session_id":"x",
				"scoring_mode":"scoring","machine_completed":true,"unlocked_machines":["a",{"machine_id":"b","name":"B"}]}`,
			want: wire.Reply{Message: "Well", CurrentState: "end", Score: 3, Outcome: pointerTo("ACCEPT"), Decision: pointerTo("pass"), SessionID: "x", ScoringMode: "scoring", MachineCompleted: true, Unlocked: wire.UnlockedMachines{"a", "b"}}},
		{name: "message under the caller's key", call: func(ctx context.Context, c C) (any, error) {
			return c.SendMessage(ctx, "p1", "m", wire.Message{Message: "hi", UserSessionID: "s1", Key: "turn-7"})
		}, method: "POST", uri: "/api/v1/chat/p1/message?machine_id=m", body: `{"message":"hi","user_session_id":"s1"}`, header: map[string]string{"Idempotency-Key": "turn-7"}, keyed: true,
			answer: `{"score":1.0,"redirect_count":2e0,"unlocked_machines":null}`, want: wire.Reply{Score: 1, RedirectCount: pointerTo(2), Unlocked: wire.UnlockedMachines{}}},
		{name: "history", call: func(ctx context.Context, c C) (any, error) { return c.History(ctx, "p1", "s1", "m") },
			method: "GET", uri: "/api/v1/chat/p1/history?limit=500&machine_id=m&user_session_id=s1",
			answer: `{"session_id":"x","persona_id":"p1","messages":[{"id":"1","role":"assistant","content":"Hail","score_at_time":0,"decision":null,"created_at":"2025-01-02T03:04:06Z"}],"score":0,"outcome":null,"started_at":"2025-01-02T03:04:06"}`,
			want:   wire.History{SessionID: "x", PersonaID: "p1", Messages: []wire.HistoryMessage{{ID: "1", Role: "assistant", Content: "Hail", CreatedAt: updated}}, StartedAt: updated}},
		{name: "reset", call: func(ctx context.Context, c C) (any, error) { return c.ResetSession(ctx, "p1", "s1", "") },
			method: "POST", uri: "/api/v1/chat/p1/reset?user_session_id=s1", answer: `{"session_id":"x","message":"Hail"}`, want: wire.ResetDone{SessionID: "x", Message: "Hail"}},
		{name: "me", call: func(ctx context.Context, c C) (any, error) { return c.Me(ctx) },
			method: "GET", uri: "/api/v1/auth/me", answer: `{"id":"u1","email":"a@example.com","display_name":null}`, want: wire.User{ID: "u1", Email: "a@example.com"}},
		{name: "migrate", call: func(ctx context.Context, c C) (any, error) {
			return c.MigrateProgress(ctx, wire.Migrate{OldSessionID: "s1"})
		}, method: "POST", uri: "/api/v1/auth/migrate-progress", body: `{"old_session_id":"s1"}`, answer: `{"migrated_sessions":1,"personas":["p1"],"user_session_id":"s1"}`,
			want: wire.Migrated{MigratedSessions: 1, Personas: []string{"p1"}, UserSessionID: "s1"}},
		{name: "create key", call: func(ctx context.Context, c C) (any, error) { return c.CreateKey(ctx, wire.NewKey{Name: "game"}) },
			method: "POST", uri: "/api/v1/sdk/api-keys", body: `{"name":"game"}`, status: 201, answer: `{"id":"k","name":"game","key":"pk_live_0","key_prefix":"pk_live_","created_at":null}`,
			want: wire.CreatedKey{ID: "k", Name: "game", Key: "pk_live_0", KeyPrefix: "pk_live_"}},
		{name: "raw call", call: func(ctx context.Context, c C) (any, error) {
			r, err := c.Do(ctx, "PATCH", "/api/v1/x?a=1", map[string][]string{"b": {"2"}}, []byte(`{}`))
			return fmt.Sprintf("%d %s", r.Status, r.Body), err
		}, method: "PATCH", uri: "/api/v1/x?a=1&b=2", body: `{}`, status: 202, answer: `any`, want: "202 any"},
	}
}

// TestEveryCall compares each method's request and whole answer, with unknown members and nulls.
func TestEveryCall(t *testing.T) {
	for _, x := range listExchanges() {
		t.Run(x.name, func(t *testing.T) {
			var got *http.Request
			var body []byte
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(max(x.status, 200))
				_, _ = io.WriteString(w, x.answer)
			})
			c, _ := newTestClient(t, server.URL)
			assert.DeepEqual(t, assert.Value(x.call(t.Context(), c))(t), x.want)
			checkRequest(t, x, got, string(body))
		})
	}
}

func checkRequest(t *testing.T, x exchange, got *http.Request, body string) {
	t.Helper()
	assert.Equal(t, got.Method, x.method)
	assert.Equal(t, got.RequestURI, x.uri)
	assert.Equal(t, body, x.body)
	want := map[string]string{"Authorization": "Bearer " + secret, "User-Agent": "parley/1.2.3", "Accept": "application/json"}
	if x.body != "" {
		want["Content-Type"] = "application/json"
	}
	for name, value := range x.header {
		want[name] = value
	}
	for name, value := range want {
		assert.Equal(t, got.Header.Get(name), value, "header %s", name)
	}
	assert.Equal(t, got.Header.Get(wire.HeaderIdempotencyKey) != "", x.keyed, "has an Idempotency-Key")
}

func TestBaseURL(t *testing.T) {
	for _, tt := range []struct{ base, address, refusal string }{
		{base: "http://127.0.0.1:8787", address: "http://127.0.0.1:8787"},
		{base: "HTTPS://example.com/", address: "https://example.com"},
		{base: "https://example.com/a%2Fb/c//", address: "https://example.com/a%2Fb/c"},
		{base: "http://[::1]:80/", address: "http://[::1]:80"},
		{base: "http://ann:pass@example.com/x", address: "http://example.com/x"},
		{base: "", refusal: "does not begin with http"},
		{base: "127.0.0.1:8787", refusal: "does not begin with http"},
		{base: "localhost:8787", refusal: `"localhost:8787" does not begin with http`},
		{base: "ftp://example.com", refusal: "does not begin with http"},
		{base: "http://", refusal: "has no host"},
		{base: "http://:80", refusal: "has no host"},
		{base: "http://localhost:99999", refusal: "has an invalid port"},
		{base: "http://localhost:0", refusal: "has an invalid port"},
		{base: "http://example.com?a=b", refusal: "has a query"},
		{base: "http://example.com?", refusal: "has a query"},
		{base: "http://example.com#f", refusal: "has a query or a fragment"},
		{base: "http://ann:hush now@example.com", refusal: "is not a URL"},
		{base: "http://example.com:port", refusal: "is not a URL"},
	} {
		t.Run(fmt.Sprintf("%q", tt.base), func(t *testing.T) {
			c, err := client.New(client.Options{BaseURL: tt.base})
			switch {
			case tt.refusal == "" && (err != nil || c.Address() != tt.address):
				t.Errorf("%q: %v, %v, want %s", tt.base, c, err, tt.address)
			case tt.refusal != "" && (err == nil || !strings.Contains(err.Error(), tt.refusal)):
				t.Errorf("%q: %v, want %q", tt.base, err, tt.refusal)
			case err != nil && strings.Contains(err.Error(), "hush"):
				t.Errorf("%q: the error repeats the password: %v", tt.base, err)
			}
		})
	}
}

func TestPathPrefixAndUser(t *testing.T) {
	var uri, auth string
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		uri, auth = r.RequestURI, r.Header.Get("Authorization")
		_, _ = io.WriteString(w, "[]")
	})
	base := strings.Replace(server.URL, "http://", "http://ann:hush@", 1) + "/npc/"
	for _, tt := range []struct{ token, auth string }{{"", "Basic YW5uOmh1c2g="}, {secret, "Bearer " + secret}} {
		t.Run(strings.Fields(tt.auth)[0], func(t *testing.T) {
			c, _ := newTestClient(t, base, func(o *client.Options) { o.Token = tt.token })
			assert.Value(c.Personas(t.Context(), client.PersonaList{}))(t)
			assert.Equal(t, uri, "/npc/api/v1/personas")
			assert.Equal(t, auth, tt.auth)
		})
	}
}

func TestTokens(t *testing.T) {
	var auth []string
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		auth = append(auth, r.Header.Get("Authorization"))
		if len(auth) == 1 {
			w.WriteHeader(503)
		}
		_, _ = io.WriteString(w, "{}")
	})
	tokens := []string{"one", "two", ""}
	source := func(context.Context) (string, error) {
		next := tokens[0]
		tokens = tokens[1:]
		return next, nil
	}
	c, _ := newTestClient(t, server.URL, func(o *client.Options) { o.Token, o.TokenSource = "", source })
	for range 2 {
		assert.Value(c.Me(t.Context()))(t)
	}
	want := []string{"Bearer one", "Bearer two", ""}
	assert.DeepEqual(t, auth, want, "tokens")
}

func TestRefusesBadInputBeforeSending(t *testing.T) {
	server := startServer(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	bad := func(token string) func(*client.Options) {
		return func(o *client.Options) {
			o.Token = ""
			o.TokenSource = func(context.Context) (string, error) { return token, nil }
		}
	}
	c, _ := newTestClient(t, server.URL)
	hostile, _ := newTestClient(t, server.URL, bad(secret+"\r\nX: y"))
	failing, _ := newTestClient(t, server.URL, func(o *client.Options) {
		o.Token = ""
		o.TokenSource = func(context.Context) (string, error) { return "", fmt.Errorf("keyring is locked") }
	})
	for name, call := range map[string]func() error{
		"persona id is missing": func() error { _, err := c.Persona(t.Context(), ""); return err },
		"is not valid JSON":     func() error { _, _, err := c.SavePersona(t.Context(), "", json.RawMessage("{"), ""); return err },
		"as JSON":               func() error { _, _, err := c.SavePersona(t.Context(), "", func() {}, ""); return err },
		"header If-Match":       func() error { _, _, err := c.SavePersona(t.Context(), "", json.RawMessage("{}"), "a\nb"); return err },
		"header Idempotency": func() error {
			_, err := c.SendMessage(t.Context(), "p", "", wire.Message{Key: "a\r\nb"})
			return err
		},
		"line break":        func() error { _, err := hostile.Me(t.Context()); return err },
		"keyring is locked": func() error { _, err := failing.Me(t.Context()); return err },
		"with a slash":      func() error { _, err := c.Do(t.Context(), "GET", "@elsewhere/", nil, nil); return err },
	} {
		t.Run(name, func(t *testing.T) {
			err := call()
			assert.ErrorContains(t, err, name)
			assert.NotContains(t, err.Error(), secret)
		})
	}
	for _, o := range []client.Options{
		{BaseURL: server.URL, Token: secret + "\n"},
		{BaseURL: server.URL, Token: secret, TokenSource: func(context.Context) (string, error) { return "", nil }},
	} {
		_, err := client.New(o)
		assert.True(t, err != nil && !strings.Contains(err.Error(), secret), "New gave %v", err)
	}
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", c, c, *c), secret, "a printed client shows its token")
}

// TestSend: a caller's headers replace the client's, no error contains secrets, and a key allows repetition.
func TestSend(t *testing.T) {
	var got []http.Header
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Clone())
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(`{"error":"you sent hush and ` + r.Header.Get("Authorization") + `"}`))
	})
	c, _ := newTestClient(t, s.URL)
	for _, x := range []struct {
		name  string
		r     client.Request
		calls int
		check func(h http.Header) bool
	}{
		{"as every call", client.Request{Method: "POST", Path: "/x", Body: []byte("{}")}, 1, func(h http.Header) bool {
			return h.Get("Authorization") == "Bearer "+secret && h.Get("Content-Type") == "application/json"
		}},
		{"its own headers", client.Request{Method: "POST", Path: "/x", Body: []byte("a"), Headers: []client.Header{
			{Name: "Content-Type", Value: "text/plain"}, {Name: "X-Key", Value: "hush", Secret: true},
		}}, 1, func(h http.Header) bool { return h.Get("Content-Type") == "text/plain" && h.Get("X-Key") == "hush" }},
		{"another sign-in", client.Request{Method: "POST", Path: "/x", NoToken: true}, 1, func(h http.Header) bool { return h.Get("Authorization") == "" }},
		{"a key", client.Request{Method: "POST", Path: "/x", Key: "k1"}, client.MaxAttempts, func(h http.Header) bool { return h.Get("Idempotency-Key") == "k1" }},
		{"a key of its own", client.Request{Method: "POST", Path: "/x", Key: "k1", Headers: []client.Header{{Name: "idempotency-key", Value: "k2"}}},
			client.MaxAttempts, func(h http.Header) bool { return strings.Join(h.Values("Idempotency-Key"), ",") == "k2" }},
		{"a question", client.Request{Method: "GET", Path: "/x"}, client.MaxAttempts, func(http.Header) bool { return true }},
	} {
		t.Run(x.name, func(t *testing.T) {
			got = nil
			answer, err := c.Send(context.Background(), x.r)
			if err == nil || answer == nil || answer.Status != http.StatusBadGateway || answer.Proto != "HTTP/1.1" {
				t.Errorf("%s: %+v, %v", x.name, answer, err)
				return
			}
			assert.True(t, len(got) == x.calls && x.check(got[0]), "%s: %d calls, %v", x.name, len(got), got)
			if strings.Contains(err.Error(), secret) || x.name == "its own headers" && strings.Contains(err.Error(), "hush") {
				t.Errorf("%s: a secret in %v", x.name, err)
			}
		})
	}
	for name, r := range map[string]client.Request{
		"no slash":   {Method: "GET", Path: "x"},
		"query":      {Method: "GET", Path: "/x?%zz"},
		"line break": {Method: "GET", Path: "/x", Headers: []client.Header{{Name: "A", Value: "hush\r\nB: c"}}},
		"no name":    {Method: "GET", Path: "/x", Headers: []client.Header{{Value: "hush"}}},
		"odd name":   {Method: "GET", Path: "/x", Headers: []client.Header{{Name: "A B", Value: "hush"}}},
		"break key":  {Method: "POST", Path: "/x", Key: "a\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			got = nil
			_, err := c.Send(context.Background(), r)
			assert.Must(t, err != nil, "%s: %v, %d calls", name, err, len(got))
			assert.Equal(t, len(got), 0, name)
			assert.NotContains(t, err.Error(), "hush", name)
		})
	}
}
