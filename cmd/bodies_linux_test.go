package cmd_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/wire"
)

// bodyMembers are the members of each endpoint's body, with valid values.
var bodyMembers = map[string]map[string]string{
	wire.PathInitSession:     {"user_session_id": "u", "player_name": "Ann", "player_gender": "female"},
	wire.PathMessage:         {"user_session_id": "u", "message": "hello"},
	wire.PathMessageStream:   {"user_session_id": "u", "message": "hello"},
	wire.PathMigrateProgress: {"old_session_id": "u"},
	wire.PathAPIKeys:         {"name": "n"},
	wire.PathGenerate:        {"description": "d", "name": "n"},
}

// hostileValues are hostile values of a member: the beginning, the part that is repeated up to the
// size limit, and the end.
var hostileValues = map[string][3]string{
	"letters": {`"`, "a", `"`}, "spaces": {`"`, " ", `"`}, "line breaks": {`"`, `\n`, `"`}, "escapes": {`"`, `\u0041`, `"`},
	"half pairs": {`"`, `\ud800`, `"`}, "NUL": {`"`, `\u0000`, `"`}, "wide": {`"`, "\u6f22", `"`}, "marks": {`"`, "e\u0301", `"`},
	"ampersands": {`"`, "&<", `"`}, "placeholders": {`"`, "{{player_name}} ", `"`}, "digits": {"1", "1", "1"}, "zeros": {"0.", "0", "1"},
	"exponent": {"1e", "9", "1"}, "list": {"[0", ",0", "]"}, "lists": {"[[]", ",[]", "]"}, "objects": {`[{}`, `,{"a":0}`, "]"},
	"deep": {"", "[", "0"}, "members": {`{"a":0`, `,"a":0`, "}"}, "texts": {`["a"`, `,"a"`, "]"}, "not closed": {`"`, "a", ""},
	"bytes that are no text": {`"`, "\xff", `"`}, "more members": {`"u"`, `,"x":"u"`, ""}, "members twice": {`"u"`, `,"user_session_id":"u"`, ""},
}

// TestBodiesCostLittle sends hostile bodies of 1 MB to every endpoint, only with PARLEY_COSTS=1.
func TestBodiesCostLittle(t *testing.T) {
	c := prepareCosts(t)
	h := c.startServer(t, "bodies ", "")
	id := h.saveSmall()
	for pattern, members := range bodyMembers {
		for member := range members {
			for name, value := range hostileValues {
				h.shape = member + ": " + name
				h.ask(pattern, http.MethodPost, wire.Path(pattern, id), writeBody(members, member, value), nil)
			}
		}
	}
}

// writeBody is a body of the most bytes that are read, one member of it hostile.
func writeBody(members map[string]string, hostile string, value [3]string) string {
	var others strings.Builder
	for name, usual := range members {
		if name != hostile {
			fmt.Fprintf(&others, "%q:%q,", name, usual)
		}
	}
	begin, end := "{"+others.String()+fmt.Sprintf("%q:", hostile)+value[0], value[2]+"}"
	return begin + strings.Repeat(value[1], (wire.MaxBody-len(begin)-len(end))/len(value[1])) + end
}

// saveSmall saves and publishes a persona that asks for nothing.
func (h *costedServer) saveSmall() string {
	var saved wire.Saved
	h.ask("save", http.MethodPost, wire.PathSave, personatest.Find("one label").Text(1000, 1), &saved)
	h.ask("publish", http.MethodPost, wire.PathPublish+"?persona_id="+saved.PersonaID, "", nil)
	return saved.PersonaID
}

// TestCrowdedServerStaysSmall limits the memory for many large documents, only with PARLEY_COSTS=1.
func TestCrowdedServerStaysSmall(t *testing.T) {
	c := prepareCosts(t)
	h := c.startServer(t, "crowd ", "")
	var work sync.WaitGroup
	var answers statusCounts
	began := time.Now()
	room := make(chan struct{}, 16)
	for _, s := range personatest.Shapes() {
		if s.Ends != ".json" {
			continue
		}
		work.Go(func() {
			room <- struct{}{}
			h.playShape(s, &answers)
			<-room
		})
	}
	work.Wait()
	t.Logf("%.0f s, %.0f s of processor; answers: %v", time.Since(began).Seconds(), h.readSeconds(), answers.counts)
	assert.True(t, answers.counts[http.StatusOK] != 0, "nobody was served")
	if peak := h.readPeak(); peak > uploadMemory {
		t.Errorf("the server held %d MiB", peak>>20)
	} else {
		t.Logf("the server held %d MiB", peak>>20)
	}
}

type statusCounts struct {
	lock   sync.Mutex
	counts map[int]int
}

func (c *statusCounts) add(status int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.counts == nil {
		c.counts = make(map[int]int)
	}
	c.counts[status]++
}

func (h *costedServer) playShape(s personatest.Shape, answers *statusCounts) {
	size := findReadableSize(s, 8<<20)
	var saved wire.Saved
	status := h.send(http.MethodPost, wire.PathSave, s.Text(size, 1), &saved)
	answers.add(status)
	if status != http.StatusCreated {
		return
	}
	send := func(method, path, body string) { answers.add(h.send(method, path, body, nil)) }
	send(http.MethodPost, wire.PathPublish+"?persona_id="+saved.PersonaID, "")
	for range 2 {
		send(http.MethodGet, wire.Path(wire.PathFull, saved.PersonaID), "")
		send(http.MethodGet, "/play/"+saved.PersonaID, "")
		send(http.MethodPost, wire.Path(wire.PathInitSession, saved.PersonaID), `{"user_session_id":"u","player_name":"Ann","player_gender":"female"}`)
		send(http.MethodPost, wire.Path(wire.PathMessage, saved.PersonaID), `{"user_session_id":"u","message":"hello"}`)
	}
}
