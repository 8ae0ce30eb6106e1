package localserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"go.uber.org/goleak"
)

// gatePersona has an entry machine with two states, and a machine that it unlocks.
const gatePersona = `{
  "name": "Gate guard", "description": "Keeps the gate", "persona_identity_prompt": "You are a guard.",
  "variables": [{"key": "city", "value": "Ash"}],
  "machines": [
    {"machine_key": "gate", "name": "The gate", "description": "Get in", "is_entry_machine": true, "pass_threshold": 2, "x-author": {"note": 1},
     "states": [
       {"state_key": "outside", "is_initial_state": true, "max_redirects": 2, "offline": {"opening": ["Halt, {{player_name}}."], "lines": {"pass": ["Pass then."], "redirect": ["State your business."]}}},
       {"state_key": "inside", "is_terminal_state": true}],
     "transitions": [
       {"from_state_key": "outside", "to_state_key": "inside", "decision_type": "pass", "score_delta": 2},
       {"from_state_key": "outside", "decision_type": "redirect"}]},
    {"machine_key": "hall",
     "states": [{"state_key": "door", "is_initial_state": true, "offline": {"opening": ["Welcome in."]}}, {"state_key": "seat", "is_terminal_state": true}],
     "transitions": [{"from_state_key": "door", "to_state_key": "seat", "decision_type": "pass", "score_delta": 3}]}],
  "machine_links": [{"source_machine_key": "gate", "target_machine_key": "hall", "condition_type": "outcome", "condition_value": "ACCEPT"}]
}`

const (
	alice = "alice@example.com"
	bob   = "bob@example.com"
)

func caseName(parts ...any) string {
	name := []rune(strings.TrimSpace(fmt.Sprintln(parts...)))
	return string(name[:min(len(name), 80)])
}

type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func newJournalLog(j *journal) *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

type harness struct {
	testing.TB
	*Server
	journal *journal
	client  *http.Client
	tokens  map[string]string
	// database is the address of a PostgreSQL, "" if the data is in the data folder.
	database string
	// broken means that the test has stopped the server by force.
	broken bool
}

// begin starts a server and stops it at the end. Its log must contain no token and no secret.
func begin(t testing.TB, change ...func(*Options)) *harness {
	t.Helper()
	h := &harness{TB: t, journal: &journal{}, tokens: map[string]string{}}
	o := Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Version: "test", Log: newJournalLog(h.journal)}
	for _, c := range change {
		c(&o)
	}
	moveData(t, &o)
	h.database = o.Database.Address
	h.Server = assert.Value(Start(t.Context(), o))(t)
	h.client = clientOf(t)
	t.Cleanup(h.end)
	return h
}

func (h *harness) end() {
	h.client.CloseIdleConnections()
	err := h.Close()
	assert.True(h, err == nil || h.broken, "close: %v", err)
	secrets := append(slices.Collect(maps.Values(h.tokens)), h.Token(), "secret")
	for _, secret := range secrets {
		assert.True(h, secret == "" || !strings.Contains(h.journal.String(), secret), "the log holds %q", secret)
	}
}

func (h *harness) with(t testing.TB) *harness {
	part := *h
	part.TB = t
	return &part
}

func (h *harness) run(t *testing.T, name string, test func(t *testing.T, h *harness)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { test(t, h.with(t)) })
}

func devToken(t testing.TB, dir, email string) string {
	t.Helper()
	return assert.Value(assert.Value(identity.OpenDev(dir, nil))(t).IssueToken(email, time.Hour))(t)
}

func (h *harness) token(email string) string {
	h.Helper()
	if h.tokens[email] == "" {
		h.tokens[email] = devToken(h, h.Dir(), email)
	}
	return h.tokens[email]
}

func (h *harness) key(email string) string {
	h.Helper()
	name := "key of " + email
	if h.tokens[name] == "" {
		h.tokens[name] = h.send(email, "POST", wire.PathAPIKeys, `{"name": "game"}`).want(201)["key"].(string)
	}
	return h.tokens[name]
}

var routes = new(handlers).routeTable()

// as identifies a user as a row requires: on the SDK side by an API key.
func (h *harness) as(row *route, email string) string {
	if email == "" || !row.Access.NeedsAPIKey() {
		return email
	}
	return h.key(email)
}

const llmKey = "sk-secret-of-a-provider"

type replied struct {
	testing.TB
	path   string
	status int
	header http.Header
	body   []byte
}

// send sends a request as an e-mail address, an API key or anonymous, with headers in pairs.
func (h *harness) send(who, method, path, body string, headers ...string) replied {
	h.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := assert.Value(http.NewRequestWithContext(context.Background(), method, h.URL()+path, reader))(h)
	if body != "" {
		r.Header.Set("Content-Type", api.ContentJSON)
	}
	switch {
	case strings.HasPrefix(who, api.KeyPrefix):
		r.Header.Set(wire.HeaderAPIKey, who)
		r.Header.Set(wire.HeaderLLMKey, llmKey)
	case who != "":
		r.Header.Set("Authorization", "Bearer "+h.token(who))
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	return h.roundTrip(r)
}

func (h *harness) roundTrip(r *http.Request) replied {
	h.Helper()
	response := assert.Value(h.client.Do(r))(h)
	defer response.Body.Close()
	content := assert.Value(io.ReadAll(response.Body))(h)
	assert.True(h, response.Header.Get(wire.HeaderRequestID) != "", "%s %s: no request id", r.Method, r.URL.Path)
	return replied{TB: h.TB, path: r.URL.Path, status: response.StatusCode, header: response.Header, body: content}
}

func (r replied) want(status int) map[string]any {
	r.Helper()
	assert.Must(r, r.status == status, "status %d, want %d: %s", r.status, status, r.body)
	var object map[string]any
	if len(r.body) > 0 && r.body[0] == '{' {
		assert.NoError(r, json.Unmarshal(r.body, &object), r.body)
	}
	return object
}

func (r replied) fails(status int, code string) *wire.Error {
	r.Helper()
	r.want(status)
	var e wire.Error
	if strings.HasPrefix(r.path, wire.PrefixSDK) && status != http.StatusTooManyRequests {
		var shape wire.SDKError
		r.decode(&shape)
		e = wire.Error{Message: shape.Error.Message, Code: shape.Error.Code, RequestID: shape.Error.RequestID}
	} else {
		r.decode(&e)
	}
	assert.Equal(r, e.Code, code)
	assert.True(r, e.Message != "", "not the error %s of the service: %s %v", code, r.body, r.header)
	assert.Equal(r, e.RequestID, r.header.Get(wire.HeaderRequestID))
	assert.Equal(r, r.header.Get("Content-Type"), api.ContentJSON)
	challenge := r.header.Get("WWW-Authenticate")
	assert.Equal(r, challenge != "", status == http.StatusUnauthorized, "status %d with WWW-Authenticate %q", status, challenge)
	return &e
}

func (r replied) decode(into any) {
	r.Helper()
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.DisallowUnknownFields()
	assert.NoError(r, decoder.Decode(into), r.body)
}

func members(value any) string {
	object, _ := value.(map[string]any)
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

func (h *harness) savePersona(document string) string {
	h.Helper()
	return h.send(alice, "POST", wire.PathSave, document).want(201)["persona_id"].(string)
}

func (h *harness) publishPersona() string {
	h.Helper()
	id := h.savePersona(gatePersona)
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	return id
}

func initJSON(userSessionID string) string {
	return fmt.Sprintf(`{"user_session_id": %q, "player_name": "Ann", "player_gender": "female"}`, userSessionID)
}

func messageJSON(userSessionID, text string) string {
	return fmt.Sprintf(`{"user_session_id": %q, "message": %q}`, userSessionID, text)
}

type stepModel struct {
	llm.Model
	first func(ctx context.Context, message string) error
}

func (m *stepModel) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
	if err := m.first(ctx, input.Message); err != nil {
		return llm.Evaluation{}, err
	}
	return m.Model.Evaluate(ctx, input)
}

func withFirstStep(first func(ctx context.Context, message string) error) func(*Options) {
	return func(o *Options) { o.Model = &stepModel{Model: scripted.New(), first: first} }
}

func readAnswer(t testing.TB, text string) replied {
	t.Helper()
	answer := assert.Value(http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil))(t, text)
	defer answer.Body.Close()
	body := assert.Value(io.ReadAll(answer.Body))(t, text)
	return replied{TB: t, status: answer.StatusCode, header: answer.Header, body: body}
}

const endless = `{"name": "Endless", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "m", "early_fail_bound": -1000000,
	"states": [{"state_key": "a", "is_initial_state": true, "offline": {"lines": {"redirect": ["Go on."]}, "examples": {"pass": ["here is the key"], "redirect": ["tell me a story"]}}},
	           {"state_key": "b", "is_terminal_state": true}],
	"transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass", "score_delta": 3}, {"from_state_key": "a", "decision_type": "redirect"}]}]}`

func (h *harness) publishEndless() string {
	id := h.send(alice, "POST", wire.PathSave, endless).want(201)["id"].(string)
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	return id
}

// onPostgres makes the servers of all tests use PostgreSQL: go test ./localserver -postgres.
var onPostgres = flag.Bool("postgres", false, "keep the data of all tests in PostgreSQL")

var cluster storetest.Cluster

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/parley-npc/parley/localserver/store/storetest.awaitEnd"),
		goleak.Cleanup(func(code int) {
			if err := cluster.Stop(); err != nil {
				fmt.Println(err)
				code = 1
			}
			os.Exit(code)
		}))
}

func inPostgres(t testing.TB) func(*Options) {
	t.Helper()
	address := cluster.MustNewDatabase(t)
	return func(o *Options) { o.Database.Address = address }
}

func skipOnPostgres(t testing.TB) {
	t.Helper()
	if *onPostgres {
		t.Skip("it is about the file of a database")
	}
}

var folders sync.Map

func moveData(t testing.TB, o *Options) {
	if !*onPostgres || o.Database.Address != "" {
		return
	}
	if kept, ok := folders.Load(o.Data); ok && o.Data != datafolder.Memory {
		o.Database.Address = kept.(string)
		return
	}
	inPostgres(t)(o)
	folders.Store(o.Data, o.Database.Address)
}

func (h *harness) openGate() (id string) {
	h.Helper()
	id = h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	return id
}

func (r replied) is(status int) replied {
	r.Helper()
	r.want(status)
	return r
}

func decoded[T any](r replied) (value T) {
	r.Helper()
	r.decode(&value)
	return value
}

func (h *harness) trace(id string) wire.Trace {
	h.Helper()
	return decoded[wire.Trace](h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", ""))
}
