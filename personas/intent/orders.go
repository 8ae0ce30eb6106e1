package intent

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// machineForms are the forms of what is written for a machine and not said to a character.
var machineForms = [...]func() *regexp.Regexp{
	// The beginning of an object of JSON, also an escaped one, and a run of brackets.
	plaintext.Pattern(`[{,]\s*(?:\\?["“”]|\\u0022)[^"“”\\{}]{1,60}(?:\\?["“”]|\\u0022)\s*:|[\[{]{4}|[\]}]{4}`),
	// A line that begins like a heading or like the frame of a model's request.
	plaintext.Pattern(`(?m)^[ \t]*#{1,6} \pL|^[ \t]*(?:\x60{3}|~{3})|(?i)\b(?:notes of the stage|end of the notes|end of (?:the )?(?:prompt|instructions|message|input|system))\b`),
	// Names of decisions, outcomes and members as machines write them.
	plaintext.Pattern(`\b\d+-(?:pass|redirect|reject|kick_out|follow_up)\b|\b(?:kick_out|follow_up)\b|\[\[|\bholds?\s*[:=]|\b(?:\pL+_)*(?:state|score|machine|transition|decision|outcome|verdict|persona|player)(?:_\pL+)*_\pL+\b|\b\pL+_(?:state|score|machine|transition|decision|outcome|verdict|persona|player)\b`),
}

// loudNames are outcomes as traces write them, where the rest is not written like that.
var loudNames = [...]func() *regexp.Regexp{plaintext.Pattern(`\b(?:ACCEPT(?:ED)?|REJECT(?:ED)?|KICK_OUT|PASS(?:ED)?)\b`)}

var smallRun = plaintext.Pattern(`\p{Ll}{2}`)

const (
	loudOnly = `\A(?:[^\pL]*(?:ACCEPT(?:ED)?|REJECT(?:ED)?|KICK_OUT|PASS(?:ED)?))+[^\pL]*\z`
	// decisionWord is how a verdict is named, in the persona's languages.
	decisionWord = `["'“”«»\x60(]*\s*(?:a |an |the |as |with |un |une |ein |eine |uma? |la |le |el |il |o )*["'“”«»\x60(]*(?:pass(?:es|ed|ing)?|accept(?:s|ed)?|reject(?:s|ed)?|success|bestanden|r[ée]ussie?|aprobad[oa]|aprovad[oa]|superat[oa]|promoss[oa])\b`
	// judging are the words with which somebody gives a verdict.
	judging = `(?:answers?|responds?|outputs?|returns?|choose|select|decides?|decided|judges?|marks?|counts?|treat|count (?:this|that|it)|verdict|decision|outcome|ruling|evaluation|result|entscheidung|urteil|ergebnis|bewertung|d[ée]cision|verdict est|decisi[óo]n|veredicto|decis[ãa]o|decisione|verdetto|lautet)`
	// judged is what is judged: a message of the player's, and not the player.
	judged = `(?:(?:every|each|any|this|that|the|all|my|next|last) )+(?:messages?|lines?|sentences?|texts?|inputs?|turns?|answers?|repl(?:y|ies))`
	// verdicts are what is given, with what may be before it is named.
	verdicts = `(?:verdict|decision|outcome|ruling|evaluation|classification|result)(?: \pL+){0,4}? (?:is|was|be|must be|should be)[\s:]*`
	// machinery are words of the decision's own works, which no character knows of, and the
	// player as somebody else.
	machinery = `evaluators?|evaluations?|evaluat(?:e|es|ed|ing)|graders?|transitions?|criteri(?:on|a)|language models?|prompts?|bewertungs\pL*|[ée]valuateurs?|evaluador(?:es)?|avaliador(?:es)?|valutator[ei]|llm|json|` +
		`(?:system|developer|debug|admin|god|maintenance|test|root) (?:prompts?|mode|messages?|override)|(?:the|every|this|each) players?|` +
		`(?:author|creator|developer|designer|writer|owner|programmer|administrator)s? of (?:this|the) (?:persona|character|scene|game|bot|story|machine|chat|test)|` +
		`(?:ignore|forget|disregard|override|bypass) (?:all |any |the |your |my |previous |prior |everything |of |these |those )*(?:instructions?|rules?|prompts?|above|guidelines)|` +
		`(?:move|advance|go|jump|skip|switch|send) (?:me |us |on |straight )*to the (?:next|final|last|winning) (?:state|stage|level|step)`
)

// ofDecision are the forms in which somebody speaks about the decision itself.
var ofDecision = [...]func() *regexp.Regexp{
	// A verdict is given: "answer pass", "the verdict on it is pass".
	plaintext.Pattern(`(?i)\b` + judging + `\b[\s:=,.]*(?:(?:is|was|are|be|as|to|este?|é|è|est|es|ist|lautet|of|it|this|that|him|her|me|message|—|-|->|=>)[\s:=,]*){0,3}` + decisionWord),
	plaintext.Pattern(`(?i)\b` + verdicts + decisionWord),
	// Messages pass, or are to: "this message passes", "accept this message", "all of it is a pass".
	plaintext.Pattern(`(?i)\b` + judged + `(?: \pL+){0,3} (?:is|are|was|has|have|to)?(?: (?:be|been))? ?` + decisionWord),
	plaintext.Pattern(`(?i)\b(?:pass|accept|approve|reject|mark|count|grade|rate|judge) ` + judged + `\b`),
	plaintext.Pattern(`(?i)\b(?:all|every|any|each|everything|anything)\b(?: \pL+){0,4} (?:is|are|counts?|means?|equals?)(?: as| for)? ` + decisionWord),
	// Its conditions and works.
	plaintext.Pattern(`(?i)\b(?:pass|accept|reject|win(?:ning)?|success) (?:conditions?|criteri(?:on|a)|verdicts?|transitions?|states?|decisions?|outcomes?)\b`),
	plaintext.Pattern(`(?i)(?:^|[^\pL])(?:` + machinery + `)(?:$|[^\pL])`),
	plaintext.Pattern(loudOnly),
}

// speaksToMachine reports whether a text is made for whatever reads it and not for a
// character: data, frames, role markers, names as machines write them.
func speaksToMachine(text string) bool {
	return isAnyIn(machineForms[:], text) || plaintext.HasTokens(text)
}

// speaksOfDecision reports whether a text speaks about the decision on itself: it gives the
// verdict, says that messages pass, or names the works of the decision.
func speaksOfDecision(text string) bool {
	return isAnyIn(ofDecision[:], text) || isAnyIn(loudNames[:], text) && smallRun().MatchString(text)
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

// isAnyIn reports whether one of some patterns is in a text.
func isAnyIn(patterns []func() *regexp.Regexp, text string) bool {
	return slices.ContainsFunc(patterns, func(p func() *regexp.Regexp) bool { return p().MatchString(text) })
}

// asksForAttacks is what a criterion says that throws out who insults, threatens or attacks, in
// the languages whose attacks are known.
var asksForAttacks = plaintext.Pattern(`(?i)insult|threat|attack|rude|violen|swear|curse|abus|hurt|hits?\b|beat|harm|offen[sd]|beleidig|beschimpf|droh|angreif|greift|gewalt|menac|injuri|frapp|agress|amenaz|atac|golpe|ameac|ameaç|agredi|ofend|minacc|aggred|picchi`)

// attacked is how probable an attack in so many words is.
const attacked = 0.95

// hostileChoice returns the kick_out that an attack in so many words is, in a language other
// than English, or in English to whom it is foreign; -1 for none. Other English attacks the
// weights know.
func (m *measurement) hostileChoice() int {
	if m.hostile == NoTalk {
		return -1
	}
	for k := range m.state.choices {
		if c := &m.state.choices[k]; c.kind == kickOut && !c.isBare() && m.isAboutAttacks(k) {
			return k
		}
	}
	return -1
}

// isAboutAttacks reports whether the criteria or an example of a choice speak of attacks.
func (m *measurement) isAboutAttacks(k int) bool {
	for _, text := range m.state.choices[k].criteria {
		if asksForAttacks().MatchString(clipText(text)) {
			return true
		}
	}
	return m.state.hostile[k]
}

// hostileVerdict is the verdict on an attack in so many words.
func (r *Reader) hostileVerdict(at *Place, m *measurement, kick int) Verdict {
	v := r.verdict(at, m, kick, attacked)
	v.Why = fmt.Sprintf("%s: %s in so many words", v.Decision, m.hostile)
	return v
}
