package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestLintPlaces: the place in JSON is the text between guillemets, in characters, for every notation.
func TestLintPlaces(t *testing.T) {
	t.Parallel()
	const head = "name: A\ndescription: d\npersona_identity_prompt: p\n"
	const states = "states: [{state_key: a, is_initial_state: true}, {state_key: b, is_terminal_state: true}]"
	machine := func(transition string) string {
		return head + "machines:\n  - machine_key: m\n    " + states + "\n    transitions:\n" + transition
	}
	tests := []struct{ name, check, src string }{
		{"plain", "template-unknown", "name: A\ndescription: d\npersona_identity_prompt: You are «{{x}}»\nmachines: []\n"},
		{"plain over lines", "template-unknown", "name: A\ndescription: d\npersona_identity_prompt: You are\n  «{{x}}» # c\nmachines: []\n"},
		{"double quoted", "template-unknown", "name: A\ndescription: d\npersona_identity_prompt: \"\\u00e9 «{{x}}»\"\nmachines: []\n"},
		{"single quoted", "template-unknown", "name: A\ndescription: d\npersona_identity_prompt: 'it''s «{{x}}»'\nmachines: []\n"},
		{"literal", "template-unknown", "name: A\ndescription: d\npersona_identity_prompt: |\n  You are\n  «{{x}}»\nmachines: []\n"},
		{"folded", "template-unknown", "name: A\ndescription: d\npersona_identity_prompt: >-\n\n  You are\n\n  «{{x}}»\n\nmachines: []\n"},
		{"wide characters", "unknown-to-state", machine("      - {condition: 日本語 🎭 é, from_state_key: a, to_state_key: «zz», decision_type: pass}\n")},
		{"flow", "unknown-to-state", machine("      - {from_state_key: a, to_state_key: «\"z}z\"», decision_type: pass}\n")},
		{"flow over lines", "unknown-to-state", machine("      - {from_state_key: a,\n         to_state_key:\n           «zz»,\n         decision_type: pass}\n")},
		{"tabs between", "unknown-to-state", machine("      - from_state_key:\ta\n        to_state_key:\t«zz»\t# c\n        decision_type:\tpass\n")},
		{"anchor", "unknown-to-state", machine("      - {from_state_key: a, to_state_key: &to «zz», decision_type: pass, x-note: *to}\n")},
		{"alias", "unknown-to-state", head + "x-to: &to zz\nmachines:\n  - machine_key: m\n    " + states +
			"\n    transitions:\n      - {from_state_key: a, to_state_key: «*to», decision_type: pass}\n"},
		{"tag", "unknown-to-state", machine("      - {from_state_key: a, to_state_key: !!str «zz», decision_type: pass}\n")},
		{"key in quotes", "unknown-member", head + "«\"machnes\"»: 1\nmachines: []\n"},
		{"no initial state", "no-initial-state", head +
			"machines:\n  - machine_key: m\n    «states»:\n      - {state_key: b, is_terminal_state: true}\n    transitions: []\n"},
		{"no terminal state", "no-terminal-state", head +
			"machines:\n  - machine_key: m\n    «states»: [{state_key: a, is_initial_state: true}]\n    transitions: []\n"},
		{"announced key", "unknown-member", head + "? «colour»\n: red\nmachines: []\n"},
		{"name of a member in a list", "unknown-member",
			machine("      -\n        «colour»: red\n        from_state_key: a\n        to_state_key: b\n        decision_type: pass\n")},
		{"number", "negative-max-redirects", head + "machines:\n  - machine_key: m\n    states:\n      - state_key: a\n        max_redirects: «-1» # c\n      - {state_key: b}\n    transitions: []\n"},
		{"key of another type", "document", "name: A\ndescription: d\npersona_identity_prompt: p\nmachines:\n  - machine_key: «12»\n    " +
			states + "\n    transitions: []\n"},
		{"JSON", "template-unknown", "{\n\t\"name\": \"日\", \"description\": \"d\", \"persona_identity_prompt\" : \"\\\"«{{x}}»\",\n\"machines\":[]}\n"},
		{"JSON's names", "unknown-member", "{\"name\": \"A\", «\"machnes\"»: {}, \"description\": \"d\", \"persona_identity_prompt\": \"p\", \"machines\": []}"},
		{"JSON's numbers", "document", "{\"name\": «12.5e3»,\r\n\"description\": \"d\", \"persona_identity_prompt\": \"p\", \"machines\": []}"},
	}
	dir := t.TempDir()
	want := map[string]string{}
	for i, test := range tests {
		kind := ".yaml"
		if test.src[0] == '{' {
			kind = ".json"
		}
		for variant, src := range map[string]string{"lf": test.src, "crlf": strings.ReplaceAll(test.src, "\n", "\r\n"), "bom": "\ufeff" + test.src} {
			name := fmt.Sprintf("%02d-%s%s", i, variant, kind)
			put(t, dir, name, strings.NewReplacer("«", "", "»", "").Replace(src))
			want[name] = fmt.Sprintf("%s %s: %s", test.name, test.check, marks(test.src))
		}
	}
	var report struct{ Findings []explainTemplate }
	assert.NoError(t, json.Unmarshal(lintIn(t, dir, "--format", "json"), &report))
	for _, f := range report.Findings {
		name, place, _ := strings.Cut(want[f.File], ": ")
		if strings.HasSuffix(name, " "+f.Check) && place == f.place() {
			delete(want, f.File)
		}
	}
	for file, place := range want {
		for _, f := range report.Findings {
			if f.File == file {
				t.Logf("%s has %s at %s", file, f.Check, f.place())
			}
		}
		t.Errorf("%s: nothing is at %s", file, place)
	}
}

type explainTemplate struct {
	File, Check  string
	Line, Column int
	EndLine      int `json:"end_line"`
	EndColumn    int `json:"end_column"`
}

func (f explainTemplate) place() string {
	return fmt.Sprintf("%d:%d to %d:%d", f.Line, f.Column, f.EndLine, f.EndColumn)
}

// marks returns the place between the guillemets of a text as lines and columns.
func marks(src string) string {
	var f explainTemplate
	line, column := 1, 1
	for _, r := range src {
		switch r {
		case '«':
			f.Line, f.Column = line, column
		case '»':
			f.EndLine, f.EndColumn = line, column
		case '\n':
			line, column = line+1, 1
		default:
			column++
		}
	}
	return f.place()
}

// TestLintShowsThePlace: the same source line is shown for every line break, and none with a secret.
func TestLintShowsThePlace(t *testing.T) {
	t.Parallel()
	const src = "colour: red\nname: A\ndescription: d\nmood: glad\nperplexity_description: pk_live_a1b2c3d4e5f6a1b2c3d4e5f6\npersona_identity_prompt: p\nmachines: []\n"
	dir := t.TempDir()
	put(t, dir, "a.yaml", src)
	want := string(lintIn(t, dir, "a.yaml"))
	assert.Must(t, strings.Contains(want, "\n  | colour: red\n  | ^~~~~~\n") && strings.Contains(want, "\n  | mood: glad\n") && !strings.Contains(want, "a1b2c3"),
		"it says\n%s", want)
	for name, text := range map[string]string{"mark": "\ufeff" + src, "cr": strings.ReplaceAll(src, "\n", "\r"), "crlf": strings.ReplaceAll(src, "\n", "\r\n")} {
		put(t, dir, "a.yaml", text)
		assert.Equal(t, string(lintIn(t, dir, "a.yaml")), want, "%s: it", name)
	}
}
