package scripted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// Evaluate evaluates the message by the author's examples, answers, conditions and criteria (see
// personas/intent). If the input allows it, a director's mark determines the verdict. Otherwise the
// mark is removed before the message is judged.
func (o *Model) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
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
	v := o.decide(input)
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

func (o *Model) decide(input llm.Input) intent.Verdict {
	if input.State == nil || input.Machine == nil || input.Persona == nil {
		return intent.Verdict{Decision: personas.AsideName}
	}
	words, _, marked := cutDirectorMark(input.Message)
	for marked && !input.MayDirect { // further marks, as in "[[pass]] [[pass]]", have no meaning
		words, _, marked = cutDirectorMark(words)
	}
	return o.reader().Decide(placeOfInput(input), words)
}

func placeOfInput(input llm.Input) intent.Place {
	at := intent.Place{
		Persona: input.Persona, Machine: input.Machine, State: input.State, Outgoing: outgoingRows(input),
		FollowUpAllowed: input.FollowUpAllowed, LastTry: input.LastTry, InGame: input.InGame, Losing: input.Losing,
	}
	for _, m := range input.Recent {
		if m.Role == "assistant" {
			at.Asked.Reply = m.Text
		} else {
			at.Asked.To, _, _ = cutDirectorMark(m.Text)
		}
	}
	return at
}

func languageOf(input llm.Input) string {
	if input.Persona == nil || input.Machine == nil {
		return english
	}
	return intent.Language(input.Persona, input.Machine)
}
