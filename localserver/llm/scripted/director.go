package scripted

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// CutDirectorMark takes a director's mark off the end of a message (persona-file
// section 5): "[[pass]]", "[[redirect]]", "[[reject]]", "[[kick_out]]",
// "[[follow_up]]", "[[aside]]" or a number such as "[[2]]", in any case, blanks around it
// allowed. words is the message without the mark and without blanks at its
// end, mark what stands between the brackets. Without a mark ok is false and
// words is the message as it is.
func CutDirectorMark(message string) (words, mark string, ok bool) {
	rest, closed := strings.CutSuffix(strings.TrimSpace(message), "]]")
	start := strings.LastIndex(rest, "[[")
	if !closed || start < 0 {
		return message, "", false
	}
	mark = strings.ToLower(strings.TrimSpace(rest[start+2:]))
	if !isDirectorMark(mark) {
		return message, "", false
	}
	return strings.TrimSpace(rest[:start]), mark, true
}

func isDirectorMark(mark string) bool {
	switch mark {
	case string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject),
		string(personas.DecideKickOut), personas.FollowUpName, personas.AsideName:
		return true
	}
	return mark != "" && strings.Trim(mark, "0123456789") == ""
}

// directorEvaluation returns the evaluation that a director's mark asks for.
func directorEvaluation(input llm.Input, mark string) llm.Evaluation {
	switch mark {
	case personas.FollowUpName:
		return directedFollowUp(input)
	case personas.AsideName:
		return llm.Evaluation{Aside: true, Why: "director: aside"}
	case string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject), string(personas.DecideKickOut):
		return directedDecision(input, personas.Decision(mark))
	}
	rows := outgoingRows(input)
	n, err := strconv.Atoi(mark)
	if err != nil || n < 1 || n > len(rows) {
		return llm.Evaluation{Why: fmt.Sprintf("director: there is no transition %s, the state has %d", plaintext.ClipWithin(mark, 20), len(rows))}
	}
	why := fmt.Sprintf("director: transition %d of %d", n, len(rows))
	return llm.Evaluation{Holds: []llm.Match{{Transition: rows[n-1], Why: why}}, Why: why}
}

func directedFollowUp(input llm.Input) llm.Evaluation {
	if !input.FollowUpAllowed {
		return llm.Evaluation{Why: "director: follow_up, which counts as none right after another"}
	}
	return llm.Evaluation{FollowUp: true, Why: "director: follow_up"}
}

func directedDecision(input llm.Input, d personas.Decision) llm.Evaluation {
	why := "director: " + string(d)
	holds := matchRows(rowsOf(input, d), why)
	switch {
	case len(holds) > 0:
	case d == personas.DecideRedirect:
		why += ", for which no transition is needed"
	default:
		why += ", but the state has no such transition"
	}
	return llm.Evaluation{Holds: holds, Why: why}
}

// outgoingRows returns the state's outgoing transitions that exist.
func outgoingRows(input llm.Input) []int {
	if input.Machine == nil {
		return nil
	}
	rows := make([]int, 0, len(input.Outgoing))
	for _, i := range input.Outgoing {
		if i >= 0 && i < len(input.Machine.Transitions) {
			rows = append(rows, i)
		}
	}
	return rows
}

// rowsOf returns the outgoing transitions of a decision, in the engine's order.
func rowsOf(input llm.Input, d personas.Decision) []int {
	var rows []int
	for _, i := range outgoingRows(input) {
		if input.Machine.Transitions[i].Decision == d {
			rows = append(rows, i)
		}
	}
	return rows
}

func matchRows(rows []int, why string) []llm.Match {
	var holds []llm.Match
	for _, i := range rows {
		holds = append(holds, llm.Match{Transition: i, Why: why})
	}
	return holds
}
