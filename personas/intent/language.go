package intent

import (
	"strings"
	"unicode"
)

var codes = map[string]language{"en": english, "de": german, "es": spanish, "fr": french, "pt": portuguese, "it": italian}

var scripts = []struct {
	code  string
	table *unicode.RangeTable
}{
	{"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"ko", unicode.Hangul}, {"zh", unicode.Han}, {"ru", unicode.Cyrillic},
	{"ar", unicode.Arabic}, {"hi", unicode.Devanagari}, {"bn", unicode.Bengali}, {"th", unicode.Thai}, {"el", unicode.Greek}, {"he", unicode.Hebrew},
}

// detectLanguage returns the BCP 47 code of a message's language. It returns "" if the language is
// expected or uncertain.
func (x *Lexicon) detectLanguage(message, expected string) string {
	if code := scriptLanguage(message); code != "" {
		if code == expected {
			return ""
		}
		return code
	}
	return x.latinLanguage(distinctWords(message), expected)
}

// distinctWords returns the words of a text. It does not replace chat spelling, because the
// replacements are English words and would hide another language.
func distinctWords(text string) map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(Fold(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if words[w] = true; len(words) == maxTokens {
			break
		}
	}
	return words
}

func scriptLanguage(message string) string {
	counts, latin := make(map[string]int), 0
	for _, r := range message {
		if unicode.Is(unicode.Latin, r) {
			latin++
			continue
		}
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				counts[s.code]++
			}
		}
	}
	if counts["ja"] > 0 { // Japanese texts contain Han characters too
		counts["ja"] += counts["zh"]
	}
	best := ""
	for _, s := range scripts {
		if counts[s.code] > counts[best] {
			best = s.code
		}
	}
	if counts[best] < latin {
		return ""
	}
	return best
}

// latinLanguage returns the language with the most common words in a message. It requires two
// common words, more than of the expected language, and at least as many as English words.
func (x *Lexicon) latinLanguage(words map[string]bool, expected string) string {
	known, english := 0, 0
	if expected == "en" {
		for w := range lists().Filling { // "um" and "er" are words of other languages
			delete(words, w)
		}
		known, english = x.countEnglish(words)
	}
	counts := x.countCommon(words)
	best, most, shared := "", 0, false
	for _, code := range [...]string{"es", "fr", "de", "pt", "it", "en", "nl", "pl", "tr", "sv", "id"} {
		if code == expected {
			continue
		}
		shared = counts[code] == most || shared && counts[code] < most
		if counts[code] > most {
			best, most = code, counts[code]
		}
	}
	own := max(counts[expected], english)
	if most >= 2 && most > own && most >= known || most == 1 && !shared && own+known == 0 && len(words) <= 2 {
		return best
	}
	return ""
}

func (x *Lexicon) countCommon(words map[string]bool) map[string]int {
	counts := make(map[string]int)
	for w := range words {
		entry := x.entryFor(w)
		for code, in := range codes {
			if entry.common&in != 0 || lists().TellingLanguages[code][w] {
				counts[code]++
			}
		}
		for code, set := range lists().OtherLanguages {
			if set[w] {
				counts[code]++
			}
		}
	}
	return counts
}

// countEnglish returns the number of English words. own excludes words that are common in another
// language.
func (x *Lexicon) countEnglish(words map[string]bool) (known, own int) {
	for w := range words {
		entry, common := x.entryFor(w), x.vectors.find(w) != 0
		isForeign := entry.common != 0 && entry.common&english == 0
		switch {
		case common && !isForeign:
			own++
			known++
		case common, lists().Chat[w] != "", entry.kin == agreeing, entry.kin == refusing:
			known++
		}
	}
	return known, own
}
