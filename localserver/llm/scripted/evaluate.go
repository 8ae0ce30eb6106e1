package scripted

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Evaluate judges a message by the author's examples, answers, conditions and criteria (package
// intent). A director's mark determines the verdict if the input allows marks. Other marks are
// removed before the judgement.
func (m *Model) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
	if err := ctx.Err(); err != nil {
		return llm.Evaluation{}, err
	}
	_, mark, marked := cutDirectorMark(input.Message)
	if marked && input.MayDirect {
		return directorEvaluation(input, mark), nil
	}
	if input.State == nil || input.Machine == nil {
		return llm.Evaluation{Why: "none: there is no state to match"}, nil
	}
	v := m.decide(input)
	if marked {
		v.Why += "; the director's mark is ignored, because marks are not allowed here"
	}
	switch v.Decision {
	case personas.AsideName:
		return llm.Evaluation{Aside: true, OfflineVerdict: &v, Why: v.Why}, nil
	case personas.FollowUpName:
		return llm.Evaluation{FollowUp: true, OfflineVerdict: &v, Why: v.Why}, nil
	}
	return llm.Evaluation{Matches: matchRows(v.Rows, v.Why), OfflineVerdict: &v, Why: v.Why}, nil
}

func (m *Model) decide(input llm.Input) intent.Verdict {
	if input.State == nil || input.Machine == nil || input.Persona == nil {
		return intent.Verdict{Decision: personas.AsideName}
	}
	words, _, marked := cutDirectorMark(input.Message)
	for marked && !input.MayDirect { // further marks mean nothing ("[[pass]] [[pass]]")
		words, _, marked = cutDirectorMark(words)
	}
	return m.reader().Decide(placeOfInput(input), words)
}

func placeOfInput(input llm.Input) intent.Place {
	place := intent.Place{
		Persona: input.Persona, Machine: input.Machine, State: input.State, Outgoing: outgoingRows(input),
		FollowUpAllowed: input.FollowUpAllowed, LastTry: input.LastTry, InGame: input.InGame, Losing: input.Losing,
	}
	for _, m := range input.Recent {
		if m.Role == "assistant" {
			place.Asked.Reply = m.Text
		} else {
			place.Asked.To, _, _ = cutDirectorMark(m.Text)
		}
	}
	return place
}

func languageOf(input llm.Input) string {
	if input.Persona == nil || input.Machine == nil {
		return english
	}
	return intent.Language(input.Persona, input.Machine)
}

// cutDirectorMark removes a mark such as "[[pass]]" or "[[2]]" from the end of a message
// (docs/persona-file.md, section 5).
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
	rows, reason := outgoingRows(input), "director: "+mark
	switch {
	case mark == personas.AsideName:
		return llm.Evaluation{Aside: true, Why: reason}
	case mark == personas.FollowUpName && !input.FollowUpAllowed:
		return llm.Evaluation{Why: reason + ", which is ignored directly after another follow-up"}
	case mark == personas.FollowUpName:
		return llm.Evaluation{FollowUp: true, Why: reason}
	}
	if n, err := strconv.Atoi(mark); err == nil {
		rows = rows[min(max(n-1, 0), len(rows)):min(n, len(rows))]
	} else {
		rows = slices.DeleteFunc(rows, func(i int) bool { return string(input.Machine.Transitions[i].Decision) != mark })
	}
	if len(rows) == 0 && mark != string(personas.DecideRedirect) {
		reason = "director: the state has no transition " + plaintext.ClipWithin(mark, 20)
	}
	return llm.Evaluation{Matches: matchRows(rows, reason), Why: reason}
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

func matchRows(rows []int, reason string) []llm.Match {
	var holds []llm.Match
	for _, i := range rows {
		holds = append(holds, llm.Match{Transition: i, Why: reason})
	}
	return holds
}
