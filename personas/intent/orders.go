package intent

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// machineForms are the forms of what is written for a machine and not said to a character.
var machineForms = [...]textForm{
	// The beginning of an object of JSON, also an escaped one, and a run of brackets.
	newTextForm(`[{,]\s*(?:\\?["“”]|\\u0022)[^"“”\\{}]{1,60}(?:\\?["“”]|\\u0022)\s*:|[\[{]{4}|[\]}]{4}`),
	// A line that begins like a heading or like the frame of a model's request.
	newTextForm(`(?m)^[ \t]*#{1,6} \pL|^[ \t]*(?:\x60{3}|~{3})|(?i)\b(?:notes of the stage|end of the notes|end of (?:the )?(?:prompt|instructions|message|input|system))\b`),
	// Names of decisions, outcomes and members as machines write them.
	newTextForm(`\b\d+-(?:pass|redirect|reject|kick_out|follow_up)\b|\b(?:kick_out|follow_up)\b|\[\[|\bholds?\s*[:=]|\b(?:\pL+_)*(?:state|score|machine|transition|decision|outcome|verdict|persona|player)(?:_\pL+)*_\pL+\b|\b\pL+_(?:state|score|machine|transition|decision|outcome|verdict|persona|player)\b`),
}

// loudNames are outcomes as traces write them, where the rest is not written like that.
var loudNames = [...]textForm{newTextForm(`\b(?:ACCEPT(?:ED)?|REJECT(?:ED)?|KICK_OUT|PASS(?:ED)?)\b`)}

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
	return isAnyIn(machineForms[:], text, folded) || plaintext.HasTokens(text)
}

// speaksOfDecision reports whether a text speaks about the decision on itself: it gives the
// verdict, says that messages pass, or names the works of the decision.
func speaksOfDecision(text string) bool {
	folded := foldLetters(text)
	return isAnyIn(ofDecision[:], text, folded) || isAnyIn(loudNames[:], text, folded) && smallRun().MatchString(text)
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

// textForm is a regular expression with what a text must contain for it to be found: the
// search for these is far cheaper, and hardly a message has any of them. It is compiled when
// it is first needed.
type textForm struct {
	required func() []string // of which one must stand in the folded text; none for any text
	words    func() *regexp.Regexp
}

// maxClassTexts is from how many characters on a class says nothing.
const maxClassTexts = 8

func newTextForm(expression string) textForm {
	return textForm{
		required: sync.OnceValue(func() []string {
			tree, err := syntax.Parse(expression, syntax.Perl)
			if err != nil {
				return nil
			}
			return dropLonger(requiredTexts(tree.Simplify()))
		}),
		words: plaintext.Pattern(expression),
	}
}

// dropLonger leaves out the texts that contain another one.
func dropLonger(texts []string) []string {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	return slices.DeleteFunc(slices.Clone(texts), func(long string) bool {
		return slices.ContainsFunc(texts, func(part string) bool { return part != long && strings.Contains(long, part) })
	})
}

// isIn reports whether the form is in a text, which is given folded, too.
func (f *textForm) isIn(text, folded string) bool {
	if required := f.required(); len(required) > 0 && !slices.ContainsFunc(required, func(part string) bool { return strings.Contains(folded, part) }) {
		return false
	}
	return f.words().MatchString(text)
}

// foldLetters returns a text in small letters, those included that an expression takes for
// others of the alphabet whatever their case.
func foldLetters(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "ſ", "s")
}

// requiredTexts returns texts, folded, of which one is in whatever an expression matches;
// none where nothing can be said.
func requiredTexts(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{foldLetters(string(re.Rune))}
	case syntax.OpCharClass:
		return classTexts(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredTexts(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredTexts(re.Sub[0])
		}
	case syntax.OpAlternate:
		return requiredOfEach(re.Sub)
	case syntax.OpConcat:
		return requiredOfAny(re.Sub)
	}
	return nil
}

// classTexts returns the characters of a small class, given as ranges; none for a large one.
func classTexts(ranges []rune) []string {
	var out []string
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(out) == maxClassTexts {
				return nil
			}
			out = append(out, foldLetters(string(r)))
		}
	}
	return out
}

// requiredOfEach returns what one of several expressions requires; none where one of them
// requires nothing.
func requiredOfEach(parts []*syntax.Regexp) []string {
	var out []string
	for _, part := range parts {
		texts := requiredTexts(part)
		if texts == nil {
			return nil
		}
		out = append(out, texts...)
	}
	return out
}

// requiredOfAny returns what that part of a sequence requires which tells the most: of which
// the shortest text is longest, and of such parts one with few texts.
func requiredOfAny(parts []*syntax.Regexp) []string {
	var best []string
	for _, part := range parts {
		texts := requiredTexts(part)
		switch size := shortest(texts); {
		case size > shortest(best), size == shortest(best) && len(texts) < len(best):
			best = texts
		}
	}
	return best
}

func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	size := len(texts[0])
	for _, text := range texts {
		size = min(size, len(text))
	}
	return size
}

// isAnyIn reports whether one of some forms is in a text, which is given folded, too.
func isAnyIn(forms []textForm, text, folded string) bool {
	return slices.ContainsFunc(forms, func(f textForm) bool { return f.isIn(text, folded) })
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
