package llm

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/offline"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxExtract = 200 // characters of an extracted value
	// related is the least likeness to the prompt at which a sentence is taken, and
	// askedShare what the likeness of the question counts to which it was said.
	related, askedShare = 0.25, 0.9
	// ownShare is what a sentence's own likeness counts besides, which tells those apart that
	// were said to one question.
	ownShare = 0.1
)

// utterance is what a player said, what the character had said before, how it was judged, "" where
// nobody knows, and what the state was about.
type utterance struct{ said, asked, judged, about string }

// isAttempt tells what was about the matter from small talk.
func (u *utterance) isAttempt() bool { return u.judged != personas.AsideName }

// Extract reads output variables without understanding them, by rules that an
// author can foresee. For each variable, the first that applies:
//
//  1. the prompt names its answers in quotation marks, two or more, after "one
//     of", or as a list ("red, blue or green"): the answer that the player said
//     last in an attempt;
//  2. it asks for the player's name: what follows "my name is", "call me", "I
//     am" (before a capital letter) and their like;
//  3. otherwise the player's sentence that comes nearest to the prompt, or was
//     said to a question that does: of it the number when the prompt asks for
//     one, a capitalised name when it asks for one, a quoted span when there is
//     one, else all of it. Sentences with which the player passed go before those
//     of other attempts. Where none comes near, of a question, of small talk and
//     of what was judged as an aside, nothing.
//
// Values have at most 200 characters.
func (o *Offline) Extract(ctx context.Context, input Input, conversation []Message) (Extraction, error) {
	out := make(map[string]string)
	said := playerUtterances(input, conversation)
	if len(said) == 0 || input.Machine == nil {
		return Extraction{}, ctx.Err()
	}
	for i := range input.Machine.OutputVariables {
		if err := ctx.Err(); err != nil {
			return Extraction{}, err
		}
		v := &input.Machine.OutputVariables[i]
		if value := plaintext.ClipWithin(o.readVariable(v, said, languageOf(input)), maxExtract); value != "" {
			out[v.Key] = value
		}
	}
	return Extraction{Values: out}, nil
}

func playerUtterances(input Input, conversation []Message) []utterance {
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

// aboutState is what a machine's state asks for, in the author's words; "" for none of its states.
func aboutState(m *personas.Machine, key string) string {
	if i := slices.IndexFunc(m.States, func(s personas.State) bool { return s.Key == key }); i >= 0 && key != "" {
		s := &m.States[i]
		return s.Title() + ". " + s.Criteria.Pass
	}
	return ""
}

func (o *Offline) readVariable(v *personas.OutputVariable, said []utterance, language string) string {
	attempts := slices.DeleteFunc(slices.Clone(said), func(u utterance) bool { return !u.isAttempt() })
	if value := lastOption(promptOptions(v.ExtractionPrompt), attempts); value != "" {
		return value
	}
	prompt := nlu.Fold(v.ExtractionPrompt)
	if asksOwnName(prompt) {
		if name := o.ownName(said); name != "" {
			return name
		}
	}
	passes := slices.DeleteFunc(slices.Clone(attempts), func(u utterance) bool { return u.judged != string(personas.DecidePass) })
	for _, of := range [][]utterance{passes, attempts} {
		of = slices.DeleteFunc(o.splitUtterances(of), func(u utterance) bool {
			return asksNumber(prompt) && firstNumber(u.said) == "" || o.isIdle(u.said, language)
		})
		if u, ok := o.nearestUtterance(v.ExtractionPrompt, of); ok {
			return o.cutPart(prompt, u.said)
		}
	}
	return ""
}

// cutPart returns the piece of an utterance that a prompt asks for.
func (o *Offline) cutPart(prompt, said string) string {
	if asksNumber(prompt) {
		if n := firstNumber(said); n != "" {
			return n
		}
	}
	if q := quotedSpans(said); len(q) > 0 {
		return q[0]
	}
	if strings.Contains(prompt, "name") {
		if n := o.properName(said); n != "" {
			return n
		}
	}
	return said
}

// splitUtterances are the sentences of what was said, each by itself.
func (o *Offline) splitUtterances(said []utterance) []utterance {
	var out []utterance
	for _, u := range said {
		for _, sentence := range splitSentences(u.said) {
			out = append(out, utterance{sentence, u.asked, u.judged, u.about})
		}
	}
	return out
}

// nearestUtterance returns the sentence that answers a prompt: said to a question
// that is like it, or like it itself; of those to one question the one that is most
// like it, the last of equals. found is false where nothing comes near.
func (o *Offline) nearestUtterance(prompt string, sentences []utterance) (best utterance, found bool) {
	question := strings.Join(offline.SplitClauses(prompt), " ")
	top := related
	for _, u := range sentences {
		own := o.likeness(question, u.said)
		near := max(own, askedShare*o.askedLikeness(question, u.asked), askedShare*o.likeness(question, u.about))
		if near < related {
			continue
		}
		if score := nlu.RoundScore(near + ownShare*own); score >= top {
			best, top, found = u, score, true
		}
	}
	return best, found
}

// askedLikeness of a prompt and what the character said before: all of it, or a question in it.
func (o *Offline) askedLikeness(prompt, asked string) float64 {
	best := o.likeness(prompt, asked)
	for _, sentence := range splitSentences(asked) {
		if strings.HasSuffix(sentence, "?") {
			best = max(best, o.likeness(prompt, sentence))
		}
	}
	return best
}

// likeness of a prompt and a text, by their words and by what these are about.
func (o *Offline) likeness(prompt, text string) float64 {
	if text == "" {
		return 0
	}
	x := o.reader().Lexicon()
	words := x.NewIndex(x.ReadAll(plaintext.ClipWithin(text, 400)), []int{0}).ScoreAll(prompt)[0]
	a, b := x.Meaning(prompt), x.Meaning(text)
	return max(words, a.Likeness(&b)-0.2)
}

// isIdle reports whether a sentence is empty, a greeting, thanks, a question or small talk, and
// so answers nothing.
func (o *Offline) isIdle(sentence, language string) bool {
	if strings.HasSuffix(sentence, "?") || offline.IsCourtesy(sentence) || len(strings.Fields(sentence)) == 0 {
		return true
	}
	switch talk := o.reader().Lexicon().SmallTalk(strings.TrimRight(sentence, ".!"), language); talk {
	case nlu.NoTalk, nlu.AboutPlayer, nlu.BadNews, nlu.GoodNews, nlu.Complaint, nlu.Apology, nlu.Gesture, nlu.Disagreement, nlu.Invitation:
		return false // It may be just what is asked for.
	default:
		return true
	}
}

// splitSentences cuts a text behind its stops; the last one has none of its own.
func splitSentences(text string) []string {
	var out []string
	for len(text) > 0 {
		end := strings.IndexAny(text, ".!?\n")
		for end >= 0 && end+1 < len(text) && text[end+1] != ' ' && text[end] != '\n' {
			next := strings.IndexAny(text[end+1:], ".!?\n")
			if next < 0 {
				end = -1
				break
			}
			end += 1 + next
		}
		if end < 0 {
			end = len(text) - 1
		}
		if s := strings.TrimSpace(text[:end+1]); s != "" {
			out = append(out, s)
		}
		text = text[end+1:]
	}
	return out
}

// promptOptions returns the answers that a prompt names.
func promptOptions(prompt string) []string {
	if q := quotedSpans(prompt); len(q) > 1 {
		return q
	}
	at := strings.Index(asciiLower(prompt), "one of")
	if at < 0 {
		return listedOptions(prompt)
	}
	list, _, _ := strings.Cut(strings.TrimLeft(prompt[at+len("one of"):], ": "), ".")
	return splitOptions(list)
}

// optionList is a list of answers in plain words, as "red, blue or green", and two of them
// behind a colon or in brackets, as "(yes or no)".
var optionList = regexp.MustCompile(`(?:[\pL'’-]+ ?){1,3}(?:, (?:[\pL'’-]+ ?){1,3})+,? or (?:[\pL'’-]+ ?){1,3}(?:[.;)]|$)|[:(] *((?:[\pL'’-]+ ?){1,3} or (?:[\pL'’-]+ ?){1,3})(?:[.;)]|$)`)

// listedOptions returns the answers of which a prompt has a list; those behind a colon, if it
// has one before them.
func listedOptions(prompt string) []string {
	list := optionList.FindString(prompt)
	if i := strings.LastIndex(prompt, ": "); i >= 0 && optionList.MatchString(prompt[i+1:]) {
		list = optionList.FindString(prompt[i+1:])
	}
	return splitOptions(strings.Trim(list, ":(.;) "))
}

// splitOptions splits a list of answers; an article before one is not part of it.
func splitOptions(list string) []string {
	var out []string
	for o := range strings.SplitSeq(strings.ReplaceAll(list, " or ", ","), ",") {
		if o = trimArticle(strings.TrimSpace(o)); o != "" {
			out = append(out, o)
		}
	}
	return out
}

func trimArticle(option string) string {
	for _, article := range [...]string{"a ", "an ", "the "} {
		if rest, ok := strings.CutPrefix(asciiLower(option), article); ok {
			return option[len(option)-len(rest):]
		}
	}
	return option
}

// asciiLower keeps every place of a text where it is.
func asciiLower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func lastOption(options []string, said []utterance) string {
	for i := len(said) - 1; i >= 0; i-- {
		text := spaceWords(said[i].said)
		best, at := "", -1
		for _, o := range options {
			if found := strings.LastIndex(text, spaceWords(o)); found > at {
				best, at = o, found
			}
		}
		if at >= 0 {
			return best
		}
	}
	return ""
}

// spaceWords returns a text's words with a blank around each.
func spaceWords(text string) string {
	var b strings.Builder
	for _, word := range nlu.Words(text) {
		b.WriteByte(' ')
		b.WriteString(word)
	}
	return b.String() + " "
}

// quotedSpans returns the spans of a text in double or typographic quotation
// marks, or in single ones that stand outside of words.
func quotedSpans(text string) []string {
	var out []string
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		closing, ok := closingMark(runes[i])
		if !ok || i > 0 && runes[i] == '\'' && unicode.IsLetter(runes[i-1]) {
			continue
		}
		for j := i + 1; j < len(runes); j++ {
			inWord := closing == '\'' && j+1 < len(runes) && unicode.IsLetter(runes[j+1])
			if runes[j] != closing || inWord {
				continue
			}
			if span := strings.TrimSpace(string(runes[i+1 : j])); span != "" {
				out = append(out, span)
			}
			i = j
			break
		}
	}
	return out
}

func closingMark(opening rune) (rune, bool) {
	switch opening {
	case '"', '\'':
		return opening, true
	case '“':
		return '”', true
	case '„':
		return '“', true
	case '«':
		return '»', true
	case '「':
		return '」', true
	}
	return 0, false
}

func asksNumber(prompt string) bool {
	for _, w := range [...]string{"number", "how many", "how much", "amount", "price", "how old", " age ", "what year"} {
		if strings.Contains(" "+prompt+" ", w) {
			return true
		}
	}
	return false
}

// firstNumber returns the first number of a text, with its sign, point and
// separators.
func firstNumber(text string) string {
	start := strings.IndexFunc(text, unicode.IsDigit)
	if start < 0 {
		return ""
	}
	end := len(text)
	if n := strings.IndexFunc(text[start:], func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' }); n >= 0 {
		end = start + n
	}
	n := strings.TrimRight(text[start:end], ".,")
	if start > 0 && text[start-1] == '-' && (start == 1 || text[start-2] == ' ') {
		return "-" + n
	}
	return n
}

// properName returns the first run of capitalised words that is not just the
// beginning of a sentence in common words.
func (o *Offline) properName(text string) string {
	var name []string
	for _, w := range strings.Fields(text) {
		bare := strings.Trim(w, `.,;:!?()"'`)
		if isCapitalized(bare) && !o.isCommonStart(bare) {
			name = append(name, bare)
			if bare == strings.TrimRight(w, `.,;:!?)"'`) && bare == w {
				continue
			}
		}
		if len(name) > 0 {
			break
		}
	}
	return strings.Join(name, " ")
}

func (o *Offline) isCommonStart(word string) bool {
	first, _, _ := strings.Cut(nlu.Fold(word), "'")
	return o.reader().Lexicon().IsCommon(first)
}

func isCapitalized(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r)
	}
	return false
}

func asksOwnName(prompt string) bool {
	for _, phrase := range [...]string{"player's name", "player name", "name of the player", "name the player", "their name", "own name", "name they", "called"} {
		if strings.Contains(prompt, phrase) {
			return true
		}
	}
	return false
}

// introductions come before a name; those in the second table also before
// anything else, so that only a capital letter tells a name.
var (
	introductions = [...]string{"my name is", "my name's", "call me", "calls me", "i am called", "i'm called", "the name is", "the name's",
		"name's", "ich heisse", "mein name ist", "me llamo", "mi nombre es", "je m'appelle", "mon nom est"}
	looseIntroductions = [...]string{"i am", "i'm", "this is", "ich bin", "soy", "je suis"}
)

// ownName returns the name by which the player last introduced himself.
func (o *Offline) ownName(said []utterance) string {
	for i := len(said) - 1; i >= 0; i-- {
		for _, phrase := range introductions {
			if name := o.nameAfter(said[i].said, phrase, false); name != "" {
				return name
			}
		}
	}
	for i := len(said) - 1; i >= 0; i-- {
		for _, phrase := range looseIntroductions {
			if name := o.nameAfter(said[i].said, phrase, true); name != "" {
				return name
			}
		}
	}
	return ""
}

// nameAfter returns the name behind a phrase: one word, and the capitalised words
// that follow it.
func (o *Offline) nameAfter(text, phrase string, capitalOnly bool) string {
	words, want := strings.Fields(text), strings.Fields(phrase)
	for i := 0; i+len(want) < len(words); i++ {
		if !containsWords(words[i:], want) {
			continue
		}
		first := strings.Trim(words[i+len(want)], `.,;:!?()"'“”`)
		if first == "" || capitalOnly && !isCapitalized(first) {
			continue
		}
		if rest := o.properName(strings.Join(words[i+len(want):], " ")); strings.HasPrefix(rest, first) {
			return rest
		}
		return first
	}
	return ""
}

func containsWords(words, want []string) bool {
	for i, w := range want {
		if nlu.Fold(strings.Trim(words[i], `,;:("“`)) != w {
			return false
		}
	}
	return true
}
