package nlu

import (
	"strings"
	"sync"
)

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
// of its own words, and some (docs/decisions/nlu.md, likeness-kept).
const (
	likenessPerWord = 4
	likenessLeast   = 1024
	likenessOwn     = 8 // what a word counts beside those that it is like
)

// likenessMemory remembers how alike the words that players use are to those of an index:
// most messages are made of the same words. It is safe for concurrent use.
type likenessMemory struct {
	lock sync.RWMutex
	kept map[likenessKey]*vocabularyLikeness
	size int
}

func (m *likenessMemory) findLikeness(key likenessKey) *vocabularyLikeness {
	m.lock.RLock()
	defer m.lock.RUnlock()
	return m.kept[key]
}

// keepLikeness remembers the likeness of a word; past the bound all others are forgotten.
func (m *likenessMemory) keepLikeness(key likenessKey, l *vocabularyLikeness, bound int) {
	size := len(l.words) + likenessOwn
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.kept == nil || m.size+size > bound {
		m.kept, m.size = make(map[likenessKey]*vocabularyLikeness), 0
	}
	// The word may be a small part of a long message.
	key.word = strings.Clone(key.word)
	if m.kept[key] == nil {
		m.kept[key] = l
		m.size += size
	}
}

// likenessOf returns how alike a term of substance is to the words of the examples.
func (ix *Index) likenessOf(t *term) *vocabularyLikeness {
	key := likenessKey{t.word, t.kin, t.vector}
	if l := ix.memory.findLikeness(key); l != nil {
		return l
	}
	l := ix.measureLikeness(t)
	ix.memory.keepLikeness(key, l, likenessPerWord*len(ix.vocab)+likenessLeast)
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

// addWord notes how alike the term and a word are; 0 is not noted.
func (l *vocabularyLikeness) addWord(word int, like float32) {
	if like != 0 {
		l.words = append(l.words, wordLikeness{int32(word), like}) //nolint:gosec // of a vocabulary
	}
}
