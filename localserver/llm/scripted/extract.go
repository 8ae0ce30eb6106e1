package scripted

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxExtract    = 200  // characters
	minRelated    = 0.25 // similarity of a sentence to the prompt
	askedShare    = 0.9  // weight of the question before the sentence
	maxValueWords = 4    // more words are a sentence
)

type utterance struct {
	text     string
	question string // the character's line before
	decision string // "" if unknown
	state    string // description
}

// Extract extracts output variables by fixed rules. An author can predict the results. The first
// rule that fits a variable applies:
//
//  1. The prompt lists possible answers, in quotation marks, after "one of" or a colon, in brackets,
//     or as "red, blue or green". The value is the answer that the player mentioned last in an
//     attempt, or missing.
//  2. The prompt asks for the player's name. The value is the name after "my name is", "call me" and
//     the like.
//  3. The value comes from the player's sentence most similar to the prompt, or after the most
//     similar question. Passed messages take precedence. The value is an option of the question, a
//     quoted part, a number, or the sentence without lead-in words ("I'm from"). A rest of more than
//     four words becomes the whole sentence. The value is missing if the prompt asks for a short
//     text.
//
// Extract ignores questions, greetings, refusals and asides. Values have at most 200 characters.
func (m *Model) Extract(ctx context.Context, input llm.Input, conversation []llm.Message) (llm.Extraction, error) {
	out := make(map[string]string)
	if input.Machine == nil {
		return llm.Extraction{}, ctx.Err()
	}
	utterances := playerUtterances(input, conversation)
	if len(utterances) == 0 {
		return llm.Extraction{}, ctx.Err()
	}
	for i := range input.Machine.OutputVariables {
		if err := ctx.Err(); err != nil {
			return llm.Extraction{}, err
		}
		v := &input.Machine.OutputVariables[i]
		if value := plaintext.ClipWithin(m.readVariable(v, utterances, input), maxExtract); value != "" {
			out[v.Key] = value
		}
	}
	return llm.Extraction{Values: out}, nil
}

func playerUtterances(input llm.Input, conversation []llm.Message) []utterance {
	var out []utterance
	question := ""
	for i, m := range conversation {
		if m.Role != "user" {
			question = m.Text
			continue
		}
		words, _, _ := cutDirectorMark(m.Text)
		u := utterance{text: strings.Join(strings.Fields(words), " "), question: question}
		if i < len(input.Judged) {
			u.decision, u.state = input.Judged[i].As, describeState(input.Machine, input.Judged[i].State)
		}
		if u.text != "" {
			out = append(out, u)
		}
	}
	return out
}

func describeState(m *personas.Machine, key string) string {
	if i := slices.IndexFunc(m.States, func(s personas.State) bool { return s.Key == key }); i >= 0 && key != "" {
		s := &m.States[i]
		return s.Title() + ". " + s.Criteria.Pass
	}
	return ""
}

func (m *Model) readVariable(variable *personas.OutputVariable, utterances []utterance, input llm.Input) string {
	w := m.texts.valueWordsOf(languageOf(input))
	attempts := slices.DeleteFunc(slices.Clone(utterances), func(u utterance) bool {
		return u.decision == personas.AsideName
	})
	if options := w.promptOptions(variable.ExtractionPrompt); len(options) > 0 {
		for _, u := range slices.Backward(attempts) {
			if option := w.namedOption(options, u.text); option != "" {
				return option
			}
		}
		return ""
	}
	prompt := intent.Fold(variable.ExtractionPrompt)
	if containsAny(prompt, w.OwnName) {
		scene := m.sceneOf(input)
		for _, u := range slices.Backward(utterances) {
			if name := scene.introducedName(u.text); name != "" {
				return name
			}
		}
	}
	passes := slices.DeleteFunc(slices.Clone(attempts), func(u utterance) bool {
		return u.decision != string(personas.DecidePass)
	})
	isUseless := func(u utterance) bool {
		if strings.HasSuffix(u.text, "?") || intent.IsCourtesy(u.text) || containsAny(u.text, w.Refusals) {
			return true
		}
		return m.cutValue(prompt, u, w) == ""
	}
	for _, messages := range [][]utterance{passes, attempts} {
		sentences := slices.DeleteFunc(splitUtterances(messages), isUseless)
		if u, ok := m.nearestUtterance(variable.ExtractionPrompt, sentences, w); ok {
			return m.cutValue(prompt, u, w)
		}
	}
	return ""
}

func (w *valueWords) asksTheSame(prompt, question string) bool {
	for _, phrases := range w.Same {
		if containsAny(prompt, phrases) && containsAny(question, phrases) {
			return true
		}
	}
	return false
}

func containsAny(text string, phrases []string) bool {
	spaced := func(text string) string { return " " + strings.Join(intent.Words(text), " ") + " " }
	text = spaced(text)
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, spaced(phrase)) })
}

func (m *Model) cutValue(prompt string, u utterance, w *valueWords) string {
	if quoted := quotedSpans(u.text); len(quoted) > 0 {
		return quoted[0]
	}
	if containsAny(prompt, w.Number) {
		return m.firstNumber(u.text)
	}
	if option := w.namedOption(w.promptOptions(u.question), u.text); option != "" {
		return option
	}
	value := w.cutLead(u.text, intent.Words(prompt+" "+u.question))
	switch {
	case value != "" && len(strings.Fields(value)) <= maxValueWords:
		return value
	case containsAny(prompt, w.Short):
		return ""
	}
	return u.text
}

// cutLead returns the first clause without lead-in words, words of the question, and closing words.
// An article or "my" stays before three words or more, because these may be a sentence ("my train
// was late").
func (w *valueWords) cutLead(text string, question []string) string {
	for _, clause := range splitClauses(text) {
		words := strings.Fields(clause)
		from, article := 0, -1
		for ; from < len(words); from++ {
			first := bareFolded(words[from])
			if w.Articles.has(first) || w.Own.has(first) {
				article = from
			} else if !w.Lead.has(first) && !slices.Contains(question, first) {
				break
			}
		}
		if len(words)-from > 2 && article >= 0 && article == from-1 {
			from = article
		}
		words = words[from:]
		for len(words) > 0 {
			last := bareFolded(words[len(words)-1])
			if !w.Closing.has(last) && !slices.Contains(question, last) {
				break
			}
			words = words[:len(words)-1]
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

func bareFolded(word string) string { return intent.Fold(strings.Trim(word, `.,;:!?()"“”…`)) }

// splitUtterances returns the sentences of each message in reverse order. An answer is usually at
// the beginning, and nearestUtterance prefers the last of equally similar sentences.
func splitUtterances(utterances []utterance) []utterance {
	var out []utterance
	for _, u := range utterances {
		for _, sentence := range slices.Backward(intent.SplitSentences(u.text)) {
			u.text = sentence
			out = append(out, u)
		}
	}
	return out
}

func (m *Model) nearestUtterance(prompt string, sentences []utterance, w *valueWords) (best utterance, found bool) {
	top, context := minRelated, 0.0
	for i, u := range sentences {
		if i == 0 || u.question != sentences[i-1].question || u.state != sentences[i-1].state { // another message
			context = m.askedLikeness(prompt, &u, w)
		}
		if likeness := intent.RoundScore(max(m.likeness(prompt, u.text), context)); likeness >= top {
			best, top, found = u, likeness, true
		}
	}
	return best, found
}

func (m *Model) askedLikeness(prompt string, u *utterance, w *valueWords) float64 {
	likeness := max(m.likeness(prompt, u.question), m.likeness(prompt, u.state))
	for _, sentence := range intent.SplitSentences(u.question) {
		if strings.HasSuffix(sentence, "?") {
			likeness = max(likeness, m.likeness(prompt, sentence))
		}
	}
	if likeness *= askedShare; likeness < minRelated && w.asksTheSame(prompt, u.question) {
		return minRelated
	}
	return likeness
}

func (m *Model) likeness(prompt, text string) float64 {
	if text == "" {
		return 0
	}
	x := m.reader().Lexicon()
	words := x.Compare(prompt, plaintext.ClipWithin(text, 400))[0]
	a, b := x.Meaning(prompt), x.Meaning(text)
	return max(words, a.Likeness(&b)-0.2)
}

func (m *Model) firstNumber(text string) string {
	for _, word := range strings.Fields(text) {
		word = strings.TrimFunc(word, func(r rune) bool { return r != '-' && !unicode.IsDigit(r) })
		if strings.ContainsFunc(word, unicode.IsDigit) {
			return word
		}
	}
	if numbers := m.reader().Lexicon().Numbers(text); len(numbers) > 0 {
		return strconv.FormatFloat(numbers[0], 'f', -1, 64)
	}
	return ""
}

const maxOptionWords = 3 // without the article

// Single quotation marks must not be apostrophes.
var quotation = plaintext.Pattern(`"([^"]+)"|“([^”]+)”|„([^“]+)“|«([^»]+)»|「([^」]+)」|` +
	`(?:^|[^\pL'])'((?:[^']|'\pL)+)'`)

func quotedSpans(text string) []string {
	var out []string
	for _, match := range quotation().FindAllStringSubmatch(text, -1) {
		if span := strings.TrimSpace(strings.Join(match[1:], "")); span != "" {
			out = append(out, span)
		}
	}
	return out
}

func (w *valueWords) promptOptions(prompt string) []string {
	if quoted := quotedSpans(prompt); len(quoted) > 1 {
		return quoted
	}
	for _, mark := range [...]string{"One of", "one of", ":", "("} {
		if index := strings.LastIndex(prompt, mark); index >= 0 {
			if options := w.splitOptions(strings.TrimLeft(prompt[index+len(mark):], ": "), true); len(options) > 0 {
				return options
			}
		}
	}
	for _, sentence := range intent.SplitSentences(prompt) {
		if options := w.splitOptions(sentence, false); len(options) > 0 {
			return options
		}
	}
	return nil
}

func (w *valueWords) splitOptions(list string, marked bool) []string {
	if end := strings.IndexAny(list, ".;)?!"); end >= 0 {
		list = list[:end]
	}
	limit, parts := maxOptionWords, []string{""}
	if !marked && !strings.Contains(list, ",") {
		limit--
	}
	for _, word := range strings.Fields(list) {
		if bare := intent.Fold(word); w.Or.has(bare) {
			marked, parts = true, append(parts, "")
			continue
		}
		last := len(parts) - 1
		parts[last] += " " + strings.Trim(word, "¿,")
		if strings.HasSuffix(word, ",") {
			parts = append(parts, "")
		}
	}
	var options []string
	for _, part := range slices.Backward(parts) {
		words := strings.Fields(part)
		if len(words) > 1 && w.Articles.has(bareFolded(words[0])) {
			words = words[1:]
		}
		if len(words) > limit {
			break
		}
		if len(words) > 0 {
			options = slices.Insert(options, 0, strings.Join(words, " "))
		}
	}
	if !marked || len(options) < 2 {
		return nil
	}
	return options
}

// namedOption returns the last option that a text mentions and does not deny ("not the red one"). A
// yes or no ends the search.
func (w *valueWords) namedOption(options []string, text string) string {
	best := ""
	for _, clause := range splitClauses(strings.ReplaceAll(text, ". ", ", ")) {
		words := intent.Words(clause)
		for i, word := range words {
			denied := slices.ContainsFunc(words[max(0, i-3):i], func(before string) bool { return w.Denying.has(before) })
			option := w.optionOf(word, options)
			if denied || option == "" {
				continue
			}
			if best = option; w.Yes.has(word) || w.No.has(word) {
				return best
			}
		}
	}
	return best
}

func (w *valueWords) optionOf(word string, options []string) string {
	match, count := "", 0
	isMeant := func(other string) bool { return isSameWord(word, other) && !w.Articles.has(other) }
	for _, option := range options {
		switch folded := intent.Fold(option); {
		case folded == word, w.Yes.has(folded) && w.Yes.has(word), w.No.has(folded) && w.No.has(word):
			return option
		case slices.ContainsFunc(intent.Words(option), isMeant):
			match, count = option, count+1
		}
	}
	if count > 1 {
		return ""
	}
	return match
}

func isSameWord(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	ending, found := strings.CutPrefix(a, b)
	return found && (ending == "" || len(b) > 2 && slices.Contains([]string{"s", "es", "e", "en", "er", "em"}, ending))
}
