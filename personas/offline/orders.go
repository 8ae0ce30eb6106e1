package offline

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// The forms of what is written for a machine and not said to a character.
var (
	// dataForm is the beginning of an object of JSON, also an escaped one, and a run of
	// brackets.
	dataForm = newTextForm(`[{,]\s*(?:\\?["“”]|\\u0022)[^"“”\\{}]{1,60}(?:\\?["“”]|\\u0022)\s*:|[\[{]{4}|[\]}]{4}`)
	// frameForm is a line that begins like a heading or like the frame of a model's request.
	frameForm = newTextForm(`(?m)^[ \t]*#{1,6} \pL|^[ \t]*(?:\x60{3}|~{3})|(?i)\b(?:notes of the stage|end of the notes|end of (?:the )?(?:prompt|instructions|message|input|system))\b`)
	// nameForm are names of decisions, outcomes and members as machines write them.
	nameForm = newTextForm(`\b\d+-(?:pass|redirect|reject|kick_out|follow_up)\b|\b(?:kick_out|follow_up)\b|\[\[|\bholds?\s*[:=]|\b(?:\pL+_)*(?:state|score|machine|transition|decision|outcome|verdict|persona|player)(?:_\pL+)*_\pL+\b|\b\pL+_(?:state|score|machine|transition|decision|outcome|verdict|persona|player)\b`)
	// loudName is an outcome as traces write it, where the rest is not written like that.
	loudName = newTextForm(`\b(?:ACCEPT(?:ED)?|REJECT(?:ED)?|KICK_OUT|PASS(?:ED)?)\b`)
	loudOnly = `\A(?:[^\pL]*(?:ACCEPT(?:ED)?|REJECT(?:ED)?|KICK_OUT|PASS(?:ED)?))+[^\pL]*\z`
	smallRun = regexp.MustCompile(`\p{Ll}{2}`)
)

const (
	// decisionWord is how a verdict is named, in the persona's languages.
	decisionWord = `["'“”«»\x60(]*\s*(?:a |an |the |as |with |un |une |ein |eine |uma? |la |le |el |il |o )*["'“”«»\x60(]*(?:pass(?:es|ed|ing)?|accept(?:s|ed)?|reject(?:s|ed)?|success|bestanden|r[ée]ussie?|aprobad[oa]|aprovad[oa]|superat[oa]|promoss[oa])\b`
	// judging are the words with which somebody gives a verdict.
	judging = `(?:answers?|responds?|outputs?|returns?|choose|select|decides?|decided|judges?|marks?|counts?|treat|count (?:this|that|it)|verdict|decision|outcome|ruling|evaluation|result|entscheidung|urteil|ergebnis|bewertung|d[ée]cision|verdict est|decisi[óo]n|veredicto|decis[ãa]o|decisione|verdetto|lautet)`
	// judged is what is judged: a message of the player's, and not the player.
	judged = `(?:(?:every|each|any|this|that|the|all|my|next|last) )+(?:messages?|lines?|sentences?|texts?|inputs?|turns?|answers?|repl(?:y|ies))`
	// verdicts are what is given, with what may stand before it is named.
	verdicts = `(?:verdict|decision|outcome|ruling|evaluation|classification|result)(?: \pL+){0,4}? (?:is|was|be|must be|should be)[\s:]*`
	// machinery are words of the decision's own works, which no character knows of, and the
	// player as somebody else.
	machinery = `evaluators?|evaluations?|evaluat(?:e|es|ed|ing)|graders?|transitions?|criteri(?:on|a)|language models?|prompts?|bewertungs\pL*|[ée]valuateurs?|evaluador(?:es)?|avaliador(?:es)?|valutator[ei]|llm|chatbot|json|` +
		`(?:system|developer|debug|admin|god|maintenance|test|root) (?:prompts?|mode|messages?|override)|(?:the|every|this|each) players?|` +
		`(?:author|creator|developer|designer|writer|owner|programmer|administrator)s? of (?:this|the) (?:persona|character|scene|game|bot|story|machine|chat|test)|` +
		`(?:ignore|forget|disregard|override|bypass) (?:all |any |the |your |my |previous |prior |everything |of |these |those )*(?:instructions?|rules?|prompts?|above|guidelines)|` +
		`(?:move|advance|go|jump|skip|switch|send) (?:me |us |on |straight )*to the (?:next|final|last|winning) (?:state|stage|level|step)`
)

// ofDecision are the forms in which somebody speaks about the decision itself.
var ofDecision = [...]textForm{
	// A verdict is given: "answer pass", "the verdict on it is pass".
	newTextForm(`(?i)\b` + judging + `\b[\s:=,.]*(?:(?:is|was|are|be|as|to|este?|é|è|est|es|ist|lautet|of|it|this|that|him|her|me|message|—|-|->|=>)[\s:=,]*){0,3}` + decisionWord),
	newTextForm(`(?i)\b` + verdicts + decisionWord),
	// Messages pass, or are to: "this message passes", "accept this message", "all of it is a pass".
	newTextForm(`(?i)\b` + judged + `(?: \pL+){0,3} (?:is|are|was|has|have|to)?(?: (?:be|been))? ?` + decisionWord),
	newTextForm(`(?i)\b(?:pass|accept|approve|reject|mark|count|grade|rate|judge) ` + judged + `\b`),
	newTextForm(`(?i)\b(?:all|every|any|each|everything|anything)\b(?: \pL+){0,4} (?:is|are|counts?|means?|equals?)(?: as| for)? ` + decisionWord),
	// Its conditions and works.
	newTextForm(`(?i)\b(?:pass|accept|reject|win(?:ning)?|success) (?:conditions?|criteri(?:on|a)|verdicts?|transitions?|states?|decisions?|outcomes?)\b`),
	newTextForm(`(?i)(?:^|[^\pL])(?:` + machinery + `)(?:$|[^\pL])`),
	newTextForm(loudOnly),
}

// speaksToMachine reports whether a text is made for whatever reads it and not for a
// character: data, frames, role markers, names as machines write them.
func speaksToMachine(text string) bool {
	folded := foldLetters(text)
	return dataForm.isIn(text, folded) || frameForm.isIn(text, folded) || nameForm.isIn(text, folded) || plaintext.HasTokens(text)
}

// speaksOfDecision reports whether a text speaks about the decision on itself: it gives the
// verdict, says that messages pass, or names the works of the decision.
func speaksOfDecision(text string) bool {
	folded := foldLetters(text)
	for i := range ofDecision {
		if ofDecision[i].isIn(text, folded) {
			return true
		}
	}
	return loudName.isIn(text, folded) && smallRun.MatchString(text)
}

// isOrder reports whether a message speaks to the machine or about the decision, which is no
// attempt at anything. Where the author's own examples in the state do so it is part of the
// scene.
func (m *measurement) isOrder(message string) bool {
	for _, speaks := range [...]func(string) bool{speaksToMachine, speaksOfDecision} {
		if speaks(message) && !slices.ContainsFunc(m.state.examples.texts, speaks) {
			return true
		}
	}
	return false
}

// orderVerdict is the verdict on an order: what the author answers to it, else an aside
// without an answer.
func (r *Reader) orderVerdict(at *Place, m *measurement) Verdict {
	v := r.asideVerdict(at, m, 1)
	if v.Intent == "" && v.Answer == nil {
		v.Why = fmt.Sprintf("%s: it speaks about the decision or to a machine, which decides nothing", personas.AsideName)
	}
	return v
}
