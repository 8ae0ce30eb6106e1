package localserver

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

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

// TestJudgeFaultsCostNothing: a fault of the judge does not cost the player a try. Either nothing
// of the message is stored, or the judge is asked by another method.
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
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
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
	var trace wire.Trace
	h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "").decode(&trace)
	assert.Equal(t, trace.Turns[len(trace.Turns)-1].Method, c.method, "the method")
}

// TestSmallTalkIsFree: with every method of asking a model, small talk is an aside that uses no try,
// and the next message that decides something does.
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
			id := h.publishPersona()
			h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			said := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "Lovely weather today")).want(200)
			assert.True(t, said["aside"] == true && said["decision"] == nil && said["redirect_count"] == 0.0,
				"small talk: %v", said)
			said = h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "Let me in")).want(200)
			var trace wire.Trace
			h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "").decode(&trace)
			got := trace.Turns[len(trace.Turns)-1].Method
			assert.True(t, said["redirect_count"] == 1.0 && got == c.method, "a try, by %q: %v", got, said)
		})
	}
}
