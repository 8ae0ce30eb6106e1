package scripted

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// TestVariablesAreWhatPassed: whatever was chatted and half said around it, a variable of a sample
// has words of the turn with which the player passed the state that asks for it, or nothing.
func TestVariablesAreWhatPassed(t *testing.T) {
	for _, k := range []struct {
		sample, machine, state, next, key string
		least                             float64 // share of the corpus's passes of which it has words
	}{
		{"hotel", "check-in", "desk", "rules", "purpose", 0.9},
		{"hotel", "night-round", "corridor", "lift", "tale", 0.9},
		{"baker", "interview", "mistake", "oven", "mistake", 0.9},
	} {
		input, _ := startMachine(t, k.sample, k.machine)
		source, err := os.ReadFile(filepath.Join("../../../personas/intent/testdata/corpus", "sample-"+k.sample+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines, faults := intent.ParseCorpus(input.Persona, source)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		said := func(state, label string) (texts []string) {
			for i := range lines {
				if l := &lines[i]; l.Place.Machine.Key == k.machine && l.State == state && l.Label == label {
					texts = append(texts, l.Text)
				}
			}
			return texts
		}
		passes, later := said(k.state, "pass"), append(said(k.next, "pass"), "I promise.")
		halves, asides := append(said(k.state, "redirect"), "Maybe", "maybe later I guess"), append(said(k.state, "aside"), "Long day", "Long night?", "My feet are killing me", "nice place you have here")
		found := 0
		for i, text := range passes {
			for j, aside := range asides {
				talk := []llm.Message{
					{Role: "assistant", Text: openingOf(input, k.state)}, {Role: "user", Text: aside},
					{Role: "assistant", Text: openingOf(input, k.state)}, {Role: "user", Text: halves[(i+j)%len(halves)]},
					{Role: "assistant", Text: openingOf(input, k.state)}, {Role: "user", Text: text},
					{Role: "assistant", Text: "One more thing. What do you promise?"}, {Role: "user", Text: later[(i+j)%len(later)]},
				}
				input.Judged = []llm.Judgement{{}, {As: "aside", State: k.state}, {}, {As: "redirect", State: k.state}, {}, {As: "pass", State: k.state}, {}, {As: "pass", State: k.next}}
				got, err := New().Extract(t.Context(), input, talk)
				if err != nil {
					t.Fatal(err)
				}
				value := got.Values[k.key]
				if !strings.Contains(strings.Join(strings.Fields(text), " "), value) {
					t.Errorf("%s: %q\n\tof %q", k.key, value, talk)
				}
				if value != "" && j == 0 {
					found++
				}
			}
		}
		t.Logf("%s: %d of %d passes are kept", k.key, found, len(passes))
		if len(passes) == 0 || float64(found) < k.least*float64(len(passes)) {
			t.Errorf("%s: %d of %d passes are kept", k.key, found, len(passes))
		}
	}
}

// openingOf is what the character asks in a state.
func openingOf(input llm.Input, state string) string {
	for i := range input.Machine.States {
		if s := &input.Machine.States[i]; s.Key == state && s.Offline != nil && len(s.Offline.Opening) > 0 {
			return s.Offline.Opening[0]
		}
	}
	for i := range input.Machine.States { // Then the state before it asks, with its pass.
		if s := &input.Machine.States[i]; i+1 < len(input.Machine.States) && input.Machine.States[i+1].Key == state {
			return s.Offline.Lines.Pass[0]
		}
	}
	return ""
}

// TestOptionsOfAPrompt: the answers that a prompt names are found however it names them, and a
// sentence with "or" in it names none.
func TestOptionsOfAPrompt(t *testing.T) {
	for prompt, want := range map[string]string{
		"The colour that the player wants: red, blue or green":   "red|blue|green",
		"Which drink (tea, coffee, or red wine)":                 "tea|coffee|red wine",
		"Does he pay? (yes or no)":                               "yes|no",
		"The weather: sun, the rain or a storm.":                 "sun|rain|storm",
		"one of: north, south":                                   "north|south",
		`"left" or "right"`:                                      "left|right",
		"The name of the person or the house that is looked for": "",
		"Why the player came, or who sent him":                   "",
		"What the ship carries":                                  "",
	} {
		if got := strings.Join(New().texts.valueWordsOf("en").promptOptions(prompt), "|"); got != want {
			t.Errorf("%q: %q, not %q", prompt, got, want)
		}
	}
}

// TestExtractionPairs measures Extract on conversations in seven languages that were written
// without a look at its rules. A missing value is better than a wrong one.
func TestExtractionPairs(t *testing.T) {
	file, err := os.Open("testdata/extraction.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var tried, right, wrong int
	o := New()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var pair struct {
			Language, Prompt string
			Talk, Want       []string
		}
		if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
			t.Fatal(err)
		}
		var talk []llm.Message
		for i, text := range pair.Talk {
			talk = append(talk, llm.Message{Role: [...]string{"assistant", "user"}[i%2], Text: text})
		}
		input := gateInput()
		input.Persona.Language = pair.Language
		input.Machine.OutputVariables = []personas.OutputVariable{{Key: "k", ExtractionPrompt: pair.Prompt}}
		got, err := o.Extract(t.Context(), input, talk)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		switch value := got.Values["k"]; {
		case slices.Contains(pair.Want, value):
			right++
		default:
			if value != "" {
				wrong++
			}
			t.Logf("%s %q: %q, not %q", pair.Prompt, pair.Talk, value, pair.Want)
		}
	}
	t.Logf("%d pairs: %d right, %d wrong, %d missing", tried, right, wrong, tried-right-wrong)
	if tried != 87 || right < 82 || wrong > 1 {
		t.Errorf("%d pairs: %d right, %d wrong", tried, right, wrong)
	}
}
