package localserver

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// gather opens a session for each of size players.
func gather(h *harness, id string, size int) {
	h.Helper()
	for i := range size {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(fmt.Sprint("player", i))).want(200)
	}
}

// TestHundredTurnsAtOnce holds a hundred turns in the model at the same time. While all of them
// wait, the server answers everything else, including whole turns. When the model continues, all
// are stored.
func TestHundredTurnsAtOnce(t *testing.T) {
	const size = 100
	gate := make(chan struct{})
	var waiting, most atomic.Int32
	h, d := playing(t, "ollama/llama-x", func(r llmtest.Request) llmtest.Script {
		s := act(r)
		if strings.Contains(r.PlayerSaid(), "slowly") && isEvaluation(r) {
			s.Wait = gate
			if n := waiting.Add(1); n > most.Load() {
				most.Store(n)
			}
		}
		return s
	})
	id := h.publishPersona()
	gather(h, id, size+1)
	asked := len(d.Requests())
	var turns sync.WaitGroup
	for i := range size {
		turns.Go(func() {
			h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON(fmt.Sprint("player", i), "slowly")).want(200)
		})
	}
	assert.NoError(t, d.AwaitRequests(t.Context(), asked+size))
	quick := fmt.Sprint("player", size)
	h.send("", "GET", wire.PathPersonas, "").want(200)
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=player0", "").want(200)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON(quick, "quickly")).want(200)
	h.savePersona(gatePersona)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("newcomer")).want(200)
	close(gate)
	turns.Wait()
	assert.Equal(t, most.Load(), size, "turns were in the model at once")
	for i := range size {
		var history wire.History
		h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+fmt.Sprint("player", i), "").decode(&history)
		assert.Must(t, len(history.Messages) == 3, "player %d has %d messages", i, len(history.Messages))
	}
}

// size returns the size of a question, in bytes of its texts.
func size(r provider.Request) int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text)
	}
	return n
}

// scribe is an asker in memory that records the largest question of each step, and answers as act
// does.
type scribe struct {
	mu       sync.Mutex
	largest  map[string]int
	messages int
}

func (s *scribe) Model() string { return "ollama/llama-x" }

func (s *scribe) Place() string { return "ollama/llama-x" }

func (s *scribe) Ask(_ context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.largest[r.Step] = max(s.largest[r.Step], size(r))
	if r.TopTokens == 0 { // The others contain the author's examples instead of the conversation.
		s.messages = max(s.messages, len(r.Messages))
	}
	if r.TopTokens > 0 || r.Decision != nil {
		return provider.Answer{}, &provider.Error{Kind: provider.Unsupported}
	}
	as := llmtest.Request{Model: "llama-x", System: r.System}
	if r.Schema != nil {
		as.Schema = r.Schema.JSON
	}
	as.Messages = []llmtest.Message{{Role: "user", Text: r.Messages[len(r.Messages)-1].Text}}
	script := act(as)
	text := script.Text + strings.Join(script.Pieces, "")
	if emit != nil {
		if err := emit(text); err != nil {
			return provider.Answer{}, err
		}
	}
	return provider.Answer{Text: text, Finish: provider.Stopped, Usage: llm.Usage{Model: s.Model(), In: size(r) / 4, Out: len(text) / 4}}, nil
}

// TestTwoThousandTurns: the size of a turn's model requests does not grow with the conversation.
func TestTwoThousandTurns(t *testing.T) {
	t.Parallel()
	s := &scribe{largest: map[string]int{}}
	h := begin(t, func(o *Options) { o.Model = hosted.New(hosted.Options{Evaluation: s, Response: s, Summarization: s}) })
	h.client = &http.Client{Transport: &http.Transport{}} // The document is not what this is about.
	id := h.savePersona(endless)
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	said := strings.Repeat("I tell a long story. ", 20)
	at := map[int]int{}
	for turn := 1; turn <= 2000; turn++ {
		h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", fmt.Sprint(turn, " ", said))).want(200)
		if turn == 20 || turn == 200 || turn == 2000 {
			at[turn] = s.largest["evaluation"] + s.largest["response"] + s.largest["summarization"]
		}
	}
	t.Logf("largest questions in bytes: %v; all three at turn 20 %d, 200 %d, 2,000 %d", s.largest, at[20], at[200], at[2000])
	assert.True(t, at[2000] <= at[20]+at[20]/10 && s.messages <= 2+20+1,
		"the questions grow: %v, %d messages", at, s.messages)
}
