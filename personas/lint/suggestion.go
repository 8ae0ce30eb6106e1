package lint

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// suggestion says "did you mean" if one of the words is near, else what is given
// for that case. It looks only when it is printed, since many complaints never are.
type suggestion struct {
	word  string
	words func() []string
	none  string
}

func (n suggestion) String() string {
	if found := personas.Nearest(n.word, n.words()); found != "" && found != n.word {
		return fmt.Sprintf("; did you mean %q?", found)
	}
	return n.none
}

// onlyWord gives the word that must be meant: the one near word, or "".
func (n suggestion) onlyWord() string {
	return personas.OnlyNear(n.word, n.words())
}

func newSuggestion(word string, words []string) suggestion {
	return suggestion{word: word, words: func() []string { return words }}
}

// offerSuggestion gives a finding the fix that writes the one near word.
func (f *Finding) offerSuggestion(kind FixKind, path string, n suggestion) {
	if f == nil {
		return
	}
	if word := n.onlyWord(); word != "" {
		f.Fix = &Fix{Kind: kind, Path: path, Value: word}
	}
}

// offerValue gives a finding the fix that writes a new value, if there is one.
func (f *Finding) offerValue(path string, value func() string) {
	if f == nil {
		return
	}
	if v := value(); v != "" {
		f.Fix = &Fix{Kind: SetValue, Path: path, Value: v}
	}
}

// markPiece says that a finding is about the bytes of a text from one to another.
func (f *Finding) markPiece(from, to int) *Finding {
	if f != nil {
		f.From, f.To = from, to
	}
	return f
}
