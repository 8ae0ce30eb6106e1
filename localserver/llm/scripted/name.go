package scripted

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/plaintext"
)

const maxCalled = 40

type nameWords struct {
	// Phrases precede names. Loose phrases also precede other words, so the name must be
	// capitalised.
	Phrases, Loose phraseList
	// Denied words before a phrase negate the phrase or name another person.
	Denied phraseList
	Never  phraseList
}

func (s *scene) playerName() string {
	if s.player != nil {
		return *s.player
	}
	name := s.introducedName(s.Message)
	for _, m := range slices.Backward(s.Recent) {
		if name == "" && m.Role == "user" {
			name = s.introducedName(m.Text)
		}
	}
	s.player = new(cmp.Or(name, s.summaryName(), s.Player.Name))
	return *s.player
}

func (s *scene) summaryName() string {
	head, _, _ := strings.Cut(s.Summary, "\n")
	name, _, found := strings.Cut(head, headVerb+plaintext.ClipWithin(s.personaName(), maxItem))
	if !found || !strings.HasSuffix(head, headEnd) || name == nobody || utf8.RuneCountInString(name) > maxCalled {
		return ""
	}
	return name
}

func (s *scene) introducedName(message string) string {
	words, _, _ := cutDirectorMark(message)
	fields := strings.Fields(plaintext.ClipWithin(words, 400))
	folded := make([]string, len(fields))
	for i, field := range fields {
		folded[i] = strings.Trim(intent.Fold(field), wordMarks)
	}
	names := &s.texts.Names
	for list, phrases := range [...]phraseList{names.Phrases, names.Loose} {
		loose := list == 1
		for i := range fields {
			n := matchPhrase(folded[i:], phrases)
			if n == 0 || i+n == len(fields) || i > 0 && names.Denied.has(folded[i-1]) {
				continue
			}
			if name := names.nameFrom(fields[i+n:], loose); name != "" {
				return name
			}
		}
	}
	return ""
}

func (w *nameWords) nameFrom(words []string, loose bool) string {
	var name []string
	for i, word := range words[:min(len(words), 3)] {
		bare := strings.Trim(word, wordMarks+"'’-_")
		first, size := utf8.DecodeRuneInString(bare)
		if !w.isName(bare) || !unicode.IsUpper(first) && (loose || i > 0) {
			break
		}
		name = append(name, string(unicode.ToUpper(first))+bare[size:])
		if endsClause(word) {
			break
		}
	}
	return plaintext.ClipWithin(strings.Join(name, " "), maxCalled)
}

func (w *nameWords) isName(word string) bool {
	folded := intent.Fold(word)
	if utf8.RuneCountInString(word) < 2 || strings.HasSuffix(folded, "'s") || w.Never.has(folded) {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’", r)
	}) < 0
}

func endsClause(word string) bool { return strings.ContainsAny(word[len(word)-1:], ".,;:!?") }

func (s *scene) personaName() string {
	if s.Persona != nil && s.Persona.Name != "" {
		return s.Persona.Name
	}
	return s.texts.Somebody
}

// shortName returns "Wyn" for "Wyn, the Bell-founder's Apprentice".
func (s *scene) shortName() string {
	name, _, _ := strings.Cut(s.personaName(), ",")
	return strings.TrimSpace(name)
}

const wordMarks = " .,;:!?¿¡()[]*\"“”„«»"

func matchPhrase(words, phrases []string) int {
	longest := 0
	for _, phrase := range phrases {
		if n := 1 + strings.Count(phrase, " "); n > longest && n <= len(words) && strings.Join(words[:n], " ") == phrase {
			longest = n
		}
	}
	return longest
}
