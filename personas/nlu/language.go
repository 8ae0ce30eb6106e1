package nlu

import (
	"strings"
	"unicode"
)

// codes are the languages in which personas are matched, as BCP 47 has them.
var codes = map[string]language{"en": english, "de": german, "es": spanish, "fr": french, "pt": portuguese, "it": italian}

// otherWords are common words of languages that are only recognised.
var otherWords = map[string]map[string]bool{
	"nl": makeSet(`ik je jij het een en van niet dat wat wie waar hoe ook maar met voor zijn heb hebt heeft mijn jouw dit deze naar graag alsjeblieft dank wil kan kun hallo goedemorgen ja nee geen`),
	"pl": makeSet(`nie jest sie jestem mam czy ja ty to co kto gdzie jak prosze dziekuje dzien dobry tak moge chce ale dla czesc`),
	"tr": makeSet(`ben sen bir bu ne nasil nerede evet hayir degil var yok icin ve ile merhaba tesekkur istiyorum lutfen benim senin`),
	"sv": makeSet(`jag du det ett och inte vad vem var hur ocksa men med har min din tack hej vill kan snalla ja nej`),
	"id": makeSet(`saya kamu anda yang tidak apa siapa di mana bagaimana dan ini itu mau bisa tolong terima kasih halo ya untuk dengan aku`),
}

// scripts are the writings that tell a language by themselves.
var scripts = []struct {
	code  string
	table *unicode.RangeTable
}{
	{"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"ko", unicode.Hangul}, {"zh", unicode.Han}, {"ru", unicode.Cyrillic},
	{"ar", unicode.Arabic}, {"hi", unicode.Devanagari}, {"bn", unicode.Bengali}, {"th", unicode.Thai}, {"el", unicode.Greek}, {"he", unicode.Hebrew},
}

// DetectLanguage returns the language (BCP 47) in which a message is written
// when it is surely another than expected; else "".
func (x *Lexicon) DetectLanguage(message, expected string) string {
	if code := scriptLanguage(message); code != "" {
		if code == expected {
			return ""
		}
		return code
	}
	words := make(map[string]bool)
	for _, t := range x.tokensOf(message) {
		if t.kind == wordToken {
			words[t.text] = true
		}
	}
	return x.latinLanguage(words, expected)
}

// scriptLanguage returns the language of a script that has more letters in a
// text than Latin has.
func scriptLanguage(message string) string {
	counts, latin := make([]int, len(scripts)), 0
	for _, r := range message {
		if unicode.Is(unicode.Latin, r) {
			latin++
			continue
		}
		for i, s := range scripts {
			if unicode.Is(s.table, r) {
				counts[i]++
			}
		}
	}
	if counts[0]+counts[1] > 0 { // Japanese has Han too
		counts[0] += counts[1] + counts[3]
	}
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	if counts[best] == 0 || counts[best] < latin {
		return ""
	}
	return scripts[best].code
}

// latinLanguage returns the language whose common words a message has most of,
// when these are two or more and more than twice those of the expected one.
func (x *Lexicon) latinLanguage(words map[string]bool, expected string) string {
	counts := make(map[string]int)
	for w := range words {
		entry := x.entryFor(w)
		for code, in := range codes {
			if entry.common&in != 0 || x.greetings[w] == code {
				counts[code]++
			}
		}
		for code, set := range otherWords {
			if set[w] {
				counts[code]++
			}
		}
	}
	known := 0
	for w := range words {
		if expected == "en" && x.vectors.find(w) != 0 && !x.isForeign(w) {
			known++
		}
	}
	best, most := "", 0
	for _, code := range [...]string{"es", "fr", "de", "pt", "it", "en", "nl", "pl", "tr", "sv", "id"} {
		if code != expected && counts[code] > most {
			best, most = code, counts[code]
		}
	}
	own := max(counts[expected], known)
	if most >= 2 && most > own || most == 1 && own == 0 && len(words) <= 3 && most >= len(words)-1 {
		return best
	}
	return ""
}

// isForeign reports whether a word is common in a language other than English
// and not in English.
func (x *Lexicon) isForeign(w string) bool {
	entry := x.entryFor(w)
	return entry.common != 0 && entry.common&english == 0
}

// greetingsOf are words that tell a language and are not common enough otherwise.
var greetingsOf = map[string]string{
	"es": `hola buenos buenas dias gracias amigo senor senora vale adios habla espanol ayuda libro gato perro dinero`,
	"fr": `bonjour bonsoir merci salut monsieur madame voudrais suis cherche livre chat oui parle francais aide argent`,
	"de": `guten morgen hallo danke bitte mochte brauche buch katze ja nein sprichst deutsch hilfe geld kein keine nicht`,
	"pt": `ola bom boa obrigado obrigada senhor senhora livro gato dinheiro sim fala portugues ajuda nao`,
	"it": `ciao buongiorno buonasera grazie prego signore signora libro gatto soldi parla italiano aiuto non`,
}

func makeGreetings() map[string]string {
	out := make(map[string]string)
	for code, words := range greetingsOf {
		for w := range strings.FieldsSeq(words) {
			out[w] = code
		}
	}
	return out
}
