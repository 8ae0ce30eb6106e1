package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minCorrected and maxCorrected are the lengths of words that are corrected: in
// shorter ones a slip makes another word, and longer ones cost too much.
const (
	minCorrected = 4
	maxCorrected = 14
)

// correctTokens corrects the words that nobody knows, but no names.
func (x *Lexicon) correctTokens(ts []token, names map[string]bool) {
	corrected := 0
	for i := range ts {
		t := &ts[i]
		if t.entry != x.strange || t.kind != wordToken || corrected == maxSlips || names[t.text] || followsNaming(ts[:i]) {
			continue
		}
		if word := x.correctSpelling(t.text); word != t.text {
			corrected++
			t.text, t.entry = word, x.entryFor(word)
		}
	}
}

// followsNaming reports whether a name comes next: "my name is", "call me", "I am called".
func followsNaming(ts []token) bool {
	n := len(ts)
	if n == 0 {
		return false
	}
	switch ts[n-1].text {
	case "called", "named", "name", "mr", "mrs", "miss":
		return true
	case "is":
		return n > 1 && ts[n-2].text == "name"
	case "me":
		return n > 1 && (ts[n-2].text == "call" || ts[n-2].text == "calls")
	}
	return false
}

// listNames returns, as Fold has them, the words that begin with a capital within a
// sentence.
func listNames(text string) map[string]bool {
	var out map[string]bool
	begins := true
	for word := range strings.FieldsSeq(text) {
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		first, size := utf8.DecodeRuneInString(bare)
		if !begins && unicode.IsUpper(first) && strings.ContainsFunc(bare[size:], unicode.IsLower) {
			if out == nil {
				out = make(map[string]bool)
			}
			out[Fold(strings.TrimSuffix(bare, "'s"))] = true
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?*\"")
	}
	return out
}

// correctSpelling returns the most frequent word that differs from an unknown
// one by a slip: a letter left out, doubled, wrong, too many, or two swapped. A
// word without such a neighbour is returned as it is.
func (x *Lexicon) correctSpelling(word string) string {
	if word = x.collapseRepeats(word); len(word) < minCorrected || len(word) > maxCorrected || !isLetters(word) || x.isWord(word) {
		return word
	}
	if known, ok := x.corrections.Find(word); ok {
		return known
	}
	word = strings.Clone(word)
	best, rank := word, byte(255)
	x.trySlips(word, func(among wordRange, b []byte) {
		if i := x.vectors.findAmong(among, b); i != 0 && x.vectors.row(i)[0] < rank {
			best, rank = string(b), x.vectors.row(i)[0]
		}
	})
	x.corrections.Keep(word, best, 1)
	return best
}

func (x *Lexicon) isWord(word string) bool {
	return x.words[word] != nil || x.vectors.find(word) != 0
}

func isLetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// trySlips tries all words that a slip in each place may have come from, each among
// the words that begin as it does before the slip; where there are none it ends. The
// first letter stands as it is: it is rarely wrong.
func (x *Lexicon) trySlips(word string, try func(among wordRange, b []byte)) {
	room := make([]byte, 0, len(word)+1)
	among := wordRange{0, len(x.vectors.words)}
	for i := 1; i < len(word); i++ {
		if among = x.vectors.narrow(among, word[:i]); among.from == among.to {
			return
		}
		if i+1 < len(word) {
			room = append(room[:0], word...)
			room[i], room[i+1] = room[i+1], room[i]
			try(among, room)
		}
		try(among, append(append(room[:0], word[:i]...), word[i+1:]...))
		for c := byte('a'); c <= 'z'; c++ {
			room = append(room[:0], word...)
			room[i] = c
			try(among, room)
			try(among, append(append(append(room[:0], word[:i]...), c), word[i:]...))
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		try(among, append(append(room[:0], word...), c))
	}
}

// collapseRepeats makes two letters of three and more of the same where that is a
// word ("helllo"), else one ("soooo").
func (x *Lexicon) collapseRepeats(word string) string {
	if doubled := collapseRuns(word, 2); doubled == word || x.isWord(doubled) {
		return doubled
	}
	return collapseRuns(word, 1)
}

// collapseRuns leaves so many letters of each run of three and more of the same.
func collapseRuns(word string, left int) string {
	out := make([]byte, 0, len(word))
	for start := 0; start < len(word); {
		end := start + 1
		for end < len(word) && word[end] == word[start] && word[end] >= 'a' {
			end++
		}
		keep := end - start
		if keep > 2 {
			keep = left
		}
		out = append(out, word[start:start+keep]...)
		start = end
	}
	return string(out)
}

// chatSpelling are words as people type them in a hurry, and in plays, with what
// they stand for.
var chatSpelling = map[string]string{
	"u": "you", "ur": "your", "r": "are", "ya": "you", "yer": "your", "ye": "yes",
	"y'all": "you", "yall": "you", "thou": "you", "thee": "you", "thy": "your", "thine": "your",
	"dost": "do", "doth": "do", "hast": "have", "hath": "have", "shalt": "shall", "im": "i am",
	"ive": "i have", "youre": "you are", "youve": "you have", "youll": "you will", "hes": "he is", "shes": "she is",
	"theyre": "they are", "theyve": "they have", "its": "it is", "thats": "that is", "theres": "there is", "whats": "what is",
	"wheres": "where is", "whos": "who is", "hows": "how is", "whens": "when is", "lets": "let us", "dont": "do not",
	"doesnt": "does not", "didnt": "did not", "wont": "will not", "wouldnt": "would not", "cant": "can not", "cannot": "can not",
	"couldnt": "could not", "shouldnt": "should not", "isnt": "is not", "arent": "are not", "wasnt": "was not", "werent": "were not",
	"havent": "have not", "hasnt": "has not", "hadnt": "had not", "aint": "is not", "mustnt": "must not", "gonna": "going to",
	"gunna": "going to", "gon": "going to", "wanna": "want to", "gotta": "have to", "hafta": "have to", "tryna": "trying to",
	"imma": "i will", "ima": "i will", "lemme": "let me", "gimme": "give me", "kinda": "kind of", "sorta": "sort of",
	"outta": "out of", "lotta": "lot of", "dunno": "do not know", "idk": "i do not know", "idc": "i do not care", "idgaf": "i do not care",
	"iirc": "i remember", "pls": "please", "plz": "please", "pleeease": "please", "thx": "thanks", "thanx": "thanks",
	"tnx": "thanks", "ty": "thank you", "tysm": "thank you", "sry": "sorry", "soz": "sorry", "np": "no problem",
	"omw": "on my way", "brb": "back soon", "gtg": "goodbye", "cya": "goodbye", "tbh": "honestly", "fr": "really",
	"ngl": "honestly", "rn": "right now", "asap": "quickly", "abt": "about", "w": "with", "w/": "with",
	"wo": "without", "n": "and", "nd": "and", "bc": "because", "cuz": "because", "coz": "because",
	"cos": "because", "b4": "before", "bout": "about", "tho": "though", "thru": "through", "tmr": "tomorrow",
	"tmrw": "tomorrow", "yday": "yesterday", "sth": "something", "smth": "something", "smthn": "something", "sb": "somebody",
	"sbdy": "somebody", "ppl": "people", "msg": "message", "pic": "picture", "wat": "what", "wut": "what",
	"wot": "what", "whut": "what", "hav": "have", "luv": "love", "nite": "night", "tonite": "tonight",
	"lil": "little", "yo": "hey", "hiya": "hello", "heya": "hello", "heyy": "hey", "heyyy": "hey",
	"helo": "hello", "hii": "hi", "hiii": "hi", "k": "ok", "kk": "ok", "okey": "ok",
	"okie": "ok", "oki": "ok", "alright": "ok", "yup": "yes", "yep": "yes", "yea": "yes",
	"yeh": "yes", "yh": "yes", "nah": "no", "nope": "no", "naw": "no", "nay": "no",
	"aye": "yes", "stfu": "shut up", "gtfo": "get out", "wtf": "what", "wth": "what", "omg": "oh", "whoa": "oh", "woah": "oh",
	"lol": "haha", "lmao": "haha", "rofl": "haha", "bruh": "friend", "bro": "friend", "dude": "friend",
	"mate": "friend", "m8": "friend", "fck": "fuck", "fuk": "fuck", "fk": "fuck", "effing": "fucking",
	"frickin": "fucking", "wuss": "coward", "knw": "know", "noe": "know", "tht": "that", "dat": "that",
	"dis": "this", "dem": "them", "da": "the", "teh": "the", "waht": "what", "taht": "that",
	"adn": "and", "recieve": "receive", "definately": "definitely", "becuase": "because", "beacuse": "because", "freind": "friend",
	"wierd": "weird", "wud": "would", "cud": "could", "shud": "should", "bcuz": "because", "becuz": "because", "sumthing": "something", "sumthin": "something",
	"somethin": "something", "sumone": "someone", "sum1": "someone", "some1": "someone", "nuthin": "nothing", "nothin": "nothing", "gud": "good", "dnt": "do not",
	"jus": "just", "jst": "just", "hv": "have", "wen": "when", "wats": "what is", "wuts": "what is", "wuz": "was", "thnx": "thanks",
	"wnat": "want", "wnt": "want", "wana": "want to", "realy": "really", "plese": "please",
}

// wantsSome are words behind which "sum" is "some" and no amount.
var wantsSome = map[string]bool{
	"want": true, "wants": true, "have": true, "has": true, "need": true, "get": true, "got": true, "give": true, "like": true, "try": true, "eat": true, "take": true,
	"bring": true, "brought": true, "you": true, "me": true, "with": true, "is": true, "love": true,
}

// Span is a part of a message: what the player says, does or quotes.
type Span struct {
	Text   string
	Action bool // between stars, underscores or brackets: what the player does
	Quoted bool // between quotation marks, with other words around it
}

// maxSpan is how many bytes an action or a quotation may have; what is longer is
// said.
const maxSpan = 1000

// SplitSpans cuts a message into what is said, done (*nods*, **nods**, _nods_,
// (nods), [nods]) and quoted. A message that stands as a whole in quotation marks is
// said.
func SplitSpans(message string) []Span {
	var out []Span
	start := 0
	flush := func(end int) {
		if strings.TrimSpace(message[start:end]) != "" {
			out = append(out, Span{Text: message[start:end]})
		}
	}
	for i := 0; i < len(message); i++ {
		closing, quote := closingMark(message[i:])
		if closing == "" || i > 0 && isWordByte(message[i-1]) {
			continue
		}
		opening := len(closing)
		if quote {
			opening = len(openingQuote(message[i:]))
		}
		end := strings.Index(message[i+opening:min(len(message), i+opening+maxSpan)], closing)
		if end <= 0 || strings.Contains(message[i+opening:i+opening+end], "\n\n") {
			continue
		}
		flush(i)
		out = append(out, Span{Text: message[i+opening : i+opening+end], Action: !quote, Quoted: quote})
		i += opening + end + len(closing) - 1
		start = i + 1
	}
	flush(len(message))
	if len(out) == 1 {
		out[0].Quoted = false
	}
	return out
}

func isWordByte(b byte) bool {
	return b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func openingQuote(s string) string {
	for _, q := range [...]string{`"`, "“", "„", "«"} {
		if strings.HasPrefix(s, q) {
			return q
		}
	}
	return ""
}

// closingMark returns what closes the mark at the beginning of a text.
func closingMark(s string) (closing string, quote bool) {
	switch s[0] {
	case '*':
		if strings.HasPrefix(s, "**") {
			return "**", false
		}
		return "*", false
	case '_':
		return "_", false
	case '(':
		return ")", false
	case '[':
		return "]", false
	}
	switch openingQuote(s) {
	case `"`:
		return `"`, true
	case "“":
		return "”", true
	case "„":
		return "“", true
	case "«":
		return "»", true
	}
	return "", false
}
