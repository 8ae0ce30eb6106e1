package cmd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// endpoints are those of the interface. The steps list them, so that neither side's table decides
// what is tested.
var endpoints = func() []string {
	named := map[string]bool{}
	for _, step := range contractSteps() {
		named[step.endpoint] = true
	}
	return slices.Sorted(maps.Keys(named))
}()

// contractPersona has a machine behind a locked one; the offline model's
// director mode decides every turn.
const contractPersona = `{
	"name": "Keeper", "description": "Keeps two doors.", "persona_identity_prompt": "You keep two doors, {{player_name}}.",
	"variables": [{"key": "town", "value": "Low Marrow", "description": "Where the doors are."}],
	"machines": [
		{"machine_key": "outer", "name": "Outer door", "is_entry_machine": true, "pass_threshold": 1,
		 "states": [{"state_key": "closed", "is_initial_state": true, "offline": {"opening": ["Halt, {{player_name}}, in {{town}}."]}}, {"state_key": "open", "is_terminal_state": true}],
		 "transitions": [{"from_state_key": "closed", "to_state_key": "open", "decision_type": "pass", "score_delta": 2, "condition": "The player gives the word."},
			{"from_state_key": "closed", "decision_type": "redirect", "condition": "The player talks of other things."}]},
		{"machine_key": "inner", "name": "Inner door",
		 "states": [{"state_key": "closed", "is_initial_state": true}, {"state_key": "open", "is_terminal_state": true}],
		 "transitions": [{"from_state_key": "closed", "to_state_key": "open", "decision_type": "pass", "score_delta": 3, "condition": "The player knocks."}]}],
	"machine_links": [{"source_machine_key": "outer", "target_machine_key": "inner", "condition_type": "outcome", "condition_value": "ACCEPT"}]
}`

// answerCounter counts the answers by endpoint, and holds each to what every answer of
// the service has.
type answerCounter struct {
	t      *testing.T
	mux    *http.ServeMux
	mu     sync.Mutex
	counts map[string]int
}

func newAnswerCounter(t *testing.T) *answerCounter {
	c := &answerCounter{t: t, mux: http.NewServeMux(), counts: map[string]int{}}
	for _, endpoint := range endpoints {
		c.mux.HandleFunc(endpoint, func(http.ResponseWriter, *http.Request) {})
	}
	return c
}

func (c *answerCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	_, pattern := c.mux.Handler(r)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer.StatusCode < 300 {
		c.counts[pattern]++
	}
	if pattern == "" {
		c.t.Errorf("%s %s is no endpoint of the interface", r.Method, r.URL.Path)
	}
	if answer.Header.Get("X-Request-Id") == "" {
		c.t.Errorf("%s answers without X-Request-Id", pattern)
	}
	want := "application/json"
	if strings.HasSuffix(pattern, "/stream") && answer.StatusCode == http.StatusOK {
		want = "text/event-stream"
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusNoContent && !strings.HasPrefix(kind, want) {
		c.t.Errorf("%s answers with the type %q", pattern, kind)
	}
	c.described(pattern, r, answer)
	return answer, nil
}

// contract is the state of the story: its owner, personas and sessions.
type contract struct {
	branch wire.Branch
	*testing.T
	*answerCounter
	owner, anyone *client.Client
	id            string
	inner         string
	saved         wire.Saved
	reply         wire.Reply
	key           wire.CreatedKey
	game          game
}

const visitor = "visitor one/ü"

// TestContract plays one story with the real client and server. Each step must succeed at its endpoint.
func TestContract(t *testing.T) {
	t.Parallel()
	c := startContract(t)
	for _, step := range contractSteps() {
		before := c.counts[step.endpoint]
		assert.NoError(t, step.tell(c), "%s: %s", step.endpoint, step.name)
		assert.True(t, c.counts[step.endpoint] != before,
			"%s: %s: the endpoint was not called with success", step.endpoint, step.name)
	}
	assert.Equal(t, len(endpoints), 36, "endpoints %q", endpoints)
}

func startContract(t *testing.T) *contract {
	t.Helper()
	server := assert.Value(localserver.Start(t.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: t.TempDir(), Version: "test"}))(t)
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		assert.NoError(t, server.Close())
	})
	c := &contract{T: t, answerCounter: newAnswerCounter(t)}
	connect := func(token string) *client.Client {
		made := assert.Value(client.New(client.Options{BaseURL: server.URL(), Token: token, HTTPClient: &http.Client{Transport: c.answerCounter}}))(t)
		return made
	}
	c.owner, c.anyone = connect(server.Token()), connect("")
	return c
}

type contractStep struct {
	endpoint, name string
	tell           func(*contract) error
}

func contractSteps() []contractStep {
	return []contractStep{
		{"GET /api/v1/auth/me", "who am I", (*contract).me},
		{"POST /api/v1/creator/save", "save", (*contract).save},
		{"POST /api/v1/creator/save", "save over it", (*contract).saveAgain},
		{"GET /api/v1/personas", "list before it is public", (*contract).listMine},
		{"GET /api/v1/personas/{persona_id}", "show it to its owner only", (*contract).showUnpublished},
		{"POST /api/v1/creator/publish", "publish", (*contract).publish},
		{"GET /api/v1/personas", "list in public", (*contract).listPublic},
		{"GET /api/v1/personas/{persona_id}/full", "read it back whole", (*contract).full},
		{"GET /api/v1/personas/{persona_id}/available-machines", "what can be started", (*contract).available},
		{"POST /api/v1/chat/{persona_id}/init-session", "start", (*contract).initSession},
		{"POST /api/v1/chat/{persona_id}/message", "play to the ending", (*contract).play},
		{"GET /api/v1/chat/{persona_id}/history", "read the conversation", (*contract).history},
		{"GET /api/v1/personas/{persona_id}/progress", "see the progress", (*contract).progress},
		{"GET /api/v1/chat/{persona_id}/trace", "see why it went so", (*contract).trace},
		{"POST /api/v1/creator/generate", "have another drafted", (*contract).generate},
		{"POST /api/v1/chat/{persona_id}/fork", "branch it", (*contract).fork},
		{"GET /api/v1/chat/{persona_id}/branches", "see the branches", (*contract).branches},
		{"GET /api/v1/personas/{persona_id}/sessions", "the owner's list", (*contract).ownedSessions},
		{"DELETE /api/v1/personas/{persona_id}/sessions/{session_id}", "delete one of it", (*contract).deleteOwnedSession},
		{"POST /api/v1/chat/{persona_id}/reset", "begin again", (*contract).reset},
		{"POST /api/v1/auth/migrate-progress", "take it along", (*contract).migrate},
		{"DELETE /api/v1/personas/{persona_id}/progress", "forget it all", (*contract).resetProgress},
		{"POST /api/v1/sdk/api-keys", "a key for a game", (*contract).createKey},
		{"GET /api/v1/sdk/api-keys", "the keys without the keys", (*contract).listKeys},
		{"GET /api/v1/sdk/personas", "a game's personas", (*contract).gamePersonas},
		{"POST /api/v1/sdk/validate-llm-key", "is the model's key good", (*contract).gameValidate},
		{"POST /api/v1/sdk/chat/{persona_id}/init-session", "a game starts", (*contract).gameInit},
		{"GET /api/v1/sdk/chat/{persona_id}/machines", "a game's machines", (*contract).gameMachines},
		{"POST /api/v1/sdk/chat/{persona_id}/message", "a game plays", (*contract).gamePlay},
		{"POST /api/v1/sdk/chat/{persona_id}/message/stream", "a game hears the reply as it comes", (*contract).gameStream},
		{"GET /api/v1/sdk/chat/{persona_id}/session", "where a game's session stands", (*contract).gameSession},
		{"GET /api/v1/sdk/chat/{persona_id}/history", "a game reads back", (*contract).gameHistory},
		{"POST /api/v1/sdk/chat/{persona_id}/fork", "a game branches", (*contract).gameFork},
		{"GET /api/v1/sdk/chat/{persona_id}/branches", "a game's branches", (*contract).gameBranches},
		{"POST /api/v1/sdk/chat/{persona_id}/reset", "a game begins again", (*contract).gameReset},
		{"POST /api/v1/chat/{persona_id}/message/stream", "hear the reply as it comes", (*contract).stream},
		{"DELETE /api/v1/sdk/api-keys/{key_id}", "revoke", (*contract).revokeKey},
		{"DELETE /api/v1/personas/{persona_id}", "delete", (*contract).delete},
	}
}

func refused(err error, status int, code string) error {
	refusal, ok := errors.AsType[*wire.Error](err)
	if !ok || refusal.Status != status || refusal.Code != code || refusal.Message == "" || refusal.RequestID == "" {
		return fmt.Errorf("want %d %s, got %#v", status, code, err)
	}
	return nil
}

// must fails a step with the actual value if the fact does not hold.
func must(fact bool, got any) error {
	if !fact {
		return fmt.Errorf("got %+v", got)
	}
	return nil
}

func (c *contract) me() error {
	user, err := c.owner.Me(c.Context())
	_, stranger := c.anyone.Me(c.Context())
	return errors.Join(err, must(user.ID != "" && strings.Contains(user.Email, "@") && user.DisplayName != "", user),
		refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) save() error {
	saved, created, err := c.owner.SavePersona(c.Context(), "", json.RawMessage(contractPersona), "")
	c.saved, c.id = saved, saved.ID
	_, _, empty := c.owner.SavePersona(c.Context(), "", json.RawMessage(`{"name":"x"}`), "")
	_, _, stranger := c.anyone.SavePersona(c.Context(), "", json.RawMessage(contractPersona), "")
	return errors.Join(err, must(created && c.id != "" && saved.PersonaID == c.id && saved.Name == "Keeper" && !saved.IsPublic, saved),
		refused(empty, 422, wire.CodeInvalid), refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) saveAgain() error {
	seen := c.saved.UpdatedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	body := json.RawMessage(strings.Replace(contractPersona, "Keeps two doors.", "Keeps both doors.", 1))
	saved, created, err := c.owner.SavePersona(c.Context(), c.id, body, seen)
	_, _, late := c.owner.SavePersona(c.Context(), c.id, body, "2020-01-01T00:00:00.000Z")
	return errors.Join(err, must(!created && saved.ID == c.id && saved.Description == "Keeps both doors.", saved), refused(late, 412, wire.CodeChanged))
}

func (c *contract) listMine() error {
	mine, err := c.owner.Personas(c.Context(), client.PersonaList{Mine: true, PublicOnly: new(false), Limit: wire.MaxListLimit})
	public, err2 := c.anyone.Personas(c.Context(), client.PersonaList{})
	_, many := c.anyone.Personas(c.Context(), client.PersonaList{Limit: wire.MaxListLimit + 1})
	_, stranger := c.anyone.Personas(c.Context(), client.PersonaList{Mine: true})
	return errors.Join(err, err2, must(len(mine) == 1 && mine[0].ID == c.id && !mine[0].CreatedAt.IsZero(), mine), must(len(public) == 0, public),
		refused(many, 422, wire.CodeInvalid), refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) showUnpublished() error {
	shown, err := c.owner.Persona(c.Context(), c.id)
	_, stranger := c.anyone.Persona(c.Context(), c.id)
	return errors.Join(err, must(shown.IdentityPrompt == "You keep two doors, {{player_name}}." && shown.UserID != "" && !shown.IsPublic, shown),
		refused(stranger, 404, wire.CodeNotFound))
}

func (c *contract) publish() error {
	published, err := c.owner.PublishPersona(c.Context(), c.id)
	return errors.Join(err, must(published.PersonaID == c.id && strings.HasSuffix(published.PlayLink, "/"+c.id), published))
}

func (c *contract) listPublic() error {
	public, err := c.anyone.Personas(c.Context(), client.PersonaList{PublicOnly: new(true)})
	return errors.Join(err, must(len(public) == 1 && public[0].IsPublic && public[0].Description == "Keeps both doors.", public))
}

func (c *contract) full() error {
	full, err := c.anyone.FullPersona(c.Context(), c.id)
	if err != nil || len(full.Machines) != 2 {
		return fmt.Errorf("%w: %+v", err, full)
	}
	c.inner = full.Machines[1].ID
	outer := full.Machines[0]
	return errors.Join(must(full.Persona.ID == c.id && len(full.Variables) == 1 && len(full.Links) == 1 && full.Links[0].Target == "inner", full),
		must(outer.ID != "" && outer.ID != c.inner && outer.Key == "outer" && len(outer.States) == 2 && len(outer.Transitions) == 2 && len(outer.Extra) == 0, outer))
}

func (c *contract) available() error {
	machines, err := c.anyone.AvailableMachines(c.Context(), c.id, visitor)
	return errors.Join(err, must(len(machines) == 1 && machines[0].MachineKey == "outer" && !machines[0].HasSession &&
		machines[0].SessionOutcome == nil, machines))
}

func (c *contract) initSession() error {
	who := wire.InitSession{UserSessionID: visitor, PlayerName: "Ada", PlayerGender: "non-binary"}
	opening, err := c.anyone.InitSession(c.Context(), c.id, "", who)
	_, locked := c.anyone.InitSession(c.Context(), c.id, c.inner, who)
	who.PlayerGender = "other"
	_, invalid := c.anyone.InitSession(c.Context(), c.id, "", who)
	return errors.Join(err, must(opening.Message == "Halt, Ada, in Low Marrow." && opening.UserSessionID == visitor && opening.PlayerName == "Ada" &&
		opening.PlayerGender == "non-binary" && opening.PersonaName == "Keeper" && opening.PersonaDescription != nil &&
		opening.SessionID != "" && opening.MachineID != "", opening),
		refused(locked, 403, wire.CodeMachineLocked), refused(invalid, 422, wire.CodeInvalid))
}

func (c *contract) play() error {
	say := func(text, key string) (wire.Reply, error) {
		return c.anyone.SendMessage(c.Context(), c.id, "outer", wire.Message{Message: text, UserSessionID: visitor, Key: key})
	}
	first, err := say("Nice weather. [[redirect]]", "turn-1")
	again, err2 := say("Nice weather. [[redirect]]", "turn-1")
	_, reused := say("The word. [[pass]]", "turn-1")
	last, err3 := say("The word. [[pass]]", "")
	_, finished := say("More?", "")
	c.reply = last
	return errors.Join(err, err2, err3,
		must(first.Message != "" && first.CurrentState == "closed" && first.RedirectCount != nil &&
			*first.RedirectCount == 1 && first.Decision != nil && *first.Decision == "redirect", first),
		must(*again.RedirectCount == 1 && again.Message == first.Message, again), refused(reused, 422, wire.CodeInvalid),
		must(last.MachineCompleted && last.CurrentState == "open" && last.Score == 2 && last.Outcome != nil &&
			*last.Outcome == "ACCEPT" && last.RedirectCount == nil &&
			last.ScoringMode == "scoring" && slices.Equal(last.Unlocked, []string{c.inner}), last),
		refused(finished, 409, wire.CodeFinished))
}

func (c *contract) history() error {
	history, err := c.anyone.History(c.Context(), c.id, visitor, "outer")
	if err != nil || len(history.Messages) != 5 {
		return fmt.Errorf("%w: %+v", err, history)
	}
	opening, last := history.Messages[0], history.Messages[4]
	_, unknown := c.anyone.History(c.Context(), c.id, "nobody", "")
	return errors.Join(must(history.SessionID == c.reply.SessionID && history.Score == 2 &&
		*history.Outcome == "ACCEPT" && history.PlayerName == "Ada" && !history.StartedAt.IsZero(), history),
		must(opening.Role == wire.RoleAssistant && opening.Content == "Halt, Ada, in Low Marrow." &&
			last.Content == c.reply.Message && *last.Decision == "pass", history.Messages),
		refused(unknown, 404, wire.CodeNotFound))
}

func (c *contract) fork() error {
	branch, err := c.anyone.Fork(c.Context(), c.id, "outer", wire.Fork{UserSessionID: visitor, At: 1, Name: "before the word"})
	c.branch = branch
	_, far := c.anyone.Fork(c.Context(), c.id, "outer", wire.Fork{UserSessionID: visitor, At: 3})
	return errors.Join(err, must(branch.Turn == 1 && branch.Outcome == nil && branch.MachineKey == "outer" && *branch.Parent == visitor, branch),
		refused(far, 422, wire.CodeInvalid))
}

func (c *contract) branches() error {
	tree, err := c.anyone.Branches(c.Context(), c.id, c.branch.UserSessionID)
	return errors.Join(err, must(len(tree.Branches) == 2 && tree.Branches[1].Label == "before the word" && *tree.Branches[1].ForkedAt == 1, tree))
}

func (c *contract) ownedSessions() error {
	list, err := c.owner.OwnedSessions(c.Context(), c.id, client.SessionList{Outcome: wire.OutcomeNone})
	_, stranger := c.anyone.OwnedSessions(c.Context(), c.id, client.SessionList{})
	return errors.Join(err, must(len(list) == 1 && list[0].SessionID == c.branch.SessionID && list[0].IsBranch, list),
		refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) deleteOwnedSession() error {
	err := c.owner.DeleteOwnedSession(c.Context(), c.id, c.branch.SessionID)
	_, gone := c.anyone.Branches(c.Context(), c.id, c.branch.UserSessionID)
	return errors.Join(err, refused(gone, 404, wire.CodeNotFound))
}

func (c *contract) gameFork() error {
	branch, _, err := callSDK[wire.Branch](c, c.game, http.MethodPost, wire.PathSDKFork, "", "", wire.Fork{UserSessionID: visitor})
	return errors.Join(err, must(branch.Turn == 0 && *branch.Parent == visitor, branch))
}

func (c *contract) gameBranches() error {
	tree, _, err := callSDK[wire.Branches](c, c.game, http.MethodGet, wire.PathSDKBranches, "", "", nil)
	return errors.Join(err, must(len(tree.Branches) == 2, tree))
}

// trace checks that the persona's owner gets the trace of any player.
func (c *contract) trace() error {
	trace, err := c.owner.Trace(c.Context(), c.id, visitor, "outer")
	if err != nil || len(trace.Turns) != 3 {
		return fmt.Errorf("%w: %+v", err, trace)
	}
	_, stranger := c.anyone.Trace(c.Context(), c.id, "somebody else", "outer")
	opening, last := trace.Turns[0], trace.Turns[2]
	return errors.Join(must(trace.SessionID == c.reply.SessionID && opening.Transition == nil && len(opening.Usage) == 0, trace),
		must(last.MessageID != "" && *last.Transition == 0 && len(last.Holds) == 1 && last.Evaluation != "", last), refused(stranger, 404, wire.CodeNotFound))
}

// generate asks a server with a model for a persona, which can be saved.
func (c *contract) generate() error {
	wish, _ := json.Marshal(wire.Generate{Description: "A harbour master who hates lies.", Name: "Ilse"})
	_, none := c.owner.Do(c.Context(), http.MethodPost, wire.PathGenerate, nil, wish)
	model := cmdtest.NewScriptedModel(cmdtest.ReadDraft(c.T)...)
	defer model.Close()
	server, err := localserver.Start(c.Context(), localserver.Options{
		Listen: "127.0.0.1:0", Data: datafolder.Memory, Version: "test",
		LLM: models.Settings{Model: "openai/gpt-x", BaseURL: model.URL, Env: func(string) string { return "" }},
	})
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	author, err := client.New(client.Options{BaseURL: server.URL(), Token: server.Token(), HTTPClient: &http.Client{Transport: c.answerCounter}})
	if err != nil {
		return err
	}
	var made wire.Generated
	answer, err := author.Do(c.Context(), http.MethodPost, wire.PathGenerate, nil, wish)
	if err == nil {
		err = json.Unmarshal(answer.Body, &made)
	}
	if err != nil {
		return err
	}
	_, created, err := c.owner.SavePersona(c.Context(), "", made.Persona, "")
	return errors.Join(err, must(created && made.Rounds == 8 && len(made.Warnings) == 0 && made.Persona.Name == "Ilse", made),
		must(answer.Header.Get(wire.HeaderLLMTokensIn) == "9600" &&
			answer.Header.Get(wire.HeaderLLMTokensOut) == "2720", answer.Header), refused(none, 409, wire.CodeNoModel))
}

func (c *contract) progress() error {
	p, err := c.anyone.Progress(c.Context(), c.id, visitor)
	return errors.Join(err, must(p.PersonaID == c.id && p.TotalScore == 2 && p.RelationshipLevel == 3 && p.HasLinks && p.CurrentMachineID == nil &&
		len(p.CompletedMachines) == 1 && p.CompletedMachines[0].Outcome == "ACCEPT" && !p.CompletedMachines[0].CompletedAt.IsZero() &&
		len(p.AvailableMachines) == 2 && len(p.RoutePath) == 1 && p.CrossMachineVars != nil, p))
}

func (c *contract) reset() error {
	done, err := c.anyone.ResetSession(c.Context(), c.id, visitor, "outer")
	history, err2 := c.anyone.History(c.Context(), c.id, visitor, "outer")
	return errors.Join(err, err2, must(done.Message == "Halt, Ada, in Low Marrow." && done.SessionID != "", done),
		must(len(history.Messages) == 1 && history.Score == 0 && history.Outcome == nil && history.CurrentState == "closed", history))
}

// migrate moves the visitor's sessions to the owner; without the token nobody can continue them.
func (c *contract) migrate() error {
	migrated, err := c.owner.MigrateProgress(c.Context(), wire.Migrate{OldSessionID: visitor})
	_, stranger := c.anyone.SendMessage(c.Context(), c.id, "outer", wire.Message{Message: "hi", UserSessionID: visitor})
	return errors.Join(err, must(migrated.MigratedSessions == 1 && slices.Equal(migrated.Personas, []string{c.id}),
		migrated), refused(stranger, 404, wire.CodeNotFound))
}

func (c *contract) resetProgress() error {
	gone, err := c.owner.ResetProgress(c.Context(), c.id, visitor)
	p, err2 := c.owner.Progress(c.Context(), c.id, visitor)
	return errors.Join(err, err2, must(gone.PersonaID == c.id && gone.UserSessionID == visitor && gone.DeletedSessions == 1, gone),
		must(len(p.CompletedMachines) == 0 && len(p.RoutePath) == 0 && len(p.AvailableMachines) == 1, p))
}

func (c *contract) createKey() error {
	key, err := c.owner.CreateKey(c.Context(), wire.NewKey{Name: "my game"})
	c.key = key
	_, stranger := c.anyone.CreateKey(c.Context(), wire.NewKey{Name: "my game"})
	return errors.Join(err, must(strings.HasPrefix(key.Key, "pk_live_") && len(key.Key) == len("pk_live_")+32 && strings.HasPrefix(key.Key, key.KeyPrefix) &&
		key.KeyPrefix != key.Key && key.Name == "my game" && key.ID != "", key), refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) delete() error {
	stranger := c.anyone.DeletePersona(c.Context(), c.id)
	err := c.owner.DeletePersona(c.Context(), c.id)
	_, gone := c.owner.FullPersona(c.Context(), c.id)
	return errors.Join(err, refused(stranger, 401, wire.CodeUnauthenticated), refused(gone, 404, wire.CodeNotFound))
}

// description is the checked-in document, which readers use.
var description = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromFile("../docs/openapi.json")
})

// described checks status, headers and body of an answer against the document, but not streams.
func (c *answerCounter) described(pattern string, r *http.Request, answer *http.Response) {
	doc := assert.Value(description())(c.t)
	method, path, _ := strings.Cut(pattern, " ")
	item := doc.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		c.t.Errorf("docs/openapi.json has no %s", pattern)
		return
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method)},
		},
		Status: answer.StatusCode, Header: answer.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		in.Options.ExcludeResponseBody = true
	} else {
		in.SetBodyBytes(c.copied(answer))
	}
	assert.NoError(c.t, openapi3filter.ValidateResponse(r.Context(), in), "%s answers what docs/openapi.json does not describe", pattern)
}

func (c *answerCounter) copied(answer *http.Response) []byte {
	body := assert.Value(io.ReadAll(answer.Body))(c.t)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

// TestDescribedEndpoints: the document has the endpoints of the interface and the server's own status.
func TestDescribedEndpoints(t *testing.T) {
	t.Parallel()
	doc := assert.Value(description())(t)
	var found []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			if strings.HasPrefix(path, "/api/") {
				found = append(found, method+" "+path)
			}
		}
	}
	slices.Sort(found)
	assert.EqualSlices(t, found, slices.Sorted(slices.Values(endpoints)), "docs/openapi.json")
}

// These steps of the contract play through the SDK side, and hear streams.

func (c *contract) listKeys() error {
	keys, err := c.owner.Keys(c.Context())
	_, stranger := c.anyone.Keys(c.Context())
	return errors.Join(err, must(len(keys) == 1 && keys[0].ID == c.key.ID && keys[0].Name == "my game" &&
		keys[0].KeyPrefix == c.key.KeyPrefix && keys[0].LastUsedAt == nil, keys),
		refused(stranger, 401, wire.CodeUnauthenticated))
}

// A game calls the SDK side with these headers.
type game []client.Header

func (c *contract) newGame(key, llmKey string) game {
	return game{{Name: wire.HeaderAPIKey, Value: key, Secret: true},
		{Name: wire.HeaderLLMKey, Value: llmKey, Secret: true}, {Name: wire.HeaderLLMModel, Value: "any/model"}}
}

// callSDK calls an endpoint of the SDK side. It decodes a whole answer, or the last event of a stream.
func callSDK[T any](c *contract, g game, method, path, machine, key string, body any) (answer T, heard string, err error) {
	var stream bytes.Buffer
	r := client.Request{Method: method, Path: wire.Path(path, c.id), Headers: g, NoToken: true, Key: key, Query: url.Values{}}
	r.Stream = func(*client.Response) io.Writer { return &stream }
	if machine != "" {
		r.Query.Set("machine_id", machine)
	}
	if body == nil {
		r.Query.Set("user_session_id", visitor)
	} else if r.Body, err = json.Marshal(body); err != nil {
		return answer, "", err
	}
	response, err := c.owner.Send(c.Context(), r)
	if err != nil {
		return answer, "", err
	}
	data := response.Body
	events := wire.NewEventReader(&stream)
	for e, err := events.Next(); err == nil; e, err = events.Next() {
		var delta wire.TextDelta
		_ = json.Unmarshal(e.Data, &delta)
		heard, data = heard+delta.Text, e.Data
	}
	return answer, heard, json.Unmarshal(data, &answer)
}

func (c *contract) gamePersonas() (err error) {
	c.game = c.newGame(c.key.Key, "sk-mine")
	personas, err := c.listForGame(c.game)
	_, stranger := c.listForGame(c.newGame("pk_live_"+strings.Repeat("0", 32), "sk-mine"))
	return errors.Join(err, must(len(personas) == 1 && personas[0].ID == c.id && personas[0].Name == "Keeper" && !personas[0].UpdatedAt.IsZero(), personas),
		refused(stranger, 401, wire.CodeUnauthenticated))
}

func (c *contract) listForGame(g game) ([]wire.SDKPersona, error) {
	answer, err := c.owner.Send(c.Context(), client.Request{Method: http.MethodGet, Path: wire.PathSDKPersonas, Headers: g, NoToken: true})
	if err != nil {
		return nil, err
	}
	var list []wire.SDKPersona
	return list, json.Unmarshal(answer.Body, &list)
}

func (c *contract) gameValidate() error {
	answer, _, err := callSDK[wire.LLMKeyValidity](c, c.game, http.MethodPost, wire.PathSDKValidate, "", "", wire.ValidateLLMKey{})
	return errors.Join(err, must(answer.Valid && answer.Model == "offline" && answer.Error == nil, answer))
}

func (c *contract) gameInit() error {
	who := wire.InitSession{UserSessionID: visitor, PlayerName: "Ada", PlayerGender: "female"}
	start := func(g game, path, machine string) (wire.Opening, error) {
		opening, _, err := callSDK[wire.Opening](c, g, http.MethodPost, path, machine, "", who)
		return opening, err
	}
	opening, err := start(c.game, wire.PathSDKInitSession, "")
	_, none := start(c.game[:1], wire.PathSDKInitSession, "")
	_, locked := start(c.game, wire.PathSDKInitSession, "inner")
	_, unknown := start(c.game, wire.Path(wire.PathSDKInitSession, "nobody"), "")
	return errors.Join(err, must(opening.Message == "Halt, Ada, in Low Marrow." && opening.UserSessionID == visitor, opening),
		refused(none, 400, wire.CodeBadRequest), refused(locked, 403, wire.CodeMachineLocked), refused(unknown, 404, wire.CodeNotFound))
}

func (c *contract) gameMachines() error {
	machines, _, err := callSDK[[]wire.AvailableMachine](c, c.game, http.MethodGet, wire.PathSDKMachines, "", "", nil)
	return errors.Join(err, must(len(machines) == 1 && machines[0].MachineKey == "outer" && machines[0].HasSession, machines))
}

func (c *contract) gamePlay() error {
	reply, _, err := callSDK[wire.SDKReply](c, c.game, http.MethodPost, wire.PathSDKMessage, "", "",
		wire.Message{Message: "Fine day. [[redirect]]", UserSessionID: visitor})
	return errors.Join(err, must(reply.CurrentState == "closed" && *reply.RedirectCount == 1 && len(reply.Unlocked) == 0, reply))
}

func (c *contract) gameStream() error {
	say := wire.Message{Message: "The word. [[pass]]", UserSessionID: visitor}
	reply, heard, err := callSDK[wire.SDKReply](c, c.game, http.MethodPost, wire.PathSDKMessageStream, "", "game-turn", say)
	again, _, err2 := callSDK[wire.SDKReply](c, c.game, http.MethodPost, wire.PathSDKMessage, "", "game-turn", say)
	_, _, finished := callSDK[wire.SDKReply](c, c.game, http.MethodPost, wire.PathSDKMessageStream, "", "", say)
	return errors.Join(err, err2, must(heard != "" && heard == reply.Message && reply.MachineCompleted && *reply.Outcome == "ACCEPT", reply),
		must(len(reply.Unlocked) == 1 && reply.Unlocked[0] == wire.UnlockedMachine{MachineID: c.inner, MachineKey: "inner", Name: "Inner door"}, reply),
		must(again.Message == reply.Message, again), refused(finished, 409, wire.CodeFinished))
}

func (c *contract) gameSession() error {
	session, _, err := callSDK[wire.Session](c, c.game, http.MethodGet, wire.PathSDKSession, "", "", nil)
	_, _, none := callSDK[wire.Session](c, c.game, http.MethodGet, wire.PathSDKSession, "inner", "", nil)
	return errors.Join(err, must(session.CurrentState == "open" && session.Score == 2 && *session.Outcome == "ACCEPT" &&
		session.PlayerName == "Ada" && session.MachineID != "", session),
		refused(none, 404, wire.CodeNotFound))
}

func (c *contract) gameHistory() error {
	history, _, err := callSDK[wire.History](c, c.game, http.MethodGet, wire.PathSDKHistory, "outer", "", nil)
	_, web := c.owner.History(c.Context(), c.id, visitor, "outer")
	return errors.Join(err, must(len(history.Messages) == 5 && history.Messages[3].Role == wire.RoleUser, history), refused(web, 404, wire.CodeNotFound))
}

func (c *contract) gameReset() error {
	done, _, err := callSDK[wire.ResetDone](c, c.game, http.MethodPost, wire.PathSDKReset, "outer", "", nil)
	return errors.Join(err, must(done.Message == "Halt, Ada, in Low Marrow.", done))
}

func (c *contract) stream() error {
	_, err := c.anyone.InitSession(c.Context(), c.id, "", wire.InitSession{UserSessionID: "listener", PlayerName: "Ada", PlayerGender: "female"})
	var heard strings.Builder
	say := wire.Message{Message: "The word. [[pass]]", UserSessionID: "listener"}
	reply, err2 := c.anyone.StreamMessage(c.Context(), c.id, "outer", say, func(text string) error { _, err := heard.WriteString(text); return err })
	_, finished := c.anyone.StreamMessage(c.Context(), c.id, "outer", say, nil)
	return errors.Join(err, err2, must(heard.String() == reply.Message && reply.Message != "" && len(reply.Unlocked) == 1 && reply.Unlocked[0] == c.inner, reply),
		refused(finished, 409, wire.CodeFinished))
}

func (c *contract) revokeKey() error {
	stranger := c.anyone.RevokeKey(c.Context(), c.key.ID)
	used, err := c.owner.Keys(c.Context())
	err2 := c.owner.RevokeKey(c.Context(), c.key.ID)
	again := c.owner.RevokeKey(c.Context(), c.key.ID)
	_, gone := c.listForGame(c.game)
	return errors.Join(err, err2, must(len(used) == 1 && used[0].LastUsedAt != nil, used), refused(stranger, 401, wire.CodeUnauthenticated),
		refused(again, 404, wire.CodeNotFound), refused(gone, 401, wire.CodeUnauthenticated))
}
