package conversation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/tuitest"
)

func TestOpened(t *testing.T) {
	list := func(cellar, tower MachineStatus) []ListedMachine {
		return []ListedMachine{
			{ID: "m-gate", Key: "gate", Status: MachineEnded},
			{ID: "m-cellar", Key: "cellar", Status: cellar},
			{ID: "m-tower", Key: "tower", Status: tower},
		}
	}
	cases := []struct {
		name          string
		before, after []ListedMachine
		want          []string
	}{
		{"locked before", list(MachineLocked, MachineLocked), list(MachineOpen, MachineLocked), []string{"m-cellar"}},
		{"open before", list(MachineOpen, MachineLocked), list(MachineOpen, MachineLocked), nil},
		{"hidden before", list(MachineOpen, MachineLocked)[:1], list(MachineOpen, MachineLocked), []string{"m-cellar"}},
		{"begun since by another", list(MachineLocked, MachineLocked), list(MachineBegun, MachineLocked), nil},
		{"never read", nil, list(MachineOpen, MachineOpen), nil},
	}
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			assert.EqualSlices(t, listOpened(k.before, k.after), k.want, k.name)
		})
	}
}

func TestCounted(t *testing.T) {
	d := defaultRequester()
	d.Unsent = func(err error) bool { return errors.Is(err, tuitest.ErrNobody) }
	for err, want := range map[error]bool{
		tuitest.ErrLost: true, fmt.Errorf("deep: %w", tuitest.ErrNobody): false,
		tuitest.RefusedWith(http.StatusBadGateway, ""): true, tuitest.RefusedWith(http.StatusConflict, ""): true,
		tuitest.RefusedWith(http.StatusTooManyRequests, ""): false, tuitest.RefusedWith(http.StatusUnprocessableEntity, ""): false,
	} {
		t.Run(fmt.Sprint(err), func(t *testing.T) { assert.Equal(t, d.MayHaveCounted(err), want, err) })
	}
}

// TestCommandTable: every command has a unique name, a help sentence and a heading.
func TestCommandTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Commands() {
		if seen[c.Name] || c.Group == "" || !strings.HasSuffix(c.Help, ".") || strings.ToLower(c.Name) != c.Name {
			t.Errorf("command %+v", c.Usage())
		}
		seen[c.Name] = true
	}
}

func TestParseCommand(t *testing.T) {
	cases := []struct{ line, name, arg, text, err string }{
		{"hello", "", "", "hello", ""},
		{"  padded  ", "", "", "padded", ""},
		{"//x", "", "", "/x", ""},
		{"/HELP", "help", "", "", ""},
		{"/machines  gate ", "parts", "gate", "", ""},
		{"/", "", "", "", "unknown command /"},
		{"/\x1b[2J", "", "", "", "␛[2J"},
		{"/progess", "", "", "", "did you mean /progress?"},
	}
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			cmd, arg, text, err := ParseLine(c.line)
			name := ""
			if cmd != nil {
				name = cmd.Name
			}
			assert.Equal(t, name, c.name, "%q: name", c.line)
			assert.Equal(t, arg, c.arg, "%q: argument", c.line)
			assert.Equal(t, text, c.text, "%q: text", c.line)
			assert.Equal(t, err == nil, c.err == "", "%q: %v", c.line, err)
			if err != nil {
				assert.ErrorContains(t, err, c.err)
			}
		})
	}
}

// The waits grow to a bound, and never end by themselves.
func TestLostConnectionBackOff(t *testing.T) {
	r := defaultRequester()
	for retries, want := range []time.Duration{1, 2, 4, 8, 15, 15, 15} {
		wait, why := r.RetryDelay(fmt.Errorf("%w; start it", tuitest.ErrLost), retries)
		assert.Equal(t, wait, want*time.Second, "after %d", retries)
		assert.Equal(t, why, tuitest.ErrLost.Error(), "after %d", retries)
	}
	wait, _ := r.RetryDelay(tuitest.ErrLost, 1<<40)
	assert.Equal(t, wait, longestWait, "after very many retries")
}

func TestRetryDelay(t *testing.T) {
	r := defaultRequester()
	cases := []struct {
		err   error
		tries int
		want  time.Duration
	}{
		{tuitest.LimitedFor(7 * time.Second), 50, 7 * time.Second},
		{tuitest.LimitedFor(0), 0, limitedWait},
		{tuitest.RefusedWith(502, wire.CodeModelFailed), 0, time.Second},
		{tuitest.RefusedWith(503, wire.CodeUnavailable), 2, 4 * time.Second},
		{tuitest.RefusedWith(503, wire.CodeUnavailable), 3, 0},
		{&wire.Error{Status: 503, RetryAfter: 9 * time.Second}, 0, 9 * time.Second},
		{&wire.Error{Status: 502, RetryAfter: time.Minute}, 0, time.Minute},
		{&wire.Error{Status: 502, RetryAfter: longestAsked + 1}, 0, 0},
		{&wire.Error{Status: 502, Final: true}, 0, 0},
		{&wire.Error{Status: 502, Final: true, RetryAfter: 7 * time.Second}, 0, 7 * time.Second},
		{tuitest.RefusedWith(409, wire.CodeConflict), 0, time.Second},
		{tuitest.RefusedWith(409, wire.CodeFinished), 0, 0},
		{tuitest.RefusedWith(401, ""), 0, 0},
		{tuitest.RefusedWith(422, ""), 0, 0},
		{context.DeadlineExceeded, 0, 0},
		{fmt.Errorf("given up: %w", context.Canceled), 0, 0},
	}
	for _, k := range cases {
		got, _ := r.RetryDelay(k.err, k.tries)
		assert.Equal(t, got, k.want, "%v after %d tries", k.err, k.tries)
	}
}

// Errors are sorted without knowing who made them.
func TestLostByDefault(t *testing.T) {
	for err, want := range map[error]bool{
		tuitest.ErrLost: true, errors.New("x"): true,
		context.Canceled: false, context.DeadlineExceeded: false, tuitest.RefusedWith(500, ""): false,
	} {
		assert.Equal(t, neitherRefusedNorStopped(err), want, err)
	}
}

func defaultRequester() *Requester {
	var o Options
	o.FillDefaults()
	return NewRequester(&o)
}

// TestScoreBeyondItsThreshold: a score is "of" the one that is needed only up to there.
func TestScoreBeyondItsThreshold(t *testing.T) {
	m := &Machine{Scoring: true, Threshold: 3}
	for score, want := range map[int][3]string{
		-1: {"score -1 (it takes 3)", "+1  (-1: it takes 3)", "Score -1 (it takes 3). That was +1."},
		3:  {"score 3 of 3", "+1  (3 of 3)", "Score 3 of 3. That was +1."},
		4:  {"score 4: enough (it takes 3)", "+1  (4: enough)", "Score 4: enough (it takes 3). That was +1."},
	} {
		before, after := Standing{State: "a", Score: score - 1}, Standing{State: "a", Score: score}
		said := strings.Join(m.ChangeSentences(before, after, "Mira"), " ")
		got := [3]string{m.ScoreWords(score), m.ChangeLine(before, after), said}
		assert.Equal(t, got, want, score)
	}
}

func TestExplainRefusal(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusForbidden:    "only the persona's author can read explanations",
		http.StatusUnauthorized: "only the persona's author can read explanations",
		http.StatusNotFound:     "this service does not explain turns",
		http.StatusBadGateway:   "away",
	} {
		err := explainRefusal(&wire.Error{Status: status, Message: "away"})
		assert.Contains(t, err.Error(), want, "status %d", status)
		_, isRefusal := errors.AsType[*wire.Error](err)
		assert.Equal(t, isRefusal, true, "status %d: the error wraps the refusal", status)
	}
}

// TestChoicesAreShown: an author sees each choice's probability as a bar, and how the judge was asked.
func TestChoicesAreShown(t *testing.T) {
	row := 0
	e := ExplainedTurn{machine: &Machine{}, TurnTrace: wire.TurnTrace{
		Choices: []wire.TraceChoice{
			{Decision: "kick_out", Probability: 0.02},
			{Decision: "pass", Transition: &row, Probability: 0.81},
			{Decision: "aside", Probability: 0.17},
		},
		Method: "letter", Milliseconds: 640, Usage: map[string]wire.Usage{"evaluation": {Model: "openai/x", In: 1200, Out: 2, Cached: 1100}},
	}}
	text := strings.Join(WhyLines(&e), "\n")
	for _, want := range []string{"Choices: pass ######## 81 %, aside ## 17 %, kick out 2 %; by letter in 0.6 s.", "read 1,200 (1,100 cached), wrote 2"} {
		assert.Contains(t, text, want)
	}
}

// TestAimOfFirstPart: the aim is that of the first part, or of a returning player's part.
func TestAimOfFirstPart(t *testing.T) {
	full := tuitest.Persona()
	fresh := &UserSession{Persona: NewPersona("mira", full)}
	back := &UserSession{Persona: fresh.Persona, Saved: SavedSession{Machine: "m-cellar"}, used: true}
	for name, k := range map[string]struct {
		user        *UserSession
		asked, want string
	}{"new": {fresh, "", "gate"}, "asked": {fresh, "cellar", "cellar"}, "back": {back, "", "cellar"}, "unknown": {fresh, "nowhere", ""}} {
		got := ""
		if m := k.user.MachineToEnter(k.asked); m != nil {
			got = m.Key
		}
		assert.Equal(t, got, k.want, name)
	}
	full.Machines[0].IsEntry, full.Machines[1].IsEntry = false, true
	assert.Equal(t, (&UserSession{Persona: NewPersona("mira", full)}).MachineToEnter("").Key, full.Machines[1].Key, "an entry")
}

// TestFreeTalkRuleIsHiddenWithPatience: the rule is not shown if the author's patience is limited.
func TestFreeTalkRuleIsHiddenWithPatience(t *testing.T) {
	full := tuitest.Persona()
	words := NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, strings.HasSuffix(words, playwords.FreeTalkButNo), "%q", words)
	full.Machines[0].States[0].Criteria.Reject = ""
	words = NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, strings.HasSuffix(words, playwords.FreeTalk), "where no message is a reject: %q", words)
	full.Machines[0].Transitions[3].Decision = personas.DecideRedirect
	words = NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, strings.HasSuffix(words, playwords.FreeTalk), "where nothing is a refusal: %q", words)
	patience := 2
	for i := range full.Machines[0].States {
		full.Machines[0].States[i].Offline = &personas.Offline{Patience: &patience}
	}
	words = NewPersona("mira", full).FindMachine("gate").TriesRule()
	assert.True(t, words != "", "no rule with patience")
	assert.NotContains(t, words, playwords.FreeTalk)
}

// TestNearlyWords: the decision that was made is not named as one that was nearly made, also if a
// more probable decision was too doubtful.
func TestNearlyWords(t *testing.T) {
	choices := []wire.TraceChoice{{Decision: "reject", Probability: 0.5}, {Decision: "pass", Probability: 0.46}, {Decision: "aside", Probability: 0.04}}
	assert.Equal(t, nearlyWords(choices, true), "It was nearly taken as a no (50 %).")
	assert.Equal(t, nearlyWords(choices, false), "It was nearly taken as the right answer (46 %).")
	assert.Equal(t, nearlyWords(choices[1:], true), "")
}
