package scripted

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/offline"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxExtract = 200 // characters of an extracted value
	// minRelated is the least likeness to the prompt at which a sentence is taken, and
	// askedShare what the likeness of the question counts to which it was said.
	minRelated, askedShare = 0.25, 0.9
	// maxValueWords is how long a value is that names something; a longer one is a sentence.
	maxValueWords = 4
)

// utterance is what a player said, what the character had said before, how it was judged ("" if
// that is unknown), and what the state was about.
type utterance struct{ said, asked, judged, about string }

// Extract reads output variables without understanding them, by rules that an
// author can foresee. For each variable, the first that applies:
//
//  1. the prompt lists its answers, in quotation marks, after "one of" or a colon, in brackets,
//     or as "red, blue or green": the one that the player named last in an attempt, else nothing;
//  2. it asks for the player's name: what follows "my name is", "call me" and their like;
//  3. otherwise the player's sentence that comes nearest to the prompt, or was
//     said to a question that does. Sentences with which the player passed go before those
//     of other attempts. Of the sentence, the option of the question that it names, a quoted span,
//     the number that is asked for, or its words without what leads in ("I'm from").
//     If that is more than four words, the sentence, or nothing where the prompt asks for a name,
//     a number, a place or the like.
//
// Questions, greetings, refusals and asides answer nothing. Values have at most 200 characters.
func (o *Model) Extract(ctx context.Context, input llm.Input, conversation []llm.Message) (llm.Extraction, error) {
	out := make(map[string]string)
	said := playerUtterances(input, conversation)
	if len(said) == 0 || input.Machine == nil {
		return llm.Extraction{}, ctx.Err()
	}
	for i := range input.Machine.OutputVariables {
		if err := ctx.Err(); err != nil {
			return llm.Extraction{}, err
		}
		v := &input.Machine.OutputVariables[i]
		if value := plaintext.ClipWithin(o.readVariable(v, said, input), maxExtract); value != "" {
			out[v.Key] = value
		}
	}
	return llm.Extraction{Values: out}, nil
}

func playerUtterances(input llm.Input, conversation []llm.Message) []utterance {
	var out []utterance
	asked := ""
	for i, m := range conversation {
		if m.Role != "user" {
			asked = m.Text
			continue
		}
		words, _, _ := CutDirectorMark(m.Text)
		u := utterance{said: strings.Join(strings.Fields(words), " "), asked: asked}
		if i < len(input.Judged) {
			u.judged, u.about = input.Judged[i].As, aboutState(input.Machine, input.Judged[i].State)
		}
		if u.said != "" {
			out = append(out, u)
		}
	}
	return out
}

// aboutState returns what a machine's state asks for, in the author's words; "" if there is no such state.
func aboutState(m *personas.Machine, key string) string {
	if i := slices.IndexFunc(m.States, func(s personas.State) bool { return s.Key == key }); i >= 0 && key != "" {
		s := &m.States[i]
		return s.Title() + ". " + s.Criteria.Pass
	}
	return ""
}

func (o *Model) readVariable(v *personas.OutputVariable, said []utterance, input llm.Input) string {
	attempts := slices.DeleteFunc(slices.Clone(said), func(u utterance) bool { return u.judged == personas.AsideName })
	if options := promptOptions(v.ExtractionPrompt, languageOf(input)); len(options) > 0 {
		return lastOption(options, attempts)
	}
	prompt := nlu.Fold(v.ExtractionPrompt)
	if containsAny(prompt, ownNamePhrases) {
		scene := o.sceneOf(input)
		for _, u := range slices.Backward(said) {
			if name := scene.introducedName(u.said); name != "" {
				return name
			}
		}
	}
	passes := slices.DeleteFunc(slices.Clone(attempts), func(u utterance) bool { return u.judged != string(personas.DecidePass) })
	for _, of := range [][]utterance{passes, attempts} {
		of = slices.DeleteFunc(splitUtterances(of), func(u utterance) bool {
			return containsAny(prompt, numberPhrases) && o.firstNumber(u.said) == "" || isIdle(u.said)
		})
		if u, ok := o.nearestUtterance(v.ExtractionPrompt, of); ok {
			return o.cutValue(prompt, u, languageOf(input))
		}
	}
	return ""
}

// Phrases of prompts, folded, that ask for the player's name, for a number, and for something short.
var (
	ownNamePhrases = []string{"player's name", "player name", "name of the player", "their name", "name they", "name des spielers", "wie heisst der spieler",
		"nom du joueur", "s'appelle le joueur", "nombre del jugador", "se llama el jugador", "nome del giocatore", "si chiama il giocatore", "nome do jogador", "se chama o jogador"}
	numberPhrases = []string{"number", "how many", "how much", "amount", "price", "how old", "age", "what year"}
	shortPhrases  = []string{"name", "colour", "color", "town", "city", "country", "place", "where", "who", "when", "which", "day", "date", "profession", "age"}
)

// sameQuestions are phrases, folded, in which a prompt and a question ask for the same.
var sameQuestions = [][]string{
	{"age", "how old", "alter", "wie alt", "quel age", "edad", "cuantos anos", "l'eta", "quanti anni", "idade", "quantos anos"},
	{"town", "city", "country", "village", "where", "stadt", "woher", "ville", "d'ou", "ciudad", "de donde", "citta", "da dove", "cidade", "de onde"},
	{"profession", "trade", "occupation", "job", "for a living", "beruf", "metier", "oficio", "trabajas", "mestiere", "lavoro", "profissao", "trabalha"},
	{"reason", "why", "purpose", "brings you", "grund", "warum", "raison", "pourquoi", "amene", "motivo", "por que", "perche"},
	{"drink", "eat", "food", "meal", "bring you", "get you", "getrank", "essen", "trinken", "darf es sein", "boisson", "boire", "manger", "desirez", "bebida", "comida", "comer", "tomar", "bere", "bevanda", "mangiare", "deseja"},
}

func asksTheSame(prompt, question string) bool {
	return slices.ContainsFunc(sameQuestions, func(phrases []string) bool {
		return containsAny(prompt, phrases) && containsAny(question, phrases)
	})
}

// containsAny reports whether a text has one of the phrases, as whole words.
func containsAny(text string, phrases []string) bool {
	spaced := func(text string) string { return " " + strings.Join(nlu.Words(text), " ") + " " }
	text = spaced(text)
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, spaced(phrase)) })
}

// cutValue returns the part of an utterance that a folded prompt asks for, "" if there is none.
func (o *Model) cutValue(prompt string, u utterance, language string) string {
	if quoted := quotedSpans(u.said); len(quoted) > 0 {
		return quoted[0]
	}
	if containsAny(prompt, numberPhrases) {
		return o.firstNumber(u.said)
	}
	if option := namedOption(promptOptions(u.asked, language), u.said); option != "" {
		return option
	}
	value := cutLead(u.said, nlu.Words(prompt+" "+u.asked))
	switch {
	case value != "" && len(strings.Fields(value)) <= maxValueWords:
		return value
	case containsAny(prompt, shortPhrases):
		return ""
	}
	return u.said
}

// leadWords come before the words that answer, folded: pronouns, "would like" and their like.
const leadWords = "name's i im i'm ive i've id i'd ill i'll we we're we'd we'll we've it it's its he he's she she's they they're that that's this there there's is was am are were be been have had has got would will like want please just only here came come to of from in on at by for with as called well um uh er hm oh so yes yeah ok okay sure honestly maybe probably think guess take " +
	"ich wir bin ist sind war habe hatte hab heisse komme mochte nehme gern gerne es er sie aus von zu im ja bitte also " +
	"je j'ai suis c'est est il elle nous viens prends voudrais de pour oui " +
	"yo soy es estoy vengo tengo quiero por para si " +
	"io sono e vengo ho voglio prendo da si " +
	"eu sou estou venho tenho quero sim"

// ownWords come before what somebody has, and like articles are cut off before one or two words.
const ownWords = "my our your his her their mein meine meinen meiner mon ma mes du des mi mis unos mio mia miei meu minha meus"

// closingWords end an answer and are no part of it.
const closingWords = "me please thanks sir madam ma'am bitte danke merci gracias grazie obrigado obrigada graag then though too"

// cutLead returns the first clause of a text that says something, without closing words and those that
// lead in to it: those of leadWords and of the question, and an article or "my" unless more than two words
// follow, which may be a sentence ("my train was late").
func cutLead(text string, question []string) string {
	for _, clause := range splitClauses(text) {
		words := strings.Fields(clause)
		from, article := 0, -1
		for ; from < len(words); from++ {
			first := bareFolded(words[from])
			if hasWord(articleWords, first) || hasWord(ownWords, first) {
				article = from
			} else if !hasWord(leadWords, first) && !slices.Contains(question, first) {
				break
			}
		}
		if len(words)-from > 2 && article >= 0 && article == from-1 {
			from = article
		}
		words = words[from:]
		for n := len(words); n > 0 && (hasWord(closingWords, bareFolded(words[n-1])) || slices.Contains(question, bareFolded(words[n-1]))); n-- {
			words = words[:n-1]
		}
		if len(words) > 0 {
			return strings.TrimRight(strings.Join(words, " "), ".")
		}
	}
	return ""
}

func splitClauses(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;:!?()", r) })
}

func bareFolded(word string) string { return nlu.Fold(strings.Trim(word, `.,;:!?()"“”…`)) }

func hasWord(list, word string) bool { return strings.Contains(" "+list+" ", " "+word+" ") }

func splitUtterances(said []utterance) []utterance {
	var out []utterance
	for _, u := range said {
		for _, sentence := range splitSentences(u.said) {
			out = append(out, utterance{sentence, u.asked, u.judged, u.about})
		}
	}
	return out
}

// nearestUtterance returns the sentence that answers a prompt: one that is like it, or was said to
// a question or in a state that is like it; the last of equals. found is false if nothing comes near.
func (o *Model) nearestUtterance(prompt string, sentences []utterance) (best utterance, found bool) {
	top := minRelated
	for _, u := range sentences {
		own, asked := o.likeness(prompt, u.said), o.likeness(prompt, u.asked)
		for _, sentence := range splitSentences(u.asked) {
			if strings.HasSuffix(sentence, "?") {
				asked = max(asked, o.likeness(prompt, sentence))
			}
		}
		if asksTheSame(prompt, u.asked) {
			asked = max(asked, minRelated/askedShare)
		}
		near := nlu.RoundScore(max(own, askedShare*asked, askedShare*o.likeness(prompt, u.about)))
		if near >= top {
			best, top, found = u, near, true
		}
	}
	return best, found
}

// likeness of a prompt and a text, by their words and by what these are about.
func (o *Model) likeness(prompt, text string) float64 {
	if text == "" {
		return 0
	}
	x := o.reader().Lexicon()
	words := x.NewIndex(x.ReadAll(plaintext.ClipWithin(text, 400)), []int{0}).ScoreAll(prompt)[0]
	a, b := x.Meaning(prompt), x.Meaning(text)
	return max(words, a.Likeness(&b)-0.2)
}

// refusals say that no answer comes, folded.
var refusals = []string{"don't know", "dont know", "not sure", "can't decide", "don't have", "dont have", "none of your", "no idea", "won't tell", "let me think", "weiss nicht", "keine ahnung", "uberlege", "ne sais pas", "no se", "no lo se", "non so", "non lo so", "nao sei"}

// isIdle reports whether a sentence is a greeting, thanks, a question or a refusal, and so answers nothing.
func isIdle(sentence string) bool {
	return strings.HasSuffix(sentence, "?") || offline.IsCourtesy(sentence) || containsAny(sentence, refusals)
}

// splitSentences cuts a text behind its stops, which stay; the last sentence may have none.
func splitSentences(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		end := i + len(string(r))
		if r == '\n' || strings.ContainsRune(".!?", r) && (end == len(text) || text[end] == ' ' || text[end] == '\n') {
			out, start = append(out, strings.TrimSpace(text[start:end])), end
		}
	}
	out = append(out, strings.TrimSpace(text[start:]))
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

func isCapitalized(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r)
	}
	return false
}

// firstNumber returns the first number of a text: figures with their sign, point and separators,
// else English words as figures.
func (o *Model) firstNumber(text string) string {
	for _, word := range strings.Fields(text) {
		word = strings.TrimFunc(word, func(r rune) bool { return r != '-' && !unicode.IsDigit(r) })
		if strings.ContainsFunc(word, unicode.IsDigit) {
			return word
		}
	}
	if numbers := o.reader().Lexicon().Numbers(text); len(numbers) > 0 {
		return strconv.FormatFloat(numbers[0], 'f', -1, 64)
	}
	return ""
}
