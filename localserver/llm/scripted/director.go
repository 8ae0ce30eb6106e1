package scripted

import (
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// cutDirectorMark removes a director's mark, such as "[[pass]]" or "[[2]]", from the end of a
// message (docs/persona-file.md, section 5). mark is the text between the brackets.
func cutDirectorMark(message string) (words, mark string, ok bool) {
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
	return markNames[mark] || mark != "" && strings.Trim(mark, "0123456789") == ""
}

var markNames = map[string]bool{
	string(personas.DecidePass): true, string(personas.DecideRedirect): true, string(personas.DecideReject): true,
	string(personas.DecideKickOut): true, personas.FollowUpName: true, personas.AsideName: true,
}

func directorEvaluation(input llm.Input, mark string) llm.Evaluation {
	rows, why := outgoingRows(input), "director: "+mark
	switch {
	case mark == personas.AsideName:
		return llm.Evaluation{Aside: true, Why: why}
	case mark == personas.FollowUpName && !input.FollowUpAllowed:
		return llm.Evaluation{Why: why + ", which is ignored directly after another follow-up"}
	case mark == personas.FollowUpName:
		return llm.Evaluation{FollowUp: true, Why: why}
	}
	if n, err := strconv.Atoi(mark); err == nil {
		rows = rows[min(max(n-1, 0), len(rows)):min(n, len(rows))]
	} else {
		rows = slices.DeleteFunc(rows, func(i int) bool { return string(input.Machine.Transitions[i].Decision) != mark })
	}
	if len(rows) == 0 && mark != string(personas.DecideRedirect) {
		why = "director: the state has no transition " + plaintext.ClipWithin(mark, 20)
	}
	return llm.Evaluation{Matches: matchRows(rows, why), Why: why}
}

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

func matchRows(rows []int, why string) []llm.Match {
	var holds []llm.Match
	for _, i := range rows {
		holds = append(holds, llm.Match{Transition: i, Why: why})
	}
	return holds
}
