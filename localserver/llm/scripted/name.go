package scripted

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

// maxCalled is how many characters of a name are kept that a player says of himself.
const maxCalled = 40

// nameWords are how a language says by which name somebody goes, all folded.
type nameWords struct {
	// Phrases come before a name, and Loose also before anything else, so that only a capital
	// letter shows a name.
	Phrases, Loose []string
	// Denied are words before a phrase that deny it, or say that it is about somebody else.
	Denied wordList
	// Never are words that are no names.
	Never wordList
}

// wordList is a set of words, written in one text with blanks between them.
type wordList map[string]bool

// UnmarshalText reads words with blanks between them.
func (l *wordList) UnmarshalText(text []byte) error {
	*l = make(wordList)
	for _, word := range strings.Fields(string(text)) {
		(*l)[nlu.Fold(word)] = true
	}
	return nil
}

func (l wordList) has(word string) bool { return l[word] }

// playerName returns what the player is called: as he last introduced himself in this
// conversation, as the summary calls him, or as he is signed in; "" if none is known.
func (s *scene) playerName() string {
	if s.player == nil {
		s.player = new(s.findPlayerName())
	}
	return *s.player
}

func (s *scene) findPlayerName() string {
	if name := s.introducedName(s.Message); name != "" {
		return name
	}
	for _, m := range slices.Backward(s.Recent) {
		if m.Role != "user" {
			continue
		}
		if name := s.introducedName(m.Text); name != "" {
			return name
		}
	}
	if name := s.summaryName(); name != "" {
		return name
	}
	return s.Player.Name
}

// summaryName returns what a summary of this model calls the player; "" if the summary is of
// another model or has no name.
func (s *scene) summaryName() string {
	head, _, _ := strings.Cut(s.Summary, "\n")
	name, _, found := strings.Cut(head, headVerb+plaintext.ClipWithin(s.personaName(), maxItem))
	if !found || !strings.HasSuffix(head, headEnd) || name == nobody || utf8.RuneCountInString(name) > maxCalled {
		return ""
	}
	return name
}

// introducedName returns the name by which a message introduces the player; "" if there is none.
func (s *scene) introducedName(message string) string {
	words, _, _ := CutDirectorMark(message)
	fields, folded := foldFields(plaintext.ClipWithin(words, 400))
	known := &s.texts.Names
	for _, loose := range [...]bool{false, true} {
		phrases := known.Phrases
		if loose {
			phrases = known.Loose
		}
		for i := range fields {
			n := matchPhrase(folded[i:], phrases)
			if n == 0 || i+n == len(fields) || i > 0 && known.Denied.has(folded[i-1]) {
				continue
			}
			if name := known.nameFrom(fields[i+n:], loose); name != "" {
				return name
			}
		}
	}
	return ""
}

// nameFrom returns the name with which words begin: one word, and up to two capitalised ones
// behind it. Behind a loose introduction the first is capitalised too.
func (w *nameWords) nameFrom(words []string, loose bool) string {
	var name []string
	for i, word := range words[:min(len(words), 3)] {
		bare := strings.Trim(word, wordMarks+"'’-_")
		if !w.isName(bare) || !isCapitalized(bare) && (loose || i > 0) {
			break
		}
		name = append(name, capitalize(bare))
		if strings.ContainsAny(word[len(word)-1:], ".,;:!?") {
			break
		}
	}
	return plaintext.ClipWithin(strings.Join(name, " "), maxCalled)
}

// isName reports whether a word may be a name: letters, and within them a hyphen or an
// apostrophe that is no genitive's.
func (w *nameWords) isName(word string) bool {
	folded := nlu.Fold(word)
	if utf8.RuneCountInString(word) < 2 || strings.HasSuffix(folded, "'s") || w.Never.has(folded) {
		return false
	}
	return strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("-'’", r)
	}) < 0
}

func bareName(word string) string { return strings.Trim(word, wordMarks+"'’-_") }

func endsClause(word string) bool { return strings.ContainsAny(word[len(word)-1:], ".,;:!?") }

func capitalize(word string) string {
	r, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[size:]
}

func (s *scene) personaName() string {
	if s.Persona != nil && s.Persona.Name != "" {
		return s.Persona.Name
	}
	return s.texts.Somebody
}

// shortName returns how the narrator calls the character: the persona's name up to a comma
// ("Wyn, the Bell-founder's Apprentice"), or its first word where the author calls the
// character so ("Odile Marsh", "Answer as Odile").
func (s *scene) shortName() string {
	name, _, _ := strings.Cut(s.personaName(), ",")
	name = strings.TrimSpace(name)
	first, rest, several := strings.Cut(name, " ")
	if !several || s.Persona == nil || s.texts.Names.Never.has(nlu.Fold(first)) {
		return name
	}
	words := strings.Fields(s.Persona.IdentityPrompt)
	for i, word := range words {
		if bareWord(word) != first || i > 0 && s.texts.Questions.Articles.has(strings.ToLower(words[i-1])) {
			continue
		}
		if i+1 == len(words) || strings.ContainsAny(word[len(word)-1:], ".,;:!?") || !strings.Contains(rest+" ", bareWord(words[i+1])+" ") {
			return first
		}
	}
	return name
}

// bareWord returns a word without marks and the ending of a genitive: "Hobb" of "Hobb's,".
func bareWord(word string) string {
	word, _, _ = strings.Cut(strings.Trim(word, wordMarks), "'s")
	word, _, _ = strings.Cut(word, "’s")
	return word
}
