package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// guardedGate is a persona for lines, and gateLines are some with it: two for each decision that
// its author foresees, and small talk.
const (
	guardedGate = `name: The gate
description: A guard
persona_identity_prompt: A guard
machines:
  - machine_key: gate
    states:
      - state_key: outside
        is_initial_state: true
        offline:
          examples: {pass: [Here is my permit.], reject: [I have no permit.], kick_out: [I will burn it down.]}
          lines: {pass: [Go in.], reject: [Then no.], kick_out: [Away!]}
      - {state_key: inside, is_terminal_state: true}
    transitions:
      - {from_state_key: outside, to_state_key: inside, decision_type: pass}
      - {from_state_key: outside, decision_type: reject}
      - {from_state_key: outside, decision_type: kick_out}
`
	gateLines = `{"state": "outside", "text": "a [pass]", "label": "pass"}
{"state": "outside", "text": "b [pass]", "label": "aside"}
{"state": "outside", "text": "c [redirect]", "label": "aside"}
{"state": "outside", "text": "d [reject]", "label": "aside"}
{"state": "outside", "text": "e [kick_out]", "label": "kick_out"}
{"state": "outside", "text": "f [redirect]", "label": "pass"}
`
)

// measuredLines are the members of --format json that these tests check.
type measuredLines struct {
	Findings []struct {
		File    string
		Line    int
		Check   string
		Message string
	}
	Lines struct {
		Judge, Method                   string
		Tried, Lines, Right, Unanswered int
		Undeserved                      int
		LostTries                       int     `json:"lost_tries"`
		LostSmallTalk                   int     `json:"lost_small_talk"`
		CalibrationError                float64 `json:"calibration_error"`
		Milliseconds                    struct{ Median, P95 *float64 }
		Tokens                          struct{ Read, Cached, Written int }
		Cost                            float64
		Decisions                       []struct{ Decision string }
		Fit                             *struct{ Thresholds []struct{ Decision string } }
	}
}

func linesRun(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"gate.yaml": guardedGate, "lines.jsonl": gateLines} {
		assert.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	p := cmdtest.AuthorCommand(dir, dir, "", append([]string{"persona", "test", "--lines", "lines.jsonl", "gate.yaml", "--format", "json"}, args...)...)
	p.Args = p.Args[:len(p.Args)-2] // no server
	return p
}

func measure(t *testing.T, p *exec.Cmd, meanwhile ...func()) (m measuredLines, said string, code int) {
	t.Helper()
	var out, talk bytes.Buffer
	p.Stdout, p.Stderr = &out, &talk
	assert.NoError(t, p.Start())
	for _, do := range meanwhile {
		do()
	}
	_ = p.Wait()
	err := json.Unmarshal(out.Bytes(), &m)
	assert.Must(t, out.Len() <= 0 || err == nil, "%v: %s", err, out.Bytes())
	return m, talk.String(), p.ProcessState.ExitCode()
}

// guard judges a message by the decision in it, by letter or as JSON.
func guard(r llmtest.Request) llmtest.Script {
	_, behind, _ := strings.Cut(r.PlayerSaid(), "[")
	decision, _, _ := strings.Cut(behind, "]")
	return llmtest.Script{Text: r.JudgedAs(decision), In: 100, Cached: 90, Out: 1}
}

// TestLinesWithAModel: a model judges lines, costs are counted, and a recording gives the same.
func TestLinesWithAModel(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(llmtest.New(guard).ReportTokens())
	defer model.Close()
	tape := filepath.Join(t.TempDir(), "judge.cassette.jsonl")
	first, said, code := measure(t, linesRun(t, "--llm-eval", "guard", "--llm-base-url", model.URL, "--llm-record", tape, "--calibrate"))
	l := &first.Lines
	assert.Equal(t, code, 0, "exit code %+v %s", first, said)
	assert.Equal(t, l.Judge, "guard", "exit code %+v %s", first, said)
	assert.Equal(t, l.Method, "letter", "exit code %+v %s", first, said)
	assert.Equal(t, l.Tried, 6, "exit code %+v %s", first, said)
	assert.Equal(t, l.Lines, 6, "exit code %+v %s", first, said)
	assert.Equal(t, l.Right, 2, "exit code %+v %s", first, said)
	assert.Equal(t, len(first.Findings), 4, "exit code %+v %s", first, said)
	assert.Equal(t, len(l.Decisions), 6, "exit code %+v %s", first, said)
	assert.Equal(t, l.Undeserved, 1, "what it cost players: %+v", l)
	assert.Equal(t, l.LostTries, 2, "what it cost players: %+v", l)
	assert.Equal(t, l.LostSmallTalk, 1, "what it cost players: %+v", l)
	assert.Equal(t, l.Unanswered, 0, "what it cost players: %+v", l)
	if l.Tokens.Read != 600 || l.Tokens.Cached != 540 || l.Tokens.Written != 6 || l.Milliseconds.Median == nil ||
		l.CalibrationError <= 0.3 || l.Fit == nil || len(l.Fit.Thresholds) < 3 {
		t.Errorf("what it cost: %+v", l)
	}
	if f := first.Findings[0]; f.Line != 2 || f.File != "lines.jsonl" || f.Check != "judged-line" || !strings.HasPrefix(f.Message, "wanted aside, came pass: ") {
		t.Errorf("finding %+v", f)
	}
	model.Close()
	again, said, code := measure(t, linesRun(t, "--llm-eval", "guard", "--llm-replay", tape))
	a := &again.Lines
	assert.Equal(t, code, 0, "replayed: exit code %+v %s", again, said)
	assert.Equal(t, a.Right, l.Right, "replayed: exit code %+v %s", again, said)
	assert.Equal(t, a.Method, l.Method, "replayed: exit code %+v %s", again, said)
	assert.Equal(t, a.Tokens, l.Tokens, "replayed: exit code %+v %s", again, said)
	assert.Equal(t, a.CalibrationError, l.CalibrationError, "replayed: exit code %+v %s", again, said)
	assert.Equal(t, fmt.Sprint(again.Findings), fmt.Sprint(first.Findings), "replayed: exit code %+v %s", again, said)
}

// TestLinesWithADecisionModel: so it is with a decision model on both wires.
func TestLinesWithADecisionModel(t *testing.T) {
	t.Parallel()
	for path, answer := range map[string]string{
		"/v1/systemone": `{"answers": {"matter": {"type": "noul", "noul": 0.9}, "verdict": {"type": "choice", "probabilities": {"pass": 0.8, "reject": 0.1, "kick_out": 0.05, "redirect": 0.03, "follow_up": 0.02}}}, "usage": {"input_tokens": 40, "output_tokens": 1, "cost": 0.0001}}`,
		"/v1/decisions": `{"answers": [{"type": "predicate", "name": "matter", "probability": 0.9}, {"type": "choice", "name": "verdict", "probabilities": [{"value": "pass", "probability": 0.8}, {"value": "reject", "probability": 0.1}, {"value": "kick_out", "probability": 0.05}, {"value": "redirect", "probability": 0.03}, {"value": "follow_up", "probability": 0.02}]}], "usage": {"input_tokens": 40, "output_tokens": 1, "cost": 0.0001}}`,
	} {
		t.Run(path, func(t *testing.T) {
			model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != path {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(answer))
			}))
			defer model.Close()
			tape := filepath.Join(t.TempDir(), "judge.cassette.jsonl")
			first, said, code := measure(t, linesRun(t, "--llm-eval", "nimble", "--llm-base-url", model.URL+"/v1", "--llm-record", tape))
			l := &first.Lines
			assert.True(t, code == 0 && l.Method == "decisions" && l.Tried == 6 && l.Right == 2 && l.Tokens.Read == 240 && l.Cost >= 0.00059 && l.Cost <= 0.00061,
				"exit code %d, %+v\n%s", code, l, said)
			model.Close()
			again, said, code := measure(t, linesRun(t, "--llm-eval", "nimble", "--llm-replay", tape))
			if code != 0 || again.Lines.Method != "decisions" || fmt.Sprint(again.Findings) != fmt.Sprint(first.Findings) ||
				again.Lines.CalibrationError != l.CalibrationError {
				t.Errorf("replayed: exit code %d, %+v\n%s", code, again, said)
			}
		})
	}
}

func TestLinesInterrupted(t *testing.T) {
	t.Parallel()
	third := make(chan struct{}, 1)
	model := httptest.NewServer(llmtest.New(func(r llmtest.Request) llmtest.Script {
		s := guard(r)
		if strings.HasPrefix(r.PlayerSaid(), "c ") {
			select {
			case third <- struct{}{}:
			default:
			}
			s.Wait = make(chan struct{})
		}
		return s
	}).ReportTokens())
	defer model.Close()
	p := linesRun(t, "--llm-eval", "guard", "--llm-base-url", model.URL)
	m, said, code := measure(t, p, func() {
		select {
		case <-third:
		case <-time.After(time.Minute):
			t.Error("the third line is not judged")
		}
		_ = p.Process.Signal(os.Interrupt)
	})
	assert.Equal(t, code, 130, "exit code %d, %+v\n%s", code, m.Lines, said)
	assert.Equal(t, m.Lines.Tried, 2, "exit code %d, %+v\n%s", code, m.Lines, said)
	assert.Equal(t, m.Lines.Lines, 6, "exit code %d, %+v\n%s", code, m.Lines, said)
	assert.Equal(t, m.Lines.Right, 1, "exit code %d, %+v\n%s", code, m.Lines, said)
}

// TestLinesWithoutAnswers: an unusable answer is a wrong line; several, or no model at all, end it.
func TestLinesWithoutAnswers(t *testing.T) {
	t.Parallel()
	rambler := func(from string) *httptest.Server {
		return httptest.NewServer(llmtest.New(func(r llmtest.Request) llmtest.Script {
			if r.PlayerSaid() >= from {
				return llmtest.Script{Text: "Well, let me see."}
			}
			return guard(r)
		}))
	}
	some, all := rambler("e"), rambler("a")
	defer some.Close()
	defer all.Close()
	m, said, code := measure(t, linesRun(t, "--llm-eval", "guard", "--llm-base-url", some.URL, "--llm-eval-method", "json"))
	assert.Equal(t, code, 0, "some: exit code %d, %+v\n%s", code, m.Lines, said)
	assert.Equal(t, m.Lines.Tried, 6, "some: exit code %d, %+v\n%s", code, m.Lines, said)
	assert.Equal(t, m.Lines.Unanswered, 2, "some: exit code %d, %+v\n%s", code, m.Lines, said)
	assert.Equal(t, m.Lines.Right, 1, "some: exit code %d, %+v\n%s", code, m.Lines, said)
	last := m.Findings[len(m.Findings)-1]
	assert.True(t, strings.HasPrefix(last.Message, "wanted pass, no answer came: "), "finding %+v", last)
	m, said, code = measure(t, linesRun(t, "--llm-eval", "guard", "--llm-base-url", all.URL, "--llm-eval-method", "json"))
	if code != 3 || m.Lines.Tried != 4 || !strings.Contains(said, "5 lines in a row got no answer: ") || !strings.Contains(said, "4 of 6 lines were judged") {
		t.Errorf("all: exit code %d, %+v\n%s", code, m.Lines, said)
	}
	began := time.Now()
	_, said, code = measure(t, linesRun(t, "--llm-eval", "guard", "--llm-base-url", "http://127.0.0.1:1"))
	assert.Equal(t, code, 3, "nobody there: exit code %d\n%s", code, said)
	assert.Contains(t, said, "127.0.0.1:1", "nobody there: exit code %d\n%s", code, said)
	assert.True(t, time.Since(began) <= time.Minute, "nobody there: exit code %d\n%s", code, said)
}
