package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/offline"
)

// askedForm is how a language asks what a word means or who somebody is: expressions over the
// folded message whose first group is what is asked about, the little words that may stand
// before it, and what is said where nobody has told more of it.
type askedForm struct {
	forms   *regexp.Regexp
	before  string
	notTold []string
}

// askedForms are, by language, how such questions are asked.
var askedForms = map[string]askedForm{
	"en": {
		regexp.MustCompile(`^(?:and |but |so |ok |wait |sorry |hm |oh )*(?:(?:who|what)(?:'s| is| are| was| were)|what do you mean (?:by|with)|what about|(?:please )?(?:can you |could you )?(?:tell me|explain)(?: more)?(?: about)?|where(?:'s| is| are)|whose|which|what|who) (.+)$|^(.+)$`),
		"a an the this that these those your his her its their our some any kind sort of such",
		[]string{"({name} thinks about it.) {word}? You know now what I know.", "{word}? That is all there is to it, {player}."},
	},
	"de": {
		regexp.MustCompile(`^(?:und |aber |also )*(?:(?:wer|was|wo) (?:ist|sind|war|waren)|was meinst du mit|was (?:heisst|bedeutet)|erzahl(?:e)? mir (?:mehr )?von|welche[rsnm]?) (.+)$|^(.+)$`),
		"der die das den dem ein eine einen einem diese dieser dieses dein deine ihr ihre sein seine denn",
		[]string{"({name} denkt nach.) {word}? Mehr weiß ich auch nicht.", "{word}? Das ist schon alles, {player}."},
	},
	"fr": {
		regexp.MustCompile(`^(?:et |mais )*(?:(?:qui|ou) (?:est|sont|etait)|c'est (?:qui|quoi)|qu'est-ce que c'est(?: que)?|que veut dire|parle[z]?[- ]moi de|quel(?:le)?s?) (.+)$|^(.+)$`),
		"le la les l un une des ce cet cette ces ton ta tes votre vos son sa ses du de",
		[]string{"({name} réfléchit.) {word} ? Je n'en sais pas plus.", "{word} ? C'est tout ce qu'il y a à en dire, {player}."},
	},
	"es": {
		regexp.MustCompile(`^(?:y |pero )*(?:(?:quien|quienes|que|donde) (?:es|son|era|esta)|que significa|hablame de|cual) (.+)$|^(.+)$`),
		"el la los las un una ese esa este esta tu su sus de del",
		[]string{"({name} lo piensa.) ¿{word}? No sé más que eso.", "¿{word}? Eso es todo, {player}."},
	},
	"pt": {
		regexp.MustCompile(`^(?:e |mas )*(?:(?:quem|que|o que|onde) (?:e|sao|era|esta)|o que significa|fala-me de|qual) (.+)$|^(.+)$`),
		"o a os as um uma esse essa este esta teu tua seu sua de do da",
		[]string{"({name} pensa.) {word}? Não sei mais do que isso.", "{word}? É tudo o que há, {player}."},
	},
	"it": {
		regexp.MustCompile(`^(?:e |ma )*(?:(?:chi|cosa|che cosa|dove) (?:e|sono|era)|cos'e|dov'e|che vuol dire|parlami di|quale) (.+)$|^(.+)$`),
		"il lo la i gli le un uno una questo questa quel quella tuo tua suo sua di del della",
		[]string{"({name} ci pensa.) {word}? Non so altro.", "{word}? È tutto qui, {player}."},
	},
}

// mostAsked is how many words what is asked about has at most, without little ones.
const mostAsked = 3

// findAsked finds what a message asks about, as it was written, where that is a thing or a
// person of whom the character has spoken; "" for none.
func findAsked(input Input) string {
	words, _, _ := CutDirectorMark(input.Message)
	words = strings.TrimSpace(words)
	form, known := askedForms[languageOf(input)]
	if !known || !strings.HasSuffix(words, "?") && !startsAsTold(words) || len(strings.Fields(words)) > 10 {
		return ""
	}
	term := askedTerm(form, words)
	asked := strings.Fields(nlu.Fold(term))
	if len(asked) == 0 || len(asked) > mostAsked {
		return ""
	}
	if slices.ContainsFunc(asked, isNoThing) || !hasTerm(replies(input.Recent), strings.Join(asked, " ")) {
		return ""
	}
	return term
}

// askedTerm is what a question asks about, as it is written, without little words; "" where it
// asks otherwise.
func askedTerm(form askedForm, words string) string {
	bare := strings.Trim(words, "?!. ¿¡")
	if at := strings.LastIndexAny(bare, ".!?"); at >= 0 {
		bare = strings.TrimSpace(bare[at+1:])
	}
	fields := strings.Fields(bare)
	found := form.forms.FindStringSubmatch(strings.ReplaceAll(nlu.Fold(bare), "’", "'"))
	if found == nil {
		return ""
	}
	asked := strings.Fields(found[1] + found[2])
	fields = fields[max(len(fields)-len(asked), 0):]
	for len(asked) > 0 && slices.Contains(strings.Fields(form.before), asked[0]) {
		asked, fields = asked[1:], fields[1:]
	}
	if len(fields) != len(asked) {
		return ""
	}
	return strings.Join(fields, " ")
}

// startsAsTold tells a question that needs no mark: "tell me about the bell".
func startsAsTold(words string) bool {
	folded := nlu.Fold(words)
	return slices.ContainsFunc([]string{"tell me", "what", "who", "explain"}, func(start string) bool { return strings.HasPrefix(folded, start) })
}

// hasTerm tells whether a text has a term, whether its words are one, two or joined by a hyphen;
// one alone has three letters or more and says something by itself.
func hasTerm(text, term string) bool {
	words := strings.Fields(nlu.Fold(term))
	if len(words) == 1 && (utf8.RuneCountInString(words[0]) < 3 || isFunctionWord(words[0])) {
		return false
	}
	return strings.Contains(plainWords(text), plainWords(term)) || strings.Contains(joinLetters(text), joinLetters(strings.Join(words, "-")))
}

// isNoThing tells a folded word with which no thing and no person is asked about.
func isNoThing(word string) bool {
	return slices.Contains(strings.Fields("you your me my mine name i we us do does did can could will would shall should is are was were am it he she they them want wants mean means up on wrong else next new happened going about more time "+
		"sie du ich wir tu vous je nous usted tu yo voce eu io lei noi"), word)
}

// joinLetters are the words of a text without hyphens, each with a blank around it; a plural is
// its singular.
func joinLetters(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, word := range strings.FieldsFunc(strings.NewReplacer("-", "", "'s", "", "’s", "").Replace(nlu.Fold(text)), isNoLetter) {
		b.WriteString(strings.TrimSuffix(word, "s"))
		b.WriteByte(' ')
	}
	return b.String()
}

// plainWords are the words of a text, each with a blank around it, hyphens as blanks.
func plainWords(text string) string { return joinLetters(strings.ReplaceAll(text, "-", " ")) }

func isNoLetter(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// answerAsked answers a question about something of which the character has spoken: by an answer
// of the author's that has the word, else by what the author tells of it, else that no more is
// told; found is false for any other message.
func (o *Offline) answerAsked(input Input) (line GeneratedText, found bool) {
	term := findAsked(input)
	if term == "" {
		return GeneratedText{}, false
	}
	said := replies(input.Recent)
	for _, text := range tellings(input, term) {
		if !strings.Contains(said, strings.Trim(text, "()")) {
			return GeneratedText{Text: text, Why: fmt.Sprintf("offline: what the author tells of %q", term)}, true
		}
	}
	first, size := utf8.DecodeRuneInString(term)
	lines := fillAll(input, input.State, askedForms[languageOf(input)].notTold, "")
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "{word}", string(unicode.ToUpper(first))+term[size:])
	}
	return GeneratedText{Text: o.pickLine(input, saltReply, lines), Why: fmt.Sprintf("offline: plain line for %q, of which no more is told", term)}, true
}

// firstWords is how many words a line begins with that is about what it names there.
const firstWords = 3

// tellings are what the author's words tell of a term, the fittest first: answers to who or what it
// is, lines of answers that begin with it, sentences about the character and the place, what a variable with
// that value is, and lines that name it in passing.
func tellings(input Input, term string) []string {
	values := newPlaceholderValues(input)
	var about, out, passing []string
	add := func(text, as string, answers bool) {
		text, fits := personas.Expand(strings.Join(strings.Fields(text), " "), values.findValue)
		words := strings.Fields(text)
		switch {
		case !fits || strings.Contains(text, "{{"):
		case answers:
			about = append(about, text)
		case !hasTerm(text, term):
		case as == "%s" && !hasTerm(strings.Join(words[:min(len(words), firstWords)], " "), term):
			passing = append(passing, text)
		default:
			out = append(out, fmt.Sprintf(as, text))
		}
	}
	at := placeOfInput(input)
	for _, a := range offline.ListAnswers(&at) {
		for _, say := range a.Say {
			if a.Intent == "" {
				add(say, "%s", asksAbout(input, a, term))
			}
		}
	}
	var prose []string
	for _, text := range []string{input.Persona.Description, input.Machine.Description} {
		prose = append(prose, splitSentences(text)...)
	}
	for _, sentence := range splitSentences(strings.Join(strings.Fields(input.Persona.IdentityPrompt), " ")) {
		if isTelling(sentence) {
			prose = append(prose, sentence)
		}
	}
	for _, sentence := range prose {
		add(sentence, "(%s)", false)
	}
	for _, v := range input.Persona.Variables {
		if value, _ := values.findValue(v.Key); v.Description != "" && hasTerm(value, term) {
			out = append(out, "("+capitalizeName(term)+": "+v.Description+")")
		}
	}
	return slices.Concat(about, out, passing)
}

// asksAbout reports whether an answer is one to who or what a term is.
func asksAbout(input Input, a *personas.Answer, term string) bool {
	form := askedForms[languageOf(input)]
	return slices.ContainsFunc(a.Ask, func(ask string) bool {
		words := strings.Fields(ask)
		return len(words) > 1 && plainWords(askedTerm(form, ask)) == plainWords(term) && !strings.EqualFold(strings.Trim(ask, "?!. "), term)
	})
}

// isTelling tells a sentence of an identity that tells something of the world from what it bids
// the character to be and to do.
func isTelling(sentence string) bool {
	words := nlu.Words(sentence)
	bids := slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"you", "your", "yourself", "never", "always", "not", "must", "secret", "secretly", "player"}, w)
	})
	return !bids && slices.ContainsFunc(words, func(w string) bool { return slices.Contains([]string{"is", "are", "was", "were", "has", "have"}, w) })
}
