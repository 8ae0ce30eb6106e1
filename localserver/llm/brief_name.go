package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// briefName is how a narrator calls the character: by the first word of the name where the author
// calls it so too ("Answer as Ottoline"), else by the whole name.
func briefName(input Input) string {
	name := speakerName(input)
	first, rest, several := strings.Cut(name, " ")
	if !several || isFunctionWord(strings.ToLower(first)) {
		return name
	}
	for _, text := range authorTexts(input) {
		if hasNameAlone(text, first, rest) {
			return first
		}
	}
	return name
}

// authorTexts are the short texts in which an author speaks of the character.
func authorTexts(input Input) []string {
	var texts []string
	if p := input.Persona; p != nil {
		texts = append(texts, p.IdentityPrompt, p.Description)
	}
	if m := input.Machine; m != nil {
		texts = append(texts, m.ChatPrompt, m.Description, m.PlayerGoal, m.Objective, m.WinCondition, m.LoseCondition)
	}
	if s := input.State; s != nil {
		texts = append(texts, s.PromptInstruction, s.Criteria.Pass, s.Criteria.Redirect, s.Criteria.Reject, s.Criteria.KickOut)
	}
	return texts
}

// hasNameAlone tells whether a text has the first word of a name as a word, without the rest of it.
func hasNameAlone(text, first, rest string) bool {
	for at := strings.Index(text, first); at >= 0; {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		behind := text[at+len(first):]
		after, _ := utf8.DecodeRuneInString(behind)
		if !isWordRune(before) && !isWordRune(after) && !strings.HasPrefix(strings.TrimLeft(behind, " \n"), rest) {
			return true
		}
		next := strings.Index(behind, first)
		if next < 0 {
			return false
		}
		at += len(first) + next
	}
	return false
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' }
