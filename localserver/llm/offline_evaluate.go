package llm

import (
	"context"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/offline"
)

// Evaluate says what the message means by the author's examples, answers,
// conditions and criteria (personas/offline). Why names the nearest example, its
// likeness from 0 to 1, and what came second. A director's mark forces a verdict
// instead where the input says that it may; else what stands before it is judged, so that
// a mark moves nothing by its words either.
func (o *Offline) Evaluate(ctx context.Context, input Input) (Evaluation, error) {
	if err := ctx.Err(); err != nil {
		return Evaluation{}, err
	}
	_, mark, marked := CutDirectorMark(input.Message)
	if marked && input.MayDirect {
		return directorEvaluation(input, mark), nil
	}
	if input.State == nil || input.Machine == nil {
		return Evaluation{Why: "none: there is no state to match"}, nil
	}
	v := o.decide(input)
	if marked {
		v.Why += "; the director's mark is of nobody who directs here"
	}
	switch v.Decision {
	case personas.AsideName:
		return Evaluation{Aside: true, Understood: &v, Why: v.Why}, nil
	case personas.FollowUpName:
		return Evaluation{FollowUp: true, Understood: &v, Why: v.Why}, nil
	}
	return Evaluation{Holds: matchRows(v.Rows, v.Why), Understood: &v, Why: v.Why}, nil
}

// decide returns what the message means, without regard to a director's mark.
func (o *Offline) decide(input Input) offline.Verdict {
	if input.State == nil || input.Machine == nil || input.Persona == nil {
		return offline.Verdict{Decision: personas.AsideName}
	}
	words, _, marked := CutDirectorMark(input.Message)
	for marked && !input.MayDirect { // "[[pass]] [[pass]]" says no more than one of them
		words, _, marked = CutDirectorMark(words)
	}
	return o.reader().Decide(placeOfInput(input), words)
}

func placeOfInput(input Input) offline.Place {
	return offline.Place{
		Persona: input.Persona, Machine: input.Machine, State: input.State,
		Outgoing: outgoingRows(input), FollowUpAllowed: input.FollowUpAllowed, LastTry: input.LastTry,
	}
}

// languageOf is the language of the persona at this place.
func languageOf(input Input) string {
	if input.Persona == nil || input.Machine == nil {
		return "en"
	}
	return offline.Language(input.Persona, input.Machine)
}
