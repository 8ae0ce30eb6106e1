package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
)

func TestOpen(t *testing.T) {
	o, input := NewOffline(), gateInput()
	reply, err := o.Open(t.Context(), input, nil)
	if err != nil || reply.Text != "Halt, Ada! Hobb guards Marrow. {{nothing}}" {
		t.Errorf("opening %q, %v", reply.Text, err)
	}
	input.Vars = map[string]string{"town": "{{player_name}}"}
	if reply, _ = o.Open(t.Context(), input, nil); !strings.Contains(reply.Text, "guards {{player_name}}.") {
		t.Errorf("a variable of the player: %q", reply.Text)
	}
}

func TestPlainLines(t *testing.T) {
	o, input := NewOffline(), gateInput()
	for i := range input.Machine.States {
		input.Machine.States[i].Offline = nil
	}
	opening, err := o.Open(t.Context(), input, nil)
	if err != nil || strings.Count(opening.Text, "no offline lines") != 1 || !strings.HasPrefix(opening.Text, "(Hobb ") {
		t.Errorf("opening %q, %v", opening.Text, err)
	}
	plain := &englishPlain
	for name, tt := range map[string]struct {
		result StepResult
		lines  []string
		tail   string
	}{
		"redirect":  {StepResult{Decision: personas.DecideRedirect}, plain.lines.Redirect, ""},
		"pass":      {StepResult{Decision: personas.DecidePass}, plain.lines.Pass, ""},
		"reject":    {StepResult{Decision: personas.DecideReject}, plain.lines.Reject, ""},
		"kick_out":  {StepResult{Decision: personas.DecideKickOut, Outcome: personas.KickOut}, plain.lines.KickOut, " (With that, it is over.)"},
		"follow_up": {StepResult{FollowUp: true}, plain.lines.FollowUp, ""},
		"entered":   {StepResult{Decision: personas.DecidePass, Entered: &input.Machine.States[1]}, plain.lines.Pass, " (Now it is about this: The yard.)"},
		"accepted":  {StepResult{Decision: personas.DecidePass, Entered: &input.Machine.States[2], Outcome: personas.Accept}, plain.lines.Pass, " (With that, it ends well.)"},
		"rejected":  {StepResult{Decision: personas.DecideReject, Outcome: personas.Reject}, plain.lines.Reject, " (With that, it is over.)"},
	} {
		t.Run(name, func(t *testing.T) {
			want, seen := fillAll(input, input.State, tt.lines, strings.TrimSpace(tt.tail)), make(map[string]bool)
			for seed := range uint64(30) {
				reply := replyTo(t, o.WithSeed(seed), input, tt.result)
				seen[reply.Text] = true
				if !slices.Contains(want, reply.Text) || strings.Contains(cutTold(reply.Text), "Hobb") || !strings.HasSuffix(reply.Text, tt.tail) {
					t.Errorf("%+v: %q", tt.result, reply.Text)
				}
			}
			if len(seen) != len(want) {
				t.Errorf("of %d lines these are said: %v", len(want), slices.Collect(maps.Keys(seen)))
			}
		})
	}
}

// logWords are words of a log, and names of members, that no character says.
var logWords = regexp.MustCompile(`(?i)\b(passed|rejected|kicked out|redirect(ed)?|follow[_-]up|kick_out|aside|offline|state|verdict)\b|\{|\}`)

// TestPlainLinesAreProse: whatever happens, in every language, a narrator says it in
// whole sentences and in no words of a log.
func TestPlainLinesAreProse(t *testing.T) {
	for code, plain := range plainLanguages {
		input := gateInput()
		input.Persona.Offline = &personas.SharedOffline{Language: code}
		input.Persona.Description, input.Machine.Objective = "A guard of few words.", "Get in."
		input.Recent = []Message{{"assistant", "Halt!"}}
		kinds := map[string][]string{"opening": plain.opening}
		for _, name := range []string{"pass", "redirect", "reject", "kick_out", "follow_up", "aside"} {
			kinds[name] = plain.lines.Of(name)
		}
		for _, intent := range personas.Intents {
			if intent.Name != personas.IntentQuestion && intent.Name != personas.IntentRemark {
				kinds[string(intent.Name)] = plain.intents[intent.Name]
			}
		}
		for name, lines := range kinds {
			if len(lines) == 0 && name != string(personas.IntentOtherLanguage) {
				t.Errorf("%s: nothing is said to %s", code, name)
			}
			for _, line := range fillAll(input, input.State, lines, "") {
				words := strings.TrimRight(line, ") ")
				if found := logWords.FindString(line); found != "" || !strings.ContainsAny(words[len(words)-1:], ".!?") {
					t.Errorf("%s, %s: %q (%s)", code, name, line, found)
				}
			}
		}
	}
}

func replyTo(t *testing.T, o *Offline, input Input, result StepResult) GeneratedText {
	t.Helper()
	var pieces []string
	reply, err := o.Reply(t.Context(), input, result, func(d string) error { pieces = append(pieces, d); return nil })
	if err != nil || strings.Join(pieces, "") != reply.Text || reply.Text == "" || reply.Why == "" {
		t.Fatalf("speech %+v, pieces %q, %v", reply, pieces, err)
	}
	for _, p := range pieces {
		if strings.ContainsAny(strings.Trim(p, " \n\t\r"), " \n\t\r") || strings.TrimSpace(p) == "" {
			t.Errorf("%q is not one word", p)
		}
	}
	return reply
}

func TestReply(t *testing.T) {
	o, input := NewOffline(), gateInput()
	yard, end := &input.Machine.States[1], &input.Machine.States[2]
	pass := input.State.Offline.Lines.Pass
	tests := []struct {
		result StepResult
		first  []string
		then   string
	}{
		{StepResult{Decision: personas.DecidePass}, pass, ""},
		{StepResult{Decision: personas.DecidePass, Entered: yard}, pass, "\n\nA wide yard."},
		{StepResult{Decision: personas.DecidePass, Entered: end, Outcome: personas.Accept}, pass, "\n\nThe end, Ada."},
		{StepResult{Decision: personas.DecideReject, Entered: yard}, []string{"A wide yard."}, ""},
		{StepResult{FollowUp: true}, []string{"Two coins. Well?"}, ""},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.result.Decision, tt.then), func(t *testing.T) {
			for seed := range uint64(20) {
				first, ok := strings.CutSuffix(replyTo(t, o.WithSeed(seed), input, tt.result).Text, tt.then)
				if !ok || !slices.Contains(tt.first, first) {
					t.Errorf("%+v: %q", tt.result, first)
				}
			}
		})
	}
}

// Where points are counted, one terminal state is entered with and without enough
// of them: what is said there tells which.
func TestTerminalStateSaysHowThePointsCameOut(t *testing.T) {
	o, input := NewOffline(), gateInput()
	end := &input.Machine.States[2]
	end.Offline.Lines = personas.Lines{Pass: []string{"Enough, {{player_name}}."}, Reject: []string{"Too little."}}
	for outcome, want := range map[personas.Outcome]string{personas.Accept: "\n\nThe end, Ada.\n\nEnough, Ada.", personas.Reject: "\n\nThe end, Ada.\n\nToo little."} {
		reply := replyTo(t, o, input, StepResult{Decision: personas.DecidePass, Entered: end, Outcome: outcome})
		if !strings.HasSuffix(reply.Text, want) {
			t.Errorf("%s: %q, want the end %q", outcome, reply.Text, want)
		}
	}
	input.Machine.ScoringMode = personas.PassFail
	if reply := replyTo(t, o, input, StepResult{Decision: personas.DecidePass, Entered: end, Outcome: personas.Accept}); strings.Contains(reply.Text, "Enough") {
		t.Errorf("without points: %q", reply.Text)
	}
}

func TestLinesAreChosenBySeedAndNotRepeated(t *testing.T) {
	o, input := NewOffline(), gateInput()
	result, seen := StepResult{Decision: personas.DecidePass}, make(map[string]int)
	for seed := range uint64(60) {
		o := o.WithSeed(seed)
		first := replyTo(t, o, input, result)
		if again := replyTo(t, o, input, result); again != first {
			t.Fatalf("seed %d: %q, then %q", seed, first.Text, again.Text)
		}
		seen[first.Text]++
		repeated := input
		repeated.Recent = []Message{{"assistant", first.Text}, {"user", "ok"}}
		if next := replyTo(t, o, repeated, result); next.Text == first.Text {
			t.Errorf("seed %d: %q twice in a row", seed, first.Text)
		}
	}
	if len(seen) != 3 {
		t.Errorf("60 seeds chose %v, want all three lines", seen)
	}
	input.Recent = []Message{{"assistant", "Two coins. Well?"}}
	if s := replyTo(t, o, input, StepResult{FollowUp: true}); s.Text != "Two coins. Well?" {
		t.Errorf("the only line is not said again: %q", s.Text)
	}
}

func TestReplyEnds(t *testing.T) {
	o, broken := NewOffline(), errors.New("gone")
	calls := 0
	_, err := o.Reply(t.Context(), gateInput(), StepResult{FollowUp: true}, func(string) error { calls++; return broken })
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("an error of emit: %v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = o.Reply(ctx, gateInput(), StepResult{FollowUp: true}, func(string) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ends in the middle: %v", err)
	}
	_, errOpen := o.Open(ctx, gateInput(), nil)
	_, errEvaluate := o.Evaluate(ctx, gateInput())
	_, errSummary := o.Summarize(ctx, gateInput(), nil)
	_, errExtract := o.Extract(ctx, gateInput(), nil)
	for _, err := range []error{errOpen, errEvaluate, errSummary, errExtract} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled context gives %v", err)
		}
	}
}

func TestExtract(t *testing.T) {
	talk := []Message{
		{"assistant", "Halt! What is your name?"}, {"user", "Call me Ada Stone, please. [[pass]]"},
		{"assistant", "And who sent you?"}, {"user", "It was old Marta who sent me"},
		{"assistant", "How many horses?"}, {"user", "About 12, I think"},
		{"assistant", "What do you swear?"}, {"user", `I swear: "no steel inside the walls"`},
		{"assistant", "Red door or blue door?"}, {"user", "I take the blue one. [[2]]"},
		{"assistant", "Well."}, {"user", "ok"},
	}
	tests := []struct{ key, prompt, want string }{
		{"player", "What is the player's name?", "Ada Stone"},
		{"sender", "The name of the person who sent the player", "old Marta"},
		{"horses", "How many horses does the player have?", "12"},
		{"oath", "What did the player swear?", "no steel inside the walls"},
		{"door", `Which door: "red" or "blue"?`, "blue"},
		{"colour", "One of: red, blue or green", "blue"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			input := gateInput()
			input.Machine.OutputVariables = []personas.OutputVariable{{Key: tt.key, ExtractionPrompt: tt.prompt}}
			got, err := NewOffline().Extract(t.Context(), input, talk)
			if err != nil || !maps.Equal(got.Values, map[string]string{tt.key: tt.want}) {
				t.Errorf("%s: %q, %v, want %q", tt.prompt, got.Values, err, tt.want)
			}
		})
	}
}

func TestExtractBounds(t *testing.T) {
	input := gateInput()
	input.Machine.OutputVariables = []personas.OutputVariable{{Key: "k", ExtractionPrompt: "The sound of anything"}}
	for _, silent := range [][]Message{nil, {{"assistant", "Hello?"}}, {{"user", " [[pass]] "}}} {
		if got, err := NewOffline().Extract(t.Context(), input, silent); err != nil || len(got.Values) != 0 {
			t.Errorf("%v: %q, %v", silent, got.Values, err)
		}
	}
	for n, want := range map[int]int{200: 200, 201: 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			got, _ := NewOffline().Extract(t.Context(), input, []Message{{"assistant", "What is the sound of anything?"}, {"user", strings.Repeat("é", n)}})
			if size := utf8.RuneCountInString(got.Values["k"]); size != want {
				t.Errorf("%d characters give %d", n, size)
			}
		})
	}
}

func TestSummaryIsBounded(t *testing.T) {
	o, input := NewOffline(), gateInput()
	input.Summary = "They met long ago."
	for turn := range 200 {
		said := fmt.Sprintf("turn %d %s [[pass]]", turn, strings.Repeat("wörd ", turn%60))
		reply, err := o.Summarize(t.Context(), input, []Message{{"user", said}, {"assistant", "mm"}})
		summary := reply.Text
		if err != nil || utf8.RuneCountInString(summary) > maxSummary {
			t.Fatalf("turn %d: %d characters, %v", turn, utf8.RuneCountInString(summary), err)
		}
		if !strings.Contains(summary, fmt.Sprintf("turn %d ", turn)) && !strings.HasSuffix(summary, fmt.Sprintf("turn %d", turn)) || strings.Contains(summary, "[[") {
			t.Fatalf("turn %d: %q", turn, summary)
		}
		if turn == 0 && !strings.Contains(summary, "They met long ago.") {
			t.Errorf("the earlier summary is lost: %q", summary)
		}
		input.Summary = summary
	}
	long := gateInput()
	long.Player.Name, long.Persona.Name = strings.Repeat("x", 5000), strings.Repeat("y", 5000)
	if s, _ := o.Summarize(t.Context(), long, nil); utf8.RuneCountInString(s.Text) > maxSummary {
		t.Errorf("%d characters of names", utf8.RuneCountInString(s.Text))
	}
}
