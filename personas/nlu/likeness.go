package nlu

import "strings"

// vocabularyLikeness is how alike a word is to the words of an index: only those that it is
// like at all, in their order, but the word itself first.
type vocabularyLikeness struct {
	words []wordLikeness
	share float64 // of its weight that the word keeps, see measureLikeness
}

type wordLikeness struct {
	word int32 // of the vocabulary
	like float32
}

// likenessKey is what the likeness of a term depends on.
type likenessKey struct {
	word   string
	kin    uint16
	vector int32
}

// Bounds of what an index remembers of the likeness of messages' words: as much as so many
// of its own words, and some. It changes no score.
const (
	likenessPerWord = 4
	likenessLeast   = 8192
	likenessOwn     = 8 // what a word counts beside those that it is like
)

// addWord notes how alike the term and a word are; 0 is not noted.
func (l *vocabularyLikeness) addWord(word int, like float32) {
	if like != 0 {
		l.words = append(l.words, wordLikeness{int32(word), like}) //nolint:gosec // of a vocabulary
	}
}

// isNear reports whether two stems begin alike or differ by one letter.
func isNear(a, b string) bool {
	if len(a) < 4 || len(b) < 4 || a[0] != b[0] {
		return false
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	if same >= 4 && 8*same >= 3*(len(a)+len(b)) {
		return true
	}
	return len(a) >= 5 && len(b) >= 5 && differByOne(a[same:], b[same:])
}

// differByOne reports whether two rests become equal with one letter added, left
// out or changed, or two neighbours swapped.
func differByOne(a, b string) bool {
	switch {
	case a == "" || b == "":
		return len(a)+len(b) <= 1
	case a[1:] == b[1:], a[1:] == b, a == b[1:]:
		return true
	}
	return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

// likenessOf returns how alike a term of substance is to the words of the examples.
func (ix *Index) likenessOf(t *term) *vocabularyLikeness {
	key := likenessKey{t.word, t.kin, t.vector}
	if l, ok := ix.known.Find(key); ok {
		return l
	}
	l := ix.measureLikeness(t)
	// The word may be a small part of a long message.
	key.word = strings.Clone(key.word)
	ix.known.Keep(key, l, len(l.words)+likenessOwn)
	return l
}

// measureLikeness compares a term with every word of the examples. Of its weight it keeps
// the share of the word itself, else the greatest of the words that it is like, else that
// of a strange word.
func (ix *Index) measureLikeness(t *term) *vocabularyLikeness {
	exact, known := ix.byWord[t.word]
	l := &vocabularyLikeness{share: strangeShare}
	if known {
		l.addWord(exact, 1)
	}
	for v := range ix.vocab {
		e := &ix.vocab[v]
		switch {
		case known && v == exact:
			continue
		case t.kin != 0 && t.kin == e.kin:
			l.addWord(v, kinWeight)
		case !known && isNear(t.word, e.word):
			l.addWord(v, nearWeight)
		case t.vector != 0 && e.vector != 0:
			cosine := ix.lex.vectors.similarity(t.vector, e.vector)
			if cosine < relatedFloor || ix.lex.vectors.areOpposites(t.vector, e.vector) {
				continue
			}
			like := float32(relatedWeight * (cosine - relatedFloor) / (1 - relatedFloor))
			l.addWord(v, like)
			l.share = max(l.share, float64(like)*e.idf)
			continue
		default:
			continue
		}
		l.share = max(l.share, e.idf)
	}
	if known {
		l.share = ix.vocab[exact].idf
	}
	return l
}
