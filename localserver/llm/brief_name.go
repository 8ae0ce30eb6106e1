package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxNameWords is how many words of a name are looked at for a shorter one.
	maxNameWords = 6
	// maxNameText is how much of each of the author's texts is read for that, in bytes.
	maxNameText = 4000
)

// briefName is how a narrator calls the character: what stands before a comma of the name
// ("Wyn, the Bell-founder's Apprentice"), and of that the part by which the author calls the
// character most often ("Ottoline", "Mrs. Halloran", "Captain Lachambre"), else all of it.
func briefName(input Input) string {
	name, _, _ := strings.Cut(speakerName(input), ",")
	name = strings.TrimSpace(name)
	words := strings.Fields(name)
	if len(words) < 2 || isFunctionWord(strings.ToLower(words[0])) {
		return name
	}
	texts := authorTexts(input)
	brief, most := name, 0
	for _, part := range nameParts(words) {
		uses := 0
		for _, text := range texts {
			uses += countUses(text[:min(len(text), maxNameText)], part, words)
		}
		if uses > most {
			brief, most = part, uses
		}
	}
	return brief
}

// nameParts are the shorter forms of a name, shortest first: its beginnings, and its first word
// with a later one.
func nameParts(words []string) []string {
	words = words[:min(len(words), maxNameWords)]
	parts := make([]string, 0, 2*len(words))
	for n := 1; n < len(words); n++ {
		parts = append(parts, strings.Join(words[:n], " "))
	}
	for _, later := range words[2:] {
		parts = append(parts, words[0]+" "+later)
	}
	return parts
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

// countUses counts where a text calls somebody by a part of a name alone: it stands behind no
// article and before no other word of the name.
func countUses(text, part string, name []string) int {
	uses := 0
	for {
		before, behind, found := strings.Cut(text, part)
		if !found {
			return uses
		}
		if isFreeBefore(before) && isFreeBehind(behind, name) {
			uses++
		}
		text = behind
	}
}

func isFreeBefore(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	if isWordRune(last) {
		return false
	}
	words := strings.Fields(text[max(0, len(text)-20):])
	return len(words) == 0 || !isDeterminer(strings.ToLower(words[len(words)-1]))
}

// isDeterminer reports whether a word before a name says that it is no name there: "the Captain".
func isDeterminer(word string) bool {
	return slices.Contains(strings.Fields("a an the my your his her our their this that ein eine der die das le la un une el los las uno o os um uma il lo"), word)
}

func isFreeBehind(text string, name []string) bool {
	next, _ := utf8.DecodeRuneInString(text)
	if isWordRune(next) {
		return false
	}
	words := strings.Fields(text[:min(len(text), 200)])
	if len(words) == 0 || !unicode.IsSpace(next) {
		return true
	}
	word, _, _ := strings.Cut(strings.TrimRight(words[0], ".,;:!?'’"), "'")
	return !slices.Contains(name, word)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' }
