package scripted

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestOptionsOfAPrompt: the options in a prompt are found in any form of a list, and a sentence
// with "or" in it is not a list.
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
		assert.Equal(t, strings.Join(New().texts.valueWordsOf("en").promptOptions(prompt), "|"), want, prompt)
	}
}

// TestExtractionPairs measures Extract on conversations in seven languages by authors who had not
// seen its rules. A missing value is better than a wrong one.
func TestExtractionPairs(t *testing.T) {
	file := assert.Value(os.Open("testdata/extraction.jsonl"))(t)
	defer file.Close()
	var tried, right, wrong int
	o := New()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var pair struct {
			Language, Prompt string
			Talk, Want       []string
		}
		assert.NoError(t, json.Unmarshal(lines.Bytes(), &pair))
		var talk []llm.Message
		for i, text := range pair.Talk {
			talk = append(talk, llm.Message{Role: [...]string{"assistant", "user"}[i%2], Text: text})
		}
		input := gateInput()
		input.Persona.Language = pair.Language
		input.Machine.OutputVariables = []personas.OutputVariable{{Key: "k", ExtractionPrompt: pair.Prompt}}
		got := assert.Value(o.Extract(t.Context(), input, talk))(t)
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
	assert.True(t, tried == 87 && right >= 82 && wrong <= 1, "%d pairs: %d right, %d wrong", tried, right, wrong)
}
