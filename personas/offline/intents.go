package offline

import (
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// smallTalk is what has nothing to do with the matter; nobody answers it.
const smallTalk personas.Intent = "small_talk"

// banks are, by language, what people say when they mean a built-in intent.
var banks = map[string]map[personas.Intent]string{
	"en": englishIntents, "de": germanIntents, "fr": frenchIntents, "es": spanishIntents, "pt": portugueseIntents, "it": italianIntents,
}

// bank are the lines of all intents in a language.
type bank struct {
	lines    []string
	intents  []personas.Intent // of each line
	index    *nlu.Index
	profiles []profile
}

// intentMatch is the nearest line of a bank.
type intentMatch struct {
	intent  personas.Intent
	line    string
	score   float64
	meaning float64 // the greatest cosine with any line
}

func (r *Reader) newBank(texts map[personas.Intent]string) *bank {
	b := &bank{}
	var kinds []int
	for k, intent := range append(intentNames(), smallTalk) {
		for line := range strings.Lines(texts[intent]) {
			line = strings.TrimSpace(line)
			b.lines, b.intents, kinds = append(b.lines, line), append(b.intents, intent), append(kinds, k)
			b.profiles = append(b.profiles, r.profileText(line))
		}
	}
	b.index = r.lexicon.NewIndex(b.lines, kinds)
	return b
}

func intentNames() []personas.Intent {
	names := make([]personas.Intent, len(personas.Intents))
	for i := range personas.Intents {
		names[i] = personas.Intents[i].Name
	}
	return names
}

// bankOf returns the bank of a language, the English one for a language without.
func (r *Reader) bankOf(language string) *bank {
	lines, ok := banks[language]
	if !ok {
		language, lines = "en", englishIntents
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.intents[language] == nil {
		r.intents[language] = r.newBank(lines)
	}
	return r.intents[language]
}

func (b *bank) match(found *nlu.Result, said []nlu.Meaning, without string) intentMatch {
	var best intentMatch
	for i, score := range found.Scores {
		if b.lines[i] == without {
			continue
		}
		if score > best.score {
			best.intent, best.line, best.score = b.intents[i], b.lines[i], score
		}
		for k := range said {
			best.meaning = max(best.meaning, said[k].Likeness(&b.profiles[i].meaning))
		}
	}
	return best
}

func primaryLanguage(tag string) string {
	language, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return language
}
