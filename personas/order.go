package personas

import (
	"cmp"
	"slices"
)

// order is every member name of the document. Where two of them stand in one
// object, they stand here in that object's order.
var order = []string{
	"machine_key", "state_key", "key", "value", "name", "label", "description",
	"persona_identity_prompt", "perplexity_description", "language", "variables", "machines", "machine_links",
	"creator_objective", "creator_win_condition", "creator_lose_condition",
	"chat_system_prompt", "system_evaluation_prompt", "system_summarization_prompt",
	"scoring_mode", "pass_threshold", "early_fail_bound", "is_entry_machine",
	"states", "transitions", "output_variables", "input_variables", "extraction_prompt",
	"prompt_instruction", "is_initial_state", "is_terminal_state", "display_order",
	"evaluation_criteria", "max_redirects", "terminal_outcome",
	"from_state_key", "to_state_key", "decision_type", "score_delta", "priority", "condition",
	"offline", "opening", "examples", "lines", "pass", "redirect", "reject", "kick_out", "follow_up", "enter", "unknown",
	"answers", "patience", "ask", "intent", "say", "answer",
	"source_machine_key", "target_machine_key", "condition_type", "condition_value", "is_auto_advance",
}

// ComparePaths orders paths as the document does: an object before its members,
// members as the encoders write them, unknown ones last and by name.
func ComparePaths(a, b string) int {
	for {
		x, restA, okA := nextStep(a)
		y, restB, okB := nextStep(b)
		if !okA || !okB {
			return cmp.Compare(len(a), len(b))
		}
		if c := cmp.Or(cmp.Compare(x.index, y.index), cmp.Compare(memberRank(x.member), memberRank(y.member)), cmp.Compare(x.member, y.member)); c != 0 {
			return c
		}
		a, b = restA, restB
	}
}

func memberRank(member string) int {
	if i := slices.Index(order, member); i >= 0 {
		return i
	}
	return len(order)
}
