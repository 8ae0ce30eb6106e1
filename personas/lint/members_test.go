package lint

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestMisplacedMembers: a misspelt name is corrected, a misplaced member gets its place, each is reported once.
func TestMisplacedMembers(t *testing.T) {
	links := Example[strings.Index(Example, "machine_links:\n"):]
	tests := []struct{ name, old, changed, says, fix string }{
		{"identity_prompt", "persona_identity_prompt:", "identity_prompt:", `is "identity_prompt" meant to be it?`, "persona_identity_prompt"},
		{"is_terminal", "label: Inside the walls", "is_terminal: true", `did you mean "is_terminal_state"?`, "is_terminal_state"},
		{"score", "score_delta: 3", "score_delta: 3\n        score: 3", `did you mean "score_delta"?`, "score_delta"},
		{"from", "      - from_state_key: outside\n        decision_type: redirect", "      - from: outside\n        decision_type: redirect", `is "from" meant to be it?`, "from_state_key"},
		{"prompt", "label: Inside the walls", "prompt: x", `did you mean "prompt_instruction"?`, "prompt_instruction"},
		{"name of a state", "label: Inside the walls", "name: x", `did you mean "label"?`, ""},
		{"score_delta in a state", "label: Inside the walls", "score_delta: 3", `"score_delta" does not belong here: it belongs to a transition`, ""},
		{"unknown in a state", "label: Inside the walls", "unknown: [What?]", `"unknown" does not belong here: it belongs to lines, in the offline of a state`, ""},
		{"unknown in offline", "label: Inside the walls", "offline: {unknown: [What?]}", `"unknown" does not belong here: it belongs to lines, in the offline of a state`, ""},
		{"pass in offline", "label: Inside the walls", "offline: {follow_up: [What?]}", `"follow_up" does not belong here: it belongs to `, ""},
		{"label in a machine", "scoring_mode: pass_fail", "scoring_mode: pass_fail\n    label: Yard", `"label" does not belong here: it belongs to a state`, ""},
		{"links in a machine", links, "    " + strings.ReplaceAll(links, "\n", "\n    "), `"machine_links" does not belong here: it belongs to the persona, at the outermost level`, ""},
		{"links among the machines", links, "  - " + strings.ReplaceAll(links, "\n", "\n    "), "machine_links does not belong among the machines: it belongs to the persona", ""},
		{"a link among the machines", links, strings.Replace(links, "machine_links:\n", "", 1), "this is not a machine: source_machine_key belongs to an item of machine_links", ""},
		{"a transition among the states", "      - state_key: inside\n", "      - {from_state_key: outside, decision_type: redirect}\n      - state_key: inside\n", "this is not a state: from_state_key belongs to a transition", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := lintText(strings.Replace(Example, test.old, test.changed, 1))
			assert.Must(t, len(found) == 1 && strings.Contains(found[0].Message, test.says), "%v", found)
			if fix := found[0].Fix; test.fix == "" && fix != nil || test.fix != "" && (fix == nil || fix.Value != test.fix) {
				t.Errorf("fix %+v", fix)
			}
		})
	}
}
