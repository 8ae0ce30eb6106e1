package scripted

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/examples"
)

func TestOpen(t *testing.T) {
	o, input := New(), gateInput()
	reply := assert.Value(o.Open(t.Context(), input, nil))(t)
	assert.Equal(t, reply.Text, "Halt, Ada! Hobb guards Marrow. {{nothing}}")
	input.Vars = map[string]string{"town": "{{player_name}}"}
	reply, _ = o.Open(t.Context(), input, nil)
	assert.Contains(t, reply.Text, "guards {{player_name}}.", "a variable of the player")
}

func TestPlainLines(t *testing.T) {
	o, input := New(), gateInput()
	for i := range input.Machine.States {
		input.Machine.States[i].Offline = nil
	}
	opening, err := o.Open(t.Context(), input, nil)
	assert.True(t, err == nil && strings.HasPrefix(opening.Text, "(Hobb "), "opening %q, %v", opening.Text, err)
	plain := textsOf("en").Lines
	for name, tt := range map[string]struct {
		result llm.StepResult
		lines  []string
		tail   string
	}{
		"redirect":  {llm.StepResult{Decision: personas.DecideRedirect}, plain["redirect"], ""},
		"pass":      {llm.StepResult{Decision: personas.DecidePass}, plain["pass"], ""},
		"reject":    {llm.StepResult{Decision: personas.DecideReject}, plain["reject"], ""},
		"kick_out":  {llm.StepResult{Decision: personas.DecideKickOut, Outcome: personas.KickOut}, plain["kick_out"], " (With that, it is over.)"},
		"follow_up": {llm.StepResult{FollowUp: true}, plain["follow_up"], ""},
		"entered":   {llm.StepResult{Decision: personas.DecidePass, Entered: &input.Machine.States[1]}, plain["pass"], " (Now it is about this: The yard.)"},
		"accepted":  {llm.StepResult{Decision: personas.DecidePass, Entered: &input.Machine.States[2], Outcome: personas.Accept}, plain["pass"], " (With that, it ends well.)"},
		"rejected":  {llm.StepResult{Decision: personas.DecideReject, Outcome: personas.Reject}, plain["reject"], " (With that, it is over.)"},
	} {
		t.Run(name, func(t *testing.T) {
			want, seen := filled(input, tt.lines), make(map[string]bool)
			for i := range want {
				want[i] += tt.tail
			}
			for seed := range uint64(30) {
				reply := replyTo(t, o.WithSeed(seed), input, tt.result)
				seen[reply.Text] = true
				assert.True(t, slices.Contains(want, reply.Text) && !strings.Contains(cutTold(reply.Text), "Hobb") && strings.HasSuffix(reply.Text, tt.tail),
					"%+v: %q", tt.result, reply.Text)
			}
			assert.Equal(t, len(seen), len(want), "of %d lines these are said: %v", len(want), slices.Collect(maps.Keys(seen)))
		})
	}
}

func replyTo(t *testing.T, o *Model, input llm.Input, result llm.StepResult) llm.GeneratedText {
	t.Helper()
	var pieces []string
	reply, err := o.Reply(t.Context(), input, result, func(d string) error { pieces = append(pieces, d); return nil })
	assert.Must(t, err == nil && strings.Join(pieces, "") == reply.Text && reply.Text != "" && reply.Why != "", "speech %+v, pieces %q, %v", reply, pieces, err)
	assert.Equal(t, len(pieces), 1+strings.Count(reply.Text, " "), "pieces of %q", reply.Text)
	return reply
}

func TestReply(t *testing.T) {
	o, input := New(), gateInput()
	yard, end := &input.Machine.States[1], &input.Machine.States[2]
	pass := input.State.Offline.Lines.Pass
	for _, tt := range []struct {
		result llm.StepResult
		first  []string
		then   string
	}{
		{llm.StepResult{Decision: personas.DecidePass}, pass, ""},
		{llm.StepResult{Decision: personas.DecidePass, Entered: yard}, pass, "\n\nA wide yard."},
		{llm.StepResult{Decision: personas.DecidePass, Entered: end, Outcome: personas.Accept}, pass, "\n\nThe end, Ada."},
		{llm.StepResult{Decision: personas.DecideReject, Entered: yard}, []string{"A wide yard."}, ""},
		{llm.StepResult{FollowUp: true}, []string{"Two coins. Well?"}, ""},
	} {
		for seed := range uint64(20) {
			first, ok := strings.CutSuffix(replyTo(t, o.WithSeed(seed), input, tt.result).Text, tt.then)
			assert.True(t, ok && slices.Contains(tt.first, first), "%+v: %q", tt.result, first)
		}
	}
}

// TestTerminalStateSaysHowThePointsCameOut: the last line depends on the outcome.
func TestTerminalStateSaysHowThePointsCameOut(t *testing.T) {
	o, input := New(), gateInput()
	end := &input.Machine.States[2]
	end.Offline.Lines = personas.Lines{Pass: []string{"Enough, {{player_name}}."}, Reject: []string{"Too little."}}
	for outcome, want := range map[personas.Outcome]string{personas.Accept: "\n\nThe end, Ada.\n\nEnough, Ada.", personas.Reject: "\n\nThe end, Ada.\n\nToo little."} {
		reply := replyTo(t, o, input, llm.StepResult{Decision: personas.DecidePass, Entered: end, Outcome: outcome})
		assert.True(t, strings.HasSuffix(reply.Text, want), "%s: %q, want the end %q", outcome, reply.Text, want)
	}
	input.Machine.ScoringMode = personas.PassFail
	reply := replyTo(t, o, input, llm.StepResult{Decision: personas.DecidePass, Entered: end, Outcome: personas.Accept})
	assert.NotContains(t, reply.Text, "Enough", "without points")
}

func TestLinesAreChosenBySeedAndNotRepeated(t *testing.T) {
	o, input := New(), gateInput()
	result, seen := llm.StepResult{Decision: personas.DecidePass}, make(map[string]int)
	for seed := range uint64(60) {
		o := o.WithSeed(seed)
		first := replyTo(t, o, input, result)
		again := replyTo(t, o, input, result)
		assert.Must(t, again == first, "seed %d: %q, then %q", seed, first.Text, again.Text)
		seen[first.Text]++
		repeated := input
		repeated.Recent = []llm.Message{{Role: "assistant", Text: first.Text}, {Role: "user", Text: "ok"}}
		assert.True(t, replyTo(t, o, repeated, result).Text != first.Text, "seed %d: %q twice in a row", seed, first.Text)
		taken := input
		taken.Heard = first.Text
		assert.True(t, replyTo(t, o, taken, result).Text != first.Text, "seed %d: %q in place of itself", seed, first.Text)
	}
	assert.Equal(t, len(seen), 3, "60 seeds chose %v, want all three lines", seen)
	input.Recent = []llm.Message{{Role: "assistant", Text: "Two coins. Well?"}}
	assert.Equal(t, replyTo(t, o, input, llm.StepResult{FollowUp: true}).Text, "Two coins. Well?", "the only line is not said again")
}

func TestReplyEnds(t *testing.T) {
	o, broken := New(), errors.New("gone")
	calls := 0
	_, err := o.Reply(t.Context(), gateInput(), llm.StepResult{FollowUp: true}, func(string) error { calls++; return broken })
	assert.ErrorIs(t, err, broken)
	assert.Equal(t, calls, 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = o.Reply(ctx, gateInput(), llm.StepResult{FollowUp: true}, func(string) error { cancel(); return nil })
	assert.ErrorIs(t, err, context.Canceled, "a context that ends in the middle")
	_, errOpen := o.Open(ctx, gateInput(), nil)
	_, errEvaluate := o.Evaluate(ctx, gateInput())
	_, errSummary := o.Summarize(ctx, gateInput(), nil)
	_, errExtract := o.Extract(ctx, gateInput(), nil)
	for _, err := range []error{errOpen, errEvaluate, errSummary, errExtract} {
		assert.ErrorIs(t, err, context.Canceled, "a cancelled context")
	}
}

func TestExtractBounds(t *testing.T) {
	input := gateInput()
	input.Machine.OutputVariables = []personas.OutputVariable{{Key: "k", ExtractionPrompt: "The sound of anything"}}
	for _, silent := range [][]llm.Message{nil, {{Role: "assistant", Text: "Hello?"}}, {{Role: "user", Text: " [[pass]] "}}} {
		got, err := New().Extract(t.Context(), input, silent)
		assert.True(t, err == nil && len(got.Values) == 0, "%v: %q, %v", silent, got.Values, err)
	}
	for n, want := range map[int]int{200: 200, 201: 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			got, _ := New().Extract(t.Context(), input, []llm.Message{{Role: "assistant", Text: "What is the sound of anything?"}, {Role: "user", Text: strings.Repeat("é", n)}})
			assert.Equal(t, utf8.RuneCountInString(got.Values["k"]), want, "%d characters give", n)
		})
	}
}

func TestSummaryIsBounded(t *testing.T) {
	o, input := New(), gateInput()
	input.Summary = "They met long ago."
	for turn := range 200 {
		said := fmt.Sprintf("turn %d %s [[pass]]", turn, strings.Repeat("wörd ", turn%60))
		reply, err := o.Summarize(t.Context(), input, []llm.Message{{Role: "user", Text: said}, {Role: "assistant", Text: "mm"}})
		summary := reply.Text
		assert.Must(t, err == nil && utf8.RuneCountInString(summary) <= maxSummary, "turn %d: %d characters, %v", turn, utf8.RuneCountInString(summary), err)
		if !strings.Contains(summary, fmt.Sprintf("turn %d ", turn)) && !strings.HasSuffix(summary, fmt.Sprintf("turn %d", turn)) || strings.Contains(summary, "[[") {
			t.Fatalf("turn %d: %q", turn, summary)
		}
		assert.True(t, turn != 0 || strings.Contains(summary, "They met long ago."), "the earlier summary is lost: %q", summary)
		input.Summary = summary
	}
	long := gateInput()
	long.Player.Name, long.Persona.Name = strings.Repeat("x", 5000), strings.Repeat("y", 5000)
	s, _ := o.Summarize(t.Context(), long, nil)
	assert.True(t, utf8.RuneCountInString(s.Text) <= maxSummary, "%d characters of names", utf8.RuneCountInString(s.Text))
}

// Stock lines omit the player's name if it is unknown.
func TestStockLinesCallNobodyWhoIsUnknown(t *testing.T) {
	for _, language := range spokenLanguages() {
		texts := textsOf(language)
		input := llm.Input{Persona: &personas.Persona{Name: "Mira", Offline: &personas.SharedOffline{Language: language}}, Machine: &personas.Machine{Key: "m"}, State: &personas.State{Key: "s"}}
		for _, line := range filled(input, slices.Concat(slices.Collect(maps.Values(texts.listSentences()))...)) {
			assert.NotContains(t, line, ", "+texts.Listener+".", language)
			assert.NotContains(t, line, "{", language)
		}
	}
}

// Stock lines do not repeat in a row. If all were used, the least recently used one comes first.
func TestStockLinesTakeTurns(t *testing.T) {
	lines := []string{"One.", "Two.", "Three."}
	expand := func(i int) (string, error) { return lines[i], nil }
	var recent []llm.Message
	var said []string
	for range 9 {
		_, text, _ := findFreshLine(recent, []int{1, 0, 2}, expand)
		recent = append(recent, llm.Message{Role: "user", Text: "hm"}, llm.Message{Role: "assistant", Text: text})
		said = append(said, text)
	}
	for i := 3; i < len(said); i++ {
		assert.Must(t, said[i] == said[i-3], "they come as %q", said)
	}
}

// hugeInput returns an input of lines with placeholders, and variables of a length.
func hugeInput(lines, placeholders, variables, characters int) llm.Input {
	p := &personas.Persona{Name: "Hobb"}
	for i := range variables {
		p.Variables = append(p.Variables, personas.Variable{Key: fmt.Sprint("v", i), Value: strings.Repeat("x", characters)})
	}
	offline := &personas.Offline{}
	for range lines {
		line := strings.Repeat(fmt.Sprintf("{{v%d}}", variables-1), placeholders)
		offline.Opening = append(offline.Opening, line)
	}
	p.Machines = []personas.Machine{{Key: "m", States: []personas.State{{Key: "s", IsInitial: true, Offline: offline}}}}
	return llm.Input{Persona: p, Machine: &p.Machines[0], State: &p.Machines[0].States[0]}
}

// hugeInputs are inputs that exhaust a server's memory or processor if every line is
// expanded without a bound and every variable is searched in a list.
var hugeInputs = map[string]func() llm.Input{
	"a long value often":       func() llm.Input { return hugeInput(1, 9000, 1, 64000) },
	"a value often":            func() llm.Input { return hugeInput(1, 9000, 1, 8) },
	"many lines of one value":  func() llm.Input { return hugeInput(2000, 1, 1, 64000) },
	"many lines at the limit":  func() llm.Input { return hugeInput(100, 1000, 1, 64) },
	"many variables and looks": func() llm.Input { return hugeInput(100, 5000, 20000, 1) },
	"blank values": func() llm.Input {
		input := hugeInput(2000, 10, 1, 0)
		input.Persona.Variables[0].Value = strings.Repeat(" ", 64000)
		return input
	},
}

// TestExpansionIsBounded: for any lines of a persona, a call of the offline model takes the memory
// of a few texts, and returns a text within the limit or an error.
func TestExpansionIsBounded(t *testing.T) {
	for name, build := range hugeInputs {
		t.Run(name, func(t *testing.T) {
			input := build()
			input.Variables = personas.NewVariableTable(input.Persona)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			reply, err := New().Open(t.Context(), input, nil)
			runtime.ReadMemStats(&after)
			cost := after.TotalAlloc - before.TotalAlloc
			assert.True(t, cost <= 4<<20, "%d bytes", cost)
			if tooLong, ok := errors.AsType[*llm.ExpansionError](err); err != nil && (!ok || tooLong.Limit != personas.MaxExpanded || !strings.Contains(err.Error(), "a line of state s, enter has more than 64000 characters")) {
				t.Errorf("refused with %v", err)
			}
			if n := utf8.RuneCountInString(reply.Text); n > personas.MaxExpanded || err == nil && n == 0 {
				t.Errorf("%d characters, %v", n, err)
			}
		})
	}
}

// TestExpansionLimit: a line at the limit is accepted and a longer one is refused.
func TestExpansionLimit(t *testing.T) {
	for _, more := range []int{0, 1} {
		input := hugeInput(1, 1000, 1, 64)
		input.State.Offline.Opening[0] += strings.Repeat("{{player_name}}", more)
		input.State.Offline.Lines.Pass = input.State.Offline.Opening
		input.Player.Name = "K"
		_, openErr := New().Open(t.Context(), input, nil)
		_, replyErr := New().Reply(t.Context(), input, llm.StepResult{Decision: personas.DecidePass}, func(string) error { return nil })
		refused := more > 0
		assert.True(t, (openErr != nil) == refused && (replyErr != nil) == refused, "%d past the limit: %v, %v", more, openErr, replyErr)
	}
}

// Every sample persona has conversations in natural language, one file for each
// ending of each machine. The first line is "# machine -> OUTCOME", every other
// line is a message of the player.
func TestTalksWithTheSamplesEndAsTheySay(t *testing.T) {
	files, err := filepath.Glob("../../../personas/examples/testdata/*.talk")
	assert.Must(t, err == nil && len(files) >= 30, "%d conversations, %v", len(files), err)
	o := New()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".talk")
		t.Run(name, func(t *testing.T) {
			src := assert.Value(os.ReadFile(file))(t)
			head, said, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(src), "\r\n", "\n")), "\n")
			machine, want, _ := strings.Cut(strings.TrimPrefix(head, "# "), " -> ")
			sample, _, _ := strings.Cut(name, "-")
			playConversation(t, o, sample, machine, personas.Outcome(want), strings.Split(said, "\n"))
		})
	}
}

// playConversation plays one conversation. It must end with its last line and not before.
func playConversation(t *testing.T, o *Model, sample, machine string, want personas.Outcome, lines []string) {
	input, m := startMachine(t, sample, machine)
	opening := assert.Value(o.Open(t.Context(), input, nil))(t)
	input.Recent, input.InGame = []llm.Message{{Role: "assistant", Text: opening.Text}}, true
	s := m.Start()
	for i, line := range lines {
		input.State, input.Asides, input.FollowUpAllowed = stateOf(input.Machine, s.State), s.Asides, !s.FollowUpPending
		input.Outgoing = m.Outgoing(s.State)
		e := evaluateMessage(t, o, input, line)
		v := m.Choose(s.State, heldRows(e))
		switch {
		case e.FollowUp:
			v = engine.FollowUp
		case e.Aside:
			v = engine.Aside
		}
		r := assert.Value(m.Step(s, v))(t)
		input.Message = line
		reply := replyTo(t, o, input, llm.StepResult{Decision: r.Decision, FollowUp: r.FollowUp, Aside: r.Aside, Outcome: r.Session.Outcome})
		t.Logf("> %s\n(%s)\n[%s %d %s] %s", line, e.Why, r.Session.State, r.Session.Score, r.Session.Outcome, reply.Text)
		input.Recent = append(input.Recent, llm.Message{Role: "user", Text: line}, llm.Message{Role: "assistant", Text: reply.Text})
		s = r.Session
		assert.Must(t, s.IsFinished() == (i == len(lines)-1), "line %d of %d: outcome %q", i+1, len(lines), s.Outcome)
	}
	assert.Equal(t, s.Outcome, want)
}

func startMachine(t *testing.T, sample, machine string) (llm.Input, *engine.Machine) {
	p, _, faults := personas.Parse(sample+".yaml", assert.Value(examples.Read(sample))(t))
	assert.Empty(t, faults)
	m := assert.Value(engine.CompilePersona(&p))(t).Machine(machine)
	d := &p.Machines[slices.IndexFunc(p.Machines, func(d personas.Machine) bool { return d.Key == machine })]
	return llm.Input{Persona: &p, Machine: d, State: stateOf(d, m.Start().State), Player: llm.Player{Name: "Ada", Gender: "female"}}, m
}

func stateOf(m *personas.Machine, key string) *personas.State {
	return &m.States[slices.IndexFunc(m.States, func(s personas.State) bool { return s.Key == key })]
}

func heldRows(e llm.Evaluation) []int {
	var rows []int
	for _, h := range e.Matches {
		rows = append(rows, h.Transition)
	}
	return rows
}
