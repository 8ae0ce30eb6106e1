package wire_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestReadError(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, tt := range []struct {
		body string
		want wire.Error
	}{
		{`{"error":"no","code":"c","request_id":"r","details":[{"path":"a","message":"b"}]}`,
			wire.Error{Message: "no", Code: "c", RequestID: "r", Details: []wire.Detail{{Path: "a", Message: "b"}}}},
		{`{"error":{"message":"no","code":"c","request_id":"r"}}`, wire.Error{Message: "no", Code: "c", RequestID: "r"}},
		{`{"error":{"message":"no","retry_after":7,"should_retry":false}}`, wire.Error{Message: "no", RetryAfter: 7 * time.Second, Final: true}},
		{`{"error":{"message":"no","retry_after":"7","should_retry":"false"}}`, wire.Error{Message: "no"}},
		{`{"error":{"message":"no","retry_after":-1,"should_retry":true}}`, wire.Error{Message: "no"}},
		{`{"error":{"message":"no"},"code":"c","request_id":"r"}`, wire.Error{Message: "no", Code: "c", RequestID: "r"}},
		{`{"error":"no","code":404,"details":"x","request_id":null}`, wire.Error{Message: "no"}},
		{`{"error":null,"detail":"no"}`, wire.Error{Message: "no"}},
		{`{"detail":["one",{"msg":"two"},{"message":"three"},{"loc":[1]},4]}`, wire.Error{Message: "one; two; three"}},
		{`{"error":"","detail":[]}`, wire.Error{Message: `{"error":"","detail":[]}`}},
		{`{"message":"no"}`, wire.Error{Message: `{"message":"no"}`}},
		{`["no"]`, wire.Error{Message: `["no"]`}},
		{`{"error":"no"`, wire.Error{Message: `{"error":"no"`}},
		{" plain \n", wire.Error{Message: "plain"}},
		{"a\xffb", wire.Error{Message: "a\uFFFDb"}},
		{"", wire.Error{}},
		{" <html>no</html>", wire.Error{}},
		{long, wire.Error{Message: long}},
		{long + "é", wire.Error{Message: long + "…"}},
	} {
		t.Run(fmt.Sprintf("%.60q", tt.body), func(t *testing.T) {
			tt.want.Status = 418
			assert.DeepEqual(t, *wire.ReadError(418, []byte(tt.body)), tt.want, "%.60s", tt.body)
		})
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		e    wire.Error
		want string
	}{
		{wire.Error{Status: 500}, "the service answered with status 500"},
		{wire.Error{Status: 404, Message: "no such persona"}, "no such persona"},
		{wire.Error{Message: "bad", Details: []wire.Detail{{"name", "is missing"}, {"", "is empty"}}}, "bad\n  name: is missing\n  is empty"},
	} {
		t.Run(fmt.Sprintf("%q", tt.want), func(t *testing.T) { assert.Equal(t, tt.e.Error(), tt.want) })
	}
}

func TestErrorRoundTrip(t *testing.T) {
	e := wire.Error{Status: 422, Message: "bad", Code: wire.CodeInvalid, RequestID: "r", Details: []wire.Detail{{Path: "a", Message: "b"}}}
	body := assert.Value(json.Marshal(&e))(t)
	assert.DeepEqual(t, *wire.ReadError(422, body), e, "wrote %s", body)
}

func FuzzReadError(f *testing.F) {
	for _, seed := range []string{
		`{"error":"no"}`, `{"error":{"message":"no","code":1}}`, `{"detail":[{"msg":"a"},"b"]}`,
		`{"details":[{"path":null}]}`, "<p>", "\xff", "[]", "null",
	} {
		f.Add(500, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := wire.ReadError(status, body)
		assert.Equal(t, e.Status, status)
		assert.True(t, e.Error() != "", "%q gives %+v", body, e)
		assert.True(t, utf8.ValidString(e.Message), "%q gives %+v", body, e)
		assert.True(t, json.Valid(body) || utf8.RuneCountInString(e.Message) <= 301, "%d characters of raw text are repeated", utf8.RuneCountInString(e.Message))
	})
}

func FuzzUnlockedMachines(f *testing.F) {
	for _, seed := range []string{`["a"]`, `[{"machine_id":"a"},{"id":"b"}]`, `[null,""]`, `null`, `{}`, `[1]`, `[[]]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var u, again wire.UnlockedMachines
		if json.Unmarshal(data, &u) != nil {
			return
		}
		written, err := json.Marshal(u)
		assert.NoError(t, err)
		assert.True(t, json.Unmarshal(written, &again) == nil, "%q is read as %q, written as %s (%v) and read as %q", data, u, written, err, again)
		assert.DeepEqual(t, u, again)
		for _, id := range u {
			assert.True(t, id != "", "%q gives an empty id", data)
		}
	})
}

func TestUnlockedMachines(t *testing.T) {
	for body, want := range map[string]wire.UnlockedMachines{
		`["a","b"]`: {"a", "b"},
		`[{"machine_id":"a","machine_key":"k","is_auto_advance":true}]`: {"a"},
		`["a",{"machine_id":"b"},{"id":"c"},null,{}]`:                   {"a", "b", "c"},
		`[]`:   {},
		`null`: {},
	} {
		t.Run(body, func(t *testing.T) {
			var reply wire.Reply
			err := json.Unmarshal([]byte(`{"unlocked_machines":`+body+`}`), &reply)
			assert.True(t, err == nil && reflect.DeepEqual(reply.Unlocked, want), "%s: %q, %v, want %q", body, reply.Unlocked, err, want)
		})
	}
	for _, body := range []string{`[1]`, `"a"`, `{}`, `[{"machine_id":1}]`} {
		var u wire.UnlockedMachines
		assert.True(t, json.Unmarshal([]byte(body), &u) != nil, "%s is read as %q", body, u)
	}
	body := assert.Value(json.Marshal(wire.Reply{}))(t)
	assert.True(t, strings.Contains(string(body), `"unlocked_machines":[]`), "no machines are written as %s", body)
}

func TestTime(t *testing.T) {
	at := time.Date(2025, 1, 2, 3, 4, 5, 600e6, time.UTC)
	for text, want := range map[string]time.Time{
		`"2025-01-02T03:04:05.6Z"`:           at,
		`"2025-01-02T04:04:05.600000+01:00"`: at,
		`"2025-01-02T03:04:05.600000"`:       at,
		`"2025-01-02 03:04:05.6"`:            at,
		`null`:                               {},
		`""`:                                 {},
	} {
		t.Run(text, func(t *testing.T) {
			got := wire.Time{Time: at.Add(1)}
			err := json.Unmarshal([]byte(text), &got)
			assert.True(t, err == nil && got.Equal(want), "%s is read as %v, %v", text, got, err)
		})
	}
	for _, text := range []string{`"soon"`, `5`, `"2025-13-01T00:00:00Z"`} {
		assert.True(t, json.Unmarshal([]byte(text), new(wire.Time)) != nil, "%s is read as a time", text)
	}
	assert.Equal(t, string(assert.Value(json.Marshal(wire.Time{Time: at.In(time.FixedZone("", 3600))}))(t)), `"2025-01-02T03:04:05.600Z"`)
}

// TestMachine: ids are encoded beside the document's members and never become part of it.
func TestMachine(t *testing.T) {
	machine := wire.Machine{ID: "m1", Machine: personas.Machine{Key: "gate", States: []personas.State{{Key: "s"}}}}
	written, err := json.Marshal(machine)
	assert.Must(t, err == nil && strings.HasPrefix(string(written), `{"id":"m1","machine_id":"m1","machine_key":"gate"`), "written as %s, %v", written, err)
	for body, id := range map[string]string{
		string(written): "m1",
		`{"id":"a","machine_key":"gate","states":[{"state_key":"s"}],"transitions":[]}`:                   "a",
		`{"machine_key":"gate","states":[{"state_key":"s"}],"machine_id":"b","transitions":[]}`:           "b",
		`{"id":null,"machine_id":"b","machine_key":"gate","states":[{"state_key":"s"}],"transitions":[]}`: "b",
	} {
		t.Run(body, func(t *testing.T) {
			var read wire.Machine
			want := machine
			want.ID = id
			err := json.Unmarshal([]byte(body), &read)
			assert.True(t, err == nil && reflect.DeepEqual(read, want), "%s\n is read as %+v, %v", body, read, err)
		})
	}
	var kept wire.Machine
	err = json.Unmarshal([]byte(`{"machine_key":"gate","x-note":[1],"id":"a"}`), &kept)
	assert.NoError(t, err)
	assert.Must(t, len(kept.Extra) == 1, "an unknown member is lost: %+v, %v", kept, err)
	assert.Equal(t, kept.Extra[0].Name, "x-note")
}

// TestPathStaysInItsPlace asks a real mux which route a path reaches.
func TestPathStaysInItsPlace(t *testing.T) {
	patterns := []string{wire.PathPersonas, wire.PathPersona, wire.PathFull, wire.PathProgress, wire.PathAvailableMachines, wire.PathSave, wire.PathPublish,
		wire.PathInitSession, wire.PathMessage, wire.PathHistory, wire.PathReset, wire.PathMe, wire.PathMigrateProgress, wire.PathAPIKeys}
	var reached, id string
	mux := http.NewServeMux()
	for _, pattern := range patterns {
		mux.HandleFunc(pattern, func(_ http.ResponseWriter, r *http.Request) { reached, id = pattern, r.PathValue("persona_id") })
	}
	for _, pattern := range patterns {
		for _, want := range []string{"p1", "a/b", "../full", ".", "..", "...", "a?b#c", "%2F", "ü {persona_id}", "a b"} {
			target := assert.Value(url.Parse("http://host" + wire.Path(pattern, want)))(t)
			reached, id = "", ""
			mux.ServeHTTP(httptest.NewRecorder(), &http.Request{Method: "GET", URL: target, Host: "host"})
			if !strings.Contains(pattern, "{persona_id}") {
				want = ""
			}
			assert.Equal(t, reached, pattern, target)
			assert.Equal(t, id, want, target)
		}
	}
}

// TestFullPersona: members that the view lacks are sent in the object persona, and read back.
func TestFullPersona(t *testing.T) {
	member := func(name, value string) personas.Member {
		return personas.Member{Name: name, Value: json.RawMessage(value)}
	}
	full := wire.FullPersona{
		Persona:               wire.Persona{PersonaItem: wire.PersonaItem{ID: "p1", Name: "Mira"}},
		PerplexityDescription: "find me", Language: "pt-BR",
		Offline:  &personas.SharedOffline{Answers: []personas.Answer{{Intent: personas.IntentJoke, Say: []string{"No."}}}},
		Extra:    personas.Members{member("x-b", `{"z":1,"a":[2]}`), member("x-\"a\"", "null")},
		Machines: []wire.Machine{}, Variables: []personas.Variable{}, Links: []personas.Link{},
	}
	written := assert.Value(json.Marshal(full))(t)
	var read wire.FullPersona
	if err := json.Unmarshal(written, &read); err != nil || !reflect.DeepEqual(read, full) {
		t.Errorf("read %+v, %v, from %s", read, err, written)
	}
	full.Extra = append(full.Extra, member("id", `"mine"`), member("perplexity_description", `"mine"`))
	again := assert.Value(json.Marshal(full))(t)
	assert.True(t, string(again) == string(written), "members of the single view are written twice: %s", again)
	for text, ok := range map[string]bool{`{}`: true, `{"persona": null}`: true, `{"persona": 1}`: false, `{"persona": []}`: false, `[]`: false} {
		t.Run(text, func(t *testing.T) {
			err := json.Unmarshal([]byte(text), new(wire.FullPersona))
			assert.Equal(t, err == nil, ok, "%s: error %v", text, err)
		})
	}
}
