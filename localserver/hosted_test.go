package localserver

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestFormats plays a persona to its ending with a model of each wire format: the machine moves as
// the model judges, the stored text equals the stream, and the cost is reported.
func TestFormats(t *testing.T) {
	for model, key := range map[string]string{"openai/gpt-x": serverKey, "anthropic/claude-x": serverKey, "gemini/gemini-x": serverKey, "ollama/llama-x": ""} {
		t.Run(model, func(t *testing.T) { playFormat(t, model, key) })
	}
}

func playFormat(t *testing.T, model, key string) {
	h, d := playing(t, model, act)
	id := h.publishPersona()
	_, name, _ := strings.Cut(model, "/")
	spoken := "Spoken by " + name + ". é🚪"
	opened := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann"))
	checkJSON(t, opened.want(200), `{"message": "`+spoken+`"}`)
	said := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "no reason"))
	checkJSON(t, said.want(200), `{"message": "`+spoken+`", "decision": "redirect", "current_state": "outside", "redirect_count": 1}`)
	ended := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "please [pass]")).is(200)
	text, done := heard(t, ended.body)
	assert.True(t, text == spoken && done.Message == spoken && done.MachineCompleted && *done.Outcome == "ACCEPT",
		"heard %q, then %+v", text, done)
	history := h.kept(id)
	assert.Equal(t, history.Messages[len(history.Messages)-1].Content, text, "shown")
	asked := d.TextRequests()
	assert.EqualSlices(t, steps(asked), []string{"speech", "evaluation", "speech", "evaluation", "speech", "summarization"}, "asked for")
	assert.EqualSlices(t, keysOf(asked), []string{key}, "asked with the keys")
	checkTrace(t, h, id, model)
	counts := h.readMetrics()
	provider, _, _ := strings.Cut(model, "/")
	for name, want := range map[string]float64{
		`parley_llm_requests_total{step="evaluation",provider="` + provider + `"}`:                 2,
		`parley_llm_tokens_total{step="response",direction="in",provider="` + provider + `"}`:      2 * actorIn,
		`parley_llm_tokens_total{step="open",direction="out",provider="` + provider + `"}`:         actorOut,
		`parley_llm_tokens_total{step="summarization",direction="in",provider="` + provider + `"}`: actorIn,
	} {
		assert.Equal(t, counts[name], want, name)
	}
}

// checkTrace reads the trace of an opening, a redirect and a pass that ends.
func checkTrace(t *testing.T, h *harness, id, model string) {
	t.Helper()
	trace := h.trace(id)
	if len(trace.Turns) != 3 || trace.Turns[0].Transition != nil || *trace.Turns[2].Transition != 0 || trace.Turns[2].Holds[0].Why != "probability 1.00" {
		t.Fatalf("%+v", trace.Turns)
	}
	checkJudged(t, trace.Turns[2])
	once := wire.Usage{Model: model, In: actorIn, Out: actorOut}
	for i, want := range [][]string{{"open"}, {"evaluation", "response"}, {"evaluation", "response", "summarization"}} {
		if len(trace.Turns[i].Usage) != len(want) {
			t.Errorf("turn %d cost %+v", i, trace.Turns[i].Usage)
		}
		for _, step := range want {
			assert.Equal(t, trace.Turns[i].Usage[step], once, "turn %d: the %s cost", i, step)
		}
	}
}

// heard returns the text of a stream and its last event.
func heard(t *testing.T, body []byte) (text string, done wire.Reply) {
	t.Helper()
	var name string
	for line := range strings.Lines(string(body)) {
		line = strings.TrimSuffix(line, "\n")
		if event, ok := strings.CutPrefix(line, "event: "); ok {
			name = event
		}
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case ok && name == wire.EventTextDelta:
			var delta wire.TextDelta
			assert.NoError(t, json.Unmarshal([]byte(data), &delta))
			text += delta.Text
		case ok && name == wire.EventDone:
			assert.NoError(t, json.Unmarshal([]byte(data), &done))
		}
	}
	return text, done
}

// checkJudged: a turn's trace contains each choice with its probability, and the method.
func checkJudged(t *testing.T, turn wire.TurnTrace) {
	t.Helper()
	sum := 0.0
	for _, c := range turn.Choices {
		sum += c.Probability
	}
	last := len(turn.Choices) - 1
	if turn.Method != "json" || last < 1 || sum < 0.99 || sum > 1.01 || turn.Choices[last].Decision != "aside" || turn.Choices[last].Transition != nil {
		t.Errorf("the trace has %q, %+v", turn.Method, turn.Choices)
	}
}

// kept returns the history of ann's session.
func (h *harness) kept(id string) wire.History {
	h.Helper()
	return decoded[wire.History](h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", ""))
}

// TestDeflection: after a broken reply, the author's lines follow what was shown.
func TestDeflection(t *testing.T) {
	for name, broken := range map[string]llmtest.Script{
		"in the middle":    {Pieces: []string{"Well, to do tha", "t you would ta", "ke"}, Finish: "refused", In: 1, Out: 1},
		"at the beginning": {Finish: "refused", In: 1, Out: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
				if isEvaluation(r) || isSummary(r) || len(r.Messages) < 3 {
					return act(r)
				}
				return broken
			})
			id := h.openGate()
			a := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "how do I pick a lock?")).is(200)
			text, done := heard(t, a.body)
			messages := h.kept(id).Messages
			last := messages[len(messages)-1].Content
			if text == "" || text != done.Message || text != last || !strings.HasSuffix(text, "State your business.") {
				t.Errorf("%s: shown %q, answered %q, kept %q", name, text, done.Message, last)
			}
			shown := strings.Join(broken.Pieces, "")
			assert.True(t, strings.HasPrefix(text, shown), "%s: what was shown is gone: %q", name, text)
			trace := h.trace(id)
			assert.Contains(t, trace.Turns[1].Reply, "deflected", "%s: the trace", name)
		})
	}
}

// TestSummaryFailsBehindAReply: if the summary fails after the reply, the turn is stored.
func TestSummaryFailsBehindAReply(t *testing.T) {
	h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
		if isSummary(r) {
			return llmtest.Script{Failure: &llmtest.Failure{Status: 400, Message: "no such parameter"}}
		}
		return act(r)
	})
	id := h.openGate()
	a := h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "please [pass]"))
	text, done := heard(t, a.body)
	if history := h.kept(id); text == "" || !done.MachineCompleted || len(history.Messages) != 3 || *history.Outcome != "ACCEPT" {
		t.Errorf("%q, %+v: %s", text, history, a.body)
	}
	trace := h.trace(id)
	why := trace.Turns[1].Summary
	assert.True(t, strings.Contains(why, "openai/gpt-x") && strings.Contains(why, "tries again"), "the trace says %q", why)
	assert.Equal(t, h.readMetrics()[`parley_llm_failures_total{step="summarization",provider="openai",kind="bad-request"}`], 1, "failures are counted")
}

// TestRecordAndReplay: a recorded play is replayed with the same texts and no connections.
func TestRecordAndReplay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tape.jsonl")
	play := func(l models.Settings) (texts []string) {
		h := begin(t, func(o *Options) { o.LLM = l })
		id := h.publishPersona()
		texts = append(texts, h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)["message"].(string))
		text, _ := heard(t, h.send("", "POST", wire.Path(wire.PathMessageStream, id), messageJSON("ann", "no")).body)
		texts = append(texts, text, h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "please [pass]")).want(200)["message"].(string))
		assert.NoError(t, h.Close())
		return texts
	}
	d, l := newDouble(t, "openai/gpt-x", act)
	l.Record = file
	first := play(l)
	asked := len(d.Requests())
	if again := play(models.Settings{Replay: file, Openings: "model"}); !slices.Equal(first, again) || len(first) != 3 || len(d.Requests()) != asked {
		t.Errorf("recorded %q, replayed %q; asked %d times, then %d", first, again, asked, len(d.Requests()))
	}
	h := begin(t, func(o *Options) { o.LLM = models.Settings{Replay: file, Openings: "model"} })
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), strings.Replace(initJSON("ann"), `"Ann"`, `"Bo"`, 1)).fails(502, wire.CodeModelFailed)
	text, err := os.ReadFile(file)
	assert.NoError(t, err)
	assert.NotContains(t, string(text), serverKey, "%v, the key is in the recording: %v", err, strings.Contains(string(text), serverKey))
	assert.Equal(t, len(h.Recording().Unused), len(d.TextRequests()))
}

// gather opens a session for each of size players.
func gather(h *harness, id string, size int) {
	h.Helper()
	for i := range size {
		h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(fmt.Sprint("player", i))).want(200)
	}
}

// TestHundredTurnsAtOnce: while a hundred turns wait for the model, the server answers all else.
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
		history := decoded[wire.History](h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+fmt.Sprint("player", i), ""))
		assert.Must(t, len(history.Messages) == 3, "player %d has %d messages", i, len(history.Messages))
	}
}

// TestTwoThousandTurns plays 2,000 turns with a model. The last requests are as large as the first
// ones with a summary, even if every summary fails, which is tested with fewer turns.
func TestTwoThousandTurns(t *testing.T) {
	t.Parallel()
	const early = 60
	for turns, summarizes := range map[int]bool{2000: true, 300: false} {
		t.Run(fmt.Sprint(turns), func(t *testing.T) {
			t.Parallel()
			var heaviest atomic.Int64
			h, _ := playing(t, "ollama/llama-x", func(r llmtest.Request) llmtest.Script {
				heaviest.Store(max(heaviest.Load(), int64(len(r.Body))))
				if isSummary(r) && !summarizes {
					return llmtest.Script{Failure: &llmtest.Failure{Status: 400}}
				}
				return act(r)
			})
			id := h.publishEndless()
			h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			var first int64
			for turn := range turns {
				text := fmt.Sprintf("%d: %s", turn, strings.Repeat("tell me more ", 20))
				h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", text)).want(200)
				if turn == early {
					first = heaviest.Swap(0)
				}
			}
			t.Logf("at most %d bytes in the first %d turns, %d in those up to %d", first, early, heaviest.Load(), turns)
			now := heaviest.Load()
			assert.True(t, now <= first+first/10, "a request has %d bytes, at first %d", now, first)
		})
	}
}

// Token counts that the actor reports for every request.
const (
	actorIn  = 11
	actorOut = 7
)

// serverKey is the key of the operator.
const serverKey = "sk-own-key-of-the-server"

// act answers as a sensible model: it judges a message by the decision in the message, as in
// "please [pass]", and otherwise replies in three pieces.
func act(r llmtest.Request) llmtest.Script {
	s := llmtest.Script{In: actorIn, Out: actorOut}
	switch {
	case isEvaluation(r):
		s.Text = judgeMessage(r)
	case isSummary(r):
		s.Text = "They talked."
	default:
		s.Pieces = []string{"Spoken ", "by " + r.Model, ". é🚪"}
	}
	return s
}

func isEvaluation(r llmtest.Request) bool { return r.IsJudgement() }

func isSummary(r llmtest.Request) bool {
	return len(r.Schema) == 0 && strings.Contains(r.LastMessage(), "The messages, oldest first:")
}

// judgedDecision returns the decision in a message, as in "please [pass]".
var judgedDecision = regexp.MustCompile(`\[([a-z_]+)\]`)

// judgeMessage returns a judgement with the decision in the message, or else a redirect.
func judgeMessage(r llmtest.Request) string {
	if found := judgedDecision.FindStringSubmatch(r.PlayerSaid()); found != nil {
		return r.JudgedAs(found[1])
	}
	return r.JudgedAs("redirect")
}

// newDouble starts a double, and returns the settings of a server that uses a model of it.
func newDouble(t testing.TB, model string, script func(llmtest.Request) llmtest.Script) (*llmtest.Double, models.Settings) {
	t.Helper()
	d := llmtest.New(script)
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	l := models.Settings{Model: model, Openings: "model", Env: environment("OPENAI_API_KEY", serverKey, "ANTHROPIC_API_KEY", serverKey, "GEMINI_API_KEY", serverKey, "GROQ_API_KEY", serverKey)}
	l.Addresses = map[string]string{"openai": server.URL + "/v1", "groq": server.URL + "/v1", "anthropic": server.URL + "/v1", "gemini": server.URL + "/v1beta", "ollama": server.URL}
	return d, l
}

// playing starts a server with such a model.
func playing(t testing.TB, model string, script func(llmtest.Request) llmtest.Script) (*harness, *llmtest.Double) {
	t.Helper()
	d, l := newDouble(t, model, script)
	return begin(t, func(o *Options) { o.LLM = l }), d
}

// steps returns the steps of a double's requests, in order.
func steps(requests []llmtest.Request) []string {
	var list []string
	for _, r := range requests {
		switch {
		case isEvaluation(r):
			list = append(list, "evaluation")
		case isSummary(r):
			list = append(list, "summarization")
		default:
			list = append(list, "speech")
		}
	}
	return list
}

func keysOf(requests []llmtest.Request) []string {
	var keys []string
	for _, r := range requests {
		if !slices.Contains(keys, r.Key) {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// environment returns variables from pairs of name and value.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// judgeFault is a judge that fails for messages that contain "fault".
type judgeFault struct {
	model  string
	change func(*llmtest.Double, *models.Settings)
	// script answers a judge's question; nil is act.
	script func(llmtest.Request) llmtest.Script
	// status and says belong to the failed message; status is 0 if the judge is asked in another
	// way instead.
	status int
	says   string
	// method is the one that worked in the end.
	method string
}

func isFaulty(r llmtest.Request) bool { return strings.Contains(string(r.Body), "fault") }

// decide answers as a decision model would: the judged decision of a message.
func decide(fault llmtest.Decided) func(llmtest.Request) llmtest.Decided {
	return func(r llmtest.Request) llmtest.Decided {
		if isFaulty(r) {
			return fault
		}
		options := map[string]float64{}
		for _, key := range r.OptionKeys() {
			options[key] = 0.01
		}
		options["redirect"] = 0.97
		if strings.Contains(string(r.Body), "[pass]") {
			options["redirect"], options["pass"] = 0.01, 0.97
		}
		return llmtest.Decided{Matter: 0.98, Options: options}
	}
}

func onDecisions(fault llmtest.Decided) func(*llmtest.Double, *models.Settings) {
	return func(d *llmtest.Double, _ *models.Settings) { d.Decide(llmtest.Decisions, decide(fault)) }
}

// TestJudgeFaultsCostNothing: a fault of the judge does not cost the player a try.
func TestJudgeFaultsCostNothing(t *testing.T) {
	never := make(chan struct{})
	thinks := []llmtest.Token{{Text: "<think>", Probability: 0.98}, {Text: "Y", Probability: 0.01}}
	for name, c := range map[string]judgeFault{
		"slow": {
			model: "openai/gpt-x", change: func(_ *llmtest.Double, l *models.Settings) { l.Timeout = time.Second },
			script: func(llmtest.Request) llmtest.Script { return llmtest.Script{Wait: never} }, status: 504, says: "within 1s (--llm-timeout", method: "json",
		},
		"closes in the middle": {
			model: "openai/gpt-x", script: func(r llmtest.Request) llmtest.Script { s := act(r); s.Cut = true; return s }, status: 502, says: "cut off", method: "json",
		},
		"answers without the probabilities": {model: "openai/gpt-x", change: func(d *llmtest.Double, _ *models.Settings) { d.IgnoreTokens() }, method: "json"},
		"thinks first": {
			model: "openai/gpt-x", change: func(d *llmtest.Double, _ *models.Settings) { d.ReportTokens() }, method: "json",
			script: func(r llmtest.Request) llmtest.Script {
				s := act(r)
				s.First = thinks
				s.Text = "<think>Well.</think>" + s.Text
				return s
			},
		},
		"a decision is refused":  {model: "openai/gpt-x", change: onDecisions(llmtest.Decided{Matter: 0.9, Refused: true}), status: 502, says: "refused to answer", method: "decisions"},
		"a decision is missing":  {model: "openai/gpt-x", change: onDecisions(llmtest.Decided{Matter: 0.9, Unanswered: true}), status: 502, says: "did not answer one of the questions", method: "decisions"},
		"no access to decisions": {model: "openai/gpt-x", change: onDecisions(llmtest.Decided{Failure: &llmtest.Failure{Status: 403, Message: "no access"}}), method: "json"},
		"lacks a chat template": {
			model: "ollama/bare", change: func(d *llmtest.Double, _ *models.Settings) { d.DescribeTemplate("{{ .Prompt }}").ReportTokens() }, status: 502, says: "lacks a chat template",
		},
	} {
		t.Run(name, func(t *testing.T) { c.play(t) })
	}
}

func (c *judgeFault) play(t *testing.T) {
	d, l := newDouble(t, c.model, func(r llmtest.Request) llmtest.Script {
		if c.script != nil && r.Schema != nil && isFaulty(r) || c.script != nil && r.Logprobs {
			return c.script(r)
		}
		return act(r)
	})
	if c.change != nil {
		c.change(d, &l)
	}
	h := begin(t, func(o *Options) { o.LLM = l })
	id := h.openGate()
	before := h.kept(id)
	message := wire.Path(wire.PathMessage, id)
	tries := 1.0
	if a := h.send("", "POST", message, messageJSON("ann", "a fault")); c.status == 0 {
		a.want(200)
		tries = 2
	} else {
		assert.Contains(t, a.fails(c.status, map[int]string{502: wire.CodeModelFailed, 504: wire.CodeModelTimeout}[c.status]).Message, c.says, "the message")
		if now := h.kept(id); len(now.Messages) != len(before.Messages) || now.CurrentState != before.CurrentState || now.Score != before.Score {
			t.Errorf("before %+v, now %+v", before, now)
		}
	}
	if c.method == "" {
		return // This judge never answers.
	}
	said := h.send("", "POST", message, messageJSON("ann", "hm")).want(200)
	assert.True(t, said["decision"] == "redirect" && said["redirect_count"] == tries, "after the fault: %v", said)
	trace := h.trace(id)
	assert.Equal(t, trace.Turns[len(trace.Turns)-1].Method, c.method, "the method")
}

// TestSmallTalkIsFree: with every method, small talk is an aside that uses no try.
func TestSmallTalkIsFree(t *testing.T) {
	isSmallTalk := func(r llmtest.Request) bool { // what is judged comes behind the conversation
		return strings.LastIndex(string(r.Body), "Lovely weather") > strings.LastIndex(string(r.Body), "Let me in")
	}
	judged := func(r llmtest.Request) llmtest.Script {
		if r.IsJudgement() || r.Logprobs {
			decision := "redirect"
			if isSmallTalk(r) {
				decision = "aside"
			}
			return llmtest.Script{Text: r.JudgedAs(decision)}
		}
		return act(r)
	}
	decided := func(r llmtest.Request) llmtest.Decided {
		d := decide(llmtest.Decided{})(r)
		if isSmallTalk(r) {
			d.Matter = 0.03
		}
		return d
	}
	for name, c := range map[string]struct {
		model, method string
		change        func(*llmtest.Double)
	}{
		"json":       {"openai/gpt-x", "json", func(*llmtest.Double) {}},
		"letter":     {"openai/gpt-x", "letter", func(d *llmtest.Double) { d.ReportTokens() }},
		"decisions":  {"openai/gpt-x", "decisions", func(d *llmtest.Double) { d.Decide(llmtest.Decisions, decided) }},
		"system one": {"ollama/small", "decisions", func(d *llmtest.Double) { d.Decide(llmtest.SystemOne, decided) }},
	} {
		t.Run(name, func(t *testing.T) {
			d, l := newDouble(t, c.model, judged)
			c.change(d)
			h := begin(t, func(o *Options) { o.LLM = l })
			id := h.openGate()
			said := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "Lovely weather today")).want(200)
			assert.True(t, said["aside"] == true && said["decision"] == nil && said["redirect_count"] == 0.0,
				"small talk: %v", said)
			said = h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "Let me in")).want(200)
			trace := h.trace(id)
			got := trace.Turns[len(trace.Turns)-1].Method
			assert.True(t, said["redirect_count"] == 1.0 && got == c.method, "a try, by %q: %v", got, said)
		})
	}
}
