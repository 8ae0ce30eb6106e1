package scripted

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/offline"
)

// questionWords are how questions begin in a language, all folded.
type questionWords struct {
	// About begin questions about a thing or a person, which are named behind them.
	About []string
	// Openings begin other questions.
	Openings []string
	// Before are words that may come before both.
	Before wordList
	// Articles may come before what is asked about.
	Articles wordList
}

const (
	maxAbout      = 3  // words that name what is asked about
	maxAboutWords = 10 // words of a question about it
)

// isQuestion reports whether a message asks something: one of its sentences ends with a
// question mark, or the last one begins as questions do.
func (t *texts) isQuestion(message string) bool {
	_, words := foldFields(lastSentence(message))
	words = skipWords(words, t.Questions.Before)
	return strings.ContainsAny(message, "?？") || matchPhrase(words, t.Questions.About) > 0 || matchPhrase(words, t.Questions.Openings) > 0
}

func lastSentence(text string) string {
	sentences := splitSentences(text)
	if len(sentences) == 0 {
		return ""
	}
	return sentences[len(sentences)-1]
}

// askedAbout returns what a question is about, as it was written: "lamp-boy" of "Who is the
// lamp-boy?"; "" for any other message.
func (t *texts) askedAbout(message string) string {
	sentence := lastSentence(message)
	fields, words := foldFields(sentence)
	words = skipWords(words, t.Questions.Before)
	opening := matchPhrase(words, t.Questions.About)
	if opening == 0 && !strings.HasSuffix(sentence, "?") || len(fields) > maxAboutWords {
		return ""
	}
	words = skipWords(words[opening:], t.Questions.Articles)
	if len(words) == 0 || len(words) > maxAbout || slices.ContainsFunc(words, t.Names.Never.has) {
		return ""
	}
	return strings.Trim(strings.Join(fields[len(fields)-len(words):], " "), wordMarks)
}

// wordMarks may stand around a word.
const wordMarks = " .,;:!?¿¡()[]*\"“”„«»"

// foldFields returns the words of a text as they are written, and each folded and without marks.
func foldFields(text string) (fields, folded []string) {
	fields = strings.Fields(text)
	folded = make([]string, len(fields))
	for i, field := range fields {
		folded[i] = strings.Trim(nlu.Fold(field), wordMarks)
	}
	return fields, folded
}

// matchPhrase returns how many words the longest phrase has with which words begin; 0 if none.
func matchPhrase(words, phrases []string) int {
	longest := 0
	for _, phrase := range phrases {
		if n := 1 + strings.Count(phrase, " "); n > longest && n <= len(words) && strings.Join(words[:n], " ") == phrase {
			longest = n
		}
	}
	return longest
}

func skipWords(words []string, skipped wordList) []string {
	for len(words) > 1 && skipped.has(words[0]) {
		words = words[1:]
	}
	return words
}

// tellAbout answers a question about something that the character has spoken of with what the
// author writes of it: a line of an answer, else a sentence of a description. Its Text is empty
// if there is nothing that has not been said.
func (s *scene) tellAbout(message string) llm.GeneratedText {
	about := s.texts.askedAbout(message)
	said := replies(s.Recent)
	if about == "" || !hasTerm(said, about) {
		return llm.GeneratedText{}
	}
	for _, text := range s.listTextsAbout(about) {
		if !strings.Contains(said, strings.Trim(text, "()")) {
			return llm.GeneratedText{Text: text, Why: fmt.Sprintf("offline: what the author writes of %q", about)}
		}
	}
	return llm.GeneratedText{}
}

// listTextsAbout returns the author's lines and sentences about a thing or a person: answers to
// who or what it is, lines that begin with it, sentences of descriptions, lines that name it.
func (s *scene) listTextsAbout(about string) []string {
	var answers, first, described, passing []string
	at := placeOfInput(s.Input)
	for _, a := range offline.ListAnswers(&at) {
		isAsked := slices.ContainsFunc(a.Ask, func(ask string) bool { return joinWords(s.texts.askedAbout(ask)) == joinWords(about) })
		for _, say := range a.Say {
			text, fits := personas.Expand(say, s.findValue)
			words := strings.Fields(text)
			switch {
			case !fits || strings.Contains(text, "{{") || a.Intent != "":
			case isAsked:
				answers = append(answers, text)
			case hasTerm(strings.Join(words[:min(len(words), maxAbout)], " "), about):
				first = append(first, text)
			case hasTerm(text, about):
				passing = append(passing, text)
			}
		}
	}
	for _, text := range [...]string{s.Persona.Description, s.Machine.Description} {
		for _, sentence := range splitSentences(text) {
			if hasTerm(sentence, about) {
				described = append(described, "("+sentence+")")
			}
		}
	}
	return slices.Concat(answers, first, described, passing)
}

// hasTerm reports whether a text has the words of a term next to each other, as "lamp-boys"
// has "lamp boy". A term of one word has three letters or more.
func hasTerm(text, term string) bool {
	words := joinWords(term)
	return utf8.RuneCountInString(words) > 4 && strings.Contains(joinWords(text), words)
}

// joinWords returns the folded words of a text in the singular, with a blank around each.
func joinWords(text string) string {
	words := strings.FieldsFunc(nlu.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	for i := range words {
		words[i] = strings.TrimSuffix(words[i], "s")
	}
	return " " + strings.Join(words, " ") + " "
}

// openIntent returns which of the author's general answers fits small talk that no other
// answer fits: that to any question, that to any remark, or "" for neither.
func (s *scene) openIntent(message string, talk nlu.Talk) personas.Intent {
	switch {
	case talk.IsQuestion(), talk == nlu.AskWhy:
		return personas.IntentQuestion
	case !mayBeAttempt[talk]:
		return ""
	case s.texts.isQuestion(message):
		return personas.IntentQuestion
	case talk == nlu.NoTalk, talk == nlu.Nonsense:
		return ""
	}
	return personas.IntentRemark
}

// mayBeAttempt are kinds of small talk that may have been meant for the matter: who tells
// something may offer it as a reason.
var mayBeAttempt = map[nlu.Talk]bool{
	nlu.NoTalk: true, nlu.Nonsense: true, nlu.AboutPlayer: true, nlu.Remark: true, nlu.Wonder: true, nlu.Weather: true,
	nlu.Weariness: true, nlu.BadNews: true, nlu.GoodNews: true,
}
