package lint

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// near says "did you mean" if one of the words is near, else what is given
// for that case. It looks only when it is printed, since a report may not be.
type near struct {
	word  string
	words func() []string
	none  string
}

func (n near) String() string {
	if found := personas.Nearest(n.word, n.words()); found != "" && found != n.word {
		return fmt.Sprintf("; did you mean %q?", found)
	}
	return n.none
}

// only is the word that must be meant: the one near word, or "".
func (n near) only() string {
	return personas.OnlyNear(n.word, n.words())
}

func suggest(word string, words []string) near {
	return near{word: word, words: func() []string { return words }}
}

// suggest gives a finding the fix that writes the one near word.
func (f *Finding) suggest(kind FixKind, path string, n near) {
	if f == nil {
		return
	}
	if word := n.only(); word != "" {
		f.Fix = &Fix{Kind: kind, Path: path, Value: word}
	}
}

// mend gives a finding the fix that writes a new value, if there is one.
func (f *Finding) mend(path string, value func() string) {
	if f == nil {
		return
	}
	if v := value(); v != "" {
		f.Fix = &Fix{Kind: SetValue, Path: path, Value: v}
	}
}
