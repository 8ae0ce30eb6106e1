package llm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
)

func TestOpen(t *testing.T) {
	o, scene := NewOffline(), gate()
	speech, err := o.Open(t.Context(), scene)
	if err != nil || speech.Text != "Halt, Ada! Hobb guards Marrow. {{nothing}}" {
		t.Errorf("opening %q, %v", speech.Text, err)
	}
	scene.Vars = map[string]string{"town": "{{player_name}}"}
	if speech, _ = o.Open(t.Context(), scene); !strings.Contains(speech.Text, "guards {{player_name}}.") {
		t.Errorf("a variable of the player: %q", speech.Text)
	}
}

func TestPlainLines(t *testing.T) {
	o, scene := NewOffline(), gate()
	for i := range scene.Machine.States {
		scene.Machine.States[i].Offline = nil
	}
	opening, err := o.Open(t.Context(), scene)
	if err != nil || strings.Count(opening.Text, "no offline lines") != 1 || !strings.Contains(opening.Text, "The gate") {
		t.Errorf("opening %q, %v", opening.Text, err)
	}
	beats := map[string]Beat{
		"The gate": {Decision: personas.DecideRedirect}, "passed": {Decision: personas.DecidePass},
		"rejected": {Decision: personas.DecideReject}, "kicked out": {Decision: personas.DecideKickOut, Outcome: personas.KickOut},
		"Hobb": {FollowUp: true}, "Now: The yard.": {Decision: personas.DecidePass, Entered: &scene.Machine.States[1]},
		"ends well": {Decision: personas.DecidePass, Entered: &scene.Machine.States[2], Outcome: personas.Accept},
		"is over":   {Decision: personas.DecideReject, Outcome: personas.Reject},
	}
	for want, beat := range beats {
		seen := make(map[string]bool)
		for scene.Seed = range 30 {
			speech := reply(t, o, scene, beat)
			seen[speech.Text] = true
			if !strings.Contains(speech.Text, want) || !strings.Contains(speech.Text, "Hobb") || strings.Contains(speech.Text, "offline") {
				t.Errorf("%+v: %q", beat, speech.Text)
			}
		}
		if len(seen) < 2 {
			t.Errorf("%+v: always %v", beat, slices.Collect(maps.Keys(seen)))
		}
	}
}

func reply(t *testing.T, o *Offline, scene Scene, beat Beat) Speech {
	t.Helper()
	var pieces []string
	speech, err := o.Reply(t.Context(), scene, beat, func(d string) error { pieces = append(pieces, d); return nil })
	if err != nil || strings.Join(pieces, "") != speech.Text || speech.Text == "" || speech.Why == "" {
		t.Fatalf("speech %+v, pieces %q, %v", speech, pieces, err)
	}
	for _, p := range pieces {
		if len(strings.Fields(p)) != 1 {
			t.Errorf("%q is not one word", p)
		}
	}
	return speech
}

func TestReply(t *testing.T) {
	o, scene := NewOffline(), gate()
	yard, end := &scene.Machine.States[1], &scene.Machine.States[2]
	pass := scene.State.Offline.Lines.Pass
	tests := []struct {
		beat  Beat
		first []string
		then  string
	}{
		{Beat{Decision: personas.DecidePass}, pass, ""},
		{Beat{Decision: personas.DecidePass, Entered: yard}, pass, "\n\nA wide yard."},
		{Beat{Decision: personas.DecidePass, Entered: end, Outcome: personas.Accept}, pass, "\n\nThe end, Ada."},
		{Beat{Decision: personas.DecideReject, Entered: yard}, []string{"A wide yard."}, ""},
		{Beat{FollowUp: true}, []string{"Two coins. Well?"}, ""},
	}
	for _, tt := range tests {
		for scene.Seed = range 20 {
			first, ok := strings.CutSuffix(reply(t, o, scene, tt.beat).Text, tt.then)
			if !ok || !slices.Contains(tt.first, first) {
				t.Errorf("%+v: %q", tt.beat, first)
			}
		}
	}
}

func TestLinesAreChosenBySeedAndNotRepeated(t *testing.T) {
	o, scene := NewOffline(), gate()
	beat, seen := Beat{Decision: personas.DecidePass}, make(map[string]int)
	for scene.Seed = range 60 {
		first := reply(t, o, scene, beat)
		if again := reply(t, o, scene, beat); again != first {
			t.Fatalf("seed %d: %q, then %q", scene.Seed, first.Text, again.Text)
		}
		seen[first.Text]++
		repeated := scene
		repeated.Recent = []Message{{"assistant", first.Text}, {"user", "ok"}}
		if next := reply(t, o, repeated, beat); next.Text == first.Text {
			t.Errorf("seed %d: %q twice in a row", scene.Seed, first.Text)
		}
	}
	if len(seen) != 3 {
		t.Errorf("60 seeds chose %v, want all three lines", seen)
	}
	scene.Recent = []Message{{"assistant", "Two coins. Well?"}}
	if s := reply(t, o, scene, Beat{FollowUp: true}); s.Text != "Two coins. Well?" {
		t.Errorf("the only line is not said again: %q", s.Text)
	}
}

func TestReplyEnds(t *testing.T) {
	o, broken := NewOffline(), errors.New("gone")
	calls := 0
	_, err := o.Reply(t.Context(), gate(), Beat{FollowUp: true}, func(string) error { calls++; return broken })
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("an error of emit: %v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = o.Reply(ctx, gate(), Beat{FollowUp: true}, func(string) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ends in the middle: %v", err)
	}
	_, errOpen := o.Open(ctx, gate())
	_, errEvaluate := o.Evaluate(ctx, gate())
	_, errSummary := o.Summarize(ctx, gate(), nil)
	_, errExtract := o.Extract(ctx, gate(), nil)
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
		{"sender", "The name of the person who sent the player", "Marta"},
		{"horses", "How many horses does the player have?", "12"},
		{"oath", "What did the player swear?", "no steel inside the walls"},
		{"door", `Which door: "red" or "blue"?`, "blue"},
		{"colour", "One of: red, blue or green", "blue"},
		{"lost", "Favourite opera", "I take the blue one."},
	}
	for _, tt := range tests {
		scene := gate()
		scene.Machine.OutputVariables = []personas.OutputVariable{{Key: tt.key, ExtractionPrompt: tt.prompt}}
		got, err := NewOffline().Extract(t.Context(), scene, talk)
		if err != nil || !maps.Equal(got.Values, map[string]string{tt.key: tt.want}) {
			t.Errorf("%s: %q, %v, want %q", tt.prompt, got.Values, err, tt.want)
		}
	}
}

func TestExtractBounds(t *testing.T) {
	scene := gate()
	scene.Machine.OutputVariables = []personas.OutputVariable{{Key: "k", ExtractionPrompt: "anything"}}
	for _, silent := range [][]Message{nil, {{"assistant", "Hello?"}}, {{"user", " [[pass]] "}}} {
		if got, err := NewOffline().Extract(t.Context(), scene, silent); err != nil || len(got.Values) != 0 {
			t.Errorf("%v: %q, %v", silent, got.Values, err)
		}
	}
	for n, want := range map[int]int{200: 200, 201: 200} {
		got, _ := NewOffline().Extract(t.Context(), scene, []Message{{"user", strings.Repeat("é", n)}})
		if size := utf8.RuneCountInString(got.Values["k"]); size != want {
			t.Errorf("%d characters give %d", n, size)
		}
	}
}

func TestSummaryIsBounded(t *testing.T) {
	o, scene := NewOffline(), gate()
	scene.Summary = "They met long ago."
	for turn := range 200 {
		said := fmt.Sprintf("turn %d %s [[pass]]", turn, strings.Repeat("wörd ", turn%60))
		speech, err := o.Summarize(t.Context(), scene, []Message{{"user", said}, {"assistant", "mm"}})
		summary := speech.Text
		if err != nil || utf8.RuneCountInString(summary) > maxSummary {
			t.Fatalf("turn %d: %d characters, %v", turn, utf8.RuneCountInString(summary), err)
		}
		if !strings.Contains(summary, fmt.Sprintf("turn %d ", turn)) && !strings.HasSuffix(summary, fmt.Sprintf("turn %d", turn)) || strings.Contains(summary, "[[") {
			t.Fatalf("turn %d: %q", turn, summary)
		}
		if turn == 0 && !strings.Contains(summary, "They met long ago.") {
			t.Errorf("the earlier summary is lost: %q", summary)
		}
		scene.Summary = summary
	}
	long := gate()
	long.Player.Name, long.Persona.Name = strings.Repeat("x", 5000), strings.Repeat("y", 5000)
	if s, _ := o.Summarize(t.Context(), long, nil); utf8.RuneCountInString(s.Text) > maxSummary {
		t.Errorf("%d characters of names", utf8.RuneCountInString(s.Text))
	}
}
